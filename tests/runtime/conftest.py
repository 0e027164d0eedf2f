"""A key folder, a second connection to the log, and a three-node cluster."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from nats.errors import Error as NatsError

from services.runtime.embedded import nats
from services.runtime.embedded.directory import DataDirectory
from services.runtime.identity import create_keys
from services.runtime.jetstream import JetStreamStore
from services.runtime.streams import Epoch, ensure_streams
from tests.conftest import NatsServer
from tests.servers import SECONDS, Server


@dataclass(frozen=True)
class NatsCluster:
    """Three servers by name."""

    processes: dict[str, Server]
    urls: list[str]
    password: str

    async def connect(self) -> JetStreamStore:
        """A store that may do everything, connected to any of the three."""
        return await JetStreamStore.connect(
            self.urls, name="test", user=nats.OPERATOR, password=self.password, timeout=5
        )


@pytest.fixture
async def second_store(nats_server: NatsServer, log_store: JetStreamStore) -> AsyncIterator[JetStreamStore]:
    """Another connection to the log of `log_store`."""
    store = await nats_server.connect()
    yield store
    await store.close()


@pytest.fixture(scope="module")
def nats_cluster(servers_folder: DataDirectory) -> Iterator[NatsCluster]:
    """Three servers with a leader."""
    names = ("n1", "n2", "n3")
    routes = tuple(servers_folder.port(f"{name}/route") for name in names)
    processes = {}
    for name, route in zip(names, routes, strict=True):
        port = servers_folder.port(name)
        config = nats.write_config(servers_folder, name, port, (), (), nats.Cluster("tests", route, routes))
        processes[name] = Server(nats.server(name, config, port), servers_folder.log(name))
        processes[name].spawn()
    urls = [f"nats://127.0.0.1:{servers_folder.port(name)}" for name in names]
    for process in processes.values():
        process.start()
    asyncio.run(_leader(urls, servers_folder.secret(f"nats/{nats.OPERATOR}")))
    yield NatsCluster(processes, urls, servers_folder.secret(f"nats/{nats.OPERATOR}"))
    for process in processes.values():
        process.drop()


async def _leader(urls: list[str], password: str) -> None:
    """Wait until the cluster has a leader: only then does its API answer."""
    store = await JetStreamStore.connect(
        urls, name="test", user=nats.OPERATOR, password=password, timeout=0.3
    )
    async with asyncio.timeout(SECONDS):
        while True:
            with suppress(NatsError):
                await store.js.account_info()
                break
    await store.close()


@pytest.fixture
async def cluster_store(nats_cluster: NatsCluster, epoch: Epoch) -> AsyncIterator[JetStreamStore]:
    """The log on the cluster, with the streams of `epoch` in three replicas."""
    store = await nats_cluster.connect()
    await ensure_streams(store.js, epoch.specs(), replicas=3)
    yield store
    for spec in epoch.specs():
        await store.js.delete_stream(spec.name)
    await store.close()


@pytest.fixture
async def second_cluster_store(
    nats_cluster: NatsCluster, cluster_store: JetStreamStore
) -> AsyncIterator[JetStreamStore]:
    """Another connection to the log of `cluster_store`."""
    store = await nats_cluster.connect()
    yield store
    await store.close()


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key folder."""
    folder = tmp_path_factory.mktemp("keys")
    create_keys(folder)
    return folder
