"""Scoring put together: the only place that builds its concrete things."""

from __future__ import annotations

import asyncio
from functools import partial

from fupan.scoring.v1.service_pb2_grpc import add_ScoringServiceServicer_to_server
from services.runtime.answers import Waits
from services.runtime.app import App, Runtime
from services.runtime.follower import Follower, catch_up
from services.runtime.postgres import Database
from services.runtime.projector import Projector
from services.scoring import decider
from services.scoring.api import ScoringApi
from services.scoring.codec import COMMANDS, EVENTS
from services.scoring.committees import ScoringLog
from services.scoring.desk import Desk
from services.scoring.projection import FactsProjection, FactsQuery
from services.scoring.tables import Tables

WARM_SECONDS = 20.0
"""How long the service may work out standings before it serves: those of a large field take seconds."""


async def build(runtime: Runtime) -> App:
    """The scoring service."""
    epoch = runtime.epoch
    database = Database(runtime.pool)
    streams = (*epoch.table_streams(), epoch.stream("pairing"))
    projection = FactsProjection(streams, runtime.directory.plays)
    projector = Projector(runtime.store, database, projection)
    await projector.prepare()
    log: ScoringLog = runtime.event_log(decider, COMMANDS, EVENTS)
    pairing = epoch.stream("pairing")
    tables = Tables(
        runtime.store,
        runtime.directory,
        projector,
        FactsQuery(database, epoch.id, pairing),
        streams,
    )
    desk = Desk(log, tables, runtime.directory, epoch, lambda: catch_up([appeals]))
    runtime.access.played = desk.played
    appeals = Follower(runtime.store, epoch.stream("appeals"), desk.committees.read)

    async def start() -> None:
        await log.start(epoch.streams_of("scoring"))
        runtime.spawn(projector.run(runtime.stopping), "facts")
        await projector.caught_up.wait()
        await appeals.start()
        runtime.watch([*log.followers, appeals.task])
        runtime.spawn(desk.publications.run(runtime.stopping), "publications")
        # Whoever came now would wait for them, and whoever comes when it serves is answered at once.
        warming = runtime.spawn(desk.prepare(runtime.stopping, api.standings), "standings")
        await asyncio.wait({warming}, timeout=WARM_SECONDS)

    async def stop() -> None:
        await appeals.stop()
        await log.stop()

    async def paired(sequence: int) -> None:
        await projector.wait_for(pairing, sequence)
        await runtime.directory.refresh()

    async def ruled(championship: str, sequence: int) -> None:
        await appeals.wait_for(sequence)
        await desk.committees.applied(championship)

    def waits(championship: str) -> Waits:
        return {
            **{stream: partial(projector.wait_for, stream) for stream in epoch.table_streams()},
            pairing: paired,
            epoch.stream("scoring"): partial(log.wait_for, epoch.stream("scoring")),
            epoch.stream("appeals"): partial(ruled, championship),
        }

    api = ScoringApi(desk, waits, runtime.stopping)
    logbook = runtime.logbook(log.subjects, projectors=[(projection, projector)])
    return App([(add_ScoringServiceServicer_to_server, api), logbook], start, stop)
