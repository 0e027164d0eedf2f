"""The client of the whole path: a stream for every seat of many tables, in one process.

`python -m bench.crowd JSON` plays at the table service, or with `sketch` at the sketch, where a table's move simply goes round.
Says `begin` after the warm-up and prints its figures at the end: moves a second, and how long the acknowledgement of a move took.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import uvloop

from bench.servers import RULESET, SHENGJI, person
from clients.robot.tokens import mint, signing_key
from fupan.table.v1 import service_pb2 as pb
from fupan.table.v1.service_pb2_grpc import TableServiceStub
from services.games import registry
from services.ledger.games import GAMES

STREAMS_A_CHANNEL = 100
SETTLE = 5.0
"""Seconds of a steady load before it is measured."""

DECISIONS = {RULESET: 26, SHENGJI: 90}
"""Of a board, about. Before a steady load each table makes any number of them at full pace, so that from its beginning boards end
all the time, at different tables, and the shadow referee has nothing left to look at from before."""

AT_ONCE = 300
"""Streams that are opened at once: a gRPC server turns calls away when a thousand wait."""

_OPTIONS = [("grpc.use_local_subchannel_pool", 1)]
_DAY = 24 * 3600


@dataclass(frozen=True, slots=True)
class Plan:
    """What to play, at any of some addresses: each seat has its own, in turn, with the sketch each table.

    `rate` moves a second in all, once it is warm, 0: as many as can be; `unary`: answers by `Act`, views by stream all the same;
    `delivered`: say when a question has come, as people's clients do; `first`: the first option, else any. The sketch knows no
    `ruleset`, but three seats a table.
    """

    addresses: Sequence[str]
    keys: str
    championship: str
    tables: int
    warm: float
    seconds: float
    rate: float = 0
    unary: bool = False
    sketch: bool = False
    delivered: bool = False
    first: bool = False
    ruleset: str = RULESET


class Meter:
    """Counts moves and how long they took, once it is on."""

    def __init__(self) -> None:
        self.on = False
        self.refused: dict[str, int] = {}
        self.taken: list[float] = []

    def note(self, sent: float) -> None:
        if self.on:
            self.taken.append(time.perf_counter() - sent)

    def refuse(self, reason: str) -> None:
        if self.on:
            self.refused[reason] = self.refused.get(reason, 0) + 1

    def figures(self, seconds: float) -> dict[str, float]:
        taken = sorted(self.taken)
        return {
            "moves": len(taken) / seconds,
            "p50": 1000 * taken[len(taken) // 2],
            "p99": 1000 * taken[len(taken) * 99 // 100],
            "refused": sum(self.refused.values()) / seconds,
        }


class Pace:
    """Lets moves go: at once, of a table fewer than `most` if any are named, and then one every so often in the order in which they
    became due."""

    def __init__(self, most: int = 0) -> None:
        self._most = most
        self._left: dict[int, int] = {}
        self._rate = 0.0
        self._due: deque[Any] = deque()

    def add(self, table: int, move: Any) -> None:
        """Make a table's move when it is its turn; `move` is a coroutine function."""
        if self._rate or not self._goes(table):
            self._due.append(move)
        else:
            spawn(move())

    def _goes(self, table: int) -> bool:
        if not self._most:
            return True
        left = self._left.setdefault(table, random.Random(table).randrange(self._most))
        self._left[table] = left - 1
        return left > 0

    def slow_down(self, rate: float) -> None:
        """From here on so many moves a second."""
        self._rate = rate
        spawn(self._run())

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        at = loop.time()
        while True:
            if self._due:
                spawn(self._due.popleft()())
            at = max(at + 1 / self._rate, loop.time() - 0.1)
            await asyncio.sleep(max(0.0, at - loop.time()))


_tasks: set[asyncio.Task[None]] = set()


def spawn(work: Any) -> None:
    """Run work whose end nobody waits for."""
    task = asyncio.create_task(work)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)


class Seat:
    """One player: sees what its stream brings, and answers what it is asked."""

    def __init__(
        self, stub: Any, plan: Plan, table: int, seat: int, pace: Pace, meter: Meter, token: str
    ) -> None:
        self.heard = asyncio.Event()
        self.sits = asyncio.Event()
        self.next: Seat | None = None
        """With the sketch: who moves after this one."""
        self._plan = plan
        self._pace = pace
        self._meter = meter
        self._at = table
        self._name = person(plan.championship, table, seat)
        self._table = f"{plan.championship}-{table}" if plan.sketch else plan.championship
        self._metadata = () if plan.sketch else (("authorization", f"Bearer {token}"),)
        self._stub = stub
        self._call: Any = None
        self._choice = random.Random(self._name)
        self._asked = (0, 0)
        self._writing = asyncio.Lock()
        self._number = 0
        self._sent = 0.0

    async def play(self) -> None:
        """Read until the stream ends; at the end of the program it is cancelled."""
        self._call = self._stub.Play(metadata=self._metadata, timeout=_DAY)
        try:
            await self._read(self._call)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.CANCELLED:
                raise

    async def _read(self, call: Any) -> None:
        await call.write(pb.PlayRequest(hello=pb.Hello(championship=self._table)))
        while isinstance(message := await call.read(), pb.PlayResponse):
            self.heard.set()
            kind = message.WhichOneof("kind")
            if kind == "update":
                if message.update.accepted:
                    self._meter.note(self._sent)
                await self._update(message.update)
            elif kind == "accepted":
                self._meter.note(self._sent)
                if self.next is not None:
                    self.next.due(pb.Update())
            elif kind == "refused":
                self._meter.refuse(message.refused.reason)
            elif kind == "waiting" and self._plan.sketch:
                self.sits.set()

    async def _update(self, update: pb.Update) -> None:
        if self._plan.sketch:
            return
        self.sits.set()
        if update.ask and (update.board, update.ask) != self._asked:
            self._asked = update.board, update.ask
            if self._plan.delivered:
                await self._write(pb.PlayRequest(delivered=pb.Delivered(cursor=update.cursor)))
            self.due(update)

    async def _write(self, request: pb.PlayRequest) -> None:
        """A stream takes one message at a time."""
        async with self._writing:
            await self._call.write(request)

    def due(self, update: pb.Update) -> None:
        """A move is to be made."""
        self._pace.add(self._at, lambda: self._move(update))

    async def _move(self, update: pb.Update) -> None:
        self._number += 1
        answer = pb.Answer(command_id=f"{self._name}.{self._number}", board=update.board, ask=update.ask)
        if not self._plan.sketch:
            self._choose(update.view, answer)
        self._sent = sent = time.perf_counter()
        if not self._plan.unary:
            await self._write(pb.PlayRequest(answer=answer))
            return
        try:
            request = pb.ActRequest(championship=self._table, answer=answer)
            await self._stub.Act(request, metadata=self._metadata, timeout=30)
        except grpc.aio.AioRpcError as error:
            self._meter.refuse(error.code().name)
        else:
            self._meter.note(sent)
        if self.next is not None:
            self.next.due(update)

    def _choose(self, view: pb.SeatView, answer: pb.Answer) -> None:
        """Paohuzi's views list the options; in Shengji they follow from the cards."""
        game, first = GAMES[registry.find(self._plan.ruleset).game], self._plan.first
        shown = getattr(view, game.field)
        if game.field == "paohuzi":
            action = shown.options[0] if first else self._choice.choice(shown.options)
        else:
            options = game.views.from_proto(shown).options
            action = game.actions.to_proto(options[0] if first else self._choice.choice(options))
        getattr(answer, game.field).CopyFrom(action)


class Door:
    """A server, and the channels to it; one that nobody holds is closed, and its streams with it."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._channels: list[grpc.aio.Channel] = []
        self._streams = 0

    def stub(self) -> Any:
        """What another stream is opened with."""
        if self._streams % STREAMS_A_CHANNEL == 0:
            self._channels.append(grpc.aio.insecure_channel(self._address, options=_OPTIONS))
        self._streams += 1
        return TableServiceStub(self._channels[-1])


async def crowd(plan: Plan) -> None:
    """Play; see the module."""
    spread = 0 if plan.sketch or not plan.rate else DECISIONS[plan.ruleset]
    pace, meter, key = Pace(spread), Meter(), None if plan.sketch else signing_key(Path(plan.keys))
    seats: list[Seat] = []
    doors = [Door(address) for address in plan.addresses]
    chairs = registry.find(plan.ruleset).seats
    for number in range(chairs * plan.tables):
        table, seat = divmod(number, chairs)
        door = doors[(table if plan.sketch else number) % len(doors)]
        token = mint(key, person(plan.championship, table, seat), _DAY) if key else ""
        seats.append(Seat(door.stub(), plan, table, seat, pace, meter, token))
    for begin in range(0, len(seats), AT_ONCE):
        for one in seats[begin : begin + AT_ONCE]:
            spawn(one.play())
        for one in seats[begin : begin + AT_ONCE]:
            await one.heard.wait()
    for one in seats:
        await one.sits.wait()
    if plan.sketch:
        for number, one in enumerate(seats):
            one.next = seats[number - 2 if number % 3 == 2 else number + 1]
        for one in seats[::3]:
            one.due(pb.Update())
    await asyncio.sleep(plan.warm)
    if plan.rate:
        pace.slow_down(plan.rate)
        await asyncio.sleep(SETTLE)
    print("begin", flush=True)
    meter.on, began = True, time.perf_counter()
    await asyncio.sleep(plan.seconds)
    meter.on = False
    print(json.dumps(meter.figures(time.perf_counter() - began)), flush=True)
    if meter.refused:
        print(meter.refused, file=sys.stderr)


if __name__ == "__main__":
    uvloop.run(crowd(Plan(**json.loads(sys.argv[1]))))
