"""The event store in memory, for unit tests of what is built on the store."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable

from services.ledger.record import MAX_RECORD
from services.runtime.store import EVERYTHING, Conflict, Stored, StreamWentBack
from services.runtime.streams import stream_of


class MemoryStore:
    """EventStore in one process. Streams begin to exist with their first record."""

    def __init__(self) -> None:
        self._streams: dict[str, list[Stored]] = {}
        self._subjects: dict[str, list[Stored]] = {}
        self._grown = asyncio.Event()

    async def append(self, subject: str, data: bytes, expected_sequence: int) -> int:
        """See EventStore. Raises ValueError for a record above MAX_RECORD."""
        if len(data) > MAX_RECORD:
            raise ValueError(f"a record of {len(data)} bytes; at most {MAX_RECORD}")
        stream = self._streams.setdefault(stream_of(subject), [])
        records = self._subjects.setdefault(subject, [])
        last = records[-1].sequence if records else 0
        if last != expected_sequence:
            raise Conflict(f"wrong last sequence: {last}")
        stored = Stored(stream_of(subject), len(stream) + 1, subject, data)
        stream.append(stored)
        records.append(stored)
        self._grown.set()
        self._grown = asyncio.Event()
        return stored.sequence

    async def last(self, subject: str) -> Stored | None:
        """See EventStore."""
        records = self._subjects.get(subject)
        return records[-1] if records else None

    async def next_of(self, subject: str, after: int) -> Stored | None:
        """See EventStore."""
        return next((r for r in self._subjects.get(subject, ()) if r.sequence > after), None)

    async def get(self, stream: str, sequence: int) -> Stored | None:
        """See EventStore."""
        records = self._streams.get(stream, [])
        return records[sequence - 1] if 1 <= sequence <= len(records) else None

    async def read(self, subject: str, after: int = 0, most: int = EVERYTHING) -> AsyncIterator[Stored]:
        """See EventStore."""
        wanted = (record for record in tuple(self._subjects.get(subject, ())) if record.sequence > after)
        for record in itertools.islice(wanted, most):
            yield record

    async def last_sequence(self, stream: str) -> int:
        """See EventStore."""
        return len(self._streams.get(stream, ()))

    async def follow(
        self,
        stream: str,
        after: int,
        deliver: Callable[[list[Stored]], Awaitable[None]],
        subject: str = "",
        caught_up: Callable[[], None] | None = None,
    ) -> None:
        """See EventStore."""
        end = await self.last_sequence(stream)
        if end < after:
            raise StreamWentBack(stream, after, end)
        while True:
            grown = self._grown
            records = self._streams.get(stream, [])[after:]
            after += len(records)
            if wanted := [r for r in records if not subject or r.subject == subject]:
                await deliver(wanted)
            if caught_up is not None and after >= end:
                caught_up()
                caught_up = None
            if not records:
                await grown.wait()
