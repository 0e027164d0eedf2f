"""Duties of many tables at once."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable
from itertools import product

import pytest

from services.runtime.memory import MemoryStore
from services.table import steward
from services.table.decider.clocks import GRACE_US
from services.table.model import commands as c
from services.table.model.events import Seat
from services.table.model.state import Table
from tests.table.four import match
from tests.table.given import facts
from tests.table.halls import Room

TABLES = 9
FEW = 2


class SlowStore(MemoryStore):
    """Once it is slow, appends wait to be let go."""

    def __init__(self) -> None:
        super().__init__()
        self.slow = False
        self.waiting = 0
        self.most = 0
        self.go = asyncio.Event()

    async def append(self, subject: str, data: bytes, expected_sequence: int) -> int:
        if self.slow:
            self.waiting += 1
            self.most = max(self.most, self.waiting)
            await self.go.wait()
            self.waiting -= 1
        return await super().append(subject, data, expected_sequence)


@pytest.fixture
async def store(monkeypatch: pytest.MonkeyPatch) -> SlowStore:
    monkeypatch.setattr(steward, "AT_ONCE", FEW)
    return SlowStore()


async def due(store: SlowStore) -> Room:
    """Tables to which nobody comes, all of whose boards are due to be opened, in a log that has become slow."""
    room = await Room(store).start()
    for number in range(TABLES):
        await room.open(dataclasses.replace(facts(), table=f"t{number}"))
    store.slow = True
    await room.wind(61)
    return room


async def test_few_duties_of_a_kind_are_under_way_at_once_and_all_are_done(store: SlowStore) -> None:
    room = await due(store)
    assert store.waiting == FEW
    store.go.set()
    await room.until(lambda: all(room.table(desk.subject).live is not None for desk in room.hall.desks()))
    assert store.most == FEW
    assert len([*room.hall.desks()]) == TABLES
    await room.stop()


async def test_a_stop_waits_for_what_is_under_way_and_begins_nothing_more(store: SlowStore) -> None:
    room = await due(store)
    stopping = asyncio.create_task(room.stop())
    await room.settle()
    assert not stopping.done()
    store.go.set()
    await stopping
    assert sum(room.table(desk.subject).live is not None for desk in room.hall.desks()) == FEW


async def test_a_duty_that_waited_for_room_is_not_done_at_a_table_that_was_paused_meanwhile(
    store: SlowStore,
) -> None:
    """C8.3, C9.3: the time of matches is over at the same moment, and a referee stops one of them."""
    room = await Room(store).start()
    nobody = tuple(Seat(number % 2 + 1, "") for number in range(4))
    tables = [await room.open(match(5, table=f"t{number}", seats=nobody)) for number in range(FEW + 1)]

    async def play(until: Callable[[Table], bool]) -> None:
        while not all(until(room.table(one)) for one in tables):
            await room.wind(0.5)
            await room.until(lambda: all(room.table(one).board is None or dealt(one) for one in tables))

    def dealt(subject: str) -> bool:
        return room.board(subject).game is not None

    await play(lambda table: table.closed == 1 and table.live is None)
    for one, seat in product(tables, range(4)):  # whoever thinks for as long as a clock lets them
        await room.send(one, c.ReplaceSeat(seat, f"{one[-1]}-{seat}", "has come"), "ref")
    await play(lambda table: table.live is not None)
    over_us = [course.ends_us + GRACE_US for one in tables if (course := room.table(one).course)]
    await room.wind((min(over_us) - room.time.now_us()) / 1e6 - 0.001)
    store.slow = True
    await room.wind(0.002)
    assert store.waiting == FEW
    pausing = asyncio.create_task(room.send(tables[-1], c.PauseTable("a fire alarm"), "ref"))
    await room.settle()
    store.go.set()
    await pausing
    assert [room.table(one).live is not None for one in tables] == [*[False] * FEW, True]
    await room.stop()
