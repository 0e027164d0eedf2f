"""Real NATS and PostgreSQL: processes for the session, connections and fresh names for each test."""

from __future__ import annotations

import asyncio
import itertools
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import asyncpg
import pytest
import structlog

from clients.cli.local.access import ACCESS
from services.runtime.embedded import nats, postgres
from services.runtime.embedded.directory import DataDirectory
from services.runtime.identity import create_keys
from services.runtime.jetstream import JetStreamStore
from services.runtime.streams import Epoch, ensure_streams
from tests.servers import Server

if TYPE_CHECKING:  # whoever tests without the services need not wait for them
    from tests.platform import Platform

_numbers = itertools.count(1)

# Its own rendering of errors shows every local variable, and keeps the services that it tells of waiting for seconds.
structlog.configure(
    processors=[
        *structlog.get_config()["processors"][:-1],
        structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
    ]
)

# Where tests run in the background of a shell, Ctrl-C is ignored, and so it would be by every program that they begin.
signal.signal(signal.SIGINT, signal.default_int_handler)


@dataclass(frozen=True)
class NatsServer:
    """The session's NATS; `process` may be killed and brought `up` again by a test."""

    process: Server
    url: str
    password: str

    async def connect(self, timeout: float = 5.0) -> JetStreamStore:
        """A store that may do everything."""
        return await JetStreamStore.connect(
            self.url, name="test", user=nats.OPERATOR, password=self.password, timeout=timeout
        )


@dataclass(frozen=True)
class PostgresServer:
    """The session's PostgreSQL; `process` may be killed and brought `up` again by a test."""

    process: Server
    directory: DataDirectory
    port: int

    def dsn(self, database: str) -> str:
        """The superuser's address of a database."""
        return postgres.superuser_dsn(self.directory, self.port, database)


@pytest.fixture(scope="session")
def servers_folder() -> Iterator[DataDirectory]:
    """A folder that root's PostgreSQL can reach, which pytest's own cannot be."""
    folder = Path(tempfile.mkdtemp(prefix="fupan-tests-"))
    folder.chmod(0o711)
    directory = DataDirectory(folder)
    directory.lock()
    yield directory
    directory.release()
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def nats_server(servers_folder: DataDirectory) -> Iterator[NatsServer]:
    """NATS with JetStream, every message synced."""
    port = servers_folder.port("nats")
    config = nats.write_config(servers_folder, "nats", port, (), ())
    process = Server(nats.server("nats", config, port), servers_folder.log("nats"))
    process.start()
    password = servers_folder.secret(f"nats/{nats.OPERATOR}")
    yield NatsServer(process, f"nats://127.0.0.1:{port}", password)
    process.drop()


@pytest.fixture(scope="session")
def postgres_server(servers_folder: DataDirectory) -> Iterator[PostgresServer]:
    """PostgreSQL that does not wait for its disk, so that the suite is quick."""
    port = servers_folder.port("postgres")
    place = postgres.prepare(servers_folder, sync=False)
    process = Server(postgres.server(servers_folder, place, port), servers_folder.log("postgres"))
    process.start()
    yield PostgresServer(process, servers_folder, port)
    process.drop()


@pytest.fixture
def epoch() -> Epoch:
    """An epoch of the test's own, two partitions; without streams until somebody ensures them."""
    return Epoch(f"t{next(_numbers)}", 2)


@pytest.fixture
async def log_store(nats_server: NatsServer, epoch: Epoch) -> AsyncIterator[JetStreamStore]:
    """The log on the real server, with the streams of `epoch`."""
    store = await nats_server.connect()
    await ensure_streams(store.js, epoch.specs())
    yield store
    for spec in epoch.specs():
        await store.js.delete_stream(spec.name)
    await store.close()


@pytest.fixture
async def database(postgres_server: PostgresServer) -> AsyncIterator[str]:
    """Address of a database that is empty at the start of each test (clearing one is faster than making one)."""
    yield postgres_server.dsn("postgres")
    connection = await asyncpg.connect(postgres_server.dsn("postgres"))
    await connection.execute(_CLEAR)
    await connection.close()


_EPOCHS = [Epoch(f"p{number}", 2) for number in range(1, 300)]
_free_epochs = iter(_EPOCHS)


@pytest.fixture(scope="session")
def service_nats(servers_folder: DataDirectory) -> Iterator[NatsServer]:
    """NATS where every service has a user that may do what it needs, in the epochs of `_EPOCHS`."""
    port = servers_folder.port("service-nats")
    config = nats.write_config(servers_folder, "service-nats", port, ACCESS, _EPOCHS)
    process = Server(nats.server("service-nats", config, port), servers_folder.log("service-nats"))
    process.start()
    password = servers_folder.secret(f"nats/{nats.OPERATOR}")
    yield NatsServer(process, f"nats://127.0.0.1:{port}", password)
    process.drop()


@pytest.fixture(scope="session")
def service_keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key folder for all services."""
    folder = tmp_path_factory.mktemp("keys")
    create_keys(folder)
    return folder


@pytest.fixture(scope="session")
def service_roles(postgres_server: PostgresServer, servers_folder: DataDirectory) -> int:
    """The platform's database with a role a service; the server's port."""
    asyncio.run(
        postgres.provision(servers_folder, postgres_server.port, ("dealer", "pairing", "scoring", "appeals"))
    )
    return postgres_server.port


@pytest.fixture
async def platform(
    service_nats: NatsServer, service_roles: int, service_keys: Path, servers_folder: DataDirectory
) -> AsyncIterator[Platform]:
    """An epoch of its own with nothing running yet: `await platform.start()`."""
    from tests.platform import Clock, Events, Platform

    epoch = next(_free_epochs)
    store = await service_nats.connect()
    await ensure_streams(store.js, epoch.specs())
    made = Platform(
        epoch,
        service_nats.url,
        servers_folder.secret,
        lambda role: postgres.dsn(servers_folder, service_roles, role),
        service_keys,
        store,
        Clock(),
        Events(store, epoch),
    )
    yield made
    await made.stop()
    for spec in epoch.specs():
        await store.js.delete_stream(spec.name)
    await store.close()


_CLEAR = """
SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid();
DO $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT nspname FROM pg_namespace
        WHERE nspname <> 'information_schema' AND nspname NOT LIKE 'pg\\_%' LOOP
        EXECUTE format('DROP SCHEMA %I CASCADE', name);
    END LOOP;
END
$$;
CREATE SCHEMA public
"""
