"""A hall in tests: tables on a log in memory, players on lines without a network, and a clock that the test winds."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Callable
from typing import Any

from fupan.table.v1 import service_pb2 as pb
from services.ledger.games import GAMES
from services.ledger.record import Writer
from services.runtime.log import Answer, Envelope, Log
from services.runtime.memory import MemoryStore
from services.runtime.store import EventStore
from services.table.admission import Admission
from services.table.answering import Answers
from services.table.codec import COMMANDS, EVENTS
from services.table.decider import TableDecider
from services.table.desk import Desk
from services.table.framing import TableFraming
from services.table.hall import Hall, TableLog
from services.table.leaves import Leaves
from services.table.line import Line
from services.table.messages import accepted, refused
from services.table.model import commands as c
from services.table.model.events import Event, TableOpened
from services.table.model.state import Board, Table
from services.table.recovery import Recovery
from services.table.steward import Signer, Steward
from tests.servers import SECONDS
from tests.table.four import XIAMEN
from tests.table.given import FACTS, RULES, START_US
from tests.table.logs import EPOCH, StandInDealer

RULES_OF = {"paohuzi": RULES, "shengji": XIAMEN}


class WoundTime:
    """A clock that gains a microsecond every time it is read, and else only when it is wound on; alarms ring in their order."""

    def __init__(self) -> None:
        self._now_us = START_US
        self._alarms: list[tuple[int, int, Ring]] = []
        self._order = itertools.count()

    def now_us(self) -> int:
        self._now_us += 1
        return self._now_us

    def alarm(self, at_us: int, ring: Callable[[], None]) -> Ring:
        alarm = Ring(ring)
        heapq.heappush(self._alarms, (at_us, next(self._order), alarm))
        return alarm

    def next_us(self) -> int | None:
        """When the next alarm rings."""
        while self._alarms and self._alarms[0][2].cancelled:
            heapq.heappop(self._alarms)
        return self._alarms[0][0] if self._alarms else None

    def wind(self, to_us: int) -> None:
        """Let time pass, ringing what is due; what rings may have more to do than is done when this returns."""
        while (at_us := self.next_us()) is not None and at_us <= to_us:
            self._now_us = max(self._now_us, at_us)
            heapq.heappop(self._alarms)[2].ring()
        self._now_us = max(self._now_us, to_us)


class Ring:
    def __init__(self, ring: Callable[[], None]) -> None:
        self.ring = ring
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class Player:
    """Somebody with a line: what was sent on it, and answers."""

    def __init__(self, room: Room, person: str, cursor: int = 0) -> None:
        self.room = room
        self.line = Line("cup", person, cursor, room.time.now_us)
        self.got: list[pb.PlayResponse] = []
        self._answered = (0, 0)
        room.hall.attach(self.line)
        self.task = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        async for message in self.line:
            self.got.append(pb.PlayResponse.FromString(message))

    @property
    def updates(self) -> list[pb.Update]:
        return [message.update for message in self.got if message.WhichOneof("kind") == "update"]

    @property
    def view(self) -> pb.Update:
        """The last update."""
        return self.updates[-1]

    @property
    def asked(self) -> bool:
        """Whether the last update has a question that was not answered."""
        return bool(self.view.ask) and (self.view.board, self.view.ask) != self._answered

    def kinds(self) -> list[str | None]:
        return [message.WhichOneof("kind") for message in self.got]

    def delivered(self) -> None:
        """Say that the last update is on the screen."""
        self.room.answers.delivered(self.line, self.view.cursor)

    async def answer(
        self, action: Any = None, command_id: str = "", ask: int | None = None
    ) -> pb.PlayResponse:
        """Answer the question in view, by default as house AI would; what the server says to that."""
        view = self.view
        game = GAMES[view.view.WhichOneof("game") or ""]
        if action is None:
            action = RULES_OF[game.field].choose(game.views.from_proto(getattr(view.view, game.field)))
        answer = pb.Answer(
            command_id=command_id or f"{self.line.person}-{next(self.room.ids)}",
            board=view.board,
            ask=view.ask if ask is None else ask,
            **{game.field: game.actions.to_proto(action)},
        )
        try:
            sent = self.room.answers.send("cup", self.line.person, answer)
            said = accepted(answer.command_id, await sent.task)
            self._answered = (answer.board, answer.ask)
        except Exception as error:
            said = refused(answer.command_id, error)
        await self.room.settle()
        return said


class Room:
    """One replica's hall and all that belongs to it."""

    def __init__(
        self,
        store: EventStore | None = None,
        dealer: StandInDealer | None = None,
        time: WoundTime | None = None,
        name: str = "test",
        owns: Callable[[str], bool] = lambda subject: True,
    ) -> None:
        self.store = store or MemoryStore()
        self.dealer = dealer or StandInDealer()
        self.time = time or WoundTime()
        self.ids = itertools.count(1)
        self.leaves = Leaves(self.dealer.ask)
        self.log: TableLog = Log(
            self.store,
            Writer("table", name, "test"),
            EPOCH.id,
            TableDecider(),
            COMMANDS,
            EVENTS,
            self.time.now_us,
            TableFraming(self.leaves),
        )
        self.steward = Steward(self.log, self.leaves, Signer(bytes(range(32))), self.time, owns)
        self.hall = Hall(self.log, self.steward, self.time)
        self.answers = Answers(self.hall, self.time)
        self.admission = Admission(self.hall, self.leaves, self.caught_up)
        self.stopping = asyncio.Event()
        self.recovery = Recovery(self.hall, self.steward, self.time, asyncio.Event())
        self.hall.on_sealed = self._follow
        self._following: list[asyncio.Task[None]] = []

    async def start(self) -> Room:
        await self.log.start(EPOCH.table_streams())
        for desk in self.hall.open():
            self._follow(desk)
        self._following.append(asyncio.create_task(self.admission.seats.run(self.stopping)))
        return self

    async def caught_up(self) -> None:
        """Everything that is in the tables' streams now is folded."""
        for stream in EPOCH.table_streams():
            await self.log.wait_for(stream, await self.store.last_sequence(stream))

    def _follow(self, desk: Desk) -> None:
        self._following.append(asyncio.create_task(self.recovery.bring_back(desk)))

    async def stop(self) -> None:
        self.stopping.set()
        await asyncio.gather(*self._following)
        self.hall.close("SHUTTING_DOWN")
        await self.steward.stop()
        await self.log.stop()
        await self.leaves.stop()

    async def open(self, facts: TableOpened = FACTS) -> str:
        """Open a table; its subject."""
        subject = EPOCH.table_subject(facts.championship, facts.table)
        await self.send(subject, c.OpenTable(facts), "service:table")
        return subject

    async def send(self, subject: str, command: c.Command, actor: str) -> Answer[Event]:
        answer = await self.log.handle(subject, command, Envelope(actor, f"test-{next(self.ids)}"))
        await self.settle()
        return answer

    def table(self, subject: str) -> Table:
        return self.hall.table(subject)

    def board(self, subject: str) -> Board:
        board = self.table(subject).board
        assert board is not None
        return board

    async def settle(self) -> None:
        """Let everything happen that needs no time to pass."""
        for _ in range(30):
            await asyncio.sleep(0)

    async def wind(self, seconds: float) -> None:
        """Let time pass, alarm by alarm."""
        until_us = self.time.now_us() + round(seconds * 1_000_000)
        while (at_us := self.time.next_us()) is not None and at_us <= until_us:
            self.time.wind(at_us)
            await self.settle()
        self.time.wind(until_us)
        await self.settle()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for what happens by itself without our clock: a leaf that is asked for, say."""
        async with asyncio.timeout(SECONDS):
            while not condition():  # noqa: ASYNC110  # anything may be waited for
                await asyncio.sleep(0.001)
        await self.settle()
