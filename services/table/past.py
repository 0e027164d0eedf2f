"""How a board ended that this replica has gone past: after a restart nobody has read it, and who comes back wants to see it.

Players are shown their own seat's view alone, by the function that shows it live.
"""

from __future__ import annotations

import asyncio

import structlog

from services.table.framing import path_of
from services.table.hall import Hall
from services.table.leaves import Leaves
from services.table.replay import key_of, steps
from services.table.stage import newest
from services.table.views import Frame

_log = structlog.get_logger(__name__)

AT_ONCE = 8
"""Tables that are read at the same time."""


class Past:
    """Reads last boards from the log, for a hall that has no frame of them."""

    def __init__(self, hall: Hall, leaves: Leaves) -> None:
        self._hall = hall
        self._leaves = leaves
        self._limit = asyncio.Semaphore(AT_ONCE)
        self._reading: dict[str, asyncio.Task[Frame | None]] = {}
        """By subject; all who come back to a table wait for the same."""

    async def show(self, subject: str) -> None:
        """Show a table's players how its last board ended, if that can be had; nothing is lost where it cannot."""
        try:
            frame = await self.last(subject)
        except Exception as error:  # whatever is wrong with the table's log, others' views go on
            _log.warning("last_board_not_shown", subject=subject, error=type(error).__name__)
            return
        if frame is not None:
            self._hall.recall(subject, frame)

    async def last(self, subject: str) -> Frame | None:
        """The last frame of a table's last board; None where it was never dealt. Raises Unavailable, StoreUnavailable and what
        reading records raises."""
        reading = self._reading.get(subject)
        if reading is None:
            reading = self._reading[subject] = asyncio.create_task(self._read(subject))
            reading.add_done_callback(lambda _: self._reading.pop(subject, None))
        return await asyncio.shield(reading)

    async def stop(self) -> None:
        """Wait for what is being read."""
        if self._reading:
            await asyncio.wait(self._reading.values())

    async def _read(self, subject: str) -> Frame | None:
        table = self._hall.table(subject)
        if table.result is None:
            return None
        path = path_of(table.facts, table.result.slot)
        async with self._limit:
            key = await key_of(self._leaves, self._hall.log, subject, path)
            if key is None:
                return None
            last = None
            async for step in steps(self._hall.log, subject, path, key):
                last = step
        return None if last is None else newest(last.table)
