"""Following a stream from its first record: how far it was taken in, and who waits for that."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from services.runtime.store import EventStore, Stored


class Following:
    """One stream, read from record 1 and followed. `take` gets batches in order, each when the one before is taken in."""

    def __init__(
        self, store: EventStore, stream: str, take: Callable[[list[Stored]], Awaitable[None]]
    ) -> None:
        self.sequence = 0
        """Last sequence that was taken in."""
        self.task: asyncio.Task[None] | None = None
        """The running task; when it ends the service no longer knows what happens."""
        self._store = store
        self.stream = stream
        self._take = take
        self._moved = asyncio.Event()

    async def start(self) -> None:
        """Follow; return when everything that was in the stream has been taken in once."""
        caught_up = asyncio.Event()
        self.task = asyncio.create_task(
            self._store.follow(self.stream, 0, self._deliver, caught_up=caught_up.set),
            name=f"follow {self.stream}",
        )
        wait = asyncio.create_task(caught_up.wait())
        await asyncio.wait({self.task, wait}, return_when=asyncio.FIRST_COMPLETED)
        if self.task.done():
            wait.cancel()
            await self.task

    async def stop(self) -> None:
        """Stop following."""
        if self.task is not None:
            self.task.cancel()
            await asyncio.wait({self.task})

    async def wait_for(self, sequence: int) -> None:
        """Return when everything up to `sequence` was taken in. Bounded by the caller (`asyncio.timeout`)."""
        while self.sequence < sequence:
            self._moved.clear()
            await self._moved.wait()

    async def catch_up(self) -> None:
        """Return when everything that is in the stream now was taken in. Bounded by the caller. Raises StoreUnavailable."""
        await self.wait_for(await self._store.last_sequence(self.stream))

    async def _deliver(self, batch: list[Stored]) -> None:
        await self._take(batch)
        self.sequence = batch[-1].sequence
        self._moved.set()
