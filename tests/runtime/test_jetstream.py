"""JetStreamStore keeps the contract on one server; lost acknowledgements, killed servers, many records."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from nats.js import api

from services.runtime.embedded import nats
from services.runtime.embedded.directory import free_port
from services.runtime.jetstream import JetStreamStore
from services.runtime.store import EventStore, StoreUnavailable
from services.runtime.streams import Epoch, StreamMismatch, ensure_streams, stream_config, stream_of
from services.runtime.writer import append
from tests.conftest import NatsServer
from tests.runtime import lossy
from tests.runtime.proxy import proxied
from tests.runtime.store_contract import Reader, StoreContract, fill, following, neighbours
from tests.servers import SECONDS


class TestJetStreamStore(StoreContract):
    @pytest.fixture
    def store(self, log_store: JetStreamStore) -> EventStore:
        return log_store

    @pytest.fixture
    def second(self, second_store: JetStreamStore) -> EventStore:
        return second_store

    @pytest.fixture
    def lose(self, log_store: JetStreamStore, monkeypatch: pytest.MonkeyPatch) -> lossy.Lose:
        return lossy.connection(log_store, monkeypatch)


def until() -> float:
    return asyncio.get_running_loop().time() + 20


async def test_an_answer_swallowed_on_the_wire_before_the_connection_broke(
    nats_server: NatsServer, log_store: JetStreamStore, epoch: Epoch
) -> None:
    subject = epoch.subject("scoring", "cup")
    async with proxied(nats_server.process.child.ports[0]) as proxy:
        store = await JetStreamStore.connect(
            f"nats://127.0.0.1:{proxy.port}", name="t", user=nats.OPERATOR, password=nats_server.password
        )
        proxy.swallowing = True
        appending = asyncio.create_task(append(store, subject, b"a", 0, until()))
        await proxy.swallowed.wait()
        assert await log_store.last_sequence(stream_of(subject)) == 1
        proxy.cut()
        assert await appending == 1
        await store.close()
    assert await log_store.last_sequence(stream_of(subject)) == 1


async def test_an_append_that_nobody_answers_ends_at_its_deadline(
    nats_server: NatsServer, log_store: JetStreamStore
) -> None:
    nowhere = Epoch("nowhere").subject("scoring", "cup")
    with pytest.raises(StoreUnavailable, match="no stream takes"):
        await log_store.append(nowhere, b"a", 0)
    store = await nats_server.connect(timeout=0.2)
    with pytest.raises(StoreUnavailable, match="in time"):
        await append(store, nowhere, b"a", 0, asyncio.get_running_loop().time() + 0.3)
    await store.close()


async def test_a_killed_server_loses_doubles_and_stalls_nothing(
    nats_server: NatsServer, log_store: JetStreamStore, epoch: Epoch
) -> None:
    subjects = [epoch.table_subject("cup", f"t{n}") for n in range(8)]
    acknowledged = asyncio.Semaphore(0)

    async def write(subject: str) -> list[int]:
        sequences = [0]
        for n in range(150):
            sequences.append(await append(log_store, subject, b"%d" % n, sequences[-1], until()))
            acknowledged.release()
        return sequences[1:]

    one, two = epoch.table_streams()
    async with following(log_store, one) as first, following(log_store, two) as second:
        writers = asyncio.gather(*map(write, subjects))
        for _ in range(2):
            for _ in range(300):
                await acknowledged.acquire()
            nats_server.process.kill()
            await nats_server.process.up()
        sequences = dict(zip(subjects, await writers, strict=True))
        for reader, stream in ((first, one), (second, two)):
            await reader.until_count(150 * sum(stream_of(subject) == stream for subject in subjects))
    for reader in (first, second):
        assert [record.sequence for record in reader.records] == list(range(1, len(reader.records) + 1))
    for subject in subjects:
        came = [r for r in first.records + second.records if r.subject == subject]
        assert [record.sequence for record in came] == sequences[subject]
        assert [int(record.data) for record in came] == list(range(150))


async def test_many_records_come_in_order(log_store: JetStreamStore, epoch: Epoch) -> None:
    """Of two hundred subjects written at once, through two readers of one stream."""
    subjects = neighbours(epoch, 200)
    stream = stream_of(subjects[0])
    async with following(log_store, stream) as live:
        await asyncio.gather(*(fill(log_store, subject, 10) for subject in subjects))
        await live.until_count(2000)
        async with following(log_store, stream) as late:
            await late.until_count(2000)
    assert live.records == late.records
    assert [record.sequence for record in live.records] == list(range(1, 2001))
    for subject in subjects:
        came = [int(record.data) for record in live.records if record.subject == subject]
        assert came == list(range(1, 11))


async def test_a_server_that_is_away_is_unavailable_at_once(
    nats_server: NatsServer, log_store: JetStreamStore, epoch: Epoch
) -> None:
    subject = epoch.subject("scoring", "cup")
    await fill(log_store, subject, 1)
    pending = asyncio.create_task(log_store.last_sequence(stream_of(subject)))
    await pending
    nats_server.process.kill()
    with pytest.raises(StoreUnavailable):
        await log_store.append(subject, b"a", 1)
    await nats_server.process.up()
    assert await append(log_store, subject, b"a", 1, until()) == 2


async def test_nobody_there_is_unavailable() -> None:
    with pytest.raises(StoreUnavailable):
        await JetStreamStore.connect(f"nats://127.0.0.1:{free_port()}", name="t", patience=0.3)


async def test_a_wrong_password_is_unavailable(nats_server: NatsServer) -> None:
    with pytest.raises(StoreUnavailable):
        await JetStreamStore.connect(nats_server.url, name="t", user="operator", password="x", patience=0.5)


async def test_a_closed_store_ends_its_followers(
    nats_server: NatsServer, log_store: JetStreamStore, epoch: Epoch
) -> None:
    store, begun = await nats_server.connect(), asyncio.Event()
    task = asyncio.create_task(
        store.follow(epoch.stream("scoring"), 0, Reader().deliver, caught_up=begun.set)
    )
    await begun.wait()
    await store.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        await task


async def test_streams_keep_everything(log_store: JetStreamStore, epoch: Epoch) -> None:
    for spec in epoch.specs():
        config = (await log_store.js.stream_info(spec.name)).config
        assert config.storage == api.StorageType.FILE
        assert config.retention == api.RetentionPolicy.LIMITS
        assert config.discard == api.DiscardPolicy.NEW
        assert config.deny_delete
        assert config.deny_purge
        assert config.allow_direct
        assert (config.max_age, config.max_msgs, config.max_bytes) == (0, -1, -1)


async def test_ensuring_again_changes_nothing(log_store: JetStreamStore, epoch: Epoch) -> None:
    await fill(log_store, epoch.subject("scoring", "cup"), 1)
    await ensure_streams(log_store.js, epoch.specs(), update=True)
    assert await log_store.last_sequence(epoch.stream("scoring")) == 1


async def test_a_stream_that_forgets_is_refused_and_repaired_on_purpose(
    nats_server: NatsServer,
) -> None:
    store, spec = await nats_server.connect(), Epoch("forgetful").specs()[-1]
    config = stream_config(spec).evolve(max_age=60, deny_purge=False)
    await store.js.add_stream(config)
    with pytest.raises(StreamMismatch, match=r"max_age is 60.*deny_purge is False"):
        await ensure_streams(store.js, [spec])
    await ensure_streams(store.js, [spec], update=True)
    await ensure_streams(store.js, [spec])
    await store.js.delete_stream(spec.name)
    await store.close()


async def test_a_stream_in_memory_is_refused_even_on_purpose(nats_server: NatsServer) -> None:
    store, spec = await nats_server.connect(), Epoch("volatile").specs()[-1]
    await store.js.add_stream(stream_config(spec).evolve(storage=api.StorageType.MEMORY))
    with pytest.raises(StreamMismatch, match="storage is 'memory'"):
        await ensure_streams(store.js, [spec], update=True)
    await store.js.delete_stream(spec.name)
    await store.close()


async def test_a_cancellation_that_is_lost_on_the_way_ends_a_follower_all_the_same(
    log_store: JetStreamStore, epoch: Epoch, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_, asking = log_store._open, asyncio.Event()

    async def lose(*given: Any) -> None:
        asking.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await open_(*given)

    monkeypatch.setattr(log_store, "_open", lose)
    task = asyncio.create_task(log_store.follow(epoch.stream("scoring"), 0, Reader().deliver))
    await asking.wait()
    task.cancel()
    async with asyncio.timeout(SECONDS):
        await asyncio.wait({task})
    assert task.cancelled()
