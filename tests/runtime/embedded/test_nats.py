"""What each service may do with the log, as the real server sees it."""

from __future__ import annotations

import asyncio
import stat
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from services.runtime.embedded import nats
from services.runtime.embedded.directory import DataDirectory
from services.runtime.embedded.nats import Access
from services.runtime.jetstream import JetStreamStore
from services.runtime.store import StoreUnavailable
from services.runtime.streams import Epoch, ensure_streams
from tests.runtime.store_contract import following
from tests.servers import SECONDS, Server

EPOCH = Epoch("e1", 2)
# What a user may not do is not answered: so long, in seconds, a test waits for that.
REFUSED = 0.2
NEXT = Epoch("e2", 1)
ACCESS = (
    Access("table", writes=("table",), reads=("pairing",), talks=("live.table.>",)),
    Access("dealer", writes=("dealer",), reads=("pairing", "table"), talks=("live.dealer.>",)),
)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataDirectory]:
    held = DataDirectory(tmp_path_factory.mktemp("nats 目录 '1'"))
    held.lock()
    yield held
    held.release()


@pytest.fixture(scope="module")
def server(directory: DataDirectory) -> Iterator[Server]:
    port = directory.port("nats")
    config = nats.write_config(directory, "nats", port, ACCESS, [EPOCH])
    process = Server(nats.server("nats", config, port), directory.log("nats"))
    process.start()
    yield process
    process.stop()


@pytest.fixture
async def operator(directory: DataDirectory, server: Server) -> AsyncIterator[JetStreamStore]:
    async with connected(directory, nats.OPERATOR) as store:
        await ensure_streams(store.js, EPOCH.specs())
        yield store


@asynccontextmanager
async def connected(directory: DataDirectory, user: str, timeout: float = 5) -> AsyncIterator[JetStreamStore]:
    store = await JetStreamStore.connect(
        f"nats://127.0.0.1:{directory.port('nats')}",
        name="test",
        user=user,
        password=directory.secret(f"nats/{user}"),
        timeout=timeout,
    )
    yield store
    await store.close()


async def test_a_service_writes_its_own_streams_and_reads_what_it_may(
    directory: DataDirectory, operator: JetStreamStore
) -> None:
    pairing, table = EPOCH.subject("pairing", "own"), EPOCH.table_subject("own", "t1")
    await operator.append(pairing, b"paired", 0)
    async with connected(directory, "table") as store:
        assert await store.append(table, b"opened", 0) == 1
        assert (await store.last(table) or pytest.fail("nothing")).data == b"opened"
        assert (await store.get(EPOCH.stream("pairing"), 1) or pytest.fail("nothing")).data == b"paired"
        assert [r.data async for r in store.read(pairing)] == [b"paired"]
        async with following(store, EPOCH.stream("pairing")) as reader:
            await reader.until_count(1)


async def test_a_service_writes_nobody_elses_streams(
    directory: DataDirectory, operator: JetStreamStore
) -> None:
    async with connected(directory, "table", REFUSED) as store:
        for service in ("pairing", "dealer"):
            with pytest.raises(StoreUnavailable):
                await store.append(EPOCH.subject(service, "foreign"), b"forged", 0)
    assert await operator.last(EPOCH.subject("pairing", "foreign")) is None


async def test_a_service_reads_no_stream_that_it_may_not(
    directory: DataDirectory, operator: JetStreamStore
) -> None:
    subject = EPOCH.subject("dealer", "secret")
    await operator.append(subject, b"deal", 0)
    async with connected(directory, "table", REFUSED) as store:
        with pytest.raises(StoreUnavailable):
            await store.last(subject)
        with pytest.raises(StoreUnavailable):
            await store.get(EPOCH.stream("dealer"), 1)
        with pytest.raises(StoreUnavailable):
            await store.last_sequence(EPOCH.stream("dealer"))
        with pytest.raises(StoreUnavailable):
            await anext(store.read(subject))


async def test_a_service_hears_no_live_subject_and_no_answer_of_another(
    directory: DataDirectory, operator: JetStreamStore
) -> None:
    heard: list[str] = []
    async with connected(directory, "table") as store:
        for subject in (">", "fupan.>", "_INBOX.>", "_INBOX.dealer.>", "live.dealer.>"):
            await store.nc.subscribe(subject, cb=_note(heard))
        own = await store.nc.subscribe("live.table.a")
        await store.nc.flush()
        await operator.append(EPOCH.subject("dealer", "live"), b"deal", 0)
        await operator.nc.publish("_INBOX.dealer.x.1", b"answer")
        await operator.nc.publish("live.dealer.a", b"here")
        await operator.nc.publish("live.table.a", b"here")
        async with asyncio.timeout(SECONDS):
            assert (await own.next_msg()).data == b"here"
        await store.nc.flush()
    assert heard == []


def _note(heard: list[str]):  # type: ignore[no-untyped-def]
    async def note(msg) -> None:  # type: ignore[no-untyped-def]
        heard.append(msg.subject)

    return note


async def test_a_service_removes_nothing(directory: DataDirectory, operator: JetStreamStore) -> None:
    async with connected(directory, "table", REFUSED) as store:
        for call in ("DELETE", "PURGE", "UPDATE"):
            with pytest.raises(TimeoutError):
                await store.nc.request(
                    f"$JS.API.STREAM.{call}.{EPOCH.table_streams()[0]}", b"{}", timeout=REFUSED
                )


async def test_a_new_epoch_is_opened_to_the_services_without_a_restart(
    directory: DataDirectory, server: Server, operator: JetStreamStore
) -> None:
    subject = NEXT.table_subject("cup", "t1")
    await ensure_streams(operator.js, NEXT.specs())
    async with connected(directory, "table", REFUSED) as store:
        with pytest.raises(StoreUnavailable):
            await store.append(subject, b"early", 0)
    nats.write_config(directory, "nats", directory.port("nats"), ACCESS, [EPOCH, NEXT])
    server.reload()
    async with connected(directory, "table", REFUSED) as store, asyncio.timeout(SECONDS):
        while True:
            with suppress(StoreUnavailable):
                assert await store.last(subject) is None
                break
    async with connected(directory, "table") as store:
        assert await store.append(subject, b"in time", 0) == 1


def test_the_configuration_with_the_passwords_is_private(directory: DataDirectory, server: Server) -> None:
    path: Path = directory.path / "nats.conf"
    assert directory.secret("nats/table") in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
