"""Services that are behind with what pairing has written, until appeals ask for what is there now."""

from __future__ import annotations

import asyncio

import pytest

from services.appeals.desk import Desk
from services.directory import Championship, Directory
from services.runtime.follower import Read


class Behind:
    """Made before the services start. From `begin` on nothing of pairing's arrives until `asked` is set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked = asyncio.Event()
        self._begun = False
        deliver, current = Directory._deliver, Desk.current

        async def delivered(directory: Directory, reads: list[Read]) -> None:
            if self._begun:
                await self.asked.wait()
            await deliver(directory, reads)

        async def asks(desk: Desk, championship: str) -> Championship:
            if self._begun:
                self.asked.set()
            return await current(desk, championship)

        monkeypatch.setattr(Directory, "_deliver", delivered)
        monkeypatch.setattr(Desk, "current", asks)

    def begin(self) -> None:
        """Fall behind."""
        self._begun = True
