"""Who was given an entrant's seat, as tables tell it in the clear (C1.6)."""

from __future__ import annotations

from typing import Any

from fupan.table.v1 import events_pb2 as table
from services.ledger import record as ledger
from services.ledger.record import BoardClosing, Stored
from services.runtime.follower import Read
from services.substitutes import Substitutes

ENTRANTS = {"an", "bo", "cai", "di"}
SUBJECT = "fupan.e1.table.0.cup.r2-t1"


def read(*events: Any, people: tuple[str, ...] = (), left: tuple[str, ...] = ()) -> Read:
    """A record in the clear; of `people`, the closing of a sealed one, whose events are not to be read."""
    header = ledger.Header(SUBJECT, 1, ledger.GENESIS, "e1", ledger.Writer("x", "x", "x"), "", b"", (), 1)
    told = tuple(event.SerializeToString() for event in events)
    body = None if people else ledger.Body("x", "", "", None, "c", b"", b"", told)
    closing = BoardClosing(2, 1, 1, False, (), (), (), (), people, left=left) if people else None
    return Read(Stored("x", 1, SUBJECT, b""), ledger.Record(header, b"", body is None, closing), body)


def replaced(person: str) -> Any:
    return table.Event(seat_replaced=table.SeatReplaced(seat=1, person_id=person))


def found(*reads: Read) -> Substitutes:
    substitutes = Substitutes(lambda championship, person: person in ENTRANTS)
    opened = table.Event(table_opened=table.TableOpened(championship="cup", table="r2-t1", round=2))
    substitutes.read([read(opened), *reads])
    return substitutes


def test_a_seat_that_is_given_between_two_boards_is_told_at_once() -> None:
    assert found(read(replaced("eva"))).tables("cup", "eva") == {(2, "r2-t1")}


def test_a_seat_that_is_given_on_an_open_board_is_told_when_that_is_closed() -> None:
    substitutes = found(read(people=("an", "eva", "", "di")))
    assert substitutes.tables("cup", "eva") == {(2, "r2-t1")}
    assert not substitutes.tables("other", "eva")


def test_who_came_and_left_within_an_open_board_is_told_when_that_is_closed() -> None:
    """C10.3: whoever played the contested board judges no appeal about it."""
    substitutes = found(read(people=("an", "bo", "", "di"), left=("bo", "eva")))
    assert substitutes.tables("cup", "eva") == {(2, "r2-t1")}


def test_entrants_and_house_ai_are_no_substitutes() -> None:
    substitutes = found(read(replaced("")), read(replaced("cai")), read(people=("an", "bo", "", "di")))
    assert not any(substitutes.tables("cup", person) for person in ("", *ENTRANTS))
