"""The dealer put together: the only place that builds its concrete things."""

from __future__ import annotations

import asyncio
from functools import partial

from fupan.dealer.v1.service_pb2_grpc import add_DealerServiceServicer_to_server
from services.dealer import decider
from services.dealer.api import DealerApi
from services.dealer.codec import COMMANDS, EVENTS
from services.dealer.desk import DealerLog, Desk
from services.dealer.openness import Openness
from services.dealer.vault import Vault
from services.histories import standing
from services.runtime.app import App, Runtime
from services.runtime.catchup import within
from services.runtime.follower import Follower, catch_up
from services.substitutes import Substitutes


async def build(runtime: Runtime) -> App:
    """The dealer service."""
    log: DealerLog = runtime.event_log(decider, COMMANDS, EVENTS)
    substitutes = Substitutes(runtime.directory, lambda: catch_up(tables))
    desk = Desk(
        log,
        Vault.of(runtime.config.keys_dir),
        runtime.store,
        runtime.epoch,
        runtime.directory,
        substitutes,
        runtime.config.demo,
    )
    stream = runtime.epoch.stream("dealer")
    read = standing(runtime.directory, desk.read_tables, runtime.spawn)
    tables = [Follower(runtime.store, one, read) for one in runtime.epoch.table_streams()]

    async def start() -> None:
        await log.start([stream])
        await asyncio.gather(*(follower.start() for follower in tables))
        runtime.watch([*log.followers, *(follower.task for follower in tables)])
        runtime.spawn(desk.reveals.run(runtime.stopping), "reveals")
        runtime.spawn(desk.secrets.run(runtime.stopping), "secrets")

    async def stop() -> None:
        for follower in tables:
            await follower.stop()
        await log.stop()

    async def caught_up() -> None:
        async with within():
            await log.catch_up()

    api = DealerApi(desk, {stream: partial(log.wait_for, stream)})
    logbook = runtime.logbook(log.subjects, Openness(desk.state, caught_up, substitutes).may_read)
    return App([(add_DealerServiceServicer_to_server, api), logbook], start, stop)
