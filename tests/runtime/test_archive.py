"""The archive keeps what came first, and both histories where there are two."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest

from services.ledger.record import START, Stored
from services.runtime.archive import Archive, keep
from services.runtime.forks import fork
from services.runtime.memory import MemoryStore
from services.runtime.postgres import Database
from services.runtime.store import EventStore
from services.runtime.streams import Epoch
from tests.runtime.records import begun, grow, moved, record
from tests.servers import SECONDS

EPOCH = Epoch("mem", 1)
SUBJECT = EPOCH.subject("scoring", "cup")
OTHER = EPOCH.subject("scoring", "open")
STREAM = EPOCH.stream("scoring")


@pytest.fixture
async def db(database: str) -> AsyncIterator[Database]:
    connected = await Database.connect(database)
    yield connected
    await connected.close()


@asynccontextmanager
async def archiving(store: EventStore, db: Database, forks: list[Stored]) -> AsyncIterator[None]:
    stopping = asyncio.Event()
    task = asyncio.create_task(keep(store, db, Archive([STREAM], forks.append), stopping))
    try:
        yield
    finally:
        stopping.set()
        async with asyncio.timeout(SECONDS):
            await task


async def until_archived(db: Database, sequence: int) -> None:
    async with asyncio.timeout(SECONDS):
        while True:
            if await checkpoint(db) == sequence:
                return
            await asyncio.sleep(0.01)


async def checkpoint(db: Database) -> int | None:
    try:
        async with db.transaction("archive") as connection:
            found: int | None = await connection.fetchval("SELECT sequence FROM checkpoints")
            return found
    except asyncpg.UndefinedTableError:
        return None


async def kept(db: Database, table: str = "records") -> list[tuple[int, str, int | None, bytes]]:
    async with db.transaction("archive") as connection:
        rows = await connection.fetch(f"SELECT * FROM {table} ORDER BY sequence")
    return [(row["sequence"], row["subject"], row["version"], row["data"]) for row in rows]


async def archived(store: EventStore, db: Database) -> list[Stored]:
    """Archive all there is; the forks reported."""
    forks: list[Stored] = []
    async with archiving(store, db, forks):
        await until_archived(db, await store.last_sequence(STREAM))
    return forks


async def test_every_record_is_kept_byte_for_byte(db: Database) -> None:
    store = MemoryStore()
    await begun(store, SUBJECT, 3)
    await begun(store, OTHER, 2)
    assert await archived(store, db) == []
    assert await kept(db) == [
        (n, subject, version, (await store.get(STREAM, n) or pytest.fail("gone")).data)
        for n, (subject, version) in enumerate(
            [(SUBJECT, 1), (SUBJECT, 2), (SUBJECT, 3), (OTHER, 1), (OTHER, 2)], start=1
        )
    ]


@pytest.mark.parametrize("lost", [ConnectionResetError(), asyncpg.InternalClientError("another operation")])
async def test_a_database_that_is_lost_while_the_archive_begins_is_waited_for(
    db: Database, monkeypatch: pytest.MonkeyPatch, lost: Exception
) -> None:
    store, take, losses, taken = MemoryStore(), db.transaction, [lost, lost], asyncio.Event()
    await begun(store, SUBJECT, 3)

    def transaction(*args: Any, **kwargs: Any) -> Any:
        if losses:
            raise losses.pop()
        taken.set()
        return take(*args, **kwargs)

    forks: list[Stored] = []
    monkeypatch.setattr(db, "transaction", transaction)
    async with archiving(store, db, forks):
        await taken.wait()
        await until_archived(db, 3)


async def test_bytes_that_are_no_record_are_kept_too(db: Database) -> None:
    store = MemoryStore()
    await store.append(SUBJECT, b"\xff", 0)
    await store.append(SUBJECT, b"", 1)
    assert await archived(store, db) == []
    assert [(version, data) for _, _, version, data in await kept(db)] == [(None, b"\xff"), (None, b"")]


async def test_archiving_again_changes_nothing(db: Database) -> None:
    store = MemoryStore()
    await begun(store, SUBJECT, 3)
    await archived(store, db)
    before = await kept(db)
    async with db.transaction("archive") as connection:
        await connection.execute("UPDATE checkpoints SET sequence = 0")
    assert await archived(store, db) == []
    assert await kept(db) == before
    assert await kept(db, "forks") == []


@pytest.mark.parametrize(
    "change", ["UPDATE records SET data = ''", "DELETE FROM records", "TRUNCATE records"]
)
async def test_what_is_archived_cannot_be_changed(db: Database, change: str) -> None:
    store = MemoryStore()
    await begun(store, SUBJECT, 1)
    await archived(store, db)
    with pytest.raises(asyncpg.RaiseError, match="only ever added to"):
        async with db.transaction("archive") as connection:
            await connection.execute(change)


async def test_another_history_is_kept_beside_the_first_and_reported(db: Database) -> None:
    """A stream that lost its last two records, and in which others went on since."""
    first, second = MemoryStore(), MemoryStore()
    head = await begun(first, SUBJECT, 3)
    await grow(first, SUBJECT, head, "a", "b")
    await archived(first, db)
    before = await kept(db)
    head = await begun(second, SUBJECT, 3)
    await grow(second, SUBJECT, head, "x", "y", "z")
    forks = await archived(second, db)
    assert sorted({fork.sequence for fork in forks}) == [4, 5]
    assert await kept(db) == [
        *before,
        (6, SUBJECT, 6, (await second.last(SUBJECT) or pytest.fail("gone")).data),
    ]
    assert [(sequence, data) for sequence, _, _, data in await kept(db, "forks")] == [
        (n, (await second.get(STREAM, n) or pytest.fail("gone")).data) for n in (4, 5)
    ]
    # And again: nothing is kept twice, and whoever starts hears of what was found before.
    assert [fork.sequence for fork in await archived(second, db)] == [4, 5]
    assert len(await kept(db, "forks")) == 2


async def test_a_fork_is_reported_at_every_replica(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.runtime.archive._REPORT_SECONDS", 0.05)
    first, second = MemoryStore(), MemoryStore()
    await grow(first, SUBJECT, await begun(first, SUBJECT, 3), "a")
    await archived(first, db)
    await grow(second, SUBJECT, await begun(second, SUBJECT, 3), "x", "y")
    heard: list[Stored] = []
    reading, follow = asyncio.Event(), first.follow

    def following(*what: Any, **more: Any) -> Awaitable[None]:
        reading.set()
        return follow(*what, **more)

    monkeypatch.setattr(first, "follow", following)
    # This one sees nothing of it in its own stream, from which it would go back to where they agree if it looked now.
    async with archiving(first, db, heard):
        await reading.wait()
        await archived(second, db)
        async with asyncio.timeout(SECONDS):
            while not heard:  # noqa: ASYNC110  # another task's work
                await asyncio.sleep(0.01)
    assert [fork.sequence for fork in heard] == [4]


async def test_both_histories_of_a_fork(db: Database) -> None:
    first, second = MemoryStore(), MemoryStore()
    for store, texts in ((first, "ab"), (second, "xyz")):
        await grow(store, SUBJECT, await begun(store, SUBJECT, 3), *texts)
        await archived(store, db)
    found = await fork(second, db, "archive", SUBJECT, 4)
    assert found.streamed == await second.get(STREAM, 4)
    # The archive has version 6 too, but of the other history.
    assert found.archived == (await first.get(STREAM, 4), await first.get(STREAM, 5))
    assert found.last_sequence == 6


async def test_the_archived_history_of_a_record_that_is_gone(db: Database) -> None:
    whole, gone = MemoryStore(), MemoryStore()
    await begun(whole, SUBJECT, 4)
    await archived(whole, db)
    records = [one async for one in whole.read(SUBJECT)]
    for sequence, one in enumerate([records[0], *records[2:]]):
        await gone.append(SUBJECT, one.data, sequence)
    found = await fork(gone, db, "archive", SUBJECT, 2)
    assert (found.streamed, found.archived, found.last_sequence) == (None, tuple(records[1:]), 3)
    assert (await fork(gone, db, "archive", SUBJECT, 9)).archived == ()


async def test_a_stream_that_was_cut_back_while_it_was_read(db: Database) -> None:
    first, second = MemoryStore(), MemoryStore()
    head = await begun(first, SUBJECT, 3)
    await archived(first, db)
    await begun(second, SUBJECT, 2)
    forks: list[Stored] = []
    async with archiving(second, db, forks):
        await until_archived(db, 2)
        short = moved(head, 2)
        await second.append(SUBJECT, record(SUBJECT, short, "another"), 2)
        await until_archived(db, 3)
    assert [fork.sequence for fork in forks] == [3]
    assert len(await kept(db)) == 3


async def test_one_version_at_two_places_is_a_fork(db: Database) -> None:
    store = MemoryStore()
    data = record(SUBJECT, START)
    await store.append(SUBJECT, data, 0)
    await store.append(SUBJECT, data, 1)
    assert [fork.sequence for fork in await archived(store, db)] == [2]
    assert len(await kept(db)) == 1
