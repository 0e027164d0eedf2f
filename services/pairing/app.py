"""Pairing put together: the only place that builds its concrete things."""

from __future__ import annotations

from pathlib import Path

from fupan.dealer.v1.service_pb2_grpc import DealerServiceStub
from fupan.pairing.v1.service_pb2_grpc import add_PairingServiceServicer_to_server
from fupan.scoring.v1.service_pb2_grpc import ScoringServiceStub
from services.pairing import decider
from services.pairing.api import PairingApi
from services.pairing.codec import COMMANDS, EVENTS
from services.pairing.desk import Desk
from services.pairing.persons import Persons
from services.pairing.progress import Progress
from services.pairing.rounds import PairingLog, Rounds
from services.runtime.app import App, Runtime
from services.runtime.follower import Follower
from services.runtime.identity import trusted_signers
from services.runtime.log import Log
from services.runtime.postgres import Database, migrate
from services.runtime.streams import stream_of
from services.runtime.writer import Appender

SCHEMA = "pairing"
MIGRATIONS = Path(__file__).parent / "migrations"


async def build(runtime: Runtime) -> App:
    """The pairing service."""
    database = Database(runtime.pool)
    await migrate(database, SCHEMA, MIGRATIONS)
    log: PairingLog = Log(
        runtime.store,
        Appender(runtime.store),
        runtime.writer,
        runtime.epoch.id,
        decider,
        COMMANDS,
        EVENTS,
        runtime.clock,
        stream_of,
    )
    progress = Progress()

    def subject_of(championship: str) -> str:
        return runtime.epoch.subject("pairing", championship)

    rounds = Rounds(
        log,
        subject_of,
        DealerServiceStub(runtime.peer("dealer")),
        ScoringServiceStub(runtime.peer("scoring")),
        progress,
    )
    desk = Desk(
        log,
        rounds,
        progress,
        Persons(runtime.pool),
        runtime.directory,
        subject_of,
        trusted_signers(runtime.config.keys_dir),
        runtime.config.demo,
        runtime.stopping,
    )
    followers = [
        Follower(runtime.store, stream, desk.read_tables) for stream in runtime.epoch.table_streams()
    ]
    followers.append(Follower(runtime.store, runtime.epoch.stream("scoring"), desk.read_scoring))

    async def start() -> None:
        await log.start(runtime.epoch.streams_of("pairing"))
        for follower in followers:
            await follower.start()
        runtime.watch([*log.followers, *(follower.task for follower in followers)])
        runtime.spawn(desk.run(), "rounds")

    async def stop() -> None:
        for follower in followers:
            await follower.stop()
        await log.stop()

    return App(
        [(add_PairingServiceServicer_to_server, PairingApi(desk)), runtime.logbook(log.subjects)], start, stop
    )
