"""The archive: a second copy of the log in PostgreSQL, only ever added to.

Where a stream holds another record than was archived for a place or a version, somebody's history forked:
both are kept and it is reported. The archive is what a lost stream is restored from, so it is never rebuilt.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path

import asyncpg

from services.ledger.codec import Malformed
from services.ledger.record import Stored, place_of
from services.runtime.postgres import TRANSIENT, Database
from services.runtime.projector import Projector
from services.runtime.store import EventStore, StoreUnavailable, StreamWentBack

log = logging.getLogger(__name__)

_RETRY_SECONDS = 0.5
# Between two transactions of a stream: a busy service spends little on its copy, which may be that much late.
_GATHER_SECONDS = 0.5
# Between two looks at what other replicas found.
_REPORT_SECONDS = 5.0
_AWAY: tuple[type[BaseException], ...] = (StoreUnavailable, *TRANSIENT)

# What of the given records could not be added because its place or version is taken by something else.
_ADD = """
WITH given AS (
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bytea[])
        AS g (stream, sequence, subject, version, data)
), added AS (
    INSERT INTO records (stream, sequence, subject, version, data)
    SELECT stream, sequence, subject, version, data FROM given ORDER BY sequence
    ON CONFLICT DO NOTHING
    RETURNING stream, sequence
), forked AS (
    INSERT INTO forks (stream, sequence, subject, version, data)
    SELECT given.* FROM given
        LEFT JOIN added USING (stream, sequence)
        LEFT JOIN records AS kept USING (stream, sequence)
    WHERE added.sequence IS NULL AND kept.data IS DISTINCT FROM given.data
    ON CONFLICT DO NOTHING
    RETURNING stream, sequence, subject, data
)
SELECT * FROM forked ORDER BY sequence
"""

_HOLDS = """
SELECT 1 FROM records WHERE stream = $1 AND sequence = $2 AND data = $3
UNION ALL
SELECT 1 FROM forks WHERE stream = $1 AND sequence = $2 AND data = $3
"""


class Archive:
    """The projection that keeps every record of some streams. `on_fork` hears of each fork, whichever replica found it and
    when. `schema`: where; a service archives its own streams in a schema of its own."""

    migrations = Path(__file__).parent / "migrations/archive"

    def __init__(
        self, streams: Sequence[str], on_fork: Callable[[Stored], None], schema: str = "archive"
    ) -> None:
        self.schema = schema
        self.streams = tuple(streams)
        self._on_fork = on_fork
        self._told: set[Stored] = set()

    async def report(self, database: Database) -> None:
        """Tell `on_fork` of every fork that was found so far."""
        async with database.transaction(self.schema, readonly=True) as connection:
            forks = await connection.fetch(
                "SELECT stream, sequence, subject, data FROM forks ORDER BY found_at, sequence"
            )
        for row in forks:
            self._tell(_stored(row))

    async def apply(self, connection: asyncpg.Connection, records: Sequence[Stored]) -> int:
        """See Projection."""
        forks = await connection.fetch(
            _ADD,
            [record.stream for record in records],
            [record.sequence for record in records],
            [record.subject for record in records],
            [_version(record) for record in records],
            [record.data for record in records],
        )
        for row in forks:
            self._tell(_stored(row))
        return 0

    def _tell(self, fork: Stored) -> None:
        if fork not in self._told:
            self._told.add(fork)
            log.error("fork: %s at %s %d", fork.subject, fork.stream, fork.sequence)
            self._on_fork(fork)


async def keep(store: EventStore, database: Database, archive: Archive, stopping: asyncio.Event) -> None:
    """Archive until `stopping` is set. A stream that was cut back, or written anew, is read again from where
    it agrees."""
    projector = Projector(store, database, archive, pause=_GATHER_SECONDS)
    await _begin(database, archive, projector, stopping)
    async with asyncio.TaskGroup() as group:
        reporting = group.create_task(_report(database, archive))
        await _keep(store, database, archive, projector, stopping)
        reporting.cancel()


async def _begin(database: Database, archive: Archive, projector: Projector, stopping: asyncio.Event) -> None:
    while not stopping.is_set():
        try:
            await projector.prepare()
            await archive.report(database)
            return
        except TRANSIENT as error:
            log.warning("archive waits: %s", error)
            await asyncio.sleep(_RETRY_SECONDS)


async def _report(database: Database, archive: Archive) -> None:
    """Report what other replicas find, too."""
    while True:
        await asyncio.sleep(_REPORT_SECONDS)
        try:
            await archive.report(database)
        except TRANSIENT as error:
            log.warning("forks wait for the database: %s", error)


async def _keep(
    store: EventStore, database: Database, archive: Archive, projector: Projector, stopping: asyncio.Event
) -> None:
    while not stopping.is_set():
        try:
            for stream in archive.streams:
                await _rewind(store, database, archive, stream)
        except _AWAY as error:
            log.warning("archive waits: %s", error)
            await asyncio.sleep(_RETRY_SECONDS)
            continue
        try:
            await projector.run(stopping)
        except* StreamWentBack as error:
            log.error("archive: %s", error.exceptions)


async def _rewind(store: EventStore, database: Database, archive: Archive, stream: str) -> None:
    """Set the checkpoint to the last place up to which stream and archive agree.

    Histories that differ do so from some place on, so it is found by halving."""
    async with database.transaction(archive.schema) as connection:
        checkpoint: int = await connection.fetchval(
            "SELECT sequence FROM checkpoints WHERE stream = $1 FOR UPDATE", stream
        )

        async def agrees(sequence: int) -> bool:
            found = await store.get(stream, sequence)
            return found is not None and bool(await connection.fetchval(_HOLDS, stream, sequence, found.data))

        if checkpoint == 0 or await agrees(checkpoint):
            return
        low, high = 0, min(checkpoint, await store.last_sequence(stream) + 1)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if await agrees(middle) else (low, middle)
        log.error("archive: %s differs from what was archived after %d", stream, low)
        await connection.execute("UPDATE checkpoints SET sequence = $2 WHERE stream = $1", stream, low)


def _stored(row: asyncpg.Record) -> Stored:
    return Stored(row["stream"], row["sequence"], row["subject"], bytes(row["data"]))


def _version(record: Stored) -> int | None:
    """A record's version by its own header; None where it has none or stands under a foreign subject."""
    try:
        subject, version = place_of(record.data)
    except Malformed:
        return None
    return version if subject == record.subject else None
