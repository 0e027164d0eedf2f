"""The table service behind its real gate and server, on a log in memory, with a stand-in for the dealer's service."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import grpc
import pytest
import structlog
from grpc import StatusCode

from fupan.appeals.v1 import service_pb2 as appeals_pb
from fupan.appeals.v1.service_pb2_grpc import AppealsServiceServicer, add_AppealsServiceServicer_to_server
from fupan.dealer.v1 import service_pb2 as dealer_pb
from fupan.dealer.v1.service_pb2_grpc import DealerServiceServicer, add_DealerServiceServicer_to_server
from fupan.pairing.v1 import events_pb2 as pairing_pb
from fupan.table.v1 import service_pb2 as pb
from fupan.table.v1.service_pb2_grpc import TableServiceStub
from services.access import Access
from services.directory import Directory
from services.games import registry
from services.ledger.games import GAMES
from services.ledger.record import Writer
from services.runtime.app import Runtime
from services.runtime.clock import now_us
from services.runtime.config import Config
from services.runtime.connections import open_pool
from services.runtime.errors import read_status
from services.runtime.identity import identity_of, mint, private_key
from services.runtime.interceptors import Gate
from services.runtime.limits import Limits
from services.runtime.memory import MemoryStore
from services.runtime.server import Peers, Server
from services.runtime.telemetry import Metrics
from services.table.app import build
from tests.runtime.serving import EPOCH, PairingLog, appointed, entered, settings
from tests.servers import SECONDS
from tests.table.given import RULESET
from tests.table.logs import StandInDealer

CUP = "cup"
PEOPLE = ("anna", "bo", "chen")


class Deals(DealerServiceServicer):
    """GetDeals of a dealer that is always there."""

    async def GetDeals(self, request: dealer_pb.GetDealsRequest, context: Any) -> Any:
        paths = [
            (one.championship, f"{one.path.round}/{one.path.board}/{one.path.attempt}")
            for one in request.boards
        ]
        return dealer_pb.GetDealsResponse(
            leaves=[dealer_pb.Leaf(leaf=StandInDealer.leaf(*path)) for path in paths]
        )


class Cases(AppealsServiceServicer):
    """ListAppeals of an appeals service that has `told` them."""

    told: ClassVar[list[appeals_pb.Appeal]] = []

    async def ListAppeals(self, request: appeals_pb.ListAppealsRequest, context: Any) -> Any:
        return appeals_pb.ListAppealsResponse(appeals=self.told)


@asynccontextmanager
async def dealer() -> AsyncIterator[int]:
    """The port of the stand-in dealer, and of appeals'."""
    server = grpc.aio.server()
    add_AppealsServiceServicer_to_server(Cases(), server)  # type: ignore[abstract]
    add_DealerServiceServicer_to_server(Deals(), server)  # type: ignore[abstract]
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    yield port
    await server.stop(None)


def championship(**changes: Any) -> pairing_pb.Settings:
    """Settings of a quick championship."""
    given: dict[str, Any] = {
        "championship": CUP,
        "ruleset": RULESET,
        "format": "individual",
        "rounds": 1,
        "boards_per_round": 1,
        "play_clock_ms": 15_000,
        "claim_clock_ms": 8_000,
        "join_wait_ms": 60_000,
    }
    return pairing_pb.Settings(**given | changes)


async def paired(log: PairingLog, **changes: Any) -> None:
    """A championship of three players at one table, its first round paired."""
    created = pairing_pb.ChampionshipCreated(
        settings=championship(**changes), organiser="olga", epoch=EPOCH.id
    )
    await log.write(CUP, pairing_pb.Event(championship_created=created))
    await log.write(CUP, *entered("one", {n: [person] for n, person in enumerate(PEOPLE, 1)}))
    await log.write(CUP, appointed("ref", "referee"), appointed("bo", "referee"))
    table = pairing_pb.SeatedTable(table="t1", group=1, entrants=[1, 2, 3])
    await log.write(CUP, pairing_pb.Event(round_seated=pairing_pb.RoundSeated(round=1, tables=[table])))
    await log.write(CUP, pairing_pb.Event(round_paired=pairing_pb.RoundPaired(round=1, tables=1)))


def started(deadline_us: int = 0) -> pairing_pb.Event:
    """The first round begins."""
    return pairing_pb.Event(round_started=pairing_pb.RoundStarted(round=1, board_deadline_us=deadline_us))


@dataclass(frozen=True, slots=True)
class World:
    """What a service needs around it: keys, a database, the dealer's port."""

    keys: Path
    database: str
    dealer_port: int


class Service:
    """A running table service."""

    def __init__(self, runtime: Runtime, port: int, log: PairingLog) -> None:
        self.runtime = runtime
        self.log = log
        self.channel = grpc.aio.insecure_channel(f"127.0.0.1:{port}")
        self.stub: Any = TableServiceStub(self.channel)

    def token(self, person: str, ttl: float = 60) -> str:
        return mint(private_key(self.runtime.config.keys_dir, "token"), person, ttl)

    def auth(self, person: str, ttl: float = 60) -> dict[str, Any]:
        """Keyword arguments of a call by a person."""
        return {"metadata": (("authorization", f"Bearer {self.token(person, ttl)}"),), "timeout": SECONDS}

    def play(self, person: str, ttl: float = 60, cursor: int = 0, hello: bool = True) -> Stream:
        return Stream(self, person, ttl, cursor, hello)


class Stream:
    """A player's stream as a client has it."""

    def __init__(self, service: Service, person: str, ttl: float, cursor: int, hello: bool) -> None:
        self.person = person
        self.call = service.stub.Play(**service.auth(person, ttl))
        self.got: list[pb.PlayResponse] = []
        self.error: grpc.aio.AioRpcError | None = None
        self._changed = asyncio.Event()
        self._answered = (0, 0)
        self._hello = pb.PlayRequest(hello=pb.Hello(championship=CUP, cursor=cursor)) if hello else None
        self.task = asyncio.create_task(self._read())

    async def _read(self) -> None:
        try:
            if self._hello is not None:
                await self.call.write(self._hello)
            async for message in self.call:
                self.got.append(message)
                self._changed.set()
        except grpc.aio.AioRpcError as error:
            self.error = error
        self._changed.set()

    async def send(self, **kind: Any) -> None:
        await self.call.write(pb.PlayRequest(**kind))

    def last(self, kind: str) -> Any:
        """The last message of a kind, None without one."""
        found = [getattr(one, kind) for one in self.got if one.WhichOneof("kind") == kind]
        return found[-1] if found else None

    @property
    def receipts(self) -> list[bytes]:
        """Hashes of the records that the answers became."""
        found = [one.update.accepted if one.HasField("update") else [one.accepted] for one in self.got]
        return [accepted.receipt.hash for some in found for accepted in some if accepted.command_id]

    async def until_update(self, like: Callable[[pb.Update], bool] = lambda update: True) -> pb.Update:
        """The last update, once there is one that is `like` that."""
        await self.until(lambda: self.last("update") is not None and like(self.last("update")))
        update: pb.Update = self.last("update")
        return update

    async def until(self, condition: Callable[[], Any]) -> Any:
        """Wait until something that comes on the stream makes `condition` true; its value."""
        async with asyncio.timeout(SECONDS):
            while not (value := condition()):
                self._changed.clear()
                await self._changed.wait()
        return value

    async def play(self, over: Callable[[], bool]) -> None:
        """Answer like house AI until `over`."""
        while not over():
            self._changed.clear()
            update = self.last("update")
            if update is not None and update.ask and (update.board, update.ask) != self._answered:
                self._answered = (update.board, update.ask)
                await self.send(delivered=pb.Delivered(cursor=update.cursor))
                await self.send(answer=self.answer(update))
            async with asyncio.timeout(SECONDS):
                await self._changed.wait()

    async def play_board(self, board: int = 1) -> None:
        """Play until this stream has shown how a board ended."""
        await self.play(
            lambda: any(one.update.board == board and one.update.view.paohuzi.over for one in self.got)
        )

    def answer(self, update: pb.Update) -> pb.Answer:
        """House AI's answer to the question of an update."""
        game = GAMES["paohuzi"]
        action = registry.find(RULESET).choose(game.views.from_proto(update.view.paohuzi))
        return pb.Answer(
            command_id=f"{self.person}.{update.board}.{update.ask}",
            board=update.board,
            ask=update.ask,
            paohuzi=game.actions.to_proto(action),
        )


@asynccontextmanager
async def serving(
    world: World, store: MemoryStore | None = None, log: PairingLog | None = None
) -> AsyncIterator[Service]:
    """The table service on a free port."""
    store = store or MemoryStore()
    peer = ",".join(f"{name}=127.0.0.1:{world.dealer_port}" for name in ("dealer", "appeals"))
    config = Config.read("table", settings(world.keys, FUPAN_PEERS=peer, FUPAN_POSTGRES_DSN=world.database))
    pool = await open_pool(config)
    identity, directory = identity_of(config), Directory(store, EPOCH)
    peers = Peers(config, identity)
    failures: list[object] = []
    runtime = Runtime(
        config=config,
        name="table",
        epoch=EPOCH,
        writer=Writer("table", config.replica, config.build),
        store=store,
        pool=pool,
        clock=now_us,
        identity=identity,
        directory=directory,
        access=Access(directory, config.operators),
        metrics=Metrics(),
        log=structlog.get_logger(),
        peers=peers,
        fail=lambda what, error: failures.append((what, error)),
    )
    limits = Limits(1e6, 1e6, 1000, time.monotonic)
    gate = Gate("table", runtime.access, identity, limits, runtime.metrics, runtime.log)
    app = await build(runtime)
    server = Server(config, gate)
    await server.start(app.servicers, runtime.access.has_row)
    await directory.start()
    await app.start()
    gate.shut = ""
    service = Service(runtime, server.port, log or PairingLog(store))
    try:
        yield service
        assert not failures, failures
    finally:
        gate.shut = "STOPPING"
        runtime.stopping.set()
        await server.stop(5)
        await app.stop()
        await runtime.end_work()
        await service.channel.close(None)
        await peers.close()
        await directory.stop()
        await pool.close()


async def seated(service: Service, **changes: Any) -> list[Stream]:
    """Everybody at the table, the board dealt."""
    await paired(service.log, **changes)
    streams = [service.play(person) for person in PEOPLE]
    await service.log.write(CUP, started())
    for stream in streams:
        await stream.until_update()
    return streams


async def play_board(streams: Sequence[Stream], board: int = 1) -> None:
    """Everybody plays until the end of a board was shown to all."""
    await asyncio.gather(*(stream.play_board(board) for stream in streams))


def is_over(update: pb.Update) -> bool:
    return update.view.paohuzi.over


async def refused(call: Any) -> tuple[StatusCode, str]:
    """Code and reason of a refused call."""
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call
    told = read_status(error.value)
    return error.value.code(), told.reason if told else ""
