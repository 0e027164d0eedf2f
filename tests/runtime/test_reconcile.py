"""`reconcile` finds a removed record, a changed byte, a fork and a gap, on the real server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from services.ledger.record import Finding, Head
from services.runtime.archive import Archive
from services.runtime.jetstream import JetStreamStore
from services.runtime.memory import MemoryStore
from services.runtime.postgres import Database
from services.runtime.projector import Projector
from services.runtime.reconcile import reconcile
from services.runtime.streams import Epoch, StreamSpec, stream_config
from tests.conftest import NatsServer
from tests.runtime.records import begun, grow
from tests.servers import SECONDS


@pytest.fixture
async def db(database: str) -> AsyncIterator[Database]:
    connected = await Database.connect(database)
    yield connected
    await connected.close()


@pytest.fixture
def spec(epoch: Epoch) -> StreamSpec:
    return next(spec for spec in epoch.specs() if spec.name == epoch.stream("scoring"))


@pytest.fixture
async def store(nats_server: NatsServer, spec: StreamSpec) -> AsyncIterator[JetStreamStore]:
    """A log whose server lets itself be tampered with."""
    store = await nats_server.connect()
    await store.js.add_stream(stream_config(spec).evolve(deny_delete=False, deny_purge=False))
    yield store
    await store.js.delete_stream(spec.name)
    await store.close()


async def archive(store: JetStreamStore, db: Database, stream: str) -> None:
    projector, stopping = Projector(store, db, Archive([stream], lambda fork: None)), asyncio.Event()
    await projector.prepare()
    task = asyncio.create_task(projector.run(stopping))
    async with asyncio.timeout(SECONDS):
        await projector.caught_up.wait()
        stopping.set()
        await task


def told(findings: list[Finding]) -> list[tuple[int, int, str]]:
    return [(finding.sequence, finding.version, finding.code) for finding in findings]


async def test_nothing_is_wrong(store: JetStreamStore, db: Database, epoch: Epoch, spec: StreamSpec) -> None:
    one, two = epoch.subject("scoring", "one"), epoch.subject("scoring", "two")
    head = await begun(store, one, 5)
    await begun(store, two, 5)
    await archive(store, db, spec.name)
    await grow(store, one, head, "not archived yet")
    assert await reconcile(store, db, [spec.name]) == []


@pytest.mark.parametrize("sequence", [1, 3, 5])
async def test_a_removed_record(
    store: JetStreamStore, db: Database, epoch: Epoch, spec: StreamSpec, sequence: int
) -> None:
    await begun(store, epoch.subject("scoring", "cup"), 5)
    await archive(store, db, spec.name)
    await store.js.delete_msg(spec.name, sequence)
    assert told(await reconcile(store, db, [spec.name])) == [(sequence, sequence, "REMOVED")]


async def test_a_stream_cut_back(store: JetStreamStore, db: Database, epoch: Epoch, spec: StreamSpec) -> None:
    subject = epoch.subject("scoring", "cup")
    await begun(store, subject, 5)
    await archive(store, db, spec.name)
    other = MemoryStore()
    await begun(other, subject, 3)
    assert told(await reconcile(other, db, [spec.name])) == [(4, 4, "REMOVED"), (5, 5, "REMOVED")]


async def test_a_changed_byte(store: JetStreamStore, db: Database, epoch: Epoch, spec: StreamSpec) -> None:
    """Whichever byte it is; the stream is another server's, since a server writes no record anew."""
    subject = epoch.subject("scoring", "cup")
    await begun(store, subject, 5)
    await archive(store, db, spec.name)
    records = [record.data async for record in store.read(subject)]
    for position in range(len(records[2])):
        changed = bytearray(records[2])
        changed[position] ^= 0x20
        tampered = MemoryStore()
        for sequence, data in enumerate([*records[:2], bytes(changed), *records[3:]]):
            await tampered.append(subject, data, sequence)
        findings = await reconcile(tampered, db, [spec.name])
        assert [(finding.sequence, finding.code) for finding in findings] == [(3, "CHANGED")], position


async def test_another_history(store: JetStreamStore, db: Database, epoch: Epoch, spec: StreamSpec) -> None:
    subject = epoch.subject("scoring", "cup")
    await grow(store, subject, await begun(store, subject, 3), "a", "b")
    await archive(store, db, spec.name)
    other = MemoryStore()
    await grow(other, subject, await begun(other, subject, 3), "x", "y", "z")
    assert told(await reconcile(other, db, [spec.name])) == [(4, 4, "FORK"), (5, 5, "FORK")]


async def test_a_fork_that_the_archive_kept(
    store: JetStreamStore, db: Database, epoch: Epoch, spec: StreamSpec
) -> None:
    """Found although the stream is as archived again."""
    subject = epoch.subject("scoring", "cup")
    await begun(store, subject, 2)
    await archive(store, db, spec.name)
    async with db.transaction("archive") as connection:
        await connection.execute(
            "INSERT INTO forks SELECT stream, sequence, subject, version, 'another' FROM records WHERE version = 2"
        )
    (finding,) = await reconcile(store, db, [spec.name])
    assert (finding.sequence, finding.code) == (2, "FORK")


async def test_a_record_gone_before_it_was_archived(
    store: JetStreamStore, db: Database, epoch: Epoch, spec: StreamSpec
) -> None:
    subject = epoch.subject("scoring", "cup")
    await begun(store, subject, 5)
    await store.js.delete_msg(spec.name, 3)
    await archive(store, db, spec.name)
    findings = told(await reconcile(store, db, [spec.name]))
    assert (3, 0, "GAP") in findings
    assert (4, 4, "WRONG_VERSION") in findings


async def test_a_record_that_the_archive_lost(
    store: JetStreamStore, db: Database, epoch: Epoch, spec: StreamSpec
) -> None:
    await begun(store, epoch.subject("scoring", "cup"), 5)
    await archive(store, db, spec.name)
    async with db.transaction("archive") as connection:
        await connection.execute(
            "ALTER TABLE records DISABLE TRIGGER ALL; DELETE FROM records WHERE sequence = 2"
        )
    assert told(await reconcile(store, db, [spec.name])) == [(2, 2, "UNARCHIVED")]


async def test_a_broken_chain_that_the_archive_shares(
    store: JetStreamStore, db: Database, epoch: Epoch, spec: StreamSpec
) -> None:
    subject = epoch.subject("scoring", "cup")
    head = await begun(store, subject, 2)
    await grow(store, subject, Head(head.version, head.sequence, bytes(32), head.time_us), "forged")
    await archive(store, db, spec.name)
    assert told(await reconcile(store, db, [spec.name])) == [(3, 3, "BROKEN_CHAIN")]
