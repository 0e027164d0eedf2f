"""What the demo's appeal and correction are made of, and how standings by points are shown."""

from __future__ import annotations

from typing import Any

import pytest

from clients.cli import changes, output, standings
from clients.cli.local import correction
from clients.cli.local.contest import _won, _worst_first
from clients.cli.words import choose
from fupan.scoring.v1 import service_pb2 as pb


@pytest.fixture(autouse=True)
def english() -> None:
    choose("en")


@pytest.mark.parametrize(
    ("seat", "seats", "scores"),
    [(1, 3, (-5, 10, -5)), (0, 4, (5, -5, 5, -5)), (3, 4, (-5, 5, -5, 5))],
)
def test_a_case_is_won_with_ones_partner_and_sums_to_nothing(
    seat: int, seats: int, scores: tuple[int, ...]
) -> None:
    assert _won(seat, seats, 5) == scores
    assert sum(scores) == 0


def test_the_worst_board_is_contested_first() -> None:
    units = [
        pb.ExplainedUnit(round=1, board=1, table="a", percent_tenths=500),
        pb.ExplainedUnit(round=2, board=1, table="b", percent_tenths=250),
        pb.ExplainedUnit(round=1, board=2, table="a", percent_tenths=0, assigned=True),
        pb.ExplainedUnit(round=1, board=3, table="a", percent_tenths=250),
    ]
    found = list(_worst_first(pb.ExplainScoreResponse(units=units)))
    assert [(one.round, one.board) for one in found] == [(1, 3), (2, 1), (1, 1)]


def test_a_team_contests_the_boards_of_lost_matches_first() -> None:
    swings = [pb.ExplainedSwing(board=1, difference=10), pb.ExplainedSwing(board=2, difference=-40)]
    won = pb.ExplainedMatch(round=1, table="r1-t1-open", points=2, net=60, swings=swings[:1])
    lost = pb.ExplainedMatch(round=2, table="r2-t1-open", points=0, net=-30, swings=swings)
    found = list(_worst_first(pb.ExplainScoreResponse(matches=[won, lost])))
    assert [tuple(one) for one in found] == [
        (2, 2, "r2-t1-open", 30),
        (2, 1, "r2-t1-open", 30),
        (1, 1, "r1-t1-open", 60),
    ]


def test_a_correction_is_told_in_both_languages() -> None:
    told = correction.Correction(4, 3, "r3-t1", 1, ("2", "K")).told()
    assert correction.text(told).endswith("round 3 at r3-t1: entrant 4 won, levels 2:K")
    choose("zh")
    assert correction.text(told) == "裁判长更正第 3 轮 r3-t1 桌：4 号胜，级数 2:K"


def row(entrant: int, rank: int, **more: Any) -> pb.StandingRow:
    return pb.StandingRow(entrant=entrant, rank=rank, place=rank, persons=[f"p{entrant}"], **more)


def test_an_order_by_points_shows_points_and_one_by_percent_does_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    league = standings.records([row(7, 1, points="9/2", net=-2, won=1, lost=1, byes=1, percent_tenths=500)])
    output.rows(league, standings.columns(league), "table")
    titles, _, line, *_ = [line for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert titles.split() == ["Rank", "Entrant", "Persons", "Points", "Net", "W", "D", "L", "Byes"]
    assert line.split() == ["1", "7", "p7", "9/2", "-2", "1", "0", "1", "1"]
    percent = standings.records([row(7, 1, percent_tenths=500, units=4)])
    assert standings.columns(percent) is standings.COLUMNS


def test_changes_are_shown_in_what_the_order_goes_by() -> None:
    before = standings.records([row(1, 1, points="6", net=3), row(2, 2, points="3", net=1)])
    after = standings.records([row(2, 1, points="6", net=4), row(1, 2, points="6", net=3)])
    compared = changes.side_by_side(before, after)
    assert [
        (one["entrant"], one["rank_before"], one["points_before"], one["changed"]) for one in compared
    ] == [
        (2, 2, "3", True),
        (1, 1, "6", True),
    ]
    keys = [column.key for column in changes.columns(compared)]
    assert "points_before" in keys
    assert "percent" not in keys
    same = changes.side_by_side(before, before)
    assert not any(one["changed"] for one in same)
