"""A real server with the real gate on a free port, every RPC of every service answered with an empty message."""

from __future__ import annotations

import importlib
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import structlog
from google.protobuf import message_factory

from clients.cli.bearer import lost
from fupan.pairing.v1 import events_pb2
from services.access import RULES, Access
from services.directory import Directory
from services.ledger import record as ledger
from services.runtime.config import Config
from services.runtime.identity import identity_of, mint, private_key
from services.runtime.interceptors import Gate
from services.runtime.limits import Limits
from services.runtime.memory import MemoryStore
from services.runtime.server import Server
from services.runtime.store import EventStore
from services.runtime.streams import Epoch
from services.runtime.telemetry import Metrics
from tests.servers import SECONDS

MODULES = (
    "fupan.pairing.v1.service",
    "fupan.dealer.v1.service",
    "fupan.table.v1.service",
    "fupan.table.v1.sheet_service",
    "fupan.scoring.v1.service",
    "fupan.appeals.v1.service",
    "fupan.common.v1.log_service",
)
EPOCH = Epoch("e1", 1)
WRITER = ledger.Writer("pairing", "test", "0")


def methods() -> dict[str, Any]:
    """Descriptors of every RPC by full name."""
    found: dict[str, Any] = {}
    for module in MODULES:
        for service in importlib.import_module(f"{module}_pb2").DESCRIPTOR.services_by_name.values():
            found |= {f"/{service.full_name}/{method.name}": method for method in service.methods}
    return found


def settings(keys: Path, **more: str) -> dict[str, str]:
    """Variables of a service on this machine."""
    return {
        "FUPAN_SERVICE_LISTEN": "127.0.0.1:0",
        "FUPAN_NATS_URL": "nats://127.0.0.1:4222",
        "FUPAN_POSTGRES_DSN": "postgresql://127.0.0.1/fupan",
        "FUPAN_EPOCH": EPOCH.id,
        "FUPAN_PARTITIONS": "1",
        "FUPAN_KEYS_DIR": str(keys),
        "FUPAN_OPERATORS": "operator",
        "FUPAN_REPLICA": "test",
        **more,
    }


class PairingLog:
    """Writes records of pairing's stream, one event each."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._heads: dict[str, ledger.Head] = {}

    def move(self, store: EventStore) -> None:
        """Go on in another store that holds the same records."""
        self._store = store

    async def write(self, championship: str, *events: events_pb2.Event, time_us: int = 0) -> int:
        """Append one record with `events`; its stream sequence."""
        subject = EPOCH.subject("pairing", championship)
        head = self._heads.get(subject, ledger.START)
        at = ledger.record_time(head, time_us)
        body = ledger.Body(
            "test", "", "", None, f"c{head.version}", b"", b"", tuple(e.SerializeToString() for e in events)
        )
        header = ledger.Header(subject, head.version + 1, head.hash, EPOCH.id, WRITER, "", b"", (), at)
        data = ledger.encode(ledger.Record(header, ledger.encode_body(body), False))
        sequence = await self._store.append(subject, data, head.sequence)
        self._heads[subject] = ledger.next_head(head, data, sequence, at)
        return sequence


def created(championship: str, organiser: str = "organiser") -> events_pb2.Event:
    return events_pb2.Event(
        championship_created=events_pb2.ChampionshipCreated(
            settings=events_pb2.Settings(championship=championship, rounds=2),
            organiser=organiser,
            epoch=EPOCH.id,
        )
    )


def appointed(person: str, role: str) -> events_pb2.Event:
    return events_pb2.Event(official_appointed=events_pb2.OfficialAppointed(person_id=person, role=role))


def entered(import_id: str, people: Mapping[int, Sequence[str]]) -> list[events_pb2.Event]:
    """A chunk and its closing event; people by entrant number."""
    entrants = [
        events_pb2.Entrant(number=number, members=[events_pb2.Member(person_id=one) for one in members])
        for number, members in people.items()
    ]
    return [
        events_pb2.Event(
            entrants_imported=events_pb2.EntrantsImported(import_id=import_id, entrants=entrants)
        ),
        events_pb2.Event(
            entrants_import_closed=events_pb2.EntrantsImportClosed(import_id=import_id, count=len(entrants))
        ),
    ]


class Serving:
    """A running server: `token` for anybody, `call` for anything."""

    def __init__(
        self, config: Config, server: Server, gate: Gate, directory: Directory, log: PairingLog
    ) -> None:
        self.config = config
        self.server = server
        self.gate = gate
        self.directory = directory
        self.log = log
        self.metrics = Metrics()
        self.channel = grpc.aio.insecure_channel(f"127.0.0.1:{server.port}")
        self._methods = methods()

    def token(self, subject: str, ttl: float = 60) -> str:
        """A good token of a person or a service."""
        name = f"service-{subject.partition(':')[2]}" if subject.startswith("service:") else "token"
        return mint(private_key(self.config.keys_dir, name), subject, ttl)

    async def call(
        self, method: str, token: str | None, request: Any = None, timeout: float | None = SECONDS
    ) -> Any:
        """Call any RPC with one request; its last response. Raises AioRpcError."""
        while True:
            try:
                return await self._once(method, token, request, timeout)
            except grpc.aio.AioRpcError as error:
                if not lost(error):
                    raise

    async def _once(self, method: str, token: str | None, request: Any, timeout: float | None) -> Any:
        descriptor = self._methods[method]
        if request is None:
            request = request_of(method, descriptor)
        metadata = () if token is None else (("authorization", f"Bearer {token}"),)
        kinds = ("unary", "stream")
        start = getattr(
            self.channel, f"{kinds[descriptor.client_streaming]}_{kinds[descriptor.server_streaming]}"
        )(
            method,
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=message_factory.GetMessageClass(descriptor.output_type).FromString,
        )
        what = iter([request]) if descriptor.client_streaming else request
        running = start(what, metadata=metadata, timeout=timeout)
        if not descriptor.server_streaming:
            return await running
        try:
            return [response async for response in running][-1]
        finally:
            running.cancel()


def request_of(method: str, descriptor: Any, championship: str = "open") -> Any:
    """A request that passes the gate's own checks."""
    request: Any = message_factory.GetMessageClass(descriptor.input_type)()
    path = RULES[method].championship.split(".")
    holder = request
    for name in path[:-1]:
        holder = getattr(holder, name)
    if path[-1] in holder.DESCRIPTOR.fields_by_name:
        setattr(holder, path[-1], championship)
    for one in (request, holder):
        if "command_id" in one.DESCRIPTOR.fields_by_name:
            one.command_id = "command-1"
    return request


def answering(descriptor: Any) -> Callable[..., Any]:
    """A handler that reads all it is sent and answers with one empty message."""
    response = message_factory.GetMessageClass(descriptor.output_type)

    async def read(request: Any) -> None:
        if descriptor.client_streaming:
            async for _ in request:
                pass

    async def one(request: Any, context: Any) -> Any:
        await read(request)
        return response()

    async def many(request: Any, context: Any) -> AsyncIterator[Any]:
        await read(request)
        yield response()

    return many if descriptor.server_streaming else one


def servicers(*modules: str, **handlers: Callable[..., Any]) -> list[tuple[Any, Any]]:
    """Every service, or those of some modules; `handlers` replace the empty answers by RPC name."""
    found = []
    for module in modules or MODULES:
        stubs = importlib.import_module(f"{module}_pb2_grpc")
        for service in importlib.import_module(f"{module}_pb2").DESCRIPTOR.services_by_name.values():
            answers = {one.name: handlers.get(one.name, answering(one)) for one in service.methods}
            found.append(
                (getattr(stubs, f"add_{service.name}Servicer_to_server"), SimpleNamespace(**answers))
            )
    return found


@asynccontextmanager
async def serving(
    keys: Path,
    limits: Limits | None = None,
    variables: Mapping[str, str] | None = None,
    **handlers: Callable[..., Any],
) -> AsyncIterator[Serving]:
    """A server of everything, with a directory that follows a log in memory."""
    config = Config.read("table", settings(keys, **(variables or {})))
    store = MemoryStore()
    directory = Directory(store, EPOCH)
    await directory.start()
    access = Access(directory, config.operators)
    metrics = Metrics()
    gate = Gate(
        "table",
        access,
        identity_of(config),
        limits or Limits(1e6, 1e6, 1000, time.monotonic),
        metrics,
        structlog.get_logger(),
        proven=config.tls_dir is not None,
    )
    server = Server(config, gate)
    await server.start(servicers(**handlers), access.has_row)
    gate.shut = ""
    server.health.serving()
    running = Serving(config, server, gate, directory, PairingLog(store))
    running.metrics = metrics
    try:
        yield running
    finally:
        await running.channel.close(None)
        server.health.stop()
        await server.stop(0.5)
        await directory.stop()
