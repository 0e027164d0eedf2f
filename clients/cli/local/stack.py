"""NATS, PostgreSQL and the services on one data directory, started in order and kept running.

| file of the directory | what |
|---|---|
| `services.json` | configuration of the services (`services.runtime.config`), mode 0600: it holds passwords |
| `client.json` | what clients need while the platform runs, mode 0600: it holds a token |
| `keys/` | keys of tokens, services, signatures and the dealer |

`FUPAN_NATS_URL` and `FUPAN_POSTGRES_DSN` point the services at servers that run elsewhere, `FUPAN_EPOCH` names the epoch of a
directory that has none yet.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

import asyncpg
import grpc
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from clients.cli.local import web
from clients.cli.local.access import ACCESS
from clients.cli.output import UNAVAILABLE, USAGE, Problem, in_words
from clients.cli.places import CLIENT_FILE, SERVICES, Place, at_rest
from clients.cli.words import pick, sentence
from clients.robot.tokens import mint, signing_key
from services.runtime.embedded import nats, postgres
from services.runtime.embedded.directory import DataDirectory, DirectoryInUse, NoPort
from services.runtime.embedded.postgres import PostgresFailed
from services.runtime.embedded.processes import Child, ChildFailed, Supervisor
from services.runtime.identity import create_keys, trusted_signers
from services.runtime.jetstream import JetStreamStore
from services.runtime.store import StoreUnavailable
from services.runtime.streams import PARTITIONS, Epoch, StreamMismatch, ensure_streams

OPERATOR = "operator"
"""Person that may run a local platform."""

TOKEN_SECONDS = 7 * 24 * 3600
"""How long the token in the client file is good."""

CANNOT_START = (
    DirectoryInUse,
    NoPort,
    ChildFailed,
    PostgresFailed,
    StoreUnavailable,
    StreamMismatch,
    asyncpg.PostgresError,
    OSError,
)
"""What keeps a platform from starting; each tells in a line what to do."""


def cannot_start(error: Exception) -> Problem:
    """One of them for the person at the terminal. What is wrong with a file or folder that was named is wrong usage."""
    named = isinstance(error, OSError) and error.filename is not None
    return Problem(in_words(error), USAGE if named else UNAVAILABLE)


# Tries to reach a log are told once, at their end.
logging.getLogger(JetStreamStore.__module__).addHandler(logging.NullHandler())

_CONFIG = "services.json"
_START_SECONDS = 600.0

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a platform is to run. `demo`: seeded deals may exist; once true for a directory, it stays. `apart`: one
    process a service instead of one for all. `console`: port of the web console, None for none."""

    data: Path
    demo: bool = False
    apart: bool = False
    console: int | None = None


@asynccontextmanager
async def running(wanted: Wanted, say: Say) -> AsyncIterator[Place]:
    """The platform, from when all services serve until the end of the block. Raises Problem when it cannot start."""
    directory = DataDirectory(wanted.data)
    async with AsyncExitStack() as stack:
        try:
            supervisor = await stack.enter_async_context(
                Supervisor(directory, lambda line: say(sentence(line)))
            )
            data = wanted.data
            say(pick(f"starting NATS, PostgreSQL and the services in {data}", f"在 {data} 启动各服务"))
            place = await _start(supervisor, wanted)
        except CANNOT_START as error:
            raise cannot_start(error) from error
        if wanted.console is not None:
            say(web.address(web.port_of(directory, wanted.console)))
        stack.callback(partial((directory.path / CLIENT_FILE).unlink, missing_ok=True))
        yield place


@asynccontextmanager
async def log_of(data: Path) -> AsyncIterator[tuple[JetStreamStore, Epoch, bool]]:
    """The log of a running platform as its operator, its epoch, and whether it is a demo's.

    Raises StoreUnavailable, OSError, Problem where none runs.
    """
    directory = DataDirectory(data)
    told = _before(directory.path / _CONFIG)
    if not told:
        raise FileNotFoundError(2, "no platform was ever started here", str(data))
    if "FUPAN_NATS_URL" not in os.environ and not (directory.path / CLIENT_FILE).is_file():
        raise at_rest(data)
    store = await _connect(directory, os.environ.get("FUPAN_NATS_URL") or told["FUPAN_NATS_URL"])
    try:
        yield store, Epoch(told["FUPAN_EPOCH"], int(told["FUPAN_PARTITIONS"])), told["FUPAN_DEMO"] == "1"
    finally:
        await store.close()


@asynccontextmanager
async def new_log(
    data: Path, epoch: Epoch, demo: bool, keys: Callable[[Path], None]
) -> AsyncIterator[JetStreamStore]:
    """The empty log of a new data directory, for the block; `keys` writes its key folder. Raises what starting a platform does."""
    directory = DataDirectory(data)
    async with Supervisor(directory, lambda line: None) as supervisor:
        keys(directory.path / "keys")
        begun = {"FUPAN_EPOCH": epoch.id, "FUPAN_PARTITIONS": str(epoch.partitions)}
        _write(directory.path / _CONFIG, {"all": begun})
        config = _Config(directory, Wanted(data, demo))
        await _start_nats(supervisor, config)
        config.write()
        store = await _connect(directory, config.all["FUPAN_NATS_URL"])
        try:
            yield store
        finally:
            await store.close()


async def _start(supervisor: Supervisor, wanted: Wanted) -> Place:
    directory = supervisor.directory
    create_keys(directory.path / "keys")
    config = _Config(directory, wanted)
    await _start_nats(supervisor, config)
    await _start_postgres(supervisor, config)
    path = config.write()
    for child in _children(config, path, wanted.apart):
        await supervisor.start(child)
    place = _place(config)
    _write(directory.path / CLIENT_FILE, _client(place))
    if wanted.console is not None:
        port = web.port_of(directory, wanted.console)
        await supervisor.start(web.console(directory, place, port))
    return place


class _Config:
    """What the services of a directory are told; built up while the servers start."""

    def __init__(self, directory: DataDirectory, wanted: Wanted) -> None:
        self.directory = directory
        before = _before(directory.path / _CONFIG)
        begun = os.environ.get("FUPAN_EPOCH") or f"e{datetime.now(UTC).year}"
        partitions = int(before.get("FUPAN_PARTITIONS", PARTITIONS))
        with _asked("FUPAN_EPOCH"):
            self.epoch = Epoch(before.get("FUPAN_EPOCH", begun), partitions)
        demo = wanted.demo or before.get("FUPAN_DEMO") == "1"
        self.addresses = {service: f"127.0.0.1:{directory.port(service)}" for service in SERVICES}
        self.all = {
            "FUPAN_EPOCH": self.epoch.id,
            "FUPAN_PARTITIONS": str(partitions),
            "FUPAN_KEYS_DIR": str(directory.path / "keys"),
            "FUPAN_PEERS": ",".join(f"{service}={address}" for service, address in self.addresses.items()),
            "FUPAN_OPERATORS": OPERATOR,
            "FUPAN_LOG_LEVEL": os.environ.get("FUPAN_LOG_LEVEL", "info"),
            "FUPAN_DEMO": "1" if demo else "0",
        }
        self.own: dict[str, dict[str, str]] = {
            service: {"FUPAN_SERVICE_LISTEN": address, "FUPAN_REPLICA": f"{service}-0"}
            for service, address in self.addresses.items()
        }

    def write(self) -> Path:
        """Write the configuration file and return its path."""
        path = self.directory.path / _CONFIG
        _write(path, {"all": self.all, **self.own})
        return path


async def _start_nats(supervisor: Supervisor, config: _Config) -> None:
    """Start NATS with a user a service, unless it runs elsewhere; make the epoch's streams."""
    directory = config.directory
    if url := os.environ.get("FUPAN_NATS_URL"):
        config.all["FUPAN_NATS_URL"] = url
    else:
        port = directory.port("nats")
        path = nats.write_config(directory, "nats", port, ACCESS, [config.epoch])
        await supervisor.start(nats.server("nats", path, port))
        config.all["FUPAN_NATS_URL"] = f"nats://127.0.0.1:{port}"
        for service, own in config.own.items():
            own |= {"FUPAN_NATS_USER": service, "FUPAN_NATS_PASSWORD": directory.secret(f"nats/{service}")}
    with _asked("FUPAN_NATS_URL"):
        store = await _connect(directory, config.all["FUPAN_NATS_URL"])
        await ensure_streams(store.js, config.epoch.specs())
        await store.close()


@contextmanager
def _asked(variable: str) -> Iterator[None]:
    """What is wrong with a variable, or with a server elsewhere that it names, is told with its name. Raises Problem."""
    try:
        yield
    except (StoreUnavailable, asyncpg.PostgresError, asyncpg.InterfaceError, OSError, ValueError) as error:
        if variable not in os.environ:
            raise
        why = in_words(error)
        code = USAGE if isinstance(error, ValueError) else UNAVAILABLE
        raise Problem(pick(f"{variable}: {why}", f"{variable}：{why}"), code) from error


async def _connect(directory: DataDirectory, url: str) -> JetStreamStore:
    """The log as its operator: by the user that FUPAN_NATS_URL names, else the directory's own."""
    if os.environ.get("FUPAN_NATS_URL"):
        parts = urlsplit(url.split(",")[0])
        user = unquote(parts.username) if parts.username else None
        password = unquote(parts.password) if parts.password else None
    else:
        user, password = nats.OPERATOR, directory.secret(f"nats/{nats.OPERATOR}")
    return await JetStreamStore.connect(url.split(","), name=OPERATOR, user=user, password=password)


async def _start_postgres(supervisor: Supervisor, config: _Config) -> None:
    """Start PostgreSQL with a role and schema a service, unless it runs elsewhere: then a schema each."""
    directory = config.directory
    if dsn := os.environ.get("FUPAN_POSTGRES_DSN"):
        with _asked("FUPAN_POSTGRES_DSN"):
            connection = await asyncpg.connect(dsn)
            for service, own in config.own.items():
                # `table` is a word of SQL.
                await connection.execute(f'CREATE SCHEMA IF NOT EXISTS "{service}"')
                own["FUPAN_POSTGRES_DSN"] = f"{dsn}{'&' if '?' in dsn else '?'}search_path=%22{service}%22"
            await connection.close()
        return
    port = directory.port("postgres")
    await supervisor.start(postgres.server(directory, postgres.prepare(directory), port))
    await postgres.provision(directory, port, SERVICES)
    for service, own in config.own.items():
        own["FUPAN_POSTGRES_DSN"] = postgres.dsn(directory, port, service)


def _children(config: _Config, path: Path, apart: bool) -> tuple[Child, ...]:
    """The services as one process, or as one each."""
    if not apart:
        return (_child("services", ("services",), tuple(config.addresses.values()), path),)
    return tuple(
        _child(service, (f"services.{service}",), (address,), path)
        for service, address in config.addresses.items()
    )


def _child(name: str, module: tuple[str, ...], addresses: tuple[str, ...], config: Path) -> Child:
    async def ready() -> bool:
        return all([await serves(address) for address in addresses])

    return Child(
        name,
        (sys.executable, "-m", *module),
        ready,
        environment={"FUPAN_CONFIG": str(config)},
        ports=tuple(int(address.rpartition(":")[2]) for address in addresses),
        grace=30.0,
        # A service reads its whole log before it serves.
        start_timeout=_START_SECONDS,
    )


async def serves(address: str) -> bool:
    """Whether the service at `address` says that it is ready."""
    async with aio.insecure_channel(address) as channel:
        try:
            answer = await health_pb2_grpc.HealthStub(channel).Check(
                health_pb2.HealthCheckRequest(), timeout=1.0
            )
        except grpc.aio.AioRpcError:
            return False
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


def _place(config: _Config) -> Place:
    keys = config.directory.path / "keys"
    return Place(config.addresses, keys, OPERATOR, trusted_signers(keys))


def _client(place: Place) -> dict[str, object]:
    assert place.keys is not None
    return {
        "services": dict(place.services),
        "keys": str(place.keys),
        "operator": place.operator,
        "trust": list(place.trust),
        "token": mint(signing_key(place.keys), place.operator, TOKEN_SECONDS),
    }


def _before(path: Path) -> Mapping[str, str]:
    """What all services of the directory were told last time."""
    try:
        told: dict[str, dict[str, str]] = json.loads(path.read_text())
    except FileNotFoundError:
        return {}
    return told["all"]


def _write(path: Path, value: object) -> None:
    """Replace a file whole, readable by its owner alone."""
    fresh = path.with_name(f"{path.name}.new")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(value, file, indent=2)
    fresh.replace(path)
