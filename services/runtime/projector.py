"""Projections: tables computed from streams, each record's rows written once, in stream order.

A projection owns a schema. Beside its tables stands `checkpoints`: how far each stream was read. Rows and
checkpoint change in one transaction, which first takes a lock for that stream. So several replicas may
project into the same tables: one is always first, the others drop what they find done. A guard `sequence <
new` alone would not do: batches of two replicas overlap, and the part that both hold would be written twice.

A rebuild projects from record 1 into a schema beside the live one and then takes its name.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

import asyncpg

from services.ledger.record import Stored
from services.runtime.postgres import TRANSIENT, Database, migrate, quoted
from services.runtime.store import EventStore

log = logging.getLogger(__name__)

_FIRST_BACKOFF = 0.05
_LONGEST_BACKOFF = 2.0
_SWAP_SECONDS = 60.0
_CHECKPOINTS = (
    "CREATE TABLE IF NOT EXISTS checkpoints (stream text PRIMARY KEY, sequence bigint NOT NULL DEFAULT 0,"
    " skipped bigint NOT NULL DEFAULT 0)"
)
_CHECKPOINT = "SELECT sequence FROM checkpoints WHERE stream = $1"
_ADVANCE = "UPDATE checkpoints SET sequence = $3 WHERE stream = $1 AND sequence = $2 AND $3 > $2 RETURNING 1"


class Projection(Protocol):
    """What a service projects. Its results must not depend on the order of records of different streams."""

    @property
    def schema(self) -> str:
        """The live schema's name."""

    @property
    def migrations(self) -> Path:
        """Folder of the SQL files that make the tables."""

    @property
    def streams(self) -> Sequence[str]:
        """The input streams."""

    async def apply(self, connection: asyncpg.Connection, records: Sequence[Stored]) -> int:
        """Write the rows of some records of one stream, in order; returns how many events were unknown to it.

        An unknown event is skipped, a recorded fact is never refused. The connection is in a transaction and
        finds the projection's tables by bare names. It may be called again with the same records after a
        failure."""


class Projector:
    """Keeps one projection up to date. `schema` is where it writes, by default the projection's live
    schema. About `pause` seconds lie between two transactions of a stream, so that under load more records share one."""

    def __init__(
        self,
        store: EventStore,
        database: Database,
        projection: Projection,
        schema: str = "",
        on_skipped: Callable[[int], None] | None = None,
        pause: float = 0.0,
    ) -> None:
        self._store = store
        self._database = database
        self._projection = projection
        self._schema = schema or projection.schema
        self._on_skipped = on_skipped
        self._pause = pause
        self._sequences = dict.fromkeys(projection.streams, 0)
        self._behind = set(projection.streams)
        self._busy = {stream: asyncio.Lock() for stream in projection.streams}
        self._moved = asyncio.Condition()
        self.caught_up = asyncio.Event()
        """Set once everything that was in the streams at the start has been projected."""

    async def prepare(self) -> None:
        """Make or migrate the tables; before `run`."""
        await migrate(self._database, self._schema, self._projection.migrations)
        async with self._database.transaction(self._schema) as connection:
            # Replicas that start together would make it twice, and fail: IF NOT EXISTS does not wait.
            await connection.execute("SELECT pg_advisory_xact_lock($1)", _lock(self._schema, "checkpoints"))
            await connection.execute(_CHECKPOINTS)
            await connection.executemany(
                "INSERT INTO checkpoints (stream) VALUES ($1) ON CONFLICT DO NOTHING",
                [(stream,) for stream in self._projection.streams],
            )

    async def run(self, stopping: asyncio.Event) -> None:
        """Project until `stopping` is set; a transaction that has begun is finished.

        Where the log or the database is away it waits and goes on. Any other error ends it: a projection that
        cannot take a record must not go on without it."""
        async with asyncio.TaskGroup() as group:
            tasks = {
                stream: group.create_task(self._follow(stream), name=f"project {stream} into {self._schema}")
                for stream in self._projection.streams
            }
            await stopping.wait()
            for stream, task in tasks.items():
                async with self._busy[stream]:
                    task.cancel()

    def sequence(self, stream: str) -> int:
        """Last sequence of an input stream that is known to be projected."""
        return self._sequences[stream]

    async def wait_for(self, stream: str, sequence: int) -> None:
        """Return when an input stream is projected up to `sequence`. Bounded by the caller
        (`asyncio.timeout`)."""
        async with self._moved:
            await self._moved.wait_for(lambda: self._sequences[stream] >= sequence)

    async def _follow(self, stream: str) -> None:
        while True:
            checkpoint = await self._patiently(stream, lambda: self._checkpoint(stream))
            await self._note(stream, checkpoint)

            async def deliver(records: list[Stored]) -> None:
                done = await self._patiently(stream, lambda: self._write(stream, records))
                await self._note(stream, done)
                if self._pause:
                    # Not all streams at once: the service has other things to do as well.
                    await asyncio.sleep(self._pause * random.uniform(0.5, 1.5))

            try:
                await self._store.follow(
                    stream, checkpoint, deliver, caught_up=lambda: self._caught_up(stream)
                )
            except _CheckpointMoved as moved:
                log.info("%s: %s", self._schema, moved)

    async def _write(self, stream: str, records: list[Stored]) -> int:
        """One transaction: what of `records` is new, and the checkpoint. Returns the checkpoint."""
        async with self._busy[stream], self._database.transaction(self._schema) as connection:
            if not await connection.fetchval(
                "SELECT pg_try_advisory_xact_lock($1)", _lock(self._schema, stream)
            ):
                # Not waited for here: that would keep a connection, which who holds the lock may need.
                raise _Held
            known, last = self._sequences[stream], records[-1].sequence
            # Nearly always nobody else has moved it: one question less, and its row is ours until the end.
            if not await connection.fetchval(_ADVANCE, stream, known, last):
                checkpoint: int = await connection.fetchval(_CHECKPOINT, stream)
                if checkpoint < known:
                    # A rebuilt schema that is a little behind took this one's place.
                    raise _CheckpointMoved(f"{stream} went back from {known} to {checkpoint}")
                known = checkpoint
                if known >= last:
                    return known
                await connection.fetchval(_ADVANCE, stream, known, last)
            skipped = await self._projection.apply(
                connection, [record for record in records if record.sequence > known]
            )
            if skipped:
                await connection.execute(
                    "UPDATE checkpoints SET skipped = skipped + $2 WHERE stream = $1", stream, skipped
                )
        if skipped and self._on_skipped is not None:
            self._on_skipped(skipped)
        return last

    async def _checkpoint(self, stream: str) -> int:
        async with self._database.transaction(self._schema, readonly=True) as connection:
            sequence: int = await connection.fetchval(_CHECKPOINT, stream)
        return sequence

    async def _patiently(self, stream: str, attempt: Callable[[], Awaitable[int]]) -> int:
        """The result of `attempt`, tried again until the database takes it."""
        backoff = _FIRST_BACKOFF
        while True:
            try:
                return await attempt()
            except TRANSIENT as error:
                if isinstance(error, ValueError):
                    raise  # a value that the client refused to encode will not be taken later either
                log.warning("%s of %s waits for the database: %s", stream, self._schema, error)
            except _Held:
                backoff = _FIRST_BACKOFF
            await asyncio.sleep(backoff)
            backoff = min(2 * backoff, _LONGEST_BACKOFF)

    async def _note(self, stream: str, sequence: int) -> None:
        self._sequences[stream] = sequence
        async with self._moved:
            self._moved.notify_all()

    def _caught_up(self, stream: str) -> None:
        self._behind.discard(stream)
        if not self._behind:
            self.caught_up.set()


class _Held(Exception):
    """Another replica, or a rebuild about to swap, has the stream's lock."""


class _CheckpointMoved(Exception):
    """The checkpoint is behind what was already written here: read on from there."""


class RebuildRunning(Exception):
    """Somebody is rebuilding the same projection already."""


async def rebuild(store: EventStore, database: Database, projection: Projection) -> Mapping[str, int]:
    """Project everything from record 1 beside the live schema, then let the result take its place.

    Live projectors and readers go on all the while: the swap is one transaction, made when the new tables are as
    far as the live ones. Returns the checkpoints swapped in. A rebuild that was interrupted begins anew. Raises
    RebuildRunning, or TimeoutError when the new tables did not draw level within a minute of both being held.
    """
    async with database.transaction() as guard:
        free = await guard.fetchval(
            "SELECT pg_try_advisory_xact_lock($1)", _lock(projection.schema, "rebuild")
        )
        if not free:
            raise RebuildRunning(f"{projection.schema} is being rebuilt already")
        return await _rebuild(store, database, projection)


async def _rebuild(store: EventStore, database: Database, projection: Projection) -> Mapping[str, int]:
    fresh, old = f"{projection.schema}_next", f"{projection.schema}_old"
    await _drop(database, fresh, old)
    projector = Projector(store, database, projection, fresh)
    await projector.prepare()
    stopping = asyncio.Event()
    running = asyncio.create_task(projector.run(stopping))
    try:
        await _unless_ended(running, projector.caught_up.wait())
        async with database.transaction() as connection, asyncio.timeout(_SWAP_SECONDS):
            await _draw_level(connection, projection, projector, running)
            stopping.set()
            await running
            await connection.execute(
                f"ALTER SCHEMA {quoted(projection.schema)} RENAME TO {quoted(old)};"
                f"ALTER SCHEMA {quoted(fresh)} RENAME TO {quoted(projection.schema)}"
            )
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    # Apart, since it waits for readers of the old tables.
    await _drop(database, old)
    return {stream: projector.sequence(stream) for stream in projection.streams}


async def _draw_level(
    connection: asyncpg.Connection, projection: Projection, fresh: Projector, running: asyncio.Task[None]
) -> None:
    """Hold the live projectors until the transaction ends, and wait until the fresh one is as far as they."""
    for stream in sorted(projection.streams):
        await connection.execute("SELECT pg_advisory_xact_lock($1)", _lock(projection.schema, stream))
    live = await connection.fetch(f"SELECT stream, sequence FROM {quoted(projection.schema)}.checkpoints")
    for row in live:
        if row["stream"] in projection.streams:
            await _unless_ended(running, fresh.wait_for(row["stream"], row["sequence"]))


async def _drop(database: Database, *schemas: str) -> None:
    async with database.transaction() as connection:
        for schema in schemas:
            await connection.execute(f"DROP SCHEMA IF EXISTS {quoted(schema)} CASCADE")


async def _unless_ended(running: asyncio.Task[None], waiting: Coroutine[Any, Any, Any]) -> None:
    """Wait for `waiting`; when `running` ends before, with its error."""
    task = asyncio.create_task(waiting)
    try:
        await asyncio.wait({running, task}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            running.result()
            raise RuntimeError("the projector ended by itself")
    finally:
        task.cancel()


def _lock(schema: str, stream: str) -> int:
    """The number of the lock under which a stream is projected into a schema."""
    return int.from_bytes(sha256(f"project {stream} into {schema}".encode()).digest()[:8], "big", signed=True)
