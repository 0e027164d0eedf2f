"""Matchpoints of one group: C3.2 to C3.5, and the boards of the worked example C5."""

from __future__ import annotations

from fractions import Fraction

import pytest

from services.domain import Rejected
from services.games.championship.matchpoints import dense_ranks, matchpoints, published, ranks, ratio, top


def percent(scores: list[int]) -> list[int]:
    """Published r of each score, tenths of a percent."""
    return [published(ratio(mp, len(scores))) for mp in matchpoints(scores)]


@pytest.mark.parametrize(
    ("scores", "mp", "tenths", "competition", "dense"),
    [
        ([8, 4, 4], [4, 1, 1], [1000, 250, 250], [1, 2, 2], [1, 2, 2]),
        ([4, -6, 4], [3, 0, 3], [750, 0, 750], [1, 3, 1], [1, 2, 1]),
        ([6, 8, 6], [1, 4, 1], [250, 1000, 250], [2, 1, 2], [2, 1, 2]),
    ],
)
def test_boards_of_the_worked_example_C5(
    scores: list[int], mp: list[int], tenths: list[int], competition: list[int], dense: list[int]
) -> None:
    assert matchpoints(scores) == mp
    assert percent(scores) == tenths
    assert ranks(scores) == competition
    assert dense_ranks(scores) == dense


def test_C3_2_two_for_worse_one_for_equal() -> None:
    assert matchpoints([12, 4, 0, 0, -6]) == [8, 6, 3, 3, 0]


def test_C3_3_alone_in_the_group_is_half() -> None:
    assert (matchpoints([7]), top(1), percent([7]), ranks([7])) == ([0], 0, [500], [1])


def test_C3_3_a_group_of_nobody_has_no_top() -> None:
    with pytest.raises(Rejected, match="EMPTY_GROUP"):
        top(0)


def test_C3_4_equal_ratios_share_a_rank_and_the_following_are_skipped() -> None:
    assert ranks([9, 5, 5, 1]) == [1, 2, 2, 4]


def test_C4_2_dense_ranks_skip_nothing() -> None:
    assert dense_ranks([9, 5, 5, 1]) == [1, 2, 2, 3]


def test_C3_5_half_a_tenth_is_rounded_up() -> None:
    assert [published(Fraction(mp, 16)) for mp in (1, 15)] == [63, 938]
    assert [published(Fraction(part, 2000)) for part in (0, 1, 2, 1999)] == [0, 1, 1, 1000]
    assert published(Fraction(10**30 - 1, 2 * 10**33)) == 0
