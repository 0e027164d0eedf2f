"""Two boards that differ in what one seat alone knows: over gRPC the other seats get the same bytes at the same times.

The table service is the real one behind its real server; its clock is wound by the test, its deals are the test's. Excepted are
receipts, hashes of ciphertext, and nothing else.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import asyncpg
import pytest

from fupan.table.v1 import service_pb2 as pb
from services.ledger import dealing
from services.ledger.games import GAMES
from services.table import app, ear
from tests.e2e import courses
from tests.e2e.courses import Course, Pair
from tests.servers import SECONDS
from tests.table.serving import CUP, PEOPLE, Service, Stream, World, paired, serving, started

TICK_US = 200_000
"""So often the test looks; a player answers one tick after it sees a question, well within the claim floor of 800 ms."""

TURN_US = 20_000
"""Between two seats of a tick: no two answers come at the same time."""

CLOCK_US = 600_000_000
"""Of every question; none runs out."""

ANSWERS = 14
GAME = GAMES["paohuzi"]


class StillTime:
    """A clock that stands until it is wound."""

    def __init__(self) -> None:
        self._now_us = 1_000_000_000_000
        self._alarms: list[tuple[int, int, list[Callable[[], None]]]] = []
        self._order = itertools.count()

    def now_us(self) -> int:
        return self._now_us

    def alarm(self, at_us: int, ring: Callable[[], None]) -> Alarm:
        calls = [ring]
        heapq.heappush(self._alarms, (at_us, next(self._order), calls))
        return Alarm(calls)

    def wind(self, us: int) -> bool:
        """Let time pass; everything due rings. Whether anything did."""
        return self.wind_to(self._now_us + us)

    def wind_to(self, end: int) -> bool:
        rang = False
        while self._alarms and self._alarms[0][0] <= end:
            at_us, _, calls = heapq.heappop(self._alarms)
            self._now_us = max(self._now_us, at_us)
            for ring in calls:
                rang = True
                ring()
        self._now_us = end
        return rang


class Alarm:
    def __init__(self, calls: list[Callable[[], None]]) -> None:
        self._calls = calls

    def cancel(self) -> None:
        self._calls.clear()


class Seat:
    """A player who answers what its course says."""

    def __init__(self, number: int, stream: Stream, course: Course, time: StillTime) -> None:
        self.begun_us = 0
        """When the first question was shown, from which times are told."""
        self.said: list[bytes] = []
        """Its answers."""
        self._number = number
        self._stream = stream
        self._course = course
        self._time = time
        self._messages: list[tuple[int, pb.PlayResponse]] = []
        self._seen = self._answered = (0, 0)
        self._pongs = 0

    def got(self) -> list[tuple[int, bytes]]:
        """Everything it was sent and when, in turns.

        Deadlines are told from the beginning, too, and receipts left out. An answer may be accepted in a message of its own or in
        the view it led to: that depends on what the connection is busy with, and here it is always a message of its own.
        """
        told = []
        for at_us, message in self._messages:
            turn = max(0, at_us - self.begun_us) // TURN_US
            accepted = [message.accepted] if message.HasField("accepted") else list(message.update.accepted)
            told += [(turn, one.command_id.encode()) for one in accepted]
            if message.HasField("accepted"):
                continue
            if message.HasField("update"):
                message.update.ClearField("accepted")
                if message.update.deadline_us:
                    message.update.deadline_us -= self.begun_us
            told.append((turn, message.SerializeToString()))
        return told

    def view(self) -> Any:
        """What it sees last."""
        return GAME.views.from_proto(self._stream.last("update").view.paohuzi)

    async def ping(self) -> None:
        """Return when everything that was on its way has come: a token that is none is refused at once."""
        await self._stream.send(renewal=pb.TokenRenewal(token="none"))
        self._pongs += 1
        await self._stream.until(lambda: sum(map(_is_pong, self._stream.got)) >= self._pongs)

    def note(self) -> None:
        """Take down what has come."""
        come = [one for one in self._stream.got if not _is_pong(one)]
        for message in come[len(self._messages) :]:
            kept = pb.PlayResponse.FromString(message.SerializeToString())
            self._messages.append((self._time.now_us(), kept))

    async def turn(self) -> bool:
        """Answer a question that was there at the last turn already; whether it did."""
        update = self._stream.last("update")
        asked = (update.board, update.ask) if update is not None and update.ask else (0, 0)
        if not asked[1] or asked == self._answered or asked != self._seen:
            self._seen = asked
            return False
        action = self._course.answers.get((self._number, GAME.views.from_proto(update.view.paohuzi)))
        if action is None:
            return False
        self._answered = asked  # it stays in view while the claim floor lasts
        answer = pb.Answer(
            command_id=f"{self._number}.{update.board}.{update.ask}",
            board=update.board,
            ask=update.ask,
            paohuzi=GAME.actions.to_proto(action),
        )
        self.said.append(answer.SerializeToString())
        await self._stream.send(answer=answer)
        return True


def _is_pong(message: pb.PlayResponse) -> bool:
    return message.HasField("refused") and message.refused.reason == "TOKEN_INVALID"


async def _cleared(database: str) -> None:
    connection = await asyncpg.connect(database)
    await connection.execute("DROP SCHEMA IF EXISTS table_archive CASCADE")
    await connection.close()


async def observed(world: World, course: Course, ticks: int, patch: pytest.MonkeyPatch) -> list[Seat]:
    """What each seat gets when the course is played."""
    time = StillTime()
    patch.setattr(app, "SteadyTime", lambda clock: time)
    patch.setattr(dealing, "deal", lambda *_: course.deal)
    patch.setattr(
        ear, "EVEN_SECONDS", 0.0
    )  # refusals wait by a clock that is not ours (tests/table/test_even.py)
    await _cleared(world.database)
    async with serving(world) as service:
        seats = await _seated(service, course, time)
        for _ in range(ticks):
            for seat in seats:
                if await seat.turn():
                    await _settled(seats)
                if time.wind(TURN_US):
                    await _settled(seats)
            if time.wind(TICK_US - len(seats) * TURN_US):
                await _settled(seats)
    return seats


async def _seated(service: Service, course: Course, time: StillTime) -> list[Seat]:
    """Everybody at the table, and the board dealt."""
    clocks = CLOCK_US // 1000
    await paired(service.log, claim_floor_ms=800, play_clock_ms=clocks, claim_clock_ms=clocks)
    streams = [service.play(person) for person in PEOPLE]
    for stream in streams:
        await stream.until(partial(stream.last, "waiting"))
    seats = [Seat(number, stream, course, time) for number, stream in enumerate(streams)]
    await service.log.write(CUP, started())
    async with asyncio.timeout(SECONDS):
        while not all(stream.last("update") for stream in streams):
            time.wind(10)
            await _settled(seats)
    # The first question was shown a moment ago; its clock tells when.
    first_us = min(update.deadline_us for stream in streams if (update := stream.last("update")).ask)
    for seat in seats:
        seat.begun_us = first_us - CLOCK_US
    time.wind_to(first_us - CLOCK_US + TICK_US)
    return seats


async def _settled(seats: Iterable[Seat]) -> None:
    for _ in range(2):
        await asyncio.gather(*(seat.ping() for seat in seats))
    for seat in seats:
        seat.note()


def pairs(found: Callable[[int, int], Iterator[Pair]], like: Callable[[Pair], bool]) -> Iterator[Pair]:
    """Pairs of a kind, one a deal."""
    for seed in itertools.count():
        pair = next((one for one in found(seed, ANSWERS) if like(one)), None)
        if pair is not None:
            yield pair


KINDS: dict[str, Any] = {
    "a tile that nobody asks about": (courses.other_tiles, lambda pair: not pair.silent),
    "a tile that has its holder asked": (courses.other_tiles, lambda pair: pair.silent),
    "a claim that others outrank": (courses.other_choices, lambda pair: True),
}


async def nobody_else_notices(world: World, pair: Pair, patch: pytest.MonkeyPatch) -> None:
    """Play both courses; all seats but the odd one are sent the same."""
    ticks = 6 * len(pair.first.seen_without(pair.odd))
    first = await observed(world, pair.first, ticks, patch)
    second = await observed(world, pair.second, ticks, patch)
    told = [[seat.got() for seat in seats] for seats in (first, second)]
    for seat in {0, 1, 2} - {pair.odd}:
        assert told[0][seat] == told[1][seat]
        assert first[seat].view() == pair.first.shown[-1][seat], "the course was not played to its end"
    odd = [(told[run][pair.odd], seats[pair.odd].said) for run, seats in enumerate((first, second))]
    assert odd[0] != odd[1], "the two do not differ at all"


@pytest.mark.parametrize("kind", KINDS)
async def test_the_others_get_the_same_bytes_at_the_same_times(
    world: World, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    await nobody_else_notices(world, next(pairs(*KINDS[kind])), monkeypatch)
