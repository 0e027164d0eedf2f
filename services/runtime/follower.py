"""Reading another service's streams: every record once, in order, from the first.

A reaction to what is read must be an idempotent command (id derived from the record), because a restart reads all again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

import structlog

from services.ledger import record as ledger
from services.ledger.codec import Malformed
from services.ledger.record import Body, Record, Stored
from services.runtime.catchup import within
from services.runtime.store import EventStore
from services.runtime.telemetry import following, traced

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Read:
    """One record of somebody else's. `body` is None when it is sealed: only header and closing can be read."""

    stored: Stored
    record: Record
    body: Body | None


def readable(stored: Stored) -> Read | None:
    """A record as somebody else reads it; None where it cannot be read."""
    try:
        record = ledger.decode(stored.data)
        return Read(stored, record, None if record.sealed else ledger.body_of(record))
    except Malformed as error:
        # Its own service suspends the subject; whoever follows it is not the one to stop.
        _log.error("unreadable_record", stream=stored.stream, sequence=stored.sequence, why=str(error))
        return None


class Follower:
    """One stream, read from record 1 and followed. `deliver` gets batches in order and may await."""

    def __init__(
        self, store: EventStore, stream: str, deliver: Callable[[list[Read]], Awaitable[None]]
    ) -> None:
        self.stream = stream
        self.sequence = 0
        """Last sequence delivered."""
        self.store = store
        self._consume = deliver
        self._moved = asyncio.Condition()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Follow; return when everything that was in the stream has been delivered once."""
        caught_up = asyncio.Event()
        self._task = asyncio.create_task(
            self.store.follow(self.stream, 0, self._deliver, caught_up=caught_up.set),
            name=f"follow {self.stream}",
        )
        wait = asyncio.create_task(caught_up.wait())
        await asyncio.wait({self._task, wait}, return_when=asyncio.FIRST_COMPLETED)
        if self._task.done():
            wait.cancel()
            await self._task

    @property
    def task(self) -> asyncio.Task[None] | None:
        """The running task; when it ends the service no longer knows what happens."""
        return self._task

    async def stop(self) -> None:
        """Stop following."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def wait_for(self, sequence: int) -> None:
        """Return when everything up to `sequence` has been delivered. Bounded by the caller (`asyncio.timeout`)."""
        if self.sequence >= sequence:
            return
        async with self._moved:
            await self._moved.wait_for(lambda: self.sequence >= sequence)

    async def _deliver(self, batch: list[Stored]) -> None:
        # Without data nobody appended it.
        reads = [read for stored in batch if stored.data and (read := readable(stored)) is not None]
        if traced():
            for read in reads:
                with following(read.stored.trace):
                    await self._consume([read])
        else:
            await self._consume(reads)
        self.sequence = batch[-1].sequence
        async with self._moved:
            self._moved.notify_all()


async def catch_up(followers: Iterable[Follower], seconds: float = 5.0) -> None:
    """Return when everything that is in the followed streams now has been delivered.

    Raises Unavailable("POSITION_NOT_REACHED") after `seconds`, StoreUnavailable.
    """

    async def wait(follower: Follower) -> None:
        await follower.wait_for(await follower.store.last_sequence(follower.stream))

    async with within(seconds):
        await asyncio.gather(*map(wait, followers))
