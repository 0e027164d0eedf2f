"""Clocks of a table: run out, late, standing still, and what time alone brings about (P12, C4.3; design: clocks)."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.table.halls import Player, Room
from tests.table.test_hall import seated


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    room = await Room().start()
    yield room
    await room.stop()


async def test_a_clock_that_runs_out_is_answered_by_the_fallback_player(room: Room) -> None:
    subject, (anna, *_) = await seated(room)
    await room.wind(15.2)
    assert anna.view.ask == 1
    await room.wind(0.1)
    assert anna.view.ask == 0
    assert room.board(subject).thinking_us[0] == 15_000_000


async def test_thinking_time_leaves_out_the_way_to_the_player_and_counts_it_once(room: Room) -> None:
    subject, (anna, *_) = await seated(room)
    await room.wind(0.12)
    anna.delivered()
    await room.wind(3)
    again = Player(room, "anna")
    await room.settle()
    again.delivered()
    await room.wind(1)
    await again.answer()
    assert room.board(subject).thinking_us[0] // 1000 == 4_000


async def test_a_clock_that_we_come_to_late_is_given_back_instead_of_expired(room: Room) -> None:
    subject, (anna, *_) = await seated(room)
    room.time.wind(room.time.now_us() + 60_000_000)  # nothing else ran all that time
    await room.settle()
    (question, *_) = room.board(subject).questions
    assert question.ask == anna.view.ask
    assert question.deadline_us > room.time.now_us() + 9_000_000
    assert room.board(subject).thinking_us == (0, 0, 0)


async def test_after_standing_still_every_clock_gets_the_time_back(room: Room) -> None:
    subject, (anna, *_) = await seated(room)
    await room.wind(7)
    await room.recovery.stood_still(6.0)
    await room.settle()
    assert room.board(subject).questions[0].deadline_us // 1000 == (room.time.now_us() + 14_000_000) // 1000
    assert anna.view.deadline_us == room.board(subject).questions[0].deadline_us


async def test_what_is_due_is_shown_whatever_the_service_is_busy_with(room: Room) -> None:
    _, players = await seated(room)
    (desk,) = room.hall.desks()
    desk.busy = True  # a duty that takes its time, as when the log is away
    await next(player for player in players if player.view.ask).answer()
    asked = [player for player in players if player.view.ask]
    if asked:
        await asked[0].answer()
    await room.wind(2)
    assert desk.stage.next_us == 0
    assert any(player.view.ask for player in players)
