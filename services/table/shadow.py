"""The shadow referee at live boards: every board that ends with a result is read back from the log and put before it.

It works in a process of its own, one board after the other, behind the play and without a hold on it: a difference is an alarm for
people, since nothing says which of the two referees is wrong. Of its work nothing is done here but sending it the board's records
as they are stored. A replica looks at the boards of the tables that it owns.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

import structlog

from services.games.shadow.check import Difference
from services.ledger.dealing import log_key
from services.ledger.record import Head
from services.runtime.log import Applied
from services.table import shadowing
from services.table.framing import path_of
from services.table.hall import TableLog
from services.table.leaves import Leaves
from services.table.model.events import BoardSlot, Event, TableOpened
from services.table.model.state import Table
from services.table.thinking import LENGTH

_log = structlog.get_logger(__name__)

Alarm = Callable[[str], None]
"""Called with the name of what people must look at."""

WAITING = 10_000
"""Boards that may wait to be looked at; those that end while so many do are left out, which is an alarm too."""

LAST = 19
"""The process's priority, as `nice` counts: play goes before looking on."""


LATER = 0.25
"""Seconds after its end before a board is looked at: by then the next one is dealt."""


QUIET = 1.0
"""Seconds without a record of any table after which nobody plays: boards that wait are looked at without rests."""


class Ended(NamedTuple):
    """A board that has ended, and its records: those from the one that opened it, and how many; when it is to be looked at."""

    subject: str
    facts: TableOpened
    slot: BoardSlot
    opened: Head
    records: int
    due: float


class ShadowReferee:
    """See the module. `owns` says whether this replica looks after a subject, `program` is what the process runs."""

    def __init__(
        self,
        log: TableLog,
        leaves: Leaves,
        owns: Callable[[str], bool],
        alarm: Alarm,
        program: Sequence[str] = (sys.executable, "-m", shadowing.__name__),
        waiting: int = WAITING,
    ) -> None:
        self._log = log
        self._leaves = leaves
        self._owns = owns
        self._alarm = alarm
        self._program = program
        self._ended: asyncio.Queue[Ended] = asyncio.Queue(waiting)
        self._differs: dict[str, dict[BoardSlot, Difference]] = {}
        self._process: asyncio.subprocess.Process | None = None
        self._work: asyncio.Task[None] | None = None
        self._played = 0.0
        """When the last record of any table came in, by the loop's clock."""

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
        result, now = after.result, asyncio.get_running_loop().time()
        self._played = now
        if after.closed == before.closed or result is None or result.unfinished or after.real_cards:
            return
        if not self._owns(subject):
            return
        # A board's own records are sealed: it begins with the last one in the clear.
        opened = self._log.opened(subject)
        records = self._log.head(subject).version - opened.version + 1
        try:
            self._ended.put_nowait(Ended(subject, after.facts, result.slot, opened, records, now + LATER))
        except asyncio.QueueFull:
            self._failed(subject, result.slot, "shadow_behind")

    def _failed(self, subject: str, slot: BoardSlot, alarm: str, why: str = "") -> None:
        _log.warning(alarm, subject=subject, board=slot.board, attempt=slot.attempt, error=why)
        self._alarm(alarm)

    async def _look(self) -> None:
        try:
            await self._running()  # before there is a board to look at: beginning costs more than any board
        except OSError as error:
            _log.warning("shadow_away", error=type(error).__name__)  # tried again with the first board
        while True:
            ended = await self._ended.get()
            subject, slot = ended.subject, ended.slot
            await asyncio.sleep(ended.due - asyncio.get_running_loop().time())
            try:
                found = shadowing.told(await self._ask(await self._request(ended)))
            except shadowing.Failed as failed:
                self._failed(subject, slot, "shadow_failed", str(failed))
            except Exception as error:
                self._failed(subject, slot, "shadow_failed", type(error).__name__)
            else:
                if found is not None:
                    self._differs.setdefault(subject, {})[slot] = found
                    where = {"board": slot.board, "attempt": slot.attempt}
                    _log.error("shadow_differs", subject=subject, **where, step=found.step, what=found.what)
                    self._alarm("shadow_differs")
            finally:
                self._ended.task_done()

    async def _request(self, ended: Ended) -> bytes:
        """The question about a board as the log has it. Raises LookupError without its leaf, StoreUnavailable."""
        facts = ended.facts
        path = path_of(facts, ended.slot)
        leaf = self._leaves.known(facts.championship, path)
        if leaf is None:
            raise LookupError(path)
        opened, data = ended.opened, list[bytes]()
        before = opened._replace(version=opened.version - 1, sequence=opened.sequence - 1)
        async for stored in self._log.read(ended.subject, before, ended.records):
            data.append(stored.data)
            if len(data) == ended.records:
                break
        hurry = asyncio.get_running_loop().time() - self._played >= QUIET
        return shadowing.request(facts, ended.slot, log_key(leaf.leaf, facts.table, path), data, hurry)

    async def _ask(self, request: bytes) -> bytes:
        """The process's answer. Raises OSError, EOFError."""
        process = await self._running()
        asked, answers = process.stdin, process.stdout
        assert asked is not None
        assert answers is not None
        asked.write(request)
        await asked.drain()
        return await answers.readexactly(int.from_bytes(await answers.readexactly(LENGTH), "big"))

    async def _running(self) -> asyncio.subprocess.Process:
        """The process, begun where there is none or it has died. Raises OSError."""
        if self._process is None or self._process.returncode is not None:
            pipe = asyncio.subprocess.PIPE
            self._process = await asyncio.create_subprocess_exec(*self._program, stdin=pipe, stdout=pipe)
            _give_way(self._process.pid)
        return self._process


def _give_way(pid: int) -> None:
    """Let a process run when nobody else wants to; where the system knows that, a core on which it runs counts as free."""
    os.setpriority(os.PRIO_PROCESS, pid, LAST)
    if sys.platform == "linux":
        with suppress(PermissionError):
            os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))
