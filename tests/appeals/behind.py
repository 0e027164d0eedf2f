"""Replicas that are behind with what others have written, until they ask for what is there now."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from services.appeals.desk import Desk
from services.directory import Championship, Directory
from services.ledger.record import Stored
from services.runtime.follower import Read
from services.runtime.log import Log

EVERYBODY = "everybody"


class Behind:
    """Made before the services start. From `begin` on nothing of pairing's arrives anywhere, or nothing of its own at one replica,
    until appeals ask there, which sets `asked`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked = asyncio.Event()
        self._who = ""
        read_pairing, read_own, current = Directory._deliver, Log._deliver, Desk.current

        async def of_pairing(directory: Directory, reads: list[Read]) -> None:
            if self._who == EVERYBODY:
                await self.asked.wait()
            await read_pairing(directory, reads)

        async def of_its_own(log: Log[Any, Any, Any], batch: list[Stored]) -> None:
            if self._who == log._writer.replica:
                await self.asked.wait()
            await read_own(log, batch)

        async def asks(desk: Desk, championship: str) -> Championship:
            if self._who in (EVERYBODY, desk._log._writer.replica):
                self.asked.set()
            return await current(desk, championship)

        monkeypatch.setattr(Directory, "_deliver", of_pairing)
        monkeypatch.setattr(Log, "_deliver", of_its_own)
        monkeypatch.setattr(Desk, "current", asks)

    def begin(self, who: str = EVERYBODY) -> None:
        """Fall behind, also once more."""
        self._who = who
        self.asked.clear()
