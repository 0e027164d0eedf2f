"""A platform with two replicas of every service on one NATS and one PostgreSQL, behind a balancer that knows which serve."""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from clients.cli.connection import Fupan
from clients.cli.local.access import ACCESS
from clients.cli.local.stack import serves
from clients.cli.places import CLIENT_FILE, Place
from clients.robot.tokens import Signer, signing_key
from services.runtime.config import SERVICES
from services.runtime.embedded import nats, postgres
from services.runtime.embedded.directory import DataDirectory
from services.runtime.embedded.processes import Child, Supervisor
from services.runtime.identity import create_keys, trusted_signers
from services.runtime.jetstream import JetStreamStore
from services.runtime.streams import PARTITIONS, Epoch, ensure_streams
from tests.e2e.command import SECONDS
from tests.e2e.directory import Inside
from tests.e2e.scratch import OPERATOR

REPLICAS = (0, 1)
SERVERS = ("nats", "postgres")


@dataclass(frozen=True)
class Twins(Inside):
    """The platform while it runs; its `place` is the balancer's, for its own services too."""

    names: tuple[str, ...]
    """Of its processes, the servers too."""
    ports: tuple[Mapping[str, int], ...]
    """Where each replica's services listen."""

    def replica(self, number: int, person: str) -> Fupan:
        """The services of one replica as a person sees them, who waits for it to come back."""
        services = {service: f"127.0.0.1:{port}" for service, port in self.ports[number].items()}
        place = self.place
        assert place.keys is not None
        there = Place(services, place.keys, place.operator, place.trust)
        return Fupan(there, Signer(signing_key(place.keys), person), SECONDS)

    def errors(self) -> list[str]:
        """What the services logged that nobody foresaw."""
        logs = [self.directory.log(name) for name in self.names if name not in SERVERS]
        lines = [line for log in logs for line in log.read_text(errors="replace").splitlines()]
        return [line for line in lines if '"level": "error"' in line or '"internal_error"' in line]


@asynccontextmanager
async def running(data: Path, apart: bool) -> AsyncIterator[Twins]:
    """Everything, started and kept running. `apart`: one process a service of each replica, else one a replica."""
    directory = DataDirectory(data)
    async with AsyncExitStack() as stack:
        supervisor = await stack.enter_async_context(Supervisor(directory))
        create_keys(data / "keys")
        epoch = Epoch("twins", PARTITIONS)
        url = await _log(supervisor, epoch)
        database = directory.port("postgres")
        await supervisor.start(postgres.server(directory, postgres.prepare(directory, sync=False), database))
        await postgres.provision(directory, database, SERVICES)
        ports = tuple(
            {service: directory.port(f"{service}-{number}") for service in SERVICES} for number in REPLICAS
        )
        fronts = {
            service: await stack.enter_async_context(_balanced([own[service] for own in ports]))
            for service in SERVICES
        }
        shared = {
            "FUPAN_EPOCH": epoch.id,
            "FUPAN_PARTITIONS": str(epoch.partitions),
            "FUPAN_NATS_URL": url,
            "FUPAN_KEYS_DIR": str(data / "keys"),
            "FUPAN_PEERS": ",".join(f"{service}={address}" for service, address in fronts.items()),
            "FUPAN_OPERATORS": OPERATOR,
            "FUPAN_DEMO": "1",
        }
        keys = data / "keys"
        client = {"services": fronts, "keys": str(keys), "operator": OPERATOR, "trust": trusted_signers(keys)}
        _write(data / "services.json", {"all": shared})
        _write(data / CLIENT_FILE, client)
        children = [
            child
            for number, own in enumerate(ports)
            for child in _children(directory, shared, number, own, apart)
        ]
        await asyncio.gather(*map(supervisor.start, children))
        yield Twins(data, (*(child.name for child in children), *SERVERS), ports)


async def _log(supervisor: Supervisor, epoch: Epoch) -> str:
    """The address of a NATS with the epoch's streams."""
    directory, port = supervisor.directory, supervisor.directory.port("nats")
    config = nats.write_config(directory, "nats", port, ACCESS, [epoch])
    await supervisor.start(nats.server("nats", config, port))
    url, password = f"nats://127.0.0.1:{port}", directory.secret(f"nats/{nats.OPERATOR}")
    store = await JetStreamStore.connect(url, name="test", user=nats.OPERATOR, password=password)
    await ensure_streams(store.js, epoch.specs())
    await store.close()
    return url


def _children(
    directory: DataDirectory, shared: Mapping[str, str], number: int, ports: Mapping[str, int], apart: bool
) -> list[Child]:
    """The processes of one replica."""
    own = {
        service: {
            "FUPAN_SERVICE_LISTEN": f"127.0.0.1:{port}",
            "FUPAN_REPLICA": f"{service}-{number}",
            "FUPAN_NATS_USER": service,
            "FUPAN_NATS_PASSWORD": directory.secret(f"nats/{service}"),
            "FUPAN_POSTGRES_DSN": postgres.dsn(directory, directory.port("postgres"), service),
        }
        for service, port in ports.items()
    }
    config = directory.path / f"services-{number}.json"
    _write(config, {"all": shared, **own})
    if not apart:
        return [_child(f"services-{number}", "services", list(ports.values()), config)]
    return [
        _child(f"{service}-{number}", f"services.{service}", [port], config)
        for service, port in ports.items()
    ]


def _child(name: str, module: str, ports: Sequence[int], config: Path) -> Child:
    async def ready() -> bool:
        return all([await serves(f"127.0.0.1:{port}") for port in ports])

    return Child(
        name,
        (sys.executable, "-m", module),
        ready,
        environment={"FUPAN_CONFIG": str(config)},
        ports=tuple(ports),
        grace=30.0,
        start_timeout=SECONDS,
    )


def _write(path: Path, value: object) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(value, file)


@asynccontextmanager
async def _balanced(ports: Sequence[int]) -> AsyncIterator[str]:
    """An address whose connections go to any of those that serve there."""
    tasks = set[asyncio.Task[None]]()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for port in random.sample(ports, len(ports)):
            with suppress(OSError):
                if not await serves(f"127.0.0.1:{port}"):
                    continue
                there, back = await asyncio.open_connection("127.0.0.1", port)
                for pair in ((reader, back), (there, writer)):
                    task = asyncio.create_task(_forward(*pair))
                    tasks.add(task)
                    task.add_done_callback(tasks.discard)
                return
        writer.close()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in tasks:
            task.cancel()


async def _forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()
