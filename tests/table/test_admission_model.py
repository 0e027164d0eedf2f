"""Seats given by replicas that read and write late, are killed, and whose clocks are apart: whatever happens, one counts (C1.6)."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.domain import Rejected
from services.ledger import record as ledger
from services.ledger.dealing import log_key
from services.runtime import worklist
from services.runtime.errors import Unavailable
from services.runtime.log import Envelope
from services.runtime.memory import MemoryStore
from services.runtime.streams import Epoch, parse
from services.table import recovery
from services.table.admission import elsewhere
from services.table.codec import EVENTS
from services.table.model import commands as c
from services.table.model.events import BoardSlot, Seat, SeatConfirmed, SeatReplaced
from services.table.seating import Place
from tests.late import Late
from tests.table import halls
from tests.table.given import facts
from tests.table.halls import Player, Room, WoundTime
from tests.table.logs import StandInDealer

REPLICAS = 2
SECONDS = 20.0
"""In which everything comes to rest."""

TABLES = {
    "t1": (BoardSlot(1, 1),),
    "t2": (BoardSlot(1, 1), BoardSlot(2, 1)),
    "t3": (BoardSlot(7, 1), BoardSlot(8, 1)),
}
"""By table what it plays; nobody sits at both of the first ones, at whatever time."""
OWN = {"t1": ("anna", "bo", "chen"), "t2": ("dina", "egon", "fritz"), "t3": ("gina", "hugo", "inge")}
WHO = ("dora", "emil", "anna", "dina", "")
"""Who is given seats, anybody's first one at a table: two who are nobody's, two who have one, and house AI."""
CLOCKS_US = (0, 5_000_000)
"""How far replicas' clocks are ahead."""

Command = st.tuples(st.integers(0, REPLICAS - 1), st.sampled_from(sorted(TABLES)), st.sampled_from(WHO))
STEPS = st.lists(
    st.one_of(
        Command.map(lambda one: ("give", *one)),
        st.tuples(st.just("go"), st.integers(0, 7)),
        st.tuples(st.just("go"), st.integers(0, 7)),
        st.tuples(st.just("go"), st.integers(0, 7)),
        st.tuples(st.just("flow"), st.integers(0, REPLICAS - 1)),
        st.tuples(st.just("kill"), st.integers(0, REPLICAS - 1)),
        st.tuples(st.just("close"), st.integers(0, REPLICAS - 1), st.sampled_from(sorted(TABLES))),
        st.tuples(st.just("key"), st.integers(0, REPLICAS - 1)),
    ),
    max_size=40,
)


@dataclass
class Order:
    """A referee's, and what it was told: whether the seat counts; None: nothing that holds for ever, or nothing at all."""

    number: int
    table: str
    person: str
    told: bool | None = None


@dataclass
class World:
    """Some replicas of one log."""

    whole: MemoryStore = field(default_factory=MemoryStore)
    rooms: list[Room] = field(default_factory=list)
    dead: list[Room] = field(default_factory=list)
    dealers: list[StandInDealer] = field(default_factory=list)
    orders: list[Order] = field(default_factory=list)
    lines: list[Player] = field(default_factory=list)
    tasks: list[asyncio.Task[None]] = field(default_factory=list)
    names: Iterator[int] = field(default_factory=itertools.count)
    subjects: dict[str, str] = field(default_factory=dict)

    async def begin(self) -> None:
        for number in range(REPLICAS):
            self.rooms.append(await self.replica(number))
        opens = self.rooms[0]
        for name, boards in TABLES.items():
            seats = tuple(Seat(ord(person[0]), person) for person in OWN[name])
            self.subjects[name] = await opens.open(
                facts(table=name, boards=boards, seats=seats, join_wait_ms=0, board_pause_ms=0)
            )
        await self.quiet(
            lambda: all(
                (live := room.table(subject).live) is not None and live.game is not None
                for room in self.rooms
                for subject in self.subjects.values()
            )
        )
        for room in self.rooms:
            store(room).flows = False

    async def replica(self, number: int) -> Room:
        """One that has read everything there is, and may go on with nothing else."""
        dealer, time = StandInDealer(), WoundTime()
        time.wind(time.now_us() + CLOCKS_US[number])
        name = f"r{next(self.names)}"
        room = Room(Late(self.whole), dealer, time, name, owns=lambda subject: number == 0)
        self.dealers[number : number + 1] = [dealer]
        await room.start()
        self.lines += [Player(room, person) for person in WHO if person]
        return room

    async def quiet(self, condition: Callable[[], bool]) -> None:
        await self.rooms[0].until(condition)

    async def step(self, kind: str, *what: Any) -> None:
        match kind, what:
            case "give", (replica, table, person):
                order = Order(len(self.orders), table, person)
                self.orders.append(order)
                self.tasks.append(asyncio.create_task(self.give(self.rooms[replica], order)))
            case "go", (which,):
                stores = [store(room) for room in self.rooms if store(room).waiting]
                if stores:
                    stores[which % len(stores)].go(which // len(stores))
            case "flow", (replica,):
                late = store(self.rooms[replica])
                late.flow()
                await self.rooms[0].settle()
                late.flows = False
            case "kill", (replica,):
                self.dead.append(self.rooms[replica])
                self.rooms[replica] = await self.replica(replica)
                store(self.rooms[replica]).flows = False
            case "close", (replica, table):
                command = c.CloseBoard("no light")
                self.tasks.append(asyncio.create_task(self.send(self.rooms[replica], table, command)))
            case "key", (replica,):
                self.dealers[replica].away = not self.dealers[replica].away
        await self.rooms[0].settle()

    async def send(self, room: Room, table: str, command: c.Command) -> None:
        with suppress(Rejected, Unavailable):
            await room.log.handle(self.subjects[table], command, Envelope("ref", f"x-{next(self.names)}"))

    async def give(self, room: Room, order: Order) -> None:
        order.told = await self.told(room, order)

    async def told(self, room: Room, order: Order) -> bool | None:
        """What a replica tells the referee, as the service does."""
        subject = self.subjects[order.table]
        place, envelope = Place(subject, 0), Envelope("ref", f"order-{order.number}")
        command = c.ReplaceSeat(0, order.person, "unwell")
        try:
            if order.person:
                await room.caught_up()
                await room.hall.unlock()
                sits = room.table(subject).people[0] == order.person
                unfit = not sits and any(elsewhere(room.hall, subject, order.person))
                if unfit and not await room.log.accepted(subject, command, envelope):
                    return None
            answer = await room.admission.patiently(
                place, lambda: room.log.handle(subject, command, envelope)
            )
            if not answer.events:  # it was so already, and nothing was written
                return None
            if not order.person:
                return True
            return await room.admission.counts(place, answer)
        except (Rejected, Unavailable):
            return None

    async def end(self) -> None:
        """Everything goes on, and comes to rest."""
        for dealer in self.dealers:
            dealer.away = False
        for room in self.rooms:
            store(room).flow()
        until = asyncio.get_running_loop().time() + SECONDS
        while found := self.unrest():
            assert asyncio.get_running_loop().time() < until, found
            await asyncio.sleep(0.001)
            for room in self.rooms:
                room.time.wind(room.time.now_us() + 10_000)  # what failed is tried again
        await self.rooms[0].settle()

    def unrest(self) -> list[str]:
        """What is not at rest yet."""
        found = [
            f"answer {task}" for task in self.tasks if not task.done() and not self.belongs_to_the_dead(task)
        ]
        for name, subject in self.subjects.items():
            if len({room.log.head(subject) for room in self.rooms}) > 1:
                found.append(f"{name} is read to {[room.log.head(subject).version for room in self.rooms]}")
            for number, room in enumerate(self.rooms):
                if room.log.waits(subject):
                    found.append(f"{name} is sealed at {number}")
                if any(room.table(subject).given_us):
                    found.append(f"{name} waits at {number}: {room.table(subject).people}")
        return found

    def belongs_to_the_dead(self, task: asyncio.Task[None]) -> bool:
        frame: Any = task.get_coro().cr_frame  # type: ignore[union-attr]
        return frame is None or frame.f_locals.get("room") in self.dead

    async def close(self) -> None:
        for room in self.dead:
            store(room).flow()
        for room in (*self.dead, *self.rooms):
            room.stopping.set()
            self.tasks.append(asyncio.create_task(room.steward.stop()))
        await asyncio.sleep(0)
        while everybody := asyncio.all_tasks() - {asyncio.current_task()}:
            for task in everybody:
                task.cancel()
            await asyncio.gather(*everybody, return_exceptions=True)


def store(room: Room) -> Late:
    assert isinstance(room.store, Late)
    return room.store


async def history(world: World) -> dict[str, list[Any]]:
    """What each table's log tells of its first seat."""
    told: dict[str, list[Any]] = {}
    for name, subject in world.subjects.items():
        told[name] = []
        async for stored in world.whole.read(subject):
            record = ledger.decode(stored.data)
            key = None
            if record.sealed:
                path = record.header.key_ids[0]
                key = log_key(StandInDealer.leaf("cup", path), parse(subject).item, path)
            events = map(EVENTS.decode, ledger.body_of(record, key).events)
            told[name] += [one for one in events if isinstance(one, SeatReplaced | SeatConfirmed)]
    return told


def confirmed(table: str, told: list[Any]) -> list[str]:
    """Who sat in a table's first seat and counted, in order."""
    people, now = [OWN[table][0]], ""
    for event in told:
        if isinstance(event, SeatConfirmed):
            assert now
            people.append(now)
        now = event.person_id if isinstance(event, SeatReplaced) else ""
    return people


async def check(world: World) -> None:
    told = await history(world)
    sat = {name: confirmed(name, events) for name, events in told.items()}
    for person in {one for people in sat.values() for one in people}:
        assert not (person in sat["t1"] and person in sat["t2"]), (person, told)
    last = {name: world.rooms[0].table(subject) for name, subject in world.subjects.items()}
    for person in WHO[:-1]:
        given_ = [name for name, table in last.items() if person in table.people]
        plays = [name for name in given_ if last[name].slot is not None]
        assert len(plays) <= 1, (person, plays, told)
    for room in world.rooms:
        for subject in world.subjects.values():
            mine, theirs = room.table(subject), world.rooms[0].table(subject)
            assert (mine.people, mine.given_us, mine.instead) == (
                theirs.people,
                theirs.given_us,
                theirs.instead,
            )
        for person in {one for people in OWN.values() for one in people} | set(WHO[:-1]):
            place = world.rooms[0].hall.seating.place("cup", person)
            if place is not None and world.rooms[0].table(place.subject).slot is not None:
                assert room.hall.seating.place("cup", person) == place, (person, told)
            for name, table in last.items():
                if table.slot is not None and person in table.people:
                    assert place == (world.subjects[name], table.people.index(person)), (person, place, told)
    for line in world.lines:
        seen = {message.seated.table for message in line.got if message.HasField("seated")}
        assert all(line.line.person in (*sat[name], *OWN[name]) for name in seen), (
            line.line.person,
            seen,
            told,
        )
    for order in world.orders:
        if order.told is None or not order.person:
            continue
        if order.told and order.person != OWN[order.table][0]:
            assert order.person in sat[order.table], (order, told)
        for room in world.rooms:
            assert await world.told(room, order) == order.told, (order, told)


async def whatever_happens(steps: list[tuple[Any, ...]]) -> None:
    world = World()
    try:
        await world.begin()
        for step in steps:
            await world.step(*step)
        await world.end()
        await check(world)
    finally:
        await world.close()


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(STEPS)
def test_whatever_replicas_do_one_seat_counts(steps: list[tuple[Any, ...]]) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(halls, "EPOCH", Epoch("e2026", 4))
        patched.setattr(worklist, "WAITS", (0.001,))
        patched.setattr(recovery, "RETRY_SECONDS", (0.001,))
        asyncio.run(whatever_happens(steps))
