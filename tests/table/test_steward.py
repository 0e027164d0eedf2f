"""Duties of many tables at once."""

from __future__ import annotations

import asyncio
import dataclasses

import pytest

from services.runtime.memory import MemoryStore
from services.table import steward
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
