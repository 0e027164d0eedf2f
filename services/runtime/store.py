"""The event store as the rest of Fupan sees it: append with an expectation, read in order, follow.

Implementations: `jetstream.JetStreamStore` (what runs) and `memory.MemoryStore` (unit tests of what we own);
both pass the contract suite in `tests/runtime/store_contract.py`.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import Any, Protocol

from services.ledger.record import Stored

__all__ = [
    "EVERYTHING",
    "Conflict",
    "EventStore",
    "StoreUnavailable",
    "Stored",
    "StreamWentBack",
    "follow_until",
]

EVERYTHING = sys.maxsize
"""More records than any stream holds."""


class Conflict(Exception):
    """Another record already follows the expected one (JetStream codes 10071 and 10164)."""


class StoreUnavailable(Exception):
    """The store could not be reached or did not answer in time; whether the append happened is unknown."""


class StreamWentBack(Exception):
    """A stream ends before what was already read of it.

    It was lost or restored, and what follows may be another history."""

    def __init__(self, stream: str, read: int, last: int) -> None:
        super().__init__(f"stream {stream} ends at {last}, but was already read up to {read}")
        self.stream = stream
        self.read = read
        self.last = last


class EventStore(Protocol):
    """Streams of subjects. Sequences count within a stream, from 1, and are what expectations speak of.

    A message that no `append` wrote is given without data (see `provenance`), by `read` not at all: whoever folds goes past it.
    """

    async def append(self, subject: str, data: bytes, expected_sequence: int) -> int:
        """Append one record if the subject's last one has the stream sequence `expected_sequence` (0: none).

        Returns the new record's stream sequence. Raises Conflict, or StoreUnavailable when the ack was lost;
        resolving a lost ack is the caller's (see `writer`)."""

    async def last(self, subject: str) -> Stored | None:
        """The subject's last record."""

    async def next_of(self, subject: str, after: int) -> Stored | None:
        """The subject's first record with a stream sequence above `after`."""

    async def get(self, stream: str, sequence: int) -> Stored | None:
        """One record by its place."""

    def read(self, subject: str, after: int = 0, most: int = EVERYTHING) -> AsyncIterator[Stored]:
        """A subject's records above stream sequence `after`, in order, up to the last one there is now; at most so many."""

    async def last_sequence(self, stream: str) -> int:
        """The stream's last sequence, 0 when empty."""

    async def follow(
        self,
        stream: str,
        after: int,
        deliver: Callable[[list[Stored]], Awaitable[None]],
        subject: str = "",
        caught_up: Callable[[], None] | None = None,
    ) -> None:
        """Deliver every record of `stream` above `after`, in order, in batches as they come, for ever.

        One ordered consumer with a callback; on any error, and on silence while the stream moves, it is made
        again from the last delivered sequence. `deliver` is awaited before more is read (bounded buffer).
        `subject` filters. `caught_up` is called once, when everything that was in the stream at the start has
        been delivered. Ends only when its task is cancelled, when `deliver` raises, or by StreamWentBack."""


async def follow_until(following: Coroutine[Any, Any, None], done: asyncio.Event) -> None:
    """Let a `follow` go on until `done` is set, then end it. Raises what ended it before."""
    reading, waiting = asyncio.create_task(following), asyncio.create_task(done.wait())
    try:
        await asyncio.wait({reading, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if reading.done():
            await reading
    finally:
        for task in (reading, waiting):
            task.cancel()
        await asyncio.gather(reading, waiting, return_exceptions=True)
