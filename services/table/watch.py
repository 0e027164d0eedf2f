"""Streams of those who look on: officials, who see where a table stands as well (P13, C9.3), and spectators; no hidden tile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Generic, TypeVar

from services.table.views import Shown, TableStatus

Seen = tuple[Shown, TableStatus, tuple[bool, ...]]
"""What an official sees, where the table stands, and which seats are connected."""
T = TypeVar("T")


class Watcher(Generic[T]):
    """One watching stream; like a player's, it is given the newest and skips what it was too slow for."""

    __slots__ = ("_closed", "_error", "_news", "_seen", "_sent")

    def __init__(self) -> None:
        self._seen: T | None = None
        self._sent: T | None = None
        self._closed = False
        self._error: BaseException | None = None
        self._news = asyncio.Event()

    def show(self, seen: T) -> None:
        """What is to be seen from here on."""
        self._seen = seen
        self._news.set()

    def close(self) -> None:
        """End the stream with what is seen now."""
        self._closed = True
        self._news.set()

    def refuse(self, error: BaseException) -> None:
        """End the stream at once."""
        self._error = error
        self._news.set()

    async def changes(self) -> AsyncIterator[T]:
        """What is seen, whenever it has changed. Raises the error it was refused with."""
        while True:
            if self._error is not None:
                raise self._error
            if self._seen is not None and self._seen != self._sent:
                self._sent = self._seen
                yield self._seen
                continue
            if self._closed:
                return
            self._news.clear()
            await self._news.wait()
