"""Spectators of a match: late, without a hidden card, and nothing at all of boards that others play too (design: views)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from fupan.table.v1 import service_pb2 as pb
from services.domain import Rejected
from services.runtime.errors import Unavailable
from services.runtime.forks import Ruled
from services.runtime.log import Applied, Envelope
from services.runtime.memory import MemoryStore
from services.table import codec, views
from services.table.gallery import LOOK_US, Gallery
from services.table.leaves import Leaf, Leaves, Opened
from services.table.model import commands as c
from services.table.model.events import Event, MatchTerms
from services.table.model.state import Table
from services.table.stage import newest
from services.table.views import Shown
from tests.servers import SECONDS
from tests.table.four import boards, match
from tests.table.halls import Room
from tests.table.logs import Replica
from tests.table.test_hall_shengji import play_on, seated

LATE_US = 60_000_000


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    room = await Room().start()
    yield room
    await room.stop()


def gallery_of(room: Room, late_us: int = LATE_US) -> Gallery:
    return Gallery(room.hall, room.leaves, room.time, late_us)


class Spectator:
    """Somebody who watches: everything that was shown, and when."""

    def __init__(self, room: Room, gallery: Gallery, subject: str) -> None:
        self.seen: list[tuple[int, Shown]] = []
        self._room = room
        self.task = asyncio.create_task(self._watch(gallery, subject))

    async def _watch(self, gallery: Gallery, subject: str) -> None:
        async for shown in gallery.watch(subject):
            self.seen.append((self._room.time.now_us(), shown))


async def test_spectators_see_a_match_late_and_never_a_hidden_card(room: Room) -> None:
    happened: list[tuple[int, Shown]] = []

    def note(applied: Applied[Table, Event]) -> None:
        assert applied.meta is not None
        after = applied.after
        happened.append((applied.meta.time_us, views.seat(after, newest(after), None)))

    room.log.listen(note)
    subject, players = await seated(room, match(deals=2, board_pause_ms=0))
    first = Spectator(room, gallery := gallery_of(room), subject)
    await play_on(room, subject, players)
    second = Spectator(room, gallery, subject)
    await room.settle()
    assert [shown for _, shown in second.seen] == [shown for _, shown in first.seen[-1:]]
    await play_on(room, subject, players, 2)
    await room.wind(2 * LATE_US / 1_000_000)
    async with asyncio.timeout(SECONDS):  # the match is over, and so are the streams
        await asyncio.gather(first.task, second.task)

    assert first.seen[-1][1] == happened[-1][1]
    for at_us, shown in first.seen:
        late = [one for time_us, one in happened if time_us <= at_us - LATE_US]
        soon = [one for time_us, one in happened if time_us <= at_us - LATE_US - LOOK_US - 1_000]
        assert shown in late[max(0, len(soon) - 1) :]
        message = pb.Update.FromString(codec.update(1, "shengji", shown))
        assert not message.view.shengji.hand
        assert not message.view.shengji.bottom
    assert len(first.seen) > 5


async def test_c6_4_boards_that_others_play_too_are_not_shown_before_all_have_closed_them(room: Room) -> None:
    subject, _ = await seated(room, boards())
    with pytest.raises(Rejected) as refused:
        await anext(aiter(gallery_of(room).watch(subject)))
    assert (refused.value.reason, refused.value.clause) == ("BOARD_OPEN", "C6.4")


async def test_what_happens_with_real_cards_is_not_seen_here(room: Room) -> None:
    terms = MatchTerms(90 * 60_000, 0, False, real_cards=True)
    subject = await room.open(match(match=terms))
    with pytest.raises(Rejected) as refused:
        await anext(aiter(gallery_of(room).watch(subject)))
    assert (refused.value.reason, refused.value.clause) == ("PLAYED_WITH_REAL_CARDS", "C1.3")


async def test_a_dealer_that_is_away_delays_spectators_and_ends_nothing(room: Room) -> None:
    subject, players = await seated(room, match(deals=1, board_pause_ms=0))
    await play_on(room, subject, players)
    leaves = Leaves(away := Away(room))
    spectator = Spectator(room, Gallery(room.hall, leaves, room.time, LATE_US), subject)
    await room.wind(3 * LATE_US / 1_000_000)
    await room.until(lambda: bool(spectator.seen))
    assert [deals_of(shown) for _, shown in spectator.seen] == [0]
    away.back = True
    await room.wind(LOOK_US / 1_000_000)
    await room.until(lambda: deals_of(spectator.seen[-1][1]) == 1)
    spectator.task.cancel()


def deals_of(shown: Shown) -> int:
    """How many deals of its match have been played."""
    return 0 if shown.course is None else len(shown.course.played)


class Away:
    """A dealer who gives nothing out until it is back."""

    def __init__(self, room: Room) -> None:
        self.back = False
        self._dealer = room.dealer

    async def __call__(self, boards: Sequence[Opened]) -> Sequence[Leaf]:
        if not self.back:
            raise Unavailable("PEER_UNAVAILABLE")
        return await self._dealer.ask(boards)


async def test_spectators_see_the_history_that_stands_once_it_is_decided(room: Room) -> None:
    """C9.2: a pause that somebody wrote into the stream is gone where the archive knows of none."""
    subject, _ = await seated(room, match(deals=1, board_pause_ms=0))
    before = [stored async for stored in room.store.read(subject)]
    await room.send(subject, c.PauseTable("forged"), "ref")
    spectator = Spectator(room, gallery_of(room), subject)
    await room.wind(2 * LATE_US / 1_000_000)
    assert spectator.seen[-1][1].paused
    kept, last = MemoryStore(), 0
    for stored in before:
        last = await kept.append(subject, stored.data, last)
    other = await Replica(kept, room.dealer).start()
    other.now_us = room.time.now_us()
    await other.log.unlock(subject)
    await other.log.handle(subject, c.CallReferee(0, "help"), Envelope("anna", "call"))
    *_, branch = [stored async for stored in kept.read(subject)]
    await other.stop()
    until = await room.store.last_sequence(branch.stream)
    await room.hall.rule(subject, Ruled(len(before) + 1, until, (branch.data,)))
    await room.wind(2 * LOOK_US / 1_000_000)
    assert not spectator.seen[-1][1].paused
    assert spectator.seen[-1][1].view is not None
    spectator.task.cancel()
