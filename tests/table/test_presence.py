"""Replicas: who lives, who acts first, and what happens when the owner of a table falls silent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from services.runtime.memory import MemoryStore
from services.table.model.events import Seat
from services.table.presence import SILENCE, Presence
from tests.table.given import PEOPLE, facts
from tests.table.halls import Player, Room, WoundTime
from tests.table.logs import SUBJECT, StandInDealer


class Wire:
    """Everybody hears everything at once."""

    def __init__(self) -> None:
        self._hearers: dict[str, list[Callable[[bytes], Awaitable[None]]]] = {}

    async def say(self, subject: str, data: bytes) -> None:
        for hearer in self._hearers.get(subject, []):
            await hearer(data)

    async def hear(self, subject: str, hearer: Callable[[bytes], Awaitable[None]]) -> None:
        self._hearers.setdefault(subject, []).append(hearer)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def presence(replica: str, wire: Wire, monotonic: Callable[[], float] = lambda: 0.0) -> Presence:
    return Presence("e2026", replica, wire, monotonic, census=0)


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def clock() -> Clock:
    return Clock()


async def test_a_replica_without_others_owns_every_table(wire: Wire) -> None:
    only = presence("a", wire)
    await only.start()
    assert only.alone
    assert only.owns(SUBJECT)
    assert Presence("e2026", "a", None).owns(SUBJECT)


async def test_a_starting_replica_learns_who_lives_and_all_agree_who_owns_a_table(wire: Wire) -> None:
    replicas = [presence(name, wire) for name in "abc"]
    for replica in replicas:
        await replica.start()
    assert not any(replica.alone for replica in replicas)
    owners = [[replica.owns(f"table {n}") for replica in replicas] for n in range(300)]
    assert all(sum(owner) == 1 for owner in owners)
    shares = [sum(owner[i] for owner in owners) for i in range(3)]
    assert min(shares) > 60


async def test_a_replica_that_falls_silent_is_gone_and_its_tables_are_shared_out(
    wire: Wire, clock: Clock
) -> None:
    first, second = (presence(name, wire, clock) for name in "ab")
    changes: list[str] = []
    first.on_change = lambda: changes.append("a sees")
    await first.start()
    await second.start()
    assert changes == ["a sees"]
    clock.now = SILENCE
    first.bury(clock.now)
    assert not first.alone
    clock.now = SILENCE + 0.1
    first.bury(clock.now)
    assert first.alone
    assert changes == ["a sees", "a sees"]


async def test_a_replica_that_stops_says_goodbye_and_one_that_stood_still_is_told(
    wire: Wire, clock: Clock
) -> None:
    first, second = (presence(name, wire, clock) for name in "ab")
    await first.start()
    await second.start()
    stopping, stalls = asyncio.Event(), list[float]()

    async def stalled(seconds: float) -> None:
        stalls.append(seconds)
        stopping.set()

    second.on_stall = stalled
    running = asyncio.create_task(second.run(stopping))
    await asyncio.sleep(0)
    clock.now += 7
    await running
    assert stalls == [7]
    assert first.alone


async def test_replicas_tell_each_other_of_new_streams(wire: Wire) -> None:
    first, second = (presence(name, wire) for name in "ab")
    told: list[tuple[str, str]] = []
    first.on_attached = second.on_attached = lambda championship, person: told.append((championship, person))
    await first.start()
    await second.start()
    await second.attached("cup", "anna")
    await wire.say("fupan.live.table.e2026.stream", b"\xff")
    assert told == [("cup", "anna")]


@pytest.fixture
async def pair() -> AsyncIterator[tuple[Room, Room]]:
    """Two replicas of one time and log; the first owns every table."""
    store, dealer, time = MemoryStore(), StandInDealer(), WoundTime()
    owner = await Room(store, dealer, time, "a").start()
    other = await Room(store, dealer, time, "b", lambda subject: False).start()
    yield owner, other
    await other.stop()
    await owner.stop()


async def test_players_sit_at_any_replica_and_see_the_same_table(pair: tuple[Room, Room]) -> None:
    owner, other = pair
    await owner.open(facts(claim_floor_ms=0))
    anna, bo, chen = Player(owner, "anna"), Player(other, "bo"), Player(other, "chen")
    await owner.until(lambda: all(player.updates for player in (anna, bo, chen)))
    for _ in range(12):
        asked = [player for player in (anna, bo, chen) if player.view.ask]
        if not asked:
            break
        said = await asked[0].answer()
        assert said.WhichOneof("kind") == "accepted"
        sequence = owner.log.head(SUBJECT).sequence
        await owner.until(lambda n=sequence: min(r.log.head(SUBJECT).sequence for r in pair) >= n)  # type: ignore[misc]
    assert owner.table(SUBJECT) == other.table(SUBJECT)


async def test_another_replica_steps_in_when_the_owner_does_nothing(pair: tuple[Room, Room]) -> None:
    owner, other = pair
    house = tuple(Seat(n, "") for n in range(1, len(PEOPLE) + 1))
    owner.steward.see_to = lambda desk, table: None  # type: ignore[method-assign]
    await owner.open(facts(seats=house, claim_floor_ms=0))
    await other.until(lambda: other.log.state(SUBJECT) is not None)
    await other.wind(1.9)
    assert other.table(SUBJECT).board is None
    await other.wind(0.2)
    assert other.table(SUBJECT).board is not None
    for _ in range(100):
        await other.wind(2.1)
        await other.until(lambda: True)
        if other.table(SUBJECT).closed:
            break
    assert other.table(SUBJECT).closed


async def test_a_stream_at_another_replica_ends_the_one_here(pair: tuple[Room, Room]) -> None:
    owner, other = pair
    other.hall.on_attached = owner.hall.attached_elsewhere
    first = Player(owner, "anna")
    second = Player(other, "anna")
    await owner.settle()
    assert first.got[-1].closed.reason == "REPLACED"
    assert second.kinds() == ["waiting"]
