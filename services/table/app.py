"""The table service put together: the only place that builds its concrete things."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

import grpc

from fupan.appeals.v1.service_pb2_grpc import AppealsServiceStub
from fupan.dealer.v1 import events_pb2 as dealer_events
from fupan.dealer.v1 import service_pb2 as dealer
from fupan.dealer.v1.service_pb2_grpc import DealerServiceStub
from fupan.table.v1.service_pb2_grpc import add_TableServiceServicer_to_server
from fupan.table.v1.sheet_service_pb2_grpc import add_SheetServiceServicer_to_server
from services.domain import Rejected
from services.ledger.dealing import board_path, log_key, parse_board_path
from services.runtime.app import App, Runtime
from services.runtime.errors import Unavailable
from services.runtime.follower import Follower, Read
from services.runtime.identity import private_key
from services.runtime.jetstream import JetStreamStore
from services.runtime.log import Log
from services.runtime.postgres import Database
from services.runtime.server import Servicers
from services.runtime.store import EventStore
from services.runtime.streams import parse
from services.table.admission import Admission
from services.table.answering import Answers
from services.table.api import TableApi
from services.table.codec import COMMANDS, EVENTS
from services.table.decider import TableDecider
from services.table.framing import TableFraming, path_of
from services.table.gallery import Gallery
from services.table.hall import Hall, TableLog
from services.table.house import House
from services.table.leaves import Ask, Leaf, Leaves, Opened, Refused
from services.table.model import commands as c
from services.table.openness import Openness
from services.table.orders import Orders
from services.table.overturning import Overturning, deciding
from services.table.past import Past
from services.table.players import Players
from services.table.presence import Presence, Talk
from services.table.recovery import Recovery
from services.table.replays import Replays
from services.table.rounds import Rounds
from services.table.rulings import Rulings
from services.table.shadow import ShadowReferee
from services.table.sheets.api import SheetApi
from services.table.steward import Signer, Steward
from services.table.talk import NatsTalk
from services.table.timekeeper import SteadyTime, Timekeeper
from services.table.tried import Tried, Tries, is_action

if TYPE_CHECKING:
    from fupan.dealer.v1.service_pb2_grpc import DealerServiceAsyncStub

SIGNING_KEY = "sign-table"


async def build(runtime: Runtime) -> App:
    """The table service."""
    time = SteadyTime(runtime.clock)
    leaves = Leaves(asking(DealerServiceStub(runtime.peer("dealer"))))
    log: TableLog = Log(
        runtime.store,
        runtime.writer,
        runtime.epoch.id,
        TableDecider(),
        COMMANDS,
        EVENTS,
        time.now_us,
        TableFraming(leaves),
    )
    signer = Signer(private_key(runtime.config.keys_dir, SIGNING_KEY).private_bytes_raw())
    presence = Presence(runtime.epoch.id, runtime.replica, talk(runtime.store))
    house = House()
    steward = Steward(log, leaves, signer, time, presence.owns, house.choose)
    hall = Hall(log, steward, time)
    shadow = ShadowReferee(
        log,
        leaves,
        presence.owns,
        lambda name: runtime.metrics.alarms.labels(runtime.name, name).inc(),
    )
    players = runtime.access.roles = Players(runtime.directory, hall, log.catch_up)
    admission = Admission(hall, leaves, players.read_on)
    rounds = Rounds(hall, runtime.directory, runtime.epoch, runtime.stopping)
    reveals = Follower(runtime.store, runtime.epoch.stream("dealer"), reading_reveals(leaves))

    recovery = Recovery(hall, steward, time, runtime.stopping)
    hall.on_sealed = lambda desk: ignore(runtime.spawn(recovery.bring_back(desk), "open board"))
    hall.on_attached = lambda championship, person: ignore(
        runtime.spawn(presence.attached(championship, person), "stream begun")
    )
    past = Past(hall, leaves)
    hall.last = past.last
    hall.on_unread = lambda subject: ignore(runtime.spawn(past.show(subject), "last board"))
    tries = Tries(Database(runtime.pool))
    answers = Answers(hall, time)
    answers.on_refused = noting(log, leaves, tries, time)
    presence.on_change = hall.nudge_all
    presence.on_attached = hall.attached_elsewhere
    presence.on_stall = recovery.stood_still

    async def start() -> None:
        await reveals.start()
        await asyncio.gather(presence.start(), log.start(runtime.epoch.table_streams()))
        runtime.watch([*log.followers, reveals.task])
        last_us = max((log.head(subject).time_us for subject in log.subjects()), default=0)
        away_since_us = last_us if presence.alone else 0
        shadow.start()
        tries.start()
        runtime.spawn(presence.run(runtime.stopping), "presence")
        runtime.spawn(recovery.run(hall.open(), away_since_us), "open boards")
        runtime.spawn(rounds.run(), "rounds")
        runtime.spawn(admission.seats.run(runtime.stopping), "seats that were given")
        runtime.spawn(closing(runtime, hall, gallery), "closing streams")

    async def stop() -> None:
        await steward.stop()
        await house.stop()
        await shadow.stop()
        await tries.stop()
        await past.stop()
        await reveals.stop()
        await log.stop()
        await leaves.stop()

    late_us = runtime.config.spectators_late * 1_000_000
    gallery = Gallery(hall, leaves, time, late_us)
    orders = Orders(log, runtime.directory, runtime.epoch)
    rulings = Rulings(hall, leaves, runtime.directory, players, admission)
    api = TableApi(
        hall,
        answers,
        runtime.directory,
        players,
        admission,
        runtime.identity,
        orders,
        time,
        shadow,
        gallery,
        rulings,
        Overturning(rulings, runtime.directory, deciding(AppealsServiceStub(runtime.peer("appeals")))),
        Replays(hall, leaves, runtime.directory, players, tries),
    )
    openness = Openness(log, leaves, runtime.directory, players)
    logbook = runtime.logbook(log.subjects, openness.may_read, on_doubt=log.hold)
    sheets = SheetApi(hall, runtime.directory, players, orders)
    servicers: Servicers = [
        (add_TableServiceServicer_to_server, api),
        (add_SheetServiceServicer_to_server, sheets),
        logbook,
    ]
    return App(servicers, start, stop)


def talk(store: EventStore) -> Talk | None:
    """What replicas talk over: the log's own connection, where it is a real one."""
    return NatsTalk(store.nc) if isinstance(store, JetStreamStore) else None


def noting(
    log: TableLog, leaves: Leaves, tries: Tries, time: Timekeeper
) -> Callable[[str, c.Act, Rejected], None]:
    """What keeps a seat's refused try on a board that is open, where its key is known here."""

    def note(subject: str, command: c.Act, refusal: Rejected) -> None:
        table = log.state(subject)
        if table is None or table.live is None or table.live.slot.board != command.board:
            return
        path = path_of(table.facts, table.live.slot)
        leaf = leaves.held(table.facts.championship, path)
        if leaf is not None:
            key = log_key(leaf.leaf, table.facts.table, path)
            try:
                action = table.rules.show(command.action)
            except Exception:  # no cards of this game
                return
            if not is_action(table.rules, action):
                return
            tried = Tried(command.seat, action, refusal.reason, refusal.clause, time.now_us())
            tries.note(subject, path, key, tried)

    return note


def ignore(_: object) -> None:
    """What was begun goes on by itself."""


async def closing(runtime: Runtime, hall: Hall, gallery: Gallery) -> None:
    """End the streams of players and spectators when the service stops."""
    await runtime.stopping.wait()
    hall.close("SHUTTING_DOWN")
    await gallery.stop()


def asking(stub: DealerServiceAsyncStub) -> Ask:
    """The dealer's GetDeals as `Leaves` wants it."""

    async def ask(boards: Sequence[Opened]) -> Sequence[Leaf]:
        try:
            request = dealer.GetDealsRequest(boards=[_opened(board) for board in boards])
            response: dealer.GetDealsResponse = await stub.GetDeals(request)
        except grpc.aio.AioRpcError as error:
            if error.code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
                raise Unavailable("PEER_UNAVAILABLE") from error
            raise Refused(f"{error.code().name}: {error.details()}") from error
        if len(response.leaves) != len(boards):
            raise Refused(f"{len(response.leaves)} leaves for {len(boards)} boards")
        return [Leaf(leaf.leaf, leaf.entropy) for leaf in response.leaves]

    return ask


def _opened(board: Opened) -> dealer.OpenedBoard:
    address = parse(board.subject)
    return dealer.OpenedBoard(
        championship=address.championship,
        table=address.item,
        path=dealer_events.BoardPath(**parse_board_path(board.path)._asdict()),
        stream=address.stream,
        sequence=board.sequence,
    )


def reading_reveals(leaves: Leaves) -> Callable[[list[Read]], Awaitable[None]]:
    """What keeps `leaves` up to date with the dealer's log."""

    async def read(reads: list[Read]) -> None:
        for one in reads:
            championship = parse(one.stored.subject).championship
            for data in one.body.events if one.body else ():
                event = dealer_events.Event.FromString(data)
                match event.WhichOneof("kind"):
                    case "board_revealed":
                        revealed = event.board_revealed
                        leaves.reveal(championship, _path(revealed.path), revealed.leaf)
                    case "board_opened_to_panel":
                        opened = event.board_opened_to_panel
                        leaves.open_to(championship, _path(opened.path), opened.appeal, opened.panel)

    return read


def _path(path: dealer_events.BoardPath) -> str:
    return board_path(path.round, path.board, path.attempt, path.match)
