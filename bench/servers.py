"""What benches run on: NATS with fsync on every message, PostgreSQL, and services as processes of their own."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any

import grpc

from clients.cli.local.access import ACCESS
from clients.cli.local.stack import serves
from fupan.dealer.v1 import service_pb2 as dealer_pb
from fupan.dealer.v1.service_pb2_grpc import DealerServiceServicer, add_DealerServiceServicer_to_server
from fupan.pairing.v1 import events_pb2 as pairing_pb
from services.games import registry
from services.ledger import record as ledger
from services.runtime.embedded import nats, postgres
from services.runtime.embedded.directory import DataDirectory
from services.runtime.embedded.processes import Child, Supervisor
from services.runtime.identity import create_keys
from services.runtime.jetstream import JetStreamStore
from services.runtime.streams import Epoch, ensure_streams

RULESET, SHENGJI = "paohuzi/competitive-2017", "shengji/duplicate-2017"
EPOCH = Epoch("bench")
NOTHING: Mapping[str, str] = MappingProxyType({})
_CHUNK = 500
_LONG_MS = 600_000


def known_to_tables(dealer: int) -> dict[str, str]:
    """Whom a table service knows: the dealer at a port, and where appeals would be, of which there are none here."""
    address = f"127.0.0.1:{dealer}"
    return {"dealer": address, "appeals": address}


class Servers:
    """NATS and PostgreSQL on a data directory of their own; services are started as they are needed."""

    def __init__(self, supervisor: Supervisor) -> None:
        self.supervisor = supervisor
        self.directory = supervisor.directory
        self.nats_url = f"nats://127.0.0.1:{self.directory.port('nats')}"
        self.keys = self.directory.path / "keys"

    def pid(self, name: str) -> int:
        """Process id of a child."""
        pid = self.supervisor.pid(name)
        assert pid is not None, f"{name} is down"
        return pid

    def dsn(self, service: str) -> str:
        """The database as a service's role."""
        return postgres.dsn(self.directory, self.directory.port("postgres"), service)

    def superuser_dsn(self) -> str:
        """The database as its superuser."""
        return postgres.superuser_dsn(self.directory, self.directory.port("postgres"), postgres.DATABASE)

    async def store(self, user: str) -> JetStreamStore:
        """A connection to the log as a service, or as the operator."""
        password = self.directory.secret(f"nats/{user}")
        return await JetStreamStore.connect(self.nats_url, name="bench", user=user, password=password)

    async def start_table(self, dealer: int) -> str:
        """Start the table service as a process; its address."""
        return await self.start("table", known_to_tables(dealer))

    async def start(
        self, service: str, peers: Mapping[str, str], name: str = "", environment: Mapping[str, str] = NOTHING
    ) -> str:
        """Start a service as a process that knows these others; its address. `name` is the process's, by default the service's."""
        name = name or service
        address = f"127.0.0.1:{self.directory.port(name)}"
        variables = {
            "FUPAN_EPOCH": EPOCH.id,
            "FUPAN_PARTITIONS": str(EPOCH.partitions),
            "FUPAN_KEYS_DIR": str(self.keys),
            "FUPAN_PEERS": ",".join(f"{name}={at}" for name, at in peers.items()),
            "FUPAN_LOG_LEVEL": "warning",
            "FUPAN_RATE": "1000000:1000000",
            "FUPAN_SERVICE_LISTEN": address,
            "FUPAN_NATS_URL": self.nats_url,
            "FUPAN_NATS_USER": service,
            "FUPAN_NATS_PASSWORD": self.directory.secret(f"nats/{service}"),
            "FUPAN_POSTGRES_DSN": self.dsn(service),
        }
        config = self.directory.path / f"{name}.json"
        config.touch(0o600)
        config.write_text(json.dumps({"all": variables}))
        child = Child(
            name,
            (sys.executable, "-m", f"services.{service}"),
            lambda: serves(address),
            environment={"FUPAN_CONFIG": str(config), **environment},
            start_timeout=600,
        )
        await self.supervisor.start(child)
        return address


@asynccontextmanager
async def servers(with_postgres: bool = True, services: Sequence[str] = ("table",)) -> AsyncIterator[Servers]:
    """NATS, with the epoch's streams made, and PostgreSQL with a role for each of `services`, until the end of the block."""
    with tempfile.TemporaryDirectory(prefix="fupan-bench-", ignore_cleanup_errors=True) as folder:
        directory = DataDirectory(Path(folder))
        async with Supervisor(directory, print) as supervisor:
            create_keys(directory.path / "keys")
            port = directory.port("nats")
            path = nats.write_config(directory, "nats", port, ACCESS, [EPOCH])
            await supervisor.start(nats.server("nats", path, port))
            running = Servers(supervisor)
            store = await running.store(nats.OPERATOR)
            await ensure_streams(store.js, EPOCH.specs())
            await store.close()
            if with_postgres:
                at = directory.port("postgres")
                await supervisor.start(postgres.server(directory, postgres.prepare(directory), at))
                await postgres.provision(directory, at, tuple(services))
            yield running


class Pairing:
    """Writes what pairing would have decided: a championship whose only round has begun."""

    def __init__(self, store: JetStreamStore) -> None:
        self._store = store

    async def begin(
        self, championship: str, tables: int, boards: int, ruleset: str = RULESET, **settings: Any
    ) -> None:
        """`tables` full tables of `boards` boards each; persons are `person(championship, table, seat)`."""
        seats = registry.find(ruleset).seats
        numbers = [tuple(range(seats * table + 1, seats * (table + 1) + 1)) for table in range(tables)]
        entrants = [
            pairing_pb.Entrant(
                number=number, members=[pairing_pb.Member(person_id=person(championship, table, seat))]
            )
            for table, row in enumerate(numbers)
            for seat, number in enumerate(row)
        ]
        seated = [
            pairing_pb.SeatedTable(table=f"{championship}-{table}", group=1, entrants=row)
            for table, row in enumerate(numbers)
        ]
        given: dict[str, Any] = {
            "championship": championship,
            "ruleset": ruleset,
            "format": "individual",
            "rounds": 1,
            "boards_per_round": boards,
            "play_clock_ms": _LONG_MS,
            "claim_clock_ms": _LONG_MS,
            "bid_clock_ms": _LONG_MS,
            "bury_clock_ms": _LONG_MS,
            "join_wait_ms": _LONG_MS,
        }
        event, round_seated = pairing_pb.Event, pairing_pb.RoundSeated
        created = pairing_pb.ChampionshipCreated(
            settings=pairing_pb.Settings(**given | settings), organiser="olga", epoch=EPOCH.id
        )
        events = [event(championship_created=created)]
        for number, some in enumerate(_chunks(entrants)):
            chunk = pairing_pb.EntrantsImported(import_id="i", chunk=number, entrants=some)
            events.append(event(entrants_imported=chunk))
        closed = pairing_pb.EntrantsImportClosed(import_id="i", count=len(entrants))
        events.append(event(entrants_import_closed=closed))
        events += [
            event(round_seated=round_seated(round=1, chunk=number, tables=some))
            for number, some in enumerate(_chunks(seated))
        ]
        events.append(event(round_paired=pairing_pb.RoundPaired(round=1, tables=tables)))
        events.append(event(round_started=pairing_pb.RoundStarted(round=1)))
        await self._write(championship, events)

    async def _write(self, championship: str, events: Sequence[pairing_pb.Event]) -> None:
        subject, head = EPOCH.subject("pairing", championship), ledger.START
        writer = ledger.Writer("pairing", "bench", "0")
        for event in events:
            at = ledger.record_time(head, 0)
            body = ledger.Body(
                "bench", "", "", None, f"c{head.version}", b"", b"", (event.SerializeToString(),)
            )
            header = ledger.Header(subject, head.version + 1, head.hash, EPOCH.id, writer, "", b"", (), at)
            data = ledger.encode(ledger.Record(header, ledger.encode_body(body), False))
            sequence = await self._store.append(subject, data, head.sequence)
            head = ledger.next_head(head, data, sequence, at)


def _chunks(whole: list[Any]) -> Iterator[list[Any]]:
    return (whole[start : start + _CHUNK] for start in range(0, len(whole), _CHUNK))


def person(championship: str, table: int, seat: int) -> str:
    """Who sits there."""
    return f"{championship}-{table}-{seat}"


class Deals(DealerServiceServicer):
    """Stands in for the dealer, which is no part of a move: any leaf is as good as another."""

    async def GetDeals(self, request: dealer_pb.GetDealsRequest, context: Any) -> dealer_pb.GetDealsResponse:
        leaves = [dealer_pb.Leaf(leaf=leaf(one)) for one in request.boards]
        return dealer_pb.GetDealsResponse(leaves=leaves)


def leaf(board: dealer_pb.OpenedBoard) -> bytes:
    """The leaf of a board, the same for all its tables."""
    path = board.path
    return leaf_of(board.championship, f"{path.round}/{path.board}/{path.attempt}")


def leaf_of(championship: str, path: str) -> bytes:
    """A leaf like any other."""
    return sha256(f"{championship} {path}".encode()).digest()


@asynccontextmanager
async def dealer() -> AsyncIterator[int]:
    """The stand-in dealer's port."""
    server = grpc.aio.server()
    add_DealerServiceServicer_to_server(Deals(), server)  # type: ignore[abstract]
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield port
    finally:
        await server.stop(None)


class Program:
    """A program of ours that says `begin` on its output when it has warmed up, and its figures as JSON at its end."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.pid = process.pid

    @classmethod
    async def start(cls, module: str, environment: Mapping[str, str] = NOTHING, /, **given: Any) -> Program:
        """Run `python -m module` with its arguments as one JSON object, and `environment` laid over ours."""
        return cls(
            await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", module, json.dumps(given)),
                env={**os.environ, **environment},
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
        )

    async def line(self) -> str:
        """The next line of its output. Raises RuntimeError when it ended instead."""
        assert self._process.stdout is not None
        line = (await self._process.stdout.readline()).decode().strip()
        if not line:
            raise RuntimeError(f"a program of the bench ended with {await self._process.wait()}")
        return line

    def go_on(self) -> None:
        """Send it a line."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"\n")

    async def stop(self) -> None:
        """End it."""
        if self._process.returncode is None:
            self._process.terminate()
        await self._process.wait()
