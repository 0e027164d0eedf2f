"""After a start: open boards are unlocked with their leaves, and players get the time back that we were away (design: clocks)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import structlog

from services.domain import Rejected
from services.runtime.errors import Aborted, Unavailable
from services.runtime.store import StoreUnavailable
from services.table.desk import Desk
from services.table.hall import Hall
from services.table.steward import Steward
from services.table.timekeeper import Timekeeper

_log = structlog.get_logger(__name__)

AT_ONCE = 200
"""Tables that are unlocked at the same time; their leaves are asked for in few calls."""

RETRY_SECONDS = (0.1, 0.5, 1.0, 2.0)


class Recovery:
    """Brings open boards back. `away_since_us`: when the last record was written that this service saw; 0: nobody was away."""

    def __init__(
        self, hall: Hall, steward: Steward, time: Timekeeper, stopping: asyncio.Event, away_since_us: int
    ) -> None:
        self._hall = hall
        self._steward = steward
        self._time = time
        self._stopping = stopping
        self._away_since_us = away_since_us

    async def run(self, desks: Sequence[Desk]) -> None:
        """Unlock the tables of `desks`; returns when all are, or the service stops."""
        limit = asyncio.Semaphore(AT_ONCE)
        await asyncio.gather(*(self._bring_back(desk, limit) for desk in desks))

    async def _bring_back(self, desk: Desk, limit: asyncio.Semaphore) -> None:
        tries = 0
        while not self._stopping.is_set():
            try:
                async with limit:
                    await self._hall.log.unlock(desk.subject)
                    await self._extend(desk)
                self._hall.unlocked(desk)
                return
            except (Unavailable, StoreUnavailable, Aborted, TimeoutError) as error:
                wait = RETRY_SECONDS[min(tries, len(RETRY_SECONDS) - 1)]
                _log.warning(
                    "board_still_sealed", subject=desk.subject, error=type(error).__name__, again=wait
                )
                tries += 1
                await asyncio.sleep(wait)

    async def _extend(self, desk: Desk) -> None:
        live = self._hall.table(desk.subject).live
        if live is None or not live.questions or not self._away_since_us:
            return
        outage_us = self._time.now_us() - self._away_since_us
        try:
            await self._steward.extend(desk, outage_us, "restart")
        except Rejected as refusal:
            _log.warning("clocks_not_extended", subject=desk.subject, reason=refusal.reason)
