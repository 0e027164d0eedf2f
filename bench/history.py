"""Finished tables for benches that read: played by the service's own log with random legal answers, and stored in JetStream."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Sequence
from typing import Any

from bench.servers import EPOCH, RULESET, leaf_of
from services.games import registry
from services.ledger import dealing
from services.ledger.record import Stored, Writer
from services.runtime.jetstream import JetStreamStore
from services.runtime.log import Envelope, Log
from services.runtime.memory import MemoryStore
from services.table.codec import COMMANDS, EVENTS
from services.table.decider import TableDecider
from services.table.decider.play import SERVICE
from services.table.framing import TableFraming
from services.table.hall import TableLog
from services.table.leaves import Leaf, Leaves, Opened
from services.table.model import commands as c
from services.table.model.events import BoardSlot, Seat, TableOpened

RULES = registry.find(RULESET)
BOARDS = 8
AT_ONCE = 256


class Open(Leaves):
    """Every leaf is known; a bench has no secrets."""

    def __init__(self) -> None:
        super().__init__(self._answer)

    async def _answer(self, boards: Sequence[Opened]) -> Sequence[Leaf]:
        return [Leaf(leaf_of(*board.key)) for board in boards]

    def held(self, championship: str, path: str) -> Leaf | None:
        """The leaf."""
        return Leaf(leaf_of(championship, path))


def a_log(store: Any, leaves: Leaves) -> TableLog:
    """The table service's log over a store."""
    clock = itertools.count(1_700_000_000_000_000, 1000).__next__
    return Log(
        store,
        Writer("table", "bench", "0"),
        EPOCH.id,
        TableDecider(),
        COMMANDS,
        EVENTS,
        clock,
        TableFraming(leaves),
    )


class Table:
    """One table that plays itself."""

    def __init__(self, log: TableLog, championship: str, number: int) -> None:
        self._log = log
        self._championship = championship
        self._table = f"{championship}-{number}"
        self.subject = EPOCH.table_subject(championship, self._table)
        self._draw = random.Random(self._table)
        self._ids = itertools.count()

    async def play(self, boards: int) -> None:
        """All boards, one after the other."""
        await self._send(c.OpenTable(self._facts(boards)))
        for board in range(1, boards + 1):
            await self._send(c.OpenBoard(board, 1))
            path = dealing.board_path(1, board, 1)
            deal = dealing.deal(leaf_of(self._championship, path), path, b"", RULES.deck)
            await self._send(c.DealBoard(bytes(deal)))
            while (act := self._next()) is not None:
                await self._send(act)

    def _next(self) -> c.Act | None:
        table = self._log.state(self.subject)
        live = None if table is None else table.live
        if live is None or not (asked := RULES.asked(live.game)):
            return None
        question = live.question(asked[0])
        assert question is not None
        action = self._draw.choice(RULES.options(live.game, asked[0]))
        return c.Act(live.slot.board, asked[0], question.ask, action)

    async def _send(self, command: c.Command) -> None:
        actor = f"p{command.seat}" if isinstance(command, c.Act) else SERVICE
        await self._log.handle(self.subject, command, Envelope(actor, f"c{next(self._ids)}"))

    def _facts(self, boards: int) -> TableOpened:
        return TableOpened(
            championship=self._championship,
            table=self._table,
            round=1,
            group=1,
            seats=tuple([Seat(seat + 1, f"p{seat}") for seat in range(3)]),
            boards=tuple([BoardSlot(board, 1) for board in range(1, boards + 1)]),
            ruleset=RULESET,
            params="{}",
            play_clock_ms=600_000_000,
            claim_clock_ms=600_000_000,
            claim_floor_ms=0,
            join_wait_ms=0,
            board_pause_ms=0,
            board_deadline_us=0,
            demo=False,
            demo_seed=0,
        )


async def write(store: JetStreamStore, championship: str, records: int) -> int:
    """Store finished tables of at least so many records in all; how many it became."""
    done = 0
    for first in itertools.count(0, AT_ONCE):
        if done >= records:
            return done
        played = await _played(championship, first)
        await asyncio.gather(*(_copy(store, table) for table in played))
        done += sum(map(len, played))
    raise AssertionError("unreachable")


async def _played(championship: str, first: int) -> list[list[Stored]]:
    memory = MemoryStore()
    log = a_log(memory, Open())
    tables = [Table(log, championship, number) for number in range(first, first + AT_ONCE)]
    for table in tables:
        await table.play(BOARDS)
    return [[record async for record in memory.read(table.subject)] for table in tables]


async def _copy(store: JetStreamStore, records: list[Stored]) -> None:
    last = 0
    for record in records:
        last = await store.append(record.subject, record.data, last)
