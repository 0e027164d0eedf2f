"""A board's results as a table shows them."""

from __future__ import annotations

from typing import Any

from clients.cli.boards import columns, seats
from fupan.scoring.v1 import service_pb2 as pb

PERCENT = {"mp", "top", "percent"}


def shown(**more: Any) -> set[str]:
    result = pb.BoardResult(table="r1-t1", group=1, entrants=[1, 2, 1, 2], scores=[15, -15, 15, -15], **more)
    return {column.key for column in columns(seats(result))}


def test_C7_2_a_board_of_teams_has_no_percentages() -> None:
    assert not shown() & PERCENT
    assert {"table", "entrant", "score"} <= shown()


def test_C3_3_a_board_that_is_compared_has_them_also_where_nobody_else_played_it() -> None:
    assert shown(mp=[0, 2, 0, 2], top=[2, 2, 2, 2], percent_tenths=[0, 1000, 0, 1000]) >= PERCENT
    assert shown(percent_tenths=[500] * 4) >= PERCENT
