"""The shadow referee at live boards: every board that ends with a result is read back from the log and put before it.

It works in a process of its own, one board after the other, behind the play and without a hold on it: a difference is an alarm for
people, since nothing says which of the two referees is wrong. A replica looks at the boards of the tables that it owns.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Sequence

import structlog

from services.games.shadow.check import Difference
from services.games.shadowed import Played, arguments
from services.runtime.log import Applied
from services.runtime.store import EventStore
from services.runtime.streams import parse
from services.table import shadowing
from services.table.framing import path_of
from services.table.hall import TableLog
from services.table.leaves import Leaves
from services.table.model.events import BoardSlot, Event
from services.table.model.state import Board, Table
from services.table.replay import Step, steps
from services.table.thinking import LENGTH

_log = structlog.get_logger(__name__)

Alarm = Callable[[str], None]
"""Called with the name of what people must look at."""


class ShadowReferee:
    """See the module. `owns` says whether this replica looks after a subject."""

    def __init__(
        self, log: TableLog, store: EventStore, leaves: Leaves, owns: Callable[[str], bool], alarm: Alarm
    ) -> None:
        self._log = log
        self._store = store
        self._leaves = leaves
        self._owns = owns
        self._alarm = alarm
        self._ended: asyncio.Queue[tuple[str, BoardSlot]] = asyncio.Queue()
        self._differs: dict[str, dict[BoardSlot, Difference]] = {}
        self._process: asyncio.subprocess.Process | None = None
        self._work: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Look at every board that ends from here on."""
        self._log.listen(self._applied)
        self._work = asyncio.create_task(self._look(), name="shadow referee")

    async def stop(self) -> None:
        """Leave the boards that wait, and end the process."""
        if self._work is not None:
            self._work.cancel()
            await asyncio.gather(self._work, return_exceptions=True)
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()

    async def idle(self) -> None:
        """Return when every board that has ended was looked at."""
        await self._ended.join()

    def differs(self, subject: str) -> dict[BoardSlot, Difference]:
        """The boards of a table on which the shadow says otherwise."""
        return self._differs.get(subject, {})

    def _applied(self, applied: Applied[Table, Event]) -> None:
        before, after, subject = applied.before, applied.after, applied.stored.subject
        result = after.result
        if after.closed == before.closed or result is None or result.unfinished or after.real_cards:
            return
        if self._owns(subject):
            self._ended.put_nowait((subject, result.slot))

    async def _look(self) -> None:
        while True:
            subject, slot = await self._ended.get()
            try:
                found = await self._difference(subject, slot)
            except Exception as error:
                _log.warning("shadow_failed", subject=subject, board=slot.board, error=type(error).__name__)
                self._alarm("shadow_failed")
            else:
                if found is not None:
                    self._differs.setdefault(subject, {})[slot] = found
                    where = {"board": slot.board, "attempt": slot.attempt}
                    _log.error("shadow_differs", subject=subject, **where, step=found.step, what=found.what)
                    self._alarm("shadow_differs")
            finally:
                self._ended.task_done()

    async def _difference(self, subject: str, slot: BoardSlot) -> Difference | None:
        """What the shadow says of a board as the log has it. Raises LookupError without its leaf, OSError, EOFError."""
        table = self._log.state(subject)
        assert table is not None
        championship, path = parse(subject).championship, path_of(table.facts, slot)
        leaf = self._leaves.held(championship, path) or self._leaves.revealed(championship, path)
        if leaf is None:
            raise LookupError(path)
        played = []
        async for one in steps(self._store, subject, slot.board, slot.attempt, leaf.leaf):
            played.append(one)
            await asyncio.sleep(0)  # play goes before looking on
        return shadowing.difference(await self._ask(_request(table, slot, played)))

    async def _ask(self, request: bytes) -> bytes:
        if self._process is None or self._process.returncode is not None:
            pipe = asyncio.subprocess.PIPE
            command = (sys.executable, "-m", shadowing.__name__)
            self._process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
        asked, answers = self._process.stdin, self._process.stdout
        assert asked is not None
        assert answers is not None
        asked.write(request)
        await asked.drain()
        return await answers.readexactly(int.from_bytes(await answers.readexactly(LENGTH), "big"))


def _request(table: Table, slot: BoardSlot, played: Sequence[Step]) -> bytes:
    """The question about a board, from its deal on."""
    rules = table.rules
    params = rules.describe(rules.resolve(json.loads(table.facts.params)))
    deal = b"".join(one.deal for one in played)
    steps = [
        _played(board, one)
        for one in played
        if (board := one.table.board) is not None and board.game is not None
    ]
    return shadowing.request(rules.game, *arguments(rules, params, slot.board, deal, steps))


def _played(board: Board, step: Step) -> Played:
    scores = board.result.scores if board.result is not None else None
    seat = None if step.acted is None else step.acted.seat
    return Played(seat, step.action, step.events, board.game, scores)
