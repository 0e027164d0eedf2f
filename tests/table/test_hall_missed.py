"""How a board ended is not lost to who was away when it did and when the next one began (design: resumable, P13)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import pytest

from fupan.table.v1 import service_pb2 as pb
from services.runtime.memory import MemoryStore
from services.table.model import commands as c
from services.table.model.events import BoardSlot
from services.table.recovery import Recovery
from services.table.stage import KEPT
from tests.table.halls import Player, Room
from tests.table.logs import StandInDealer
from tests.table.test_hall import play, play_out, seated


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    room = await Room().start()
    yield room
    await room.stop()


async def left(room: Room, player: Player) -> None:
    """A player's connection breaks."""
    room.hall.detach(player.line)
    player.line.close("")
    await player.task


async def second_board(room: Room, subject: str, players: list[Player]) -> None:
    """The first board is played out, and the second is in view."""
    await play_out(room, subject, players)
    await room.wind(10)
    await room.until(lambda: players[-1].view.board == 2)


def told(player: Player) -> list[tuple[int, list[int]]]:
    """Board and scores of every update."""
    return [(one.board, list(one.result.scores)) for one in player.updates]


async def away(room: Room, **changes: Any) -> tuple[str, list[Player], int]:
    """A table whose first board ended, and whose second began, while the first player was away; its cursor."""
    subject, players = await seated(room, play_clock_ms=1000, claim_clock_ms=1000, **changes)
    await left(room, players[0])
    await second_board(room, subject, players[1:])
    return subject, players, players[0].view.cursor


async def test_who_was_away_is_sent_the_end_first_and_then_the_board_that_is_played(room: Room) -> None:
    subject, (_, bo, _), cursor = await away(room)
    back = Player(room, "anna", cursor)
    await room.settle()
    (end,) = [one for one in bo.updates if one.HasField("result")]
    assert told(back) == [(1, list(end.result.scores)), (2, [])]
    assert [one.cursor for one in back.updates] == [cursor + 1, cursor + 2]
    assert back.updates[0].view.paohuzi.over
    assert back.updates[0].view.paohuzi.seat == 0
    assert back.view.view.paohuzi.hand
    assert room.board(subject).slot.board == 2


async def test_its_cursor_says_that_it_has_seen_it(room: Room) -> None:
    _, _, cursor = await away(room)
    back = Player(room, "anna", cursor)
    await room.settle()
    seen, shown = back.updates
    for at, boards in ((shown.cursor, [2]), (seen.cursor, [2]), (seen.cursor - 1, [1, 2]), (0, [1, 2])):
        await left(room, back)
        again = Player(room, "anna", at)
        await room.settle()
        assert [one.board for one in again.updates] == boards
        back = again


async def test_who_saw_it_live_is_not_sent_it_again(room: Room) -> None:
    subject, players = await seated(room)
    await second_board(room, subject, players)
    bo = players[1]
    await left(room, bo)
    back = Player(room, "bo", bo.view.cursor)
    await room.settle()
    assert told(back) == [(2, [])]


async def test_a_substitute_is_sent_no_end_of_a_board_it_did_not_play(room: Room) -> None:
    """C1.6."""
    subject, _, _ = await away(room)
    await room.send(subject, c.ReplaceSeat(0, "dora", "unwell"), "ref")
    dora = Player(room, "dora")
    await room.settle()
    assert told(dora) == [(2, [])]


async def test_a_board_whose_end_is_not_shown_yet_is_not_told_ahead_of_it(room: Room) -> None:
    """P6.4: what follows a tile waits for the claim floor."""
    subject, players = await seated(room)
    await play(room, subject, players)
    again = Player(room, "anna")
    await room.settle()
    assert room.table(subject).result is not None
    assert told(again) == [(1, [])]
    # Nor is the stream that this one replaces.
    assert (players[0].kinds()[-1], players[0].view.HasField("result")) == ("closed", False)


@pytest.mark.parametrize("key", ["at hand", "late"])
async def test_a_replica_that_has_just_started_shows_nothing_before_the_floor(room: Room, key: str) -> None:
    """P6.4: what a decision brings is shown no earlier by a replica that has just started, or got the board's key late."""
    subject, players = await seated(room)
    (desk,) = room.hall.desks()
    while not (desk.stage.next_us and any(player.view.view.paohuzi.current for player in players)):
        await next(player for player in players if player.asked).answer()
    other = Room(room.store, room.dealer, room.time, "other", lambda _: False)
    await other.log.start(["TABLE-e2026-0"])
    if key == "at hand":
        await other.log.unlock(subject)
    locked = other.hall.open()
    assert len(locked) == (key == "late")
    for one in locked:
        await other.recovery.bring_back(one)
    again = Player(other, "anna")
    await other.settle()
    assert again.view.view == players[0].view.view
    await room.wind((desk.stage.shown_us - room.time.now_us()) / 1e6)
    await other.settle()
    assert again.view.view == players[0].view.view
    assert room.hall.table(subject) == other.hall.table(subject)
    await other.stop()


async def test_after_a_restart_what_the_board_came_to_is_told(room: Room) -> None:
    """The replica has read its closing only; the cards are there once it is closed everywhere."""
    store, dealer = MemoryStore(), StandInDealer()
    first = await Room(store, dealer, room.time).start()
    subject, players, _ = await away(first)
    scores = next(list(one.result.scores) for one in players[1].updates if one.HasField("result"))
    await first.stop()
    second = Room(store, dealer, first.time)
    await second.log.start(["TABLE-e2026-0"])
    locked = second.hall.open()
    back = Player(second, "anna")
    await Recovery(second.hall, second.steward, second.time, asyncio.Event()).run(locked, 0)
    await second.settle()
    assert told(back) == [(1, scores), (2, [])]
    assert back.updates[0].view == pb.SeatView()
    assert subject == back.line.subject
    await second.stop()


async def away_long(room: Room, boards: int) -> tuple[str, list[Player], dict[int, pb.Update]]:
    """A table whose first player was away while `boards` ended and the next began; the ends as they were
    shown live."""
    slots = tuple([BoardSlot(number, 1) for number in range(1, boards + 2)])
    subject, players = await seated(room, play_clock_ms=1000, claim_clock_ms=1000, boards=slots)
    await left(room, players[0])
    bo = players[1]
    for board in range(2, boards + 2):
        await play_out(room, subject, players[1:])
        await room.wind(10)
        await room.until(partial(shows, bo, board))
    ends = {one.board: one for one in bo.updates if one.HasField("result")}
    assert list(ends) == list(range(1, boards + 1))
    return subject, players, ends


def shows(player: Player, board: int) -> bool:
    return player.view.board == board


async def test_who_was_away_for_several_boards_is_sent_every_end_in_its_order(room: Room) -> None:
    _, (anna, *_), ends = await away_long(room, 3)
    back = Player(room, "anna", anna.view.cursor)
    await room.settle()
    assert told(back) == [*((board, list(end.result.scores)) for board, end in ends.items()), (4, [])]
    assert all(one.view.paohuzi.over and one.view.paohuzi.seat == 0 for one in back.updates[:3])
    cursors = [one.cursor for one in back.updates]
    assert cursors == list(range(cursors[0], cursors[0] + 4))


async def test_a_cursor_among_several_ends_says_which_are_left(room: Room) -> None:
    _, (anna, *_), _ = await away_long(room, 3)
    back = Player(room, "anna", anna.view.cursor)
    await room.settle()
    for seen, left_over in ((1, [2, 3, 4]), (2, [3, 4]), (3, [4])):
        at = back.updates[-1 - len(left_over)].cursor
        assert back.updates[-1 - len(left_over)].board == seen
        await left(room, back)
        back = Player(room, "anna", at)
        await room.settle()
        assert [one.board for one in back.updates] == left_over
        await left(room, back)
        back = Player(room, "anna")
        await room.settle()
        assert [one.board for one in back.updates] == [1, 2, 3, 4]


async def test_of_boards_long_past_it_is_told_what_they_came_to(room: Room) -> None:
    _, _, ends = await away_long(room, KEPT + 1)
    back = Player(room, "anna")
    await room.settle()
    assert [one.board for one in back.updates] == [*ends, KEPT + 2]
    assert [one.HasField("view") for one in back.updates] == [False] + [True] * (KEPT + 1)
    assert back.updates[0].result == ends[1].result


async def test_who_comes_back_when_all_is_over_is_told_of_every_board(room: Room) -> None:
    subject, players = await seated(room, play_clock_ms=1000, claim_clock_ms=1000)
    await left(room, players[0])
    await second_board(room, subject, players[1:])
    await play_out(room, subject, players[1:])
    await room.until(lambda: room.table(subject).sealed)
    await room.wind(10)
    assert not list(room.hall.desks())
    back = Player(room, "anna", players[0].view.cursor)
    await room.settle()
    assert [(one.board, one.HasField("result")) for one in back.updates] == [(1, True), (2, True)]
    await left(room, back)
    again = Player(room, "anna", back.view.cursor)
    await room.settle()
    assert [one.board for one in again.updates] == [2], "the last one stays in view"


async def test_after_a_restart_every_board_is_told_that_it_may_have_missed(room: Room) -> None:
    store, dealer = MemoryStore(), StandInDealer()
    first = await Room(store, dealer, room.time).start()
    subject, _, ends = await away_long(first, 2)
    await first.stop()
    second = Room(store, dealer, first.time)
    await second.log.start(["TABLE-e2026-0"])
    locked = second.hall.open()
    back = Player(second, "anna")
    await Recovery(second.hall, second.steward, second.time, asyncio.Event()).run(locked, 0)
    await second.settle()
    assert told(back) == [*((board, list(end.result.scores)) for board, end in ends.items()), (3, [])]
    assert subject == back.line.subject
    await second.stop()
