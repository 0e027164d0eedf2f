"""What lists tell of a row that is easily misread."""

from __future__ import annotations

from datetime import UTC

import pytest

from clients.cli import standings, tables
from fupan.scoring.v1 import service_pb2 as scoring
from fupan.table.v1 import service_pb2 as table
from fupan.table.v1.events_pb2 import Seat


def test_house_ai_is_never_not_connected() -> None:
    seats = [Seat(person_id="p-1"), Seat(), Seat(person_id="p-3")]
    told = table.TableStatus(table="r1-t1", seats=seats, connected=[True, False, False])
    assert tables._record(told, UTC)["seats"] == ["p-1", "house", "p-3?"]
    del told.connected[:]  # nobody can be: real cards
    assert tables._record(told, UTC)["seats"] == ["p-1", "house", "p-3"]


@pytest.mark.parametrize(
    ("row", "note"),
    [
        (scoring.StandingRow(shared=True), ""),
        (scoring.StandingRow(shared=True, units=1), "play-off"),
        (scoring.StandingRow(shared=True, lost=1), "play-off"),
    ],
)
def test_C4_5_who_has_played_nothing_yet_waits_for_no_play_off(row: scoring.StandingRow, note: str) -> None:
    assert standings._note(row) == note
