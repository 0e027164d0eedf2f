"""The shadow referee at live boards: it agrees with the engine, and raises an alarm over an engine with a fault."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from io import BytesIO
from typing import Any

import pytest
from structlog.testing import capture_logs

from services.games.paohuzi.ruleset import Paohuzi
from services.games.rules import Outcome
from services.games.shengji.ruleset import Shengji
from services.runtime.memory import MemoryStore
from services.table import shadow, shadowing
from services.table.codec import EVENTS
from services.table.framing import path_of
from services.table.leaves import Leaf, Opened
from services.table.model.events import BoardSlot, TableOpened
from services.table.shadow import LAST, LATER, QUIET, ShadowReferee, _give_way
from tests.games.shadow.test_shengji import pointless
from tests.servers import SECONDS
from tests.table.four import boards, match
from tests.table.given import FACTS, facts
from tests.table.logs import SUBJECT, Replica, StandInDealer


class Table:
    """A table whose boards are looked at; `more` is given to the shadow referee."""

    def __init__(self, **more: Any) -> None:
        store, dealer = MemoryStore(), StandInDealer()
        self.replica = Replica(store, dealer)
        self.alarms: list[str] = []
        self.owned = True
        leaves, owns = self.replica.leaves, lambda _: self.owned
        self.shadow = ShadowReferee(self.replica.log, leaves, owns, self.alarms.append, **more)
        self.looked_at = 0
        self.go_on = asyncio.Event()
        self.go_on.set()
        self._ask, self.shadow._ask = self.shadow._ask, self._counted  # type: ignore[method-assign]

    async def _counted(self, request: bytes) -> bytes:
        await self.go_on.wait()
        self.looked_at += 1
        return await self._ask(request)

    async def begin(self) -> None:
        """The deal of the next board."""
        replica = self.replica
        await replica.open_board()
        table, slot = replica.table, replica.board.slot
        await replica.leaves.fetch(Opened(SUBJECT, path_of(table.facts, slot), 1))
        await replica.deal()

    async def play(self) -> None:
        """A whole board, and the shadow's look at it."""
        await self.begin()
        await self.replica.play_out()
        await self.shadow.idle()


@asynccontextmanager
async def looked_at(opened: TableOpened = FACTS, **more: Any) -> AsyncIterator[Table]:
    """A table with everybody there."""
    table = Table(**more)
    await table.replica.start()
    table.shadow.start()
    await table.replica.open(opened)
    yield table
    await table.shadow.stop()
    await table.replica.stop()


@pytest.fixture
async def table() -> AsyncIterator[Table]:
    async with looked_at() as table:
        yield table


async def test_it_looks_at_every_board_and_agrees(table: Table) -> None:
    await table.play()
    await table.play()
    assert table.looked_at == 2
    assert (table.alarms, table.shadow.differs(SUBJECT)) == ([], {})


@pytest.mark.parametrize("opened", [boards(championship="cup"), match(deals=3, championship="cup")])
async def test_it_looks_at_deals_of_shengji_and_agrees(opened: TableOpened) -> None:
    async with looked_at(dataclasses.replace(opened, table="t1")) as table:
        await table.play()
        await table.play()
        assert (table.alarms, table.shadow.differs(SUBJECT)) == ([], {})
        assert table.looked_at == 2


async def test_of_the_log_it_reads_the_board_alone(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[bytes]] = []
    monkeypatch.setattr(shadowing, "request", noting(asked, shadowing.request))
    await table.play()
    await table.play()
    whole = [stored.data async for stored in table.replica.log.read(SUBJECT)]
    (one, two), opened = asked, len(table.replica.table.people) + 1  # the table, and who sits there
    assert whole == [*whole[:opened], *one, *two]


def noting(asked: list[list[bytes]], request: Callable[..., bytes]) -> Callable[..., bytes]:
    """A request of which the records are kept."""

    def noted(facts: TableOpened, slot: BoardSlot, key: bytes, records: list[bytes], hurry: bool) -> bytes:
        asked.append(records)
        return request(facts, slot, key, records, hurry)

    return noted


async def test_its_process_gives_way_to_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    given = asyncio.Event()

    def give_way(pid: int) -> None:
        _give_way(pid)
        given.set()

    monkeypatch.setattr(shadow, "_give_way", give_way)
    async with looked_at() as table:
        await given.wait()
        process = table.shadow._process
        assert process is not None
        assert os.getpriority(os.PRIO_PROCESS, process.pid) == LAST
        assert sys.platform != "linux" or os.sched_getscheduler(process.pid) == os.SCHED_IDLE


def test_it_rests_more_than_it_works() -> None:
    began, used = time.perf_counter(), time.process_time()
    for _ in shadowing.unhurried()(iter(lambda: time.process_time() - used < 0.02, False)):
        pass
    assert time.perf_counter() - began > 0.06


async def test_it_can_rest_after_every_step(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Any, ...]] = []
    request = shadowing.request

    def noted(facts: TableOpened, slot: BoardSlot, key: bytes, records: list[bytes], hurry: bool) -> bytes:
        asked.append((EVENTS.encode(dataclasses.replace(facts, boards=(slot,))), slot, key, records))
        return request(facts, slot, key, records, hurry)

    monkeypatch.setattr(shadowing, "request", noted)
    await table.play()
    rests: list[float] = []
    monkeypatch.setattr(shadowing, "WORK", 0)
    monkeypatch.setattr(time, "sleep", rests.append)
    (question,) = asked
    assert shadowing.look(question, shadowing.unhurried()) is None
    records = len(question[3])
    assert rests == [shadowing.REST] * (2 * records - 1)  # the first record, in the clear, is no step


def test_it_rests_unless_it_is_told_to_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    rests: list[bool] = []
    monkeypatch.setattr(shadowing, "look", lambda _, pace: rests.append(pace is not iter))
    asked = [
        shadowing.request(FACTS, BoardSlot(1, 1), bytes(32), [], hurry) for hurry in (False, True, False)
    ]
    told = [shadowing.told(answer) for answer in shadowing.answers(BytesIO(b"".join(asked)))]
    assert told == [None] * 3
    assert rests == [True, False, True]


async def test_it_hurries_where_nobody_plays_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    hurried: list[bool] = []
    request = shadowing.request

    def noted(*question: Any) -> bytes:
        hurried.append(question[-1])
        return request(*question)

    monkeypatch.setattr(shadowing, "request", noted)
    async with looked_at() as table:
        table.go_on.clear()
        await table.begin()
        await table.replica.play_out()
        async with asyncio.timeout(SECONDS):
            while not hurried:  # noqa: ASYNC110  # its question is put a while after its end
                await asyncio.sleep(0.001)
        await table.begin()
        await table.replica.play_out()
        table.shadow._played -= QUIET
        table.go_on.set()
        await table.shadow.idle()
    assert hurried == [False, True]


async def test_a_board_is_looked_at_a_while_after_its_end(table: Table) -> None:
    began = time.perf_counter()
    await table.play()
    assert table.looked_at == 1
    assert time.perf_counter() - began >= LATER


async def test_a_fault_of_an_engine_of_shengji_raises_an_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Shengji, "decide", pointless(Shengji.decide))
    async with looked_at(boards(championship="cup", table="t1")) as table:
        await table.play()
        assert table.alarms == ["shadow_differs"]


def generous(outcome: Callable[..., Outcome | None]) -> Callable[..., Outcome | None]:
    """An engine that gives seat 0 two points, and takes one from each other seat."""

    def faulty(self: Paohuzi, board: Any) -> Outcome | None:
        found = outcome(self, board)
        return found and Outcome(
            tuple([score + 3 * (seat == 0) - 1 for seat, score in enumerate(found.scores)]), found.drawn
        )

    return faulty


async def test_an_engine_that_counts_wrongly_raises_an_alarm(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Paohuzi, "outcome", generous(Paohuzi.outcome))
    await table.play()
    assert table.alarms == ["shadow_differs"]
    assert table.shadow.differs(SUBJECT)[BoardSlot(1, 1)].what == "scores"


SHY = """
from services.games.paohuzi.ruleset import Paohuzi
from services.table import shadowing, thinking

whole = Paohuzi.options
Paohuzi.options = lambda self, board, seat: whole(self, board, seat)[-3:]
thinking.serve(shadowing.answers)
"""


async def test_an_engine_that_does_not_offer_all_plays_raises_an_alarm() -> None:
    """P5.6. What can be chosen stands in no record: the shadow's process asks the engine there, here one with the same fault."""
    async with looked_at(program=(sys.executable, "-c", SHY)) as table:
        await table.play()
        assert table.alarms == ["shadow_differs"]
        assert table.shadow.differs(SUBJECT)[BoardSlot(1, 1)].what == "choices"


async def test_a_board_that_it_cannot_read_is_an_alarm_and_the_next_is_looked_at(table: Table) -> None:
    await table.begin()
    table.replica.leaves._held["cup", "1/1/1"] = Leaf(bytes(32))  # of some other board
    with capture_logs() as logged:
        await table.replica.play_out()
        await table.shadow.idle()
    assert [(line["event"], line["error"]) for line in logged] == [("shadow_failed", "WrongKey")]
    process = table.shadow._process
    await table.play()
    assert table.alarms == ["shadow_failed"]
    assert table.shadow._process is process


async def test_boards_that_end_while_too_many_wait_are_left_out() -> None:
    three = tuple(BoardSlot(board, 1) for board in (1, 2, 3))
    async with looked_at(facts(boards=three), waiting=1) as table:
        table.go_on.clear()
        for _ in three:
            await table.begin()
            await table.replica.play_out()
        assert table.alarms == ["shadow_behind"]
        table.go_on.set()
        await table.shadow.idle()
        assert (table.alarms, table.looked_at) == (["shadow_behind"], 2)


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
    assert table.looked_at == 0
