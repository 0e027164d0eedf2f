"""Who was given an entrant's seat, as tables tell it in the clear (C1.6)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from fupan.table.v1 import events_pb2 as table
from services.directory import Directory
from services.ledger import record as ledger
from services.ledger.record import BoardClosing, Stored
from services.runtime.follower import Read
from services.runtime.identity import Caller
from services.runtime.memory import MemoryStore
from services.substitutes import Substitutes
from tests.runtime.serving import EPOCH, PairingLog, appointed, created, entered

ENTRANTS = ("an", "bo", "cai", "di")
SUBJECT = "fupan.e1.table.0.cup.r2-t1"


def read(
    *events: Any, people: tuple[str, ...] = (), left: tuple[str, ...] = (), told: tuple[str, ...] = ()
) -> Read:
    """A record in the clear; of `people`, the closing of a sealed one, whose events are not to be read; `told`: who sits there by
    a sealed one on the way."""
    header = ledger.Header(SUBJECT, 1, ledger.GENESIS, "e1", ledger.Writer("x", "x", "x"), "", b"", (), 1)
    written = tuple(event.SerializeToString() for event in events)
    body = None if people or told else ledger.Body("x", "", "", None, "c", b"", b"", written)
    closing = BoardClosing(2, 1, 1, False, (), (), (), (), people, left=left) if people else None
    return Read(Stored("x", 1, SUBJECT, b""), ledger.Record(header, b"", body is None, closing, told), body)


OPENED = read(table.Event(table_opened=table.TableOpened(championship="cup", table="r2-t1", round=2)))


def replaced(person: str) -> Any:
    return table.Event(seat_replaced=table.SeatReplaced(seat=1, person_id=person))


@pytest.fixture
async def directory() -> AsyncIterator[Directory]:
    """Four entrants, and Eva, who is a referee."""
    store = MemoryStore()
    log, made = PairingLog(store), Directory(store, EPOCH)
    await log.write("cup", created("cup"))
    await log.write("cup", *entered("one", {n: [person] for n, person in enumerate(ENTRANTS, 1)}))
    await log.write("cup", appointed("eva", "referee"))
    await made.start()
    yield made
    await made.stop()


async def nothing() -> None:
    """All was read."""


def found(directory: Directory, *reads: Read) -> Substitutes:
    substitutes = Substitutes(directory, nothing)
    substitutes.read([OPENED, *reads])
    return substitutes


async def test_a_seat_that_is_given_between_two_boards_is_told_at_once(directory: Directory) -> None:
    assert found(directory, read(replaced("eva"))).tables("cup", "eva") == {(2, "r2-t1")}


async def test_a_seat_that_is_given_on_an_open_board_is_told_at_once(directory: Directory) -> None:
    substitutes = found(directory, read(told=("an", "eva", "", "di")))
    assert substitutes.tables("cup", "eva") == {(2, "r2-t1")}
    assert not substitutes.tables("other", "eva")
    # Whoever leaves it again has played all the same.
    substitutes.read([read(told=("an", "bo", "", "di"))])
    assert substitutes.plays("cup", "eva")


async def test_of_an_open_board_older_records_tell_when_it_is_closed(directory: Directory) -> None:
    """C10.3: whoever played the contested board judges no appeal about it."""
    substitutes = found(directory, read(people=("an", "eva", "", "di"), left=("bo", "fan")))
    assert substitutes.tables("cup", "eva") == substitutes.tables("cup", "fan") == {(2, "r2-t1")}


async def test_entrants_and_house_ai_are_no_substitutes(directory: Directory) -> None:
    told = ("an", "bo", "", "di")
    substitutes = found(
        directory, read(replaced("")), read(replaced("cai")), read(people=told), read(told=told)
    )
    assert not any(substitutes.tables("cup", person) for person in ("", *ENTRANTS))


async def test_what_is_asked_for_now_waits_for_what_is_still_to_be_read(directory: Directory) -> None:
    given, eva = [read(told=("an", "eva", "", "di"))], Caller("eva")

    async def catch_up() -> None:
        substitutes.read([given.pop()] if given else [])

    substitutes = Substitutes(directory, catch_up)
    substitutes.read([OPENED])
    assert substitutes.watches("cup", eva)
    assert not await substitutes.watches_now("cup", eva)
    assert await substitutes.played("cup", "eva")


async def test_who_has_just_become_an_entrant_watches_no_more() -> None:
    store, eva = MemoryStore(), Caller("eva")
    log, directory = PairingLog(store), Directory(store, EPOCH)
    await log.write("cup", created("cup"), appointed("eva", "referee"))
    await directory.start()
    substitutes = Substitutes(directory, nothing)
    await log.write("cup", *entered("one", {1: ["eva"]}))
    assert substitutes.watches("cup", eva), "the directory has read it already"
    assert not await substitutes.watches_now("cup", eva)
    await directory.stop()
