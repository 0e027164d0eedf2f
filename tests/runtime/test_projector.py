"""Projections: every record once, in order, whatever is restarted meanwhile; rebuilt beside the live one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg
import pytest

from services.ledger.record import Stored
from services.runtime.jetstream import JetStreamStore
from services.runtime.memory import MemoryStore
from services.runtime.postgres import Database
from services.runtime.projector import Projector, rebuild
from services.runtime.store import EventStore
from services.runtime.streams import Epoch
from services.runtime.writer import append
from tests.conftest import NatsServer, PostgresServer
from tests.runtime.store_contract import fill
from tests.servers import SECONDS

EPOCH = Epoch("mem", 1)
SUBJECT = EPOCH.subject("scoring", "cup")
STREAM = EPOCH.stream("scoring")


@dataclass
class Counts:
    """Counts and sums a subject's numbers, so that a lost, doubled or misplaced record shows."""

    migrations: Path
    streams: Sequence[str] = (STREAM,)
    schema: str = "counts"
    factor: int = 1
    failures: list[Exception] = field(default_factory=list)

    async def apply(self, connection: asyncpg.Connection, records: Sequence[Stored]) -> int:
        known = [record for record in records if record.data.isdigit()]
        await connection.executemany(
            "INSERT INTO counts VALUES ($1, 1, $2, $3) ON CONFLICT (subject) DO UPDATE SET"
            " n = counts.n + 1, total = counts.total + excluded.total,"
            " last = CASE WHEN counts.last < excluded.last THEN excluded.last END",
            [(record.subject, self.factor * int(record.data), record.sequence) for record in known],
        )
        if self.failures:
            raise self.failures.pop()
        return len(records) - len(known)


@pytest.fixture
def projection(tmp_path: Path) -> Counts:
    (tmp_path / "0001_counts.sql").write_text(
        # `last` is NOT NULL: a record that comes out of order fails.
        "CREATE TABLE counts (subject text PRIMARY KEY, n bigint, total bigint, last bigint NOT NULL)"
    )
    return Counts(tmp_path)


@pytest.fixture
async def db(database: str) -> AsyncIterator[Database]:
    connected = await Database.connect(database)
    yield connected
    await connected.close()


@asynccontextmanager
async def projecting(
    store: EventStore, db: Database, projection: Counts, on_skipped: Callable[[int], None] | None = None
) -> AsyncIterator[Projector]:
    """A running projector, stopped at the end as a service stops it."""
    projector, stopping = Projector(store, db, projection, on_skipped=on_skipped), asyncio.Event()
    await projector.prepare()
    task = asyncio.create_task(projector.run(stopping))
    try:
        yield projector
    finally:
        stopping.set()
        async with asyncio.timeout(SECONDS):
            await task


async def rows(db: Database, schema: str = "counts") -> dict[str, tuple[int, int]]:
    async with db.transaction(schema) as connection:
        found = await connection.fetch("SELECT * FROM counts")
    return {row["subject"]: (row["n"], row["total"]) for row in found}


async def reached(projector: Projector, stream: str, sequence: int) -> None:
    async with asyncio.timeout(SECONDS):
        await projector.wait_for(stream, sequence)


async def test_rows_and_checkpoint_go_together(db: Database, projection: Counts) -> None:
    store = MemoryStore()
    await fill(store, SUBJECT, 10)
    async with projecting(store, db, projection) as projector:
        await projector.caught_up.wait()
        assert projector.sequence(STREAM) == 10
        await store.append(SUBJECT, b"100", 10)
        await reached(projector, STREAM, 11)
    assert await rows(db) == {SUBJECT: (11, 155)}
    async with db.transaction("counts") as connection:
        assert await connection.fetchval("SELECT sequence FROM checkpoints WHERE stream = $1", STREAM) == 11


async def test_it_goes_on_from_its_checkpoint(db: Database, projection: Counts) -> None:
    store = MemoryStore()
    await fill(store, SUBJECT, 10)
    async with projecting(store, db, projection) as projector:
        await reached(projector, STREAM, 10)
    await store.append(SUBJECT, b"100", 10)
    async with projecting(store, db, projection) as projector:
        await reached(projector, STREAM, 11)
    assert await rows(db) == {SUBJECT: (11, 155)}


async def test_unknown_events_are_skipped_and_counted(db: Database, projection: Counts) -> None:
    store = MemoryStore()
    skipped: list[int] = []
    await fill(store, SUBJECT, 3)
    await store.append(SUBJECT, b"from the future", 3)
    async with projecting(store, db, projection, skipped.append) as projector:
        await reached(projector, STREAM, 4)
    assert await rows(db) == {SUBJECT: (3, 6)}
    assert sum(skipped) == 1
    async with db.transaction("counts") as connection:
        assert await connection.fetchval("SELECT skipped FROM checkpoints") == 1


@pytest.mark.parametrize(
    "error",
    [asyncpg.DeadlockDetectedError("x"), asyncpg.TooManyConnectionsError("x"), ConnectionResetError()],
)
async def test_what_may_pass_is_tried_again(db: Database, projection: Counts, error: Exception) -> None:
    store = MemoryStore()
    await fill(store, SUBJECT, 5)
    projection.failures += [error, error]
    async with projecting(store, db, projection) as projector:
        await reached(projector, STREAM, 5)
    assert await rows(db) == {SUBJECT: (5, 15)}


@pytest.mark.parametrize("error", [LookupError("bug"), asyncpg.CheckViolationError("bug")])
async def test_a_mistake_ends_it_and_nothing_is_written(
    db: Database, projection: Counts, error: Exception
) -> None:
    store = MemoryStore()
    await fill(store, SUBJECT, 5)
    projection.failures.append(error)
    projector = Projector(store, db, projection)
    await projector.prepare()
    with pytest.raises(ExceptionGroup) as raised:
        await projector.run(asyncio.Event())
    assert raised.value.exceptions == (error,)
    assert await rows(db) == {}


async def test_racing_projectors_write_each_record_once(
    db: Database, projection: Counts, log_store: JetStreamStore, epoch: Epoch
) -> None:
    subject = epoch.subject("scoring", "cup")
    projection.streams = (epoch.stream("scoring"),)
    async with (
        projecting(log_store, db, projection) as first,
        projecting(log_store, db, projection) as second,
    ):
        await fill(log_store, subject, 400)
        for projector in (first, second):
            await reached(projector, epoch.stream("scoring"), 400)
    assert await rows(db) == {subject: (400, 400 * 401 // 2)}


async def test_batches_that_overlap_are_written_once(db: Database, projection: Counts) -> None:
    """What `sequence < new` alone would let through: 1-3 are written when 1-5 come."""
    store = MemoryStore()
    await fill(store, SUBJECT, 5)
    records = [record async for record in store.read(SUBJECT)]
    one, two = Projector(store, db, projection), Projector(store, db, projection)
    await one.prepare()
    assert await one._write(STREAM, records[:3]) == 3
    assert await two._write(STREAM, records) == 5
    assert await one._write(STREAM, records[3:4]) == 5
    assert await rows(db) == {SUBJECT: (5, 15)}


async def test_killed_servers_lose_double_and_stall_nothing(
    projection: Counts,
    database: str,
    postgres_server: PostgresServer,
    nats_server: NatsServer,
    log_store: JetStreamStore,
    epoch: Epoch,
) -> None:
    db = await Database.connect(database)
    subjects = [epoch.table_subject("cup", f"t{n}") for n in range(6)]
    projection.streams = epoch.table_streams()
    acknowledged = asyncio.Semaphore(0)

    async def write(subject: str) -> None:
        sequence = 0
        for n in range(200):
            until = asyncio.get_running_loop().time() + 30
            sequence = await append(log_store, subject, b"%d" % n, sequence, until)
            acknowledged.release()

    async with projecting(log_store, db, projection) as projector:
        writers = asyncio.gather(*map(write, subjects))
        for server in (postgres_server, nats_server):
            for _ in range(200):
                await acknowledged.acquire()
            server.process.kill()
            await server.process.up()
        await writers
        for stream in projection.streams:
            await reached(projector, stream, await log_store.last_sequence(stream))
    assert await rows(db) == dict.fromkeys(subjects, (200, 199 * 100))
    await db.close()


async def test_stopping_finishes_the_transaction(db: Database, projection: Counts) -> None:
    store, begun, go_on = MemoryStore(), asyncio.Event(), asyncio.Event()
    await fill(store, SUBJECT, 5)
    apply = projection.apply

    async def slow(connection: asyncpg.Connection, records: Sequence[Stored]) -> int:
        begun.set()
        await go_on.wait()
        return await apply(connection, records)

    projection.apply = slow  # type: ignore[method-assign]
    projector, stopping = Projector(store, db, projection), asyncio.Event()
    await projector.prepare()
    task = asyncio.create_task(projector.run(stopping))
    await begun.wait()
    stopping.set()
    await asyncio.sleep(0)
    assert not task.done()
    go_on.set()
    await task
    assert await rows(db) == {SUBJECT: (5, 15)}


async def test_a_rebuild_takes_the_live_ones_place_while_records_come(
    db: Database, projection: Counts, log_store: JetStreamStore, epoch: Epoch
) -> None:
    subjects = [epoch.table_subject("cup", f"t{n}") for n in range(4)]
    projection.streams = epoch.table_streams()
    rebuilt, going_on = asyncio.Event(), True

    async def write(subject: str) -> int:
        count, sequence = 0, 0
        while going_on:
            sequence = await log_store.append(subject, b"%d" % count, sequence)
            count += 1
        return count

    async with projecting(log_store, db, projection) as projector:
        writers = asyncio.gather(*map(write, subjects))
        for _ in range(3):
            swapped = await rebuild(log_store, db, projection)
            assert set(swapped) == set(projection.streams)
            # The live projector goes on in the new tables.
            await reached(projector, epoch.table_streams()[0], swapped[epoch.table_streams()[0]] + 20)
        rebuilt.set()
        going_on = False
        counts = dict(zip(subjects, await writers, strict=True))
        for stream in projection.streams:
            await reached(projector, stream, await log_store.last_sequence(stream))
    assert await rows(db) == {subject: (n, n * (n - 1) // 2) for subject, n in counts.items()}
    async with db.transaction() as connection:
        schemas = await connection.fetch("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'counts%'")
    assert [row["nspname"] for row in schemas] == ["counts"]


async def test_a_rebuild_needs_no_more_connections_than_a_small_pool_has(
    database: str, projection: Counts, log_store: JetStreamStore, epoch: Epoch
) -> None:
    """Live projectors that wait for the swap must not keep the connections the rebuild needs for it."""
    db, subject = await Database.connect(database, size=3), epoch.subject("scoring", "cup")
    projection.streams = [spec.name for spec in epoch.specs()]
    async with projecting(log_store, db, projection) as projector:
        writing = asyncio.create_task(fill(log_store, subject, 300))
        for _ in range(3):
            async with asyncio.timeout(SECONDS):
                await rebuild(log_store, db, projection)
        await writing
        await reached(projector, epoch.stream("scoring"), 300)
    assert await rows(db) == {subject: (300, 300 * 301 // 2)}
    await db.close()


async def test_one_rebuild_at_a_time(db: Database, projection: Counts) -> None:
    store = MemoryStore()
    await fill(store, SUBJECT, 4)
    async with projecting(store, db, projection) as projector:
        await reached(projector, STREAM, 4)
        results = await asyncio.gather(
            *(rebuild(store, db, projection) for _ in range(3)), return_exceptions=True
        )
    assert sorted(type(result).__name__ for result in results) == ["RebuildRunning", "RebuildRunning", "dict"]
    assert await rows(db) == {SUBJECT: (4, 10)}


async def test_a_rebuild_shows_what_the_code_computes_now(db: Database, projection: Counts) -> None:
    store = MemoryStore()
    await fill(store, SUBJECT, 4)
    async with projecting(store, db, projection) as projector:
        await reached(projector, STREAM, 4)
        projection.factor = 10
        assert await rows(db) == {SUBJECT: (4, 10)}
        await rebuild(store, db, projection)
        assert await rows(db) == {SUBJECT: (4, 100)}


async def test_a_failing_rebuild_leaves_the_live_tables(db: Database, projection: Counts) -> None:
    store = MemoryStore()
    await fill(store, SUBJECT, 4)
    async with projecting(store, db, projection) as projector:
        await reached(projector, STREAM, 4)
        projection.failures.append(LookupError("bug"))
        with pytest.raises(ExceptionGroup):
            await rebuild(store, db, projection)
        await store.append(SUBJECT, b"5", 4)
        await reached(projector, STREAM, 5)
    assert await rows(db) == {SUBJECT: (5, 15)}


async def test_tables_that_were_set_back_are_read_on_from_there(db: Database, projection: Counts) -> None:
    store = MemoryStore()
    await fill(store, SUBJECT, 4)
    async with projecting(store, db, projection) as projector:
        await reached(projector, STREAM, 4)
        async with db.transaction("counts") as connection:
            await connection.execute("UPDATE checkpoints SET sequence = 2")
            await connection.execute("UPDATE counts SET n = 2, total = 3, last = 2")
        await store.append(SUBJECT, b"5", 4)
        await reached(projector, STREAM, 5)
    assert await rows(db) == {SUBJECT: (5, 15)}
