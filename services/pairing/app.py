"""Pairing put together: the only place that builds its concrete things."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from fupan.common.v1.log_service_pb2_grpc import LogServiceStub
from fupan.dealer.v1.service_pb2_grpc import DealerServiceStub
from fupan.pairing.v1.service_pb2_grpc import add_PairingServiceServicer_to_server
from fupan.scoring.v1.service_pb2_grpc import ScoringServiceStub
from fupan.table.v1.service_pb2_grpc import TableServiceStub
from services.histories import standing
from services.pairing import decider
from services.pairing.announcing import Announcing
from services.pairing.api import PairingApi
from services.pairing.codec import COMMANDS, EVENTS
from services.pairing.desk import Desk
from services.pairing.openness import Openness
from services.pairing.overturning import Overturning
from services.pairing.persons import Persons
from services.pairing.playoffs import Playoffs
from services.pairing.progress import Progress
from services.pairing.replays import Replays
from services.pairing.reseating import Reseating
from services.pairing.rounds import PairingLog, Rounds
from services.pairing.sealing import Sealing
from services.runtime.answers import Waits
from services.runtime.app import App, Runtime
from services.runtime.follower import Follower, catch_up
from services.runtime.identity import private_key, trusted_signers
from services.runtime.postgres import Database, migrate
from services.runtime.writings import Sweep, Writings
from services.substitutes import Substitutes

SCHEMA = "pairing"
SIGNING_KEY = "sign-pairing"
MIGRATIONS = Path(__file__).parent / "migrations"


async def build(runtime: Runtime) -> App:
    """The pairing service."""
    database = Database(runtime.pool)
    await migrate(database, SCHEMA, MIGRATIONS)
    log: PairingLog = runtime.event_log(decider, COMMANDS, EVENTS)
    epoch, progress = runtime.epoch, Progress()
    substitutes = Substitutes(runtime.directory, lambda: catch_up(followers))
    runtime.access.played = substitutes.played
    dealer, subject_of = DealerServiceStub(runtime.peer("dealer")), partial(epoch.subject, "pairing")
    rounds = Rounds(
        log,
        subject_of,
        dealer,
        ScoringServiceStub(runtime.peer("scoring")),
        progress,
    )
    stream = epoch.stream("pairing")

    caught_up = log.catch_up
    sealing = Sealing(private_key(runtime.config.keys_dir, SIGNING_KEY).private_bytes_raw())
    replays, reseating = Replays(log, subject_of, dealer), Reseating(log, subject_of)
    desk = Desk(
        log=log,
        rounds=rounds,
        replays=replays,
        reseating=reseating,
        playoffs=Playoffs(log, subject_of, dealer, rounds),
        overturning=Overturning(
            log,
            subject_of,
            TableServiceStub(runtime.peer("table")),
            lambda: catch_up(followers),
            lambda championship, table: sealing.ended(epoch.table_subject(championship, table)),
        ),
        announcing=Announcing(
            log, rounds, replays, reseating, sealing, epoch, runtime.clock, lambda: catch_up(followers)
        ),
        progress=progress,
        persons=Persons(runtime.pool),
        reasons=Writings(runtime.pool, "reasons", "conduct"),
        sealing=sealing,
        tables_log=lambda: LogServiceStub(runtime.peer("table")),
        directory=runtime.directory,
        substitutes=substitutes,
        epoch=epoch,
        clock=runtime.clock,
        trusted_keys=trusted_signers(runtime.config.keys_dir),
        demo_allowed=runtime.config.demo,
        catch_up=lambda: catch_up(followers),
        caught_up=caught_up,
    )
    read_tables = standing(runtime.directory, desk.read_tables, runtime.spawn)
    followers = [
        *(Follower(runtime.store, one, read_tables) for one in epoch.table_streams()),
        Follower(runtime.store, epoch.stream("scoring"), desk.read_scoring),
        Follower(runtime.store, epoch.stream("appeals"), desk.read_appeals),
    ]
    waits: Waits = {
        stream: partial(log.wait_for, stream),
        **{follower.stream: follower.wait_for for follower in followers},
    }

    sweep = Sweep(desk.reasons, caught_up, desk.named)

    async def start() -> None:
        await log.start([stream])
        await asyncio.gather(*(follower.start() for follower in followers))
        runtime.watch([*log.followers, *(follower.task for follower in followers)])
        runtime.spawn(sweep.run(runtime.stopping), "reasons without a record")
        runtime.spawn(desk.steps.run(runtime.stopping), "rounds")

    async def stop() -> None:
        for follower in followers:
            await follower.stop()
        await log.stop()

    api = PairingApi(desk, waits, runtime.stopping)
    logbook = runtime.logbook(log.subjects, Openness(runtime.directory, substitutes).may_read)
    return App([(add_PairingServiceServicer_to_server, api), logbook], start, stop)
