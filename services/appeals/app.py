"""Appeals put together: the only place that builds its concrete things."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from fupan.appeals.v1.service_pb2_grpc import add_AppealsServiceServicer_to_server
from fupan.dealer.v1.service_pb2_grpc import DealerServiceStub
from fupan.scoring.v1.service_pb2_grpc import ScoringServiceStub
from fupan.table.v1.service_pb2_grpc import TableServiceStub
from services.appeals import decider
from services.appeals.api import AppealsApi
from services.appeals.carrying import Carrying
from services.appeals.casefile import Assembler
from services.appeals.cases import Cases
from services.appeals.codec import COMMANDS, EVENTS
from services.appeals.contesting import Contesting
from services.appeals.counting import Counting
from services.appeals.desk import AppealsLog, Desk
from services.appeals.erasure import Erasure
from services.appeals.files import Files
from services.appeals.filing import Filing
from services.appeals.finality import Finality
from services.appeals.judging import Judging
from services.appeals.openings import Openings
from services.appeals.openness import Openness
from services.appeals.panels import Panels
from services.appeals.rulings import Rulings
from services.appeals.sittings import Sittings
from services.appeals.windows import Windows
from services.histories import standing
from services.runtime.answers import Waits
from services.runtime.app import App, Runtime
from services.runtime.catchup import within
from services.runtime.follower import Follower, Read, catch_up
from services.runtime.postgres import Database, migrate
from services.runtime.writings import Sweep, Writings
from services.substitutes import Substitutes

SCHEMA = "appeals"
MIGRATIONS = Path(__file__).parent / "migrations"


async def build(runtime: Runtime) -> App:
    """The appeals service."""
    await migrate(Database(runtime.pool), SCHEMA, MIGRATIONS)
    log: AppealsLog = runtime.event_log(decider, COMMANDS, EVENTS)
    store, epoch = runtime.store, runtime.epoch
    windows = Windows()
    substitutes = Substitutes(runtime.directory, lambda: catch_up(followers))
    dealer, scoring = DealerServiceStub(runtime.peer("dealer")), ScoringServiceStub(runtime.peer("scoring"))
    files, carrying = Files(runtime.pool), Carrying()
    tables = TableServiceStub(runtime.peer("table"))
    runtime.directory.listen(carrying.noticed)
    assembler = Assembler(store, epoch, dealer, scoring, tables, windows.revealed)
    panels = Panels(log, runtime.directory, windows, substitutes, dealer)
    openness = Openness(log.state, runtime.directory, windows, substitutes)
    cases = Cases(log, runtime.directory, windows, assembler, files, runtime.clock)
    rulings, sittings, stream = Rulings(log), Sittings(log), epoch.stream("appeals")

    async def current() -> None:
        """What others have written, and other replicas of this service."""
        await catch_up(followers)
        async with within():
            await log.catch_up()

    desk = Desk(log, epoch, runtime.directory, windows, openness, runtime.clock, current)
    finality, grounds = Finality(desk, rulings, sittings), Writings(runtime.pool, "grounds", "appeal")
    contesting = Contesting(windows, tables)
    filing = Filing(desk, finality, contesting, windows, scoring, grounds, runtime.clock)
    judging = Judging(desk, finality, substitutes, dealer, runtime.clock)
    openings = Openings(desk, files, substitutes, cases.renew)
    erasure = Erasure(runtime.directory, grounds, log.catch_up, desk.appeals)
    sweep = Sweep(grounds, log.catch_up, filing.named)
    counting = Counting(
        log, runtime.directory, dealer, windows, rulings, sittings, runtime.clock, desk.current
    )

    async def read_dealer(reads: list[Read]) -> None:
        await windows.read_dealer(reads)
        cases.look()

    async def read_tables(reads: list[Read]) -> None:
        substitutes.read(reads)
        await windows.read_tables(reads)
        if any(read.record.closing is not None for read in reads):
            cases.look()

    async def read_scoring(reads: list[Read]) -> None:
        carrying.read_scoring(reads)
        await windows.read_scoring(reads)

    read_decided = standing(runtime.directory, read_tables, runtime.spawn)
    followers = [
        *(Follower(store, one, read_decided) for one in epoch.table_streams()),
        Follower(store, epoch.stream("scoring"), read_scoring),
        Follower(store, epoch.stream("dealer"), read_dealer),
    ]

    async def start() -> None:
        await asyncio.gather(*(follower.start() for follower in followers))
        await log.start([stream])
        runtime.watch([*log.followers, *(follower.task for follower in followers)])
        runtime.spawn(counting.steps.run(runtime.stopping), "steps of appeals")
        runtime.spawn(panels.due.run(runtime.stopping), "panels")
        runtime.spawn(cases.due.run(runtime.stopping), "case files")
        runtime.spawn(erasure.due.run(runtime.stopping), "erasure")
        runtime.spawn(sweep.run(runtime.stopping), "grounds without an appeal")
        runtime.spawn(counting.watch(runtime.stopping), "deadlines")

    async def stop() -> None:
        for follower in followers:
            await follower.stop()
        await log.stop()

    waits: Waits = {
        stream: partial(log.wait_for, stream),
        epoch.stream("pairing"): lambda _: runtime.directory.refresh(),
        **{follower.stream: follower.wait_for for follower in followers},
    }
    api = AppealsApi(desk, filing, judging, openings, carrying, openness, waits)
    logbook = runtime.logbook(log.subjects, openness.may_read)
    return App([(add_AppealsServiceServicer_to_server, api), logbook], start, stop)
