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
from services.runtime.following import Following
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


class Follower(Following):
    """Another service's stream: `deliver` gets what can be read of its records, and may await."""

    def __init__(
        self, store: EventStore, stream: str, deliver: Callable[[list[Read]], Awaitable[None]]
    ) -> None:
        super().__init__(store, stream, self._read)
        self._consume = deliver

    async def _read(self, batch: list[Stored]) -> None:
        # Without data nobody appended it.
        reads = [read for stored in batch if stored.data and (read := readable(stored)) is not None]
        if traced():
            for read in reads:
                with following(read.stored.trace):
                    await self._consume([read])
        else:
            await self._consume(reads)


async def catch_up(followers: Iterable[Follower]) -> None:
    """Return when everything that is in the followed streams now has been delivered.

    Raises Unavailable("POSITION_NOT_REACHED") after `catchup.PATIENCE`, StoreUnavailable.
    """
    async with within():
        await asyncio.gather(*(follower.catch_up() for follower in followers))
