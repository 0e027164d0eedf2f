"""Reading on to where the streams are now: `within` a time, and once for all who ask."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from services.runtime.errors import Unavailable

PATIENCE = 20.0
"""Seconds that reading on may take: on a machine that stands still for a while longer than anybody would think, and yet so short
that who waits 30 s for an answer, as our clients do, is told why there is none."""


@asynccontextmanager
async def within() -> AsyncIterator[None]:
    """What is waited for here was read after PATIENCE seconds. Raises Unavailable("POSITION_NOT_REACHED")."""
    try:
        async with asyncio.timeout(PATIENCE):
            yield
    except TimeoutError:
        raise Unavailable("POSITION_NOT_REACHED") from None


class Shared:
    """Reads on once for all who have asked before it begins; who asks meanwhile waits for the next time, since what it asks about
    may have been written since.

    Of thousands who come at once each would else ask every stream. `read` must end by itself (`within`).
    """

    def __init__(self, read: Callable[[], Awaitable[None]]) -> None:
        self._read = read
        self._running: asyncio.Task[None] | None = None
        self._next: asyncio.Task[None] | None = None

    async def __call__(self) -> None:
        """Return when everything was read that stood there at the call. Raises what `read` does."""
        if self._next is None:
            self._next = asyncio.create_task(self._after(self._running))
            self._next.add_done_callback(_retrieved)
        await asyncio.shield(self._next)

    async def _after(self, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await asyncio.wait({before})
        self._running, self._next = self._next, None
        await self._read()


def _retrieved(task: asyncio.Task[None]) -> None:
    """Whoever has asked may have gone, and nobody else is to be told."""
    if not task.cancelled():
        task.exception()
