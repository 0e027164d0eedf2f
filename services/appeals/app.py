"""Appeals put together: the only place that builds its concrete things."""

from __future__ import annotations

from pathlib import Path

from fupan.appeals.v1.service_pb2_grpc import add_AppealsServiceServicer_to_server
from fupan.dealer.v1.service_pb2_grpc import DealerServiceStub
from fupan.scoring.v1.service_pb2_grpc import ScoringServiceStub
from services.appeals import decider
from services.appeals.api import AppealsApi
from services.appeals.codec import COMMANDS, EVENTS
from services.appeals.desk import AppealsLog, Desk
from services.appeals.grounds import Grounds
from services.runtime.app import App, Runtime
from services.runtime.follower import Follower
from services.runtime.log import Log
from services.runtime.postgres import Database, migrate
from services.runtime.streams import stream_of
from services.runtime.writer import Appender

SCHEMA = "appeals"
MIGRATIONS = Path(__file__).parent / "migrations"


async def build(runtime: Runtime) -> App:
    """The appeals service."""
    await migrate(Database(runtime.pool), SCHEMA, MIGRATIONS)
    log: AppealsLog = Log(
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
    desk = Desk(
        log,
        runtime.epoch,
        runtime.directory,
        DealerServiceStub(runtime.peer("dealer")),
        ScoringServiceStub(runtime.peer("scoring")),
        Grounds(runtime.pool),
        runtime.clock,
        runtime.stopping,
    )
    tables = [Follower(runtime.store, stream, desk.read_tables) for stream in runtime.epoch.table_streams()]

    async def start() -> None:
        await log.start(runtime.epoch.streams_of("appeals"))
        for follower in tables:
            await follower.start()
        runtime.watch([*log.followers, *(follower.task for follower in tables)])
        runtime.spawn(desk.run(), "deadlines")

    async def stop() -> None:
        for follower in tables:
            await follower.stop()
        await log.stop()

    return App(
        [(add_AppealsServiceServicer_to_server, AppealsApi(desk)), runtime.logbook(log.subjects)], start, stop
    )
