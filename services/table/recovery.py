"""After we were away: open boards are unlocked with their leaves, and players get their time back (design: clocks)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import structlog

from services.domain import Rejected
from services.runtime.errors import AWAY
from services.table.desk import Desk
from services.table.hall import Hall
from services.table.steward import Steward
from services.table.timekeeper import Timekeeper

_log = structlog.get_logger(__name__)

AT_ONCE = 200
"""Tables that are unlocked at the same time; their leaves are asked for in few calls."""

RETRY_SECONDS = (0.1, 0.5, 1.0, 2.0)


class Recovery:
    """Brings open boards back."""

    def __init__(self, hall: Hall, steward: Steward, time: Timekeeper, stopping: asyncio.Event) -> None:
        self._hall = hall
        self._steward = steward
        self._time = time
        self._stopping = stopping
        self._limit = asyncio.Semaphore(AT_ONCE)

    async def run(self, desks: Sequence[Desk], away_since_us: int) -> None:
        """Unlock the tables of `desks`; returns when all are, or the service stops. Matches between two deals get time back, too.

        `away_since_us`: when the last record was written before this start; 0 when another replica was there all the time.
        """
        others = [desk for desk in self._hall.desks() if not desk.locked and away_since_us]
        away_us = self._time.now_us() - away_since_us
        await asyncio.gather(
            *(self.bring_back(desk, away_since_us) for desk in desks),
            *(self._give_back(desk, away_us, "restart") for desk in others),
        )

    async def bring_back(self, desk: Desk, away_since_us: int = 0) -> None:
        """Unlock one table, whatever time that takes."""
        tries = 0
        while not self._stopping.is_set():
            try:
                async with self._limit:
                    await self._hall.log.unlock(desk.subject)
                    if away_since_us:
                        await self._extend(desk, self._time.now_us() - away_since_us, "restart")
                self._hall.unlocked(desk)
                return
            except Rejected as refusal:
                _log.error("board_stays_sealed", subject=desk.subject, reason=refusal.reason)
                return
            except AWAY as error:
                wait = RETRY_SECONDS[min(tries, len(RETRY_SECONDS) - 1)]
                _log.warning(
                    "board_still_sealed", subject=desk.subject, error=type(error).__name__, again=wait
                )
                tries += 1
                await asyncio.sleep(wait)

    async def stood_still(self, seconds: float) -> None:
        """This process stood still: the clocks of its tables and of its players get the time back."""
        for desk in self._hall.desks():
            if not desk.locked and (self._steward.owns(desk.subject) or any(desk.lines)):
                await self._give_back(desk, round(seconds * 1_000_000), "stall")

    async def _give_back(self, desk: Desk, outage_us: int, reason: str) -> None:
        try:
            await self._extend(desk, outage_us, reason)
        except AWAY as error:
            _log.warning("clocks_not_extended", subject=desk.subject, reason=type(error).__name__)

    async def _extend(self, desk: Desk, outage_us: int, reason: str) -> None:
        table = self._hall.table(desk.subject)
        undealt = table.live is not None and table.live.game is None  # the steward gives it all its wait back
        if undealt or not table.timed:
            return
        try:
            await self._steward.extend(desk, outage_us, reason)
        except Rejected as refusal:
            _log.warning("clocks_not_extended", subject=desk.subject, reason=refusal.reason)
