"""An official's view of a table: no hidden tile, and where the table stands (P13, C9.3)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from services.table.views import Shown, TableStatus

Seen = tuple[Shown, TableStatus, tuple[bool, ...]]
"""What is seen, where the table stands, and which seats are connected."""


class Watcher:
    """One watching stream; like a player's, it is given the newest and skips what it was too slow for."""

    __slots__ = ("_closed", "_seen", "_sent", "_waiter")

    def __init__(self) -> None:
        self._seen: Seen | None = None
        self._sent: Seen | None = None
        self._closed = False
        self._waiter: asyncio.Future[None] | None = None

    def show(self, seen: Seen) -> None:
        """What is to be seen from here on."""
        self._seen = seen
        self._wake()

    def close(self) -> None:
        """End the stream."""
        self._closed = True
        self._wake()

    async def changes(self) -> AsyncIterator[Seen]:
        """What is seen, whenever it has changed."""
        while True:
            if self._seen is not None and self._seen != self._sent:
                self._sent = self._seen
                yield self._seen
                continue
            if self._closed:
                return
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
