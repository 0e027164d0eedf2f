"""The dealer put together: the only place that builds its concrete things."""

from __future__ import annotations

from fupan.dealer.v1.service_pb2_grpc import add_DealerServiceServicer_to_server
from services.dealer import decider
from services.dealer.api import DealerApi
from services.dealer.codec import COMMANDS, EVENTS
from services.dealer.desk import DealerLog, Desk
from services.dealer.vault import Vault
from services.runtime.app import App, Runtime
from services.runtime.follower import Follower
from services.runtime.log import Log
from services.runtime.streams import stream_of
from services.runtime.writer import Appender


async def build(runtime: Runtime) -> App:
    """The dealer service."""
    log: DealerLog = Log(
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
        Vault.of(runtime.config.keys_dir),
        runtime.store,
        runtime.epoch,
        runtime.directory,
        runtime.config.demo,
        runtime.stopping,
    )
    tables = [Follower(runtime.store, stream, desk.read_tables) for stream in runtime.epoch.table_streams()]

    async def start() -> None:
        await log.start(runtime.epoch.streams_of("dealer"))
        for follower in tables:
            await follower.start()
        runtime.watch([*log.followers, *(follower.task for follower in tables)])
        runtime.spawn(desk.run(), "reveals")

    async def stop() -> None:
        for follower in tables:
            await follower.stop()
        await log.stop()

    return App(
        [(add_DealerServiceServicer_to_server, DealerApi(desk)), runtime.logbook(log.subjects)], start, stop
    )
