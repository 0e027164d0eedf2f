"""Of two seats that replicas give somebody at once one counts, and nothing is shown at the other (C1.6, C6.4)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from fupan.table.v1 import service_pb2 as pb
from services.domain import Rejected
from services.ledger import record as ledger
from services.ledger.dealing import log_key
from services.runtime.forks import Ruled
from services.runtime.log import Answer
from services.runtime.memory import MemoryStore
from services.runtime.store import StoreUnavailable
from services.table.admission import elsewhere
from services.table.codec import EVENTS
from services.table.model import commands as c
from services.table.model.events import BoardSlot, Event, Seat, SeatReplaced
from services.table.seating import Place
from tests.table.given import facts
from tests.table.halls import Player, Room
from tests.table.logs import SUBJECT, Replica, StandInDealer
from tests.table.test_forks import made_of

OTHERS = tuple(Seat(n + 4, person) for n, person in enumerate(("dina", "egon", "fritz")))


class Hold(MemoryStore):
    """A log in memory that takes no records of replicas while it is held."""

    def __init__(self) -> None:
        super().__init__()
        self.open = asyncio.Event()
        self.open.set()

    async def append(self, subject: str, data: bytes, expected: int) -> int:
        await self.open.wait()
        return await super().append(subject, data, expected)


@pytest.fixture
async def rooms() -> AsyncIterator[tuple[Room, Room]]:
    """Two replicas."""
    store, dealer = Hold(), StandInDealer()
    first = await Room(store, dealer).start()
    second = await Room(store, dealer, first.time, "b", owns=lambda subject: False).start()
    yield first, second
    await first.stop()
    await second.stop()


async def dealt(room: Room, boards: tuple[BoardSlot, ...] = (BoardSlot(1, 1),)) -> tuple[str, str]:
    """Two tables of a round, which play the same boards, the first one dealt."""
    people = [Player(room, person) for person in ("anna", "bo", "chen", "dina", "egon", "fritz")]
    tables = [
        await room.open(one) for one in (facts(boards=boards), facts(table="t2", seats=OTHERS, boards=boards))
    ]
    await room.until(lambda: all(player.updates for player in people))
    return tables[0], tables[1]


def give(room: Room, subject: str, person: str = "dora") -> asyncio.Task[Answer[Event]]:
    return asyncio.create_task(room.send(subject, c.ReplaceSeat(0, person, "illness"), "ref"))


async def given_at_once(rooms: tuple[Room, Room], tables: tuple[str, str]) -> None:
    """Each replica gives a seat of its own before it could know of the other's."""
    store = rooms[0].store
    assert isinstance(store, Hold)
    store.open.clear()
    giving = [give(room, subject) for room, subject in zip(rooms, tables, strict=True)]
    await rooms[0].settle()
    store.open.set()
    await asyncio.gather(*giving)


async def replaced(room: Room, subject: str) -> list[SeatReplaced]:
    """What a table's records tell of seats that changed hands."""
    told: list[Event] = []
    async for stored in room.log.read(subject):
        record = ledger.decode(stored.data)
        key = None
        if record.sealed:
            path = record.header.key_ids[0]
            key = log_key(StandInDealer.leaf("cup", path), subject.rpartition(".")[2], path)
        told += map(EVENTS.decode, ledger.body_of(record, key).events)
    return [event for event in told if isinstance(event, SeatReplaced)]


async def test_the_first_seat_counts_and_of_the_other_nothing_was_shown(rooms: tuple[Room, Room]) -> None:
    tables = await dealt(rooms[0])
    lines = [Player(room, "dora") for room in rooms]
    await given_at_once(rooms, tables)
    await rooms[0].until(lambda: any(line.updates for line in lines))
    stands, other = sorted(tables, key=lambda one: "dora" not in rooms[0].table(one).people)
    for room in rooms:
        await room.until(lambda room=room: "dora" not in room.table(other).people)  # type: ignore[misc]
        assert room.table(stands).people[0] == "dora"
        assert room.table(stands).joined[0]
        assert room.hall.seating.place("cup", "dora") == (stands, 0)
    back = (await replaced(rooms[0], other))[-1]
    before = rooms[0].table(other).facts.seats[0].person_id
    assert (back.person_id, back.sits_at) == (before, stands.rpartition(".")[2])
    assert rooms[0].board(other).left == (before,)
    seen = [message.seated.table for line in lines for message in line.got if message.HasField("seated")]
    assert set(seen) == {stands.rpartition(".")[2]}


@pytest.mark.parametrize("comes", [True, False], ids=["sits", "has not come"])
async def test_a_seat_that_is_confirmed_stands_though_another_is_older_by_its_clock(
    rooms: tuple[Room, Room], comes: bool
) -> None:
    one, two = await dealt(rooms[0])
    lines = [Player(rooms[0], "dora")] if comes else []
    behind_us = rooms[0].time.now_us()
    await rooms[0].wind(1)
    first = await give(rooms[0], one)
    assert await rooms[0].admission.counts(Place(one, 0), first)
    await rooms[0].until(lambda: all(line.updates for line in lines))
    slow = rooms[1].time = type(rooms[1].time)()
    slow.wind(behind_us)
    rooms[1].log._clock = slow.now_us  # a replica whose clock is behind
    second = await give(rooms[1], two)
    for room in rooms:
        await room.until(lambda room=room: "dora" not in room.table(two).people)  # type: ignore[misc]
        assert room.table(one).people[0] == "dora"
    given, back = await replaced(rooms[0], two)
    assert (given.person_id, back.sits_at) == ("dora", "t1")
    assert await rooms[1].admission.counts(Place(one, 0), first)
    assert not await rooms[0].admission.counts(Place(two, 0), second)


async def test_what_the_replica_that_gave_a_seat_left_undone_is_done_by_the_next_one() -> None:
    store, dealer = MemoryStore(), StandInDealer()
    first = await Room(store, dealer).start()
    tables = await dealt(first)
    first.stopping.set()
    await first.settle()
    for subject in tables:
        await give(first, subject)
    assert all(first.table(subject).people[0] == "dora" for subject in tables)
    second = await Room(store, dealer, first.time, "b").start()
    await second.until(lambda: second.table(tables[0]).people[0] == "dora")
    await second.until(lambda: second.table(tables[1]).people[0] == "dina")
    await second.until(lambda: not any(second.table(tables[0]).given_us))
    assert second.table(tables[0]).people[0] == "dora"
    await first.stop()
    await second.stop()


async def test_nobody_is_let_in_while_it_cannot_be_known_where_else_it_was_given_a_seat(
    rooms: tuple[Room, Room], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is shown to it, nor does an answer count, whatever it knows of the table."""
    one, _ = await dealt(rooms[0])
    away = True
    last = rooms[0].store.last_sequence

    async def unavailable(stream: str) -> int:
        if away:
            raise StoreUnavailable("no leader")
        return await last(stream)

    monkeypatch.setattr(rooms[0].store, "last_sequence", unavailable)
    dora = Player(rooms[0], "dora")
    await give(rooms[0], one)
    await rooms[0].settle()
    assert set(dora.kinds()) == {"waiting"}
    with pytest.raises(Rejected, match="NOT_SEATED"):
        rooms[0].answers.send("cup", "dora", pb.Answer(command_id="x", board=1, ask=1))
    away = False
    await rooms[0].until(lambda: bool(dora.updates))
    assert dora.updates[0].view.paohuzi.hand


async def test_who_gets_a_seat_a_second_time_sits_down_a_second_time(rooms: tuple[Room, Room]) -> None:
    one, _ = await dealt(rooms[0])
    dora = Player(rooms[0], "dora")
    for person in ("dora", "anna", "dora"):
        await give(rooms[0], one, person)
        await rooms[0].until(lambda: rooms[0].table(one).joined[0])
    await rooms[0].until(lambda: dora.kinds()[-1] == "update")


async def test_of_three_seats_the_first_counts_though_another_replica_gives_one_back_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    room = await Room().start()
    tables = [*await dealt(room), await room.open(facts(table="t3", seats=(Seat(7, "gina"), *OTHERS[1:])))]
    room.stopping.set()
    await room.settle()
    given = [await give(room, subject) for subject in tables]
    handle = room.log.handle

    async def both(subject: str, command: c.Command, *more: Any, **named: Any) -> Any:
        monkeypatch.setattr(room.log, "handle", handle)
        for other, before in zip(tables[1:], ("dina", "gina"), strict=True):
            assert room.table(other).instead[0] == before
            back = c.GiveSeatBack(0, "dora", "t1", room.table(other).given_us[0])
            await room.send(other, back, "service:table")
        return await handle(subject, command, *more, **named)

    monkeypatch.setattr(room.log, "handle", both)
    assert [
        await room.admission.counts(Place(one, 0), answer) for one, answer in zip(tables, given, strict=True)
    ] == [
        True,
        False,
        False,
    ]
    assert [room.table(subject).people[0] for subject in tables] == ["dora", "dina", "gina"]
    await room.stop()


async def test_a_seat_that_goes_back_to_somebody_who_sits_elsewhere_by_now_is_house_ais() -> None:
    """Else the two would hand it to each other for ever."""
    room = await Room().start()
    one, two = await dealt(room)
    seats = tuple(Seat(n + 7, person) for n, person in enumerate(("gina", "hugo", "inge")))
    three = await room.open(facts(table="t3", seats=seats, boards=(BoardSlot(9, 1),)))
    room.stopping.set()
    await room.settle()
    _, given, _ = [
        await give(room, subject, person)
        for subject, person in ((two, "dora"), (one, "dora"), (three, "anna"))
    ]
    assert not await room.admission.counts(Place(one, 0), given)
    assert [one.person_id for one in await replaced(room, one)] == ["dora", "anna", ""]
    assert [room.table(subject).people[0] for subject in (two, three)] == ["dora", "anna"]
    await room.stop()


async def test_no_table_is_looked_at_that_a_person_has_nothing_to_do_with(
    rooms: tuple[Room, Room], monkeypatch: pytest.MonkeyPatch
) -> None:
    room = rooms[0]
    one, two = await dealt(room)
    table, looked_at = room.hall.table, list[str]()

    def looking(subject: str) -> Any:
        looked_at.append(subject)
        return table(subject)

    monkeypatch.setattr(room.hall, "table", looking)
    assert not list(elsewhere(room.hall, one, "dora"))
    assert set(looked_at) == {one}
    assert list(elsewhere(room.hall, one, "dina")) == [(two, "boards")]


async def test_who_was_confirmed_on_a_board_that_a_replica_passes_over_is_seated_there() -> None:
    """Its line is not to wait for ever."""
    store, keyless = MemoryStore(), StandInDealer()
    keyless.away = True
    first = await Room(store).start()
    first.stopping.set()
    subject = await first.open(facts(board_pause_ms=0))
    await give(first, subject)
    for player in (Player(first, "bo"), Player(first, "chen")):
        await first.until(lambda player=player: bool(player.kinds()))  # type: ignore[misc]
    await first.wind(60)
    await first.until(lambda: first.table(subject).live is not None and first.board(subject).game is not None)
    second = await Room(store, keyless, first.time, "b", owns=lambda subject: False).start()
    dora = Player(second, "dora")
    confirm = c.ConfirmSeat(0, "dora", first.table(subject).given_us[0])
    await first.send(subject, confirm, "service:table")
    assert set(dora.kinds()) == {"waiting"}
    await first.send(subject, c.CloseBoard("no light"), "ref")
    await first.wind(1)
    await second.until(lambda: second.table(subject).closed == 1)
    await second.until(lambda: "seated" in dora.kinds())
    keyless.away = False
    await first.stop()
    await second.stop()


async def test_where_another_history_stands_who_has_no_seat_there_is_shown_nothing_more() -> None:
    """C1.6, C6.4: and who has one sits there."""
    room = await Room().start()
    anna, bo, chen, dora = (Player(room, person) for person in ("anna", "bo", "chen", "dora"))
    subject = await room.open()
    await room.until(lambda: bool(anna.updates))
    shared = [one async for one in room.store.read(subject)]
    await give(room, subject)
    await room.until(lambda: bool(dora.updates))
    assert anna.kinds()[-1] == "waiting"
    other = await Replica(await made_of(shared), StandInDealer()).start()
    await other.log.unlock(subject)
    await other.send(c.CallReferee(1, "noise"), "bo")
    branch = [one async for one in other.log.read(subject)][len(shared) :]
    last = room.log.head(subject).sequence
    ruled = Ruled(len(shared) + 1, last, tuple(one.data for one in branch))
    await room.hall.rule(subject, ruled)
    await room.until(lambda: dora.kinds()[-1] == "waiting")
    await room.until(lambda: anna.kinds()[-1] == "update")
    assert room.hall.seating.place("cup", "anna") == (subject, 0)
    assert room.hall.seating.place("cup", "dora") is None
    seen = len(dora.updates)
    await chen.answer() if chen.view.ask else await bo.answer() if bo.view.ask else await anna.answer()
    assert len(dora.updates) == seen
    await other.stop()
    await room.stop()


async def test_a_board_that_was_opened_and_not_dealt_when_a_replica_came_is_followed_there() -> None:
    writer = await Replica(MemoryStore(), StandInDealer()).start()
    await writer.open()
    await writer.open_board()
    room = await Room(writer.log._store, owns=lambda subject: False).start()
    await writer.deal()
    await room.until(lambda: room.board(SUBJECT).game is not None)
    await room.stop()
    await writer.stop()
