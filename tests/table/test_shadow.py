"""The shadow referee at live boards: it agrees with the engine, and raises an alarm over an engine with a fault."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from services.games.paohuzi.ruleset import Paohuzi
from services.games.rules import Outcome
from services.games.shengji.ruleset import Shengji
from services.ledger.dealing import parse_board_path
from services.runtime.memory import MemoryStore
from services.runtime.streams import stream_of
from services.table.framing import path_of
from services.table.leaves import Opened
from services.table.model.events import BoardSlot, TableOpened
from services.table.shadow import ShadowReferee
from tests.games.shadow.test_shengji import pointless
from tests.table.four import boards, match
from tests.table.logs import SUBJECT, Replica, StandInDealer


class Table:
    """A table whose boards are looked at."""

    def __init__(self) -> None:
        store, dealer = MemoryStore(), StandInDealer()
        self.replica = Replica(store, dealer)
        self.alarms: list[str] = []
        self.owned = True
        self.shadow = ShadowReferee(
            self.replica.log, store, self.replica.leaves, lambda _: self.owned, self.alarms.append
        )

        self.looked_at = 0
        self._ask, self.shadow._ask = self.shadow._ask, self._counted  # type: ignore[method-assign]

    async def _counted(self, request: bytes) -> bytes:
        self.looked_at += 1
        return await self._ask(request)

    async def play(self) -> None:
        """A whole board, and the shadow's look at it."""
        replica = self.replica
        await replica.open_board()
        table, slot = replica.table, replica.board.slot
        place = parse_board_path(path_of(table.facts, slot))
        await replica.leaves.fetch(Opened("cup", "t1", place, stream_of(SUBJECT), 1))
        await replica.deal()
        await replica.play_out()
        await self.shadow.idle()


@pytest.fixture
async def table() -> AsyncIterator[Table]:
    table = Table()
    await table.replica.start()
    table.shadow.start()
    await table.replica.open()
    yield table
    await table.shadow.stop()
    await table.replica.stop()


async def test_it_looks_at_every_board_and_agrees(table: Table) -> None:
    await table.play()
    await table.play()
    assert table.looked_at == 2
    assert (table.alarms, table.shadow.differs(SUBJECT)) == ([], {})


@pytest.mark.parametrize("opened", [boards(championship="cup"), match(deals=3, championship="cup")])
async def test_it_looks_at_deals_of_shengji_and_agrees(opened: TableOpened) -> None:
    table = Table()
    await table.replica.start()
    table.shadow.start()
    await table.replica.open(dataclasses.replace(opened, table="t1"))
    await table.play()
    await table.play()
    assert (table.alarms, table.shadow.differs(SUBJECT)) == ([], {})
    assert table.looked_at == 2
    await table.shadow.stop()
    await table.replica.stop()


async def test_a_fault_of_an_engine_of_shengji_raises_an_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Shengji, "decide", pointless(Shengji.decide))
    table = Table()
    await table.replica.start()
    table.shadow.start()
    await table.replica.open(boards(championship="cup", table="t1"))
    await table.play()
    assert table.alarms == ["shadow_differs"]
    await table.shadow.stop()
    await table.replica.stop()


def generous(outcome: Callable[..., Outcome | None]) -> Callable[..., Outcome | None]:
    """An engine that gives seat 0 two points, and takes one from each other seat."""

    def faulty(self: Paohuzi, board: Any) -> Outcome | None:
        found = outcome(self, board)
        return found and Outcome(
            tuple([score + 3 * (seat == 0) - 1 for seat, score in enumerate(found.scores)]), found.drawn
        )

    return faulty


def shy(options: Callable[..., Any]) -> Callable[..., Any]:
    """An engine that does not offer all plays (P5.6)."""

    def faulty(self: Paohuzi, board: Any, seat: int) -> Any:
        return options(self, board, seat)[-3:]

    return faulty


@pytest.mark.parametrize(
    ("method", "fault", "what"),
    [("outcome", generous, "scores"), ("options", shy, "choices")],
)
async def test_an_engine_with_a_fault_raises_an_alarm(
    table: Table, monkeypatch: pytest.MonkeyPatch, method: str, fault: Callable[[Any], Any], what: str
) -> None:
    monkeypatch.setattr(Paohuzi, method, fault(getattr(Paohuzi, method)))
    await table.play()
    assert table.alarms == ["shadow_differs"]
    assert table.shadow.differs(SUBJECT)[BoardSlot(1, 1)].what == what


async def test_a_board_without_its_leaf_is_an_alarm_of_its_own(table: Table) -> None:
    await table.replica.open_board()
    await table.replica.deal()
    table.replica.leaves._held.clear()
    await table.replica.play_out()
    await table.shadow.idle()
    assert table.alarms == ["shadow_failed"]


async def test_when_its_process_dies_it_goes_on_with_the_next_board(table: Table) -> None:
    await table.play()
    process = table.shadow._process
    assert process is not None
    process.kill()
    await process.wait()
    await table.play()
    assert table.alarms == []
    assert table.shadow._process is not process


async def test_another_replicas_tables_are_not_looked_at(table: Table) -> None:
    table.owned = False
    await table.play()
    assert table.shadow._process is None
