"""A table that was opened otherwise than the event is set, or its round seated, is found (C1.1, C6.4, C9.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from services.ledger.audit.verify import verify
from tests.ledger import event_log as e
from tests.ledger.test_audit import codes, forged

Change = Callable[[Any], None]


def details(**forge: Change) -> set[str]:
    """What is wrong with how tables were opened."""
    found = next(check for check in forged(**forge).checks if check.name == "draw").findings
    return {one.detail for one in found if one.code == "OTHER_TABLE" and ".r1-t1" in one.subject}


def test_tables_of_an_event_are_opened_as_it_is_set() -> None:
    assert codes(forged()) == set()


def person(opened: Any) -> None:
    opened.seats[0].person_id = "p-9"


def entrant(opened: Any) -> None:
    opened.seats[1].entrant = 9


def house(opened: Any) -> None:
    opened.seats[0].person_id = ""


def extra(opened: Any) -> None:
    opened.boards.add(board=3, attempt=1)


def fewer(opened: Any) -> None:
    del opened.boards[1]


def again(opened: Any) -> None:
    opened.boards[0].attempt = 2


def clock(opened: Any) -> None:
    opened.play_clock_ms += 1


def demo(opened: Any) -> None:
    opened.demo = True


def rules(opened: Any) -> None:
    opened.params = opened.params.replace('"min_huxi":15', '"min_huxi":10')


def group(opened: Any) -> None:
    opened.group = 2


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        (person, "seat 0 of table r1-t1 was given to another one than was seated there"),
        (entrant, "seat 1 of table r1-t1 was given to another one than was seated there"),
        (house, "seat 0 of table r1-t1 was given to another one than was seated there"),
        (extra, "table r1-t1 was opened with other boards than it had to play (C6.4)"),
        (fewer, "table r1-t1 was opened with other boards than it had to play (C6.4)"),
        (again, "table r1-t1 was opened with other boards than it had to play (C6.4)"),
        (clock, "table r1-t1 was opened with another play_clock_ms than the event's"),
        (demo, "table r1-t1 was opened with another demo than the event's"),
        (rules, "table r1-t1 was opened with other parameters than the event's"),
        (group, "table r1-t1 was opened for another round or group than it was seated for"),
    ],
)
def test_a_table_that_was_opened_otherwise_is_found(change: Change, detail: str) -> None:
    assert detail in details(table_opened=change)


def test_a_board_that_is_played_twice_or_was_none_of_the_tables_is_found() -> None:
    def first(opened: Any) -> None:
        opened.board = 1

    assert details(board_opened=first) == {"board 1, attempt 1 is not one that the table had to play"}


def test_a_seat_of_who_has_withdrawn_is_house_ais() -> None:
    """C1.6."""
    left = e.championship().seats["r1-t1"][0]
    log = e.championship(forge={"table_opened": house})
    log.append(e.PAIRING, [e.PairingEvent(entrant_withdrawn={"entrant": left})])
    draw = next(check for check in verify(log.file()).checks if check.name == "draw")
    assert {one.subject.rpartition(".")[2] for one in draw.findings} == {"r1-t2"}
