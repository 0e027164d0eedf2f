"""S9.3-S9.7: levels, next declarer, end of the match, raw scores."""

from __future__ import annotations

from itertools import pairwise

import pytest

from services.games.shengji import result
from services.games.shengji.params import Params
from services.games.shengji.result import Result
from tests.games.shengji.given import duplicate, xiamen


def settle(points: int, levels: str, declarer: int, params: Params | None = None) -> Result:
    return result.settle(params or xiamen(), points, (levels[0], levels[1]), declarer)


@pytest.mark.parametrize(
    ("points", "declarer_level", "defenders_level"),
    [
        (-30, "7", "2"), (0, "7", "2"), (5, "6", "2"), (15, "6", "2"), (20, "5", "2"), (35, "5", "2"),
        (40, "4", "2"), (55, "4", "2"), (60, "3", "2"), (75, "3", "2"),
        (80, "2", "2"), (95, "2", "2"), (100, "2", "3"), (115, "2", "3"), (120, "2", "4"), (140, "2", "5"),
        (160, "2", "6"), (180, "2", "7"), (200, "2", "8"), (300, "2", "K"),
    ],
)  # fmt: skip
def test_s9_3_steps(points: int, declarer_level: str, defenders_level: str) -> None:
    for declarer in result.SEATS:
        after = settle(points, "22", declarer)
        assert after.levels[declarer % 2] == declarer_level
        assert after.levels[1 - declarer % 2] == defenders_level
        assert after.won_by is None


@pytest.mark.parametrize(
    ("points", "steps"),
    [
        (-5, 3),
        (0, 3),
        (5, 2),
        (35, 2),
        (40, 1),
        (75, 1),
        (80, 0),
        (115, 0),
        (120, 1),
        (155, 1),
        (160, 2),
        (200, 3),
    ],
)
def test_s9_7_steps40(points: int, steps: int) -> None:
    assert result.steps(xiamen(profile="steps40"), points) == steps


def test_s9_4_next_declarer() -> None:
    assert [settle(75, "22", seat).next_declarer for seat in result.SEATS] == [2, 3, 0, 1]
    assert [settle(80, "22", seat).next_declarer for seat in result.SEATS] == [1, 2, 3, 0]
    assert [settle(200, "22", seat).next_declarer for seat in result.SEATS] == [1, 2, 3, 0]


def test_s9_4_clockwise_whatever_happens() -> None:
    always = xiamen(declarer_rotation="clockwise_always")
    for points in (0, 75, 80, 200):
        assert [settle(points, "22", seat, always).next_declarer for seat in result.SEATS] == [1, 2, 3, 0]


def test_s9_5_ace_and_two_are_skipped() -> None:
    assert settle(60, "QA", 0).levels == ("K", "A")
    assert settle(40, "QA", 0).levels == ("A", "A")


@pytest.mark.parametrize(("points", "level"), [(60, "A"), (40, "K"), (20, "Q"), (0, "T"), (0, "A")])
def test_s9_5_past_ace_wins(points: int, level: str) -> None:
    after = settle(points, level + "9", 2)
    assert (after.won_by, after.levels) == (0, ("A", "9"))


def test_s9_5_the_defenders_win_too() -> None:
    assert settle(100, "9A", 0).won_by == 1
    assert settle(95, "9A", 0).won_by is None
    assert settle(100, "A9", 0).won_by is None


def test_s9_5_a_level_that_must_be_played() -> None:
    """A rise stops there, and only having declared and held it leads on."""
    must = xiamen(must_play=["5", "T", "K", "A"])
    assert settle(0, "32", 0, must).levels == ("5", "2")
    assert settle(200, "32", 1, must).levels == ("5", "2")
    assert settle(200, "52", 1, must).levels == ("5", "2")
    assert settle(60, "52", 0, must).levels == ("6", "2")
    assert settle(0, "52", 0, must).levels == ("T", "2")
    assert settle(0, "92", 0, must).levels == ("T", "2")
    assert settle(0, "Q2", 0, must).levels == ("K", "2")
    assert settle(0, "K2", 0, must).levels == ("A", "2")
    assert settle(0, "A2", 0, must).won_by == 0
    assert settle(200, "A2", 1, must).won_by is None


def test_s9_6_raw_scores() -> None:
    assert result.scores(duplicate(), 60, 0) == (20, -20, 20, -20)
    assert result.scores(duplicate(), 120, 0) == (-40, 40, -40, 40)
    assert result.scores(duplicate(), 80, 1) == (0, 0, 0, 0)
    assert result.scores(duplicate(), -10, 3) == (-90, 90, -90, 90)


def test_s9_6_or_level_steps() -> None:
    levels = duplicate(score="levels")
    assert result.scores(levels, 0, 1) == (-5, 5, -5, 5)
    assert result.scores(levels, 60, 0) == (1, -1, 1, -1)
    assert result.scores(levels, 95, 0) == (0, 0, 0, 0)
    assert result.scores(levels, 200, 0) == (-6, 6, -6, 6)


@pytest.mark.parametrize("score", ["points", "levels"])
def test_s9_6_more_points_never_hurt_the_defenders(score: str) -> None:
    params = duplicate(score=score)
    found = [result.scores(params, points, 0)[1] for points in range(-40, 400, 5)]
    assert all(one <= two for one, two in pairwise(found))
    assert all(sum(result.scores(params, points, 0)) == 0 for points in range(-40, 400, 5))
