"""Dealer, pairing, scoring and appeals in one process on real servers, each as its own NATS user and database role.

`Platform.of(person)` calls them over gRPC with the person's token; `Events` waits for what they write to the log; `tests.tables`
plays the table service's part.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from fupan.appeals.v1 import events_pb2 as appeals_pb
from fupan.appeals.v1.service_pb2_grpc import AppealsServiceStub
from fupan.dealer.v1 import events_pb2 as dealer_pb
from fupan.dealer.v1.service_pb2_grpc import DealerServiceStub
from fupan.pairing.v1 import events_pb2 as pairing_pb
from fupan.pairing.v1.service_pb2_grpc import PairingServiceStub
from fupan.scoring.v1 import events_pb2 as scoring_pb
from fupan.scoring.v1.service_pb2_grpc import ScoringServiceStub
from fupan.table.v1 import events_pb2 as table_pb
from services.appeals.app import build as appeals
from services.dealer.app import build as dealer
from services.ledger import record as ledger
from services.pairing.app import build as pairing
from services.runtime.app import Process
from services.runtime.clock import now_us
from services.runtime.config import Config
from services.runtime.embedded.directory import free_port
from services.runtime.errors import Explained, read_status
from services.runtime.identity import mint, private_key
from services.runtime.jetstream import JetStreamStore
from services.runtime.positions import position
from services.runtime.store import Stored
from services.runtime.streams import Epoch, parse
from services.scoring.app import build as scoring
from tests.servers import SECONDS

BUILDS: dict[str, Any] = {"dealer": dealer, "pairing": pairing, "scoring": scoring, "appeals": appeals}
STUBS: dict[str, Any] = {
    "dealer": DealerServiceStub,
    "pairing": PairingServiceStub,
    "scoring": ScoringServiceStub,
    "appeals": AppealsServiceStub,
}
MESSAGES: dict[str, Any] = {
    "dealer": dealer_pb.Event,
    "pairing": pairing_pb.Event,
    "scoring": scoring_pb.Event,
    "appeals": appeals_pb.Event,
    "table": table_pb.Event,
}
OPERATOR = "operator"
DAY = 24 * 3600
LARGE = [("grpc.max_receive_message_length", 64 * 1024 * 1024)]
AT_ONCE = [("grpc.initial_reconnect_backoff_ms", 100), ("grpc.max_reconnect_backoff_ms", 100)]
"""Connect to a service that begins anew as soon as it is there."""


@dataclass
class Clock:
    """The services' clock: the real one, moved, or standing still at a time that a test chose (µs since 1970)."""

    offset_us: int = 0
    stands_at: int = 0

    def __call__(self) -> int:
        return self.stands_at or now_us() + self.offset_us

    def stand(self, at_us: int) -> None:
        """Stand still at a time."""
        self.stands_at = at_us

    def advance(self, seconds: float) -> None:
        """Go on from a time that much later."""
        self.offset_us = self() + int(seconds * 1e6) - now_us()
        self.stands_at = 0


@dataclass(frozen=True)
class Seen:
    """One event of the log."""

    service: str
    championship: str
    kind: str
    event: Any
    header: ledger.Header
    body: ledger.Body
    stored: Stored

    @property
    def position(self) -> str:
        """What a query waits for that must know of it."""
        return position(self.stored.stream, self.stored.sequence)


class Events:
    """Every clear event of an epoch as it comes."""

    def __init__(self, store: JetStreamStore, epoch: Epoch) -> None:
        self._seen: list[Seen] = []
        self._stored: list[Stored] = []
        self._store = store
        self._moved = asyncio.Condition()
        self._read = {spec.name: 0 for spec in epoch.specs()}
        """By stream: the last sequence that was read."""
        self._tasks = [asyncio.create_task(store.follow(name, 0, self._deliver)) for name in self._read]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _catch_up(self) -> None:
        """Read everything that is in the log now: each stream comes at its own pace."""
        lasts = {name: await self._store.last_sequence(name) for name in self._read}
        async with asyncio.timeout(SECONDS), self._moved:
            await self._moved.wait_for(lambda: all(self._read[name] >= last for name, last in lasts.items()))

    async def stored(self) -> list[Stored]:
        """Every record that is in the log now, sealed ones too."""
        await self._catch_up()
        return list(self._stored)

    async def all(self) -> list[Seen]:
        """Every event that is in the log now."""
        await self._catch_up()
        return list(self._seen)

    async def of(self, kind: str) -> list[Seen]:
        """Events of a kind that are in the log now."""
        return [one for one in await self.all() if one.kind == kind]

    async def wait(
        self,
        kind: str,
        which: Callable[[Seen], bool] = lambda seen: True,
        count: int = 1,
        seconds: float = SECONDS,
        **where: Any,
    ) -> Seen:
        """The `count`th event of a kind for which `which` holds and whose fields are `where`."""

        def found() -> list[Seen]:
            return [
                one
                for one in self._seen
                if one.kind == kind
                and which(one)
                and all(getattr(one.event, name) == value for name, value in where.items())
            ]

        async with asyncio.timeout(seconds), self._moved:
            await self._moved.wait_for(lambda: len(found()) >= count)
        return found()[count - 1]

    async def _deliver(self, batch: list[Stored]) -> None:
        self._stored += batch
        for stored in batch:
            record = ledger.decode(stored.data)
            if record.sealed:
                continue
            address, body = parse(stored.subject), ledger.body_of(record)
            for data in body.events:
                message = MESSAGES[address.service].FromString(data)
                kind = message.WhichOneof("kind")
                event = getattr(message, kind)
                self._seen.append(
                    Seen(
                        address.service,
                        address.championship,
                        kind,
                        event,
                        record.header,
                        body,
                        stored,
                    )
                )
        self._read[batch[-1].stream] = batch[-1].sequence
        async with self._moved:
            self._moved.notify_all()


class Caller:
    """One service's RPCs with somebody's token: `await caller.GetRound(request)`."""

    def __init__(self, stub: Any, token: str | None) -> None:
        self._stub = stub
        self._metadata: tuple[tuple[str, str], ...] = (
            () if token is None else (("authorization", f"Bearer {token}"),)
        )

    def telling(self, *metadata: tuple[str, str]) -> Caller:
        """The same caller, telling more beside its token."""
        other = Caller(self._stub, None)
        other._metadata = (*self._metadata, *metadata)
        return other

    def __getattr__(self, rpc: str) -> Callable[..., Any]:
        method = getattr(self._stub, rpc)

        def call(request: Any, timeout: float = SECONDS) -> Any:
            return method(request, metadata=self._metadata, timeout=timeout)

        return call


@dataclass(frozen=True)
class Callers:
    """All services with one person's token."""

    dealer: Caller
    pairing: Caller
    scoring: Caller
    appeals: Caller


async def refused(call: Awaitable[Any]) -> Explained:
    """What a call was refused with."""
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await call
    told = read_status(raised.value)
    assert told is not None, f"an error that is not ours: {raised.value}"
    return told


async def answered(call: Callable[[], Awaitable[Any]]) -> Any:
    """What a call is answered with, asked until somebody answers: a channel may learn only now that its other end has died."""
    async with asyncio.timeout(SECONDS):
        while True:
            try:
                return await call()
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise
            await asyncio.sleep(0.05)


@dataclass
class Replica:
    """One process with some of the services."""

    process: Process
    task: asyncio.Task[None]
    ports: dict[str, int]

    async def stop(self) -> None:
        self.process.stop.set()
        await self.task
        assert not self.process.failed


@dataclass
class Platform:
    """Servers, keys and an epoch; replicas of the services come and go."""

    epoch: Epoch
    nats_url: str
    secret: Callable[[str], str]
    dsn: Callable[[str], str]
    keys: Path
    store: JetStreamStore
    clock: Clock
    events: Events
    demo: bool = False
    replicas: list[Replica] = field(default_factory=list)
    ports: dict[str, int] = field(default_factory=lambda: _free_ports([*BUILDS, "table"]))
    channels: dict[str, grpc.aio.Channel] = field(default_factory=dict)

    async def start(self, names: Sequence[str] = tuple(BUILDS), replica: str = "r1") -> Replica:
        """Run services until the replica is stopped; those of replica `r1` listen where their peers call."""
        own = {name: self.ports[name] for name in names} if replica == "r1" else _free_ports(names)
        process = Process(
            {name: BUILDS[name] for name in names},
            {name: self._config(name, own[name], replica) for name in names},
            clock=self.clock,
        )
        serving = asyncio.Event()
        task = asyncio.create_task(process.run(serving.set), name=f"replica {replica}")
        waiting = asyncio.create_task(serving.wait())
        await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            waiting.cancel()
            await task
        started = Replica(process, task, own)
        self.replicas.append(started)
        return started

    def _config(self, name: str, port: int, replica: str) -> Config:
        return Config.read(name, self.environment(name, port, replica))

    def environment(self, name: str, port: int, replica: str = "r1") -> dict[str, str]:
        """What a service is told from outside."""
        return {
            "FUPAN_SERVICE_LISTEN": f"127.0.0.1:{port}",
            "FUPAN_PEERS": ",".join(f"{one}=127.0.0.1:{at}" for one, at in self.ports.items()),
            "FUPAN_NATS_URL": self.nats_url,
            "FUPAN_NATS_USER": name,
            "FUPAN_NATS_PASSWORD": self.secret(f"nats/{name}"),
            "FUPAN_POSTGRES_DSN": self.dsn(name),
            "FUPAN_EPOCH": self.epoch.id,
            "FUPAN_PARTITIONS": str(self.epoch.partitions),
            "FUPAN_KEYS_DIR": str(self.keys),
            "FUPAN_OPERATORS": OPERATOR,
            "FUPAN_REPLICA": replica,
            "FUPAN_RATE": "100000:100000",
            "FUPAN_DEMO": "1" if self.demo else "0",
        }

    async def reached(self, name: str) -> None:
        """Return when a service serves where it is called."""
        health = health_pb2_grpc.HealthStub(self._channel(self.ports[name]))

        async def serving() -> None:
            async for told in health.Watch(health_pb2.HealthCheckRequest(), wait_for_ready=True):
                if told.status == health_pb2.HealthCheckResponse.SERVING:
                    return

        await answered(serving)

    def token(self, subject: str, ttl: float = 400 * DAY) -> str:
        """A token of a person, or of `service:<name>`."""
        name = f"service-{subject.partition(':')[2]}" if subject.startswith("service:") else "token"
        return mint(private_key(self.keys, name), subject, ttl, self.clock)

    def of(self, subject: str | None, ports: dict[str, int] | None = None) -> Callers:
        """Everything that somebody may call; None for somebody without a token."""
        token = None if subject is None else self.token(subject)
        return Callers(
            **{
                name: Caller(STUBS[name](self._channel((ports or self.ports)[name])), token)
                for name in BUILDS
            }
        )

    def _channel(self, port: int) -> grpc.aio.Channel:
        target = f"127.0.0.1:{port}"
        if target not in self.channels:
            self.channels[target] = grpc.aio.insecure_channel(target, [*LARGE, *AT_ONCE])
        return self.channels[target]

    async def stop(self) -> None:
        """End everything that runs."""
        for channel in self.channels.values():
            await channel.close(None)
        for replica in self.replicas:
            replica.process.stop.set()
        await asyncio.gather(*(replica.task for replica in self.replicas))
        await self.events.stop()
        assert not any(replica.process.failed for replica in self.replicas)


def _free_ports(names: Iterable[str]) -> dict[str, int]:
    ports: dict[str, int] = {}
    for name in names:
        ports[name] = free_port(exclude=frozenset(ports.values()))
    return ports
