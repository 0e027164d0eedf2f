"""Shengji in the hall: whole boards and matches by players on lines and by house AI, cards drawn at a pace, and after a kill."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import asyncpg
import pytest

from fupan.table.v1 import service_pb2 as pb
from services.domain import Rejected
from services.games.paohuzi.actions import PENG
from services.games.shengji.actions import Bury, Play
from services.ledger.dealing import log_key
from services.ledger.games import GAMES
from services.runtime.memory import MemoryStore
from services.runtime.postgres import Database
from services.table.app import noting
from services.table.model.events import Seat, TableOpened
from services.table.recovery import Recovery
from services.table.replay import steps
from services.table.tried import Tries
from tests.servers import SECONDS
from tests.table.four import PEOPLE, boards, match
from tests.table.halls import Player, Room
from tests.table.logs import StandInDealer

HOUSE = (Seat(1, "anna"), Seat(0, ""), Seat(1, "chen"), Seat(0, ""))


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    room = await Room().start()
    yield room
    await room.stop()


async def seated(room: Room, opened: TableOpened) -> tuple[str, list[Player]]:
    subject = await room.open(opened)
    players = [Player(room, person) for person in room.table(subject).people if person]
    await room.until(lambda: all(player.updates for player in players))
    return subject, players


async def answered(room: Room, players: Sequence[Player]) -> None:
    """One player answers who is asked, or time passes until something happens."""
    waiting = [player for player in players if player.updates and player.view.ask]
    if waiting:
        await waiting[0].answer()
        return
    at_us = room.time.next_us()
    if at_us is None:
        await asyncio.sleep(0.001)  # a leaf that is asked for
    else:
        await room.wind((at_us - room.time.now_us()) / 1e6)


async def play_on(room: Room, subject: str, players: Sequence[Player], closed: int = 1) -> None:
    """Until so many boards are closed."""
    async with asyncio.timeout(SECONDS):
        while room.table(subject).closed < closed and room.table(subject).slot is not None:
            await answered(room, players)
    await room.wind(2)


async def test_a_whole_duplicate_board_is_played_and_its_end_is_shown_to_its_seats(room: Room) -> None:
    subject, players = await seated(room, boards())
    first = players[0].view
    assert (first.question, first.view.shengji.question, first.view.shengji.drawn) == ("bid", "bid", 100)
    assert first.view.shengji.level == "2"
    await play_on(room, subject, players)
    result = room.table(subject).result
    assert result is not None
    assert sum(result.scores) == 0
    for player in players:
        assert player.view.view.shengji.over
        assert player.view.view.shengji.ended.scores == list(result.scores)
    refusals = [one.refused.reason for player in players for one in player.got if one.HasField("refused")]
    assert refusals == []


async def test_house_ai_plays_its_seats_and_remembers_what_was_played(room: Room) -> None:
    subject, players = await seated(room, boards(seats=HOUSE))
    await play_on(room, subject, players, 2)
    assert room.table(subject).slot is None


async def test_c8_a_match_is_played_deal_after_deal_to_its_end_in_the_clear(room: Room) -> None:
    subject, players = await seated(room, match(deals=2, board_pause_ms=0))
    await play_on(room, subject, players, 3)
    await room.until(lambda: room.table(subject).sealed)
    course = room.table(subject).course
    assert course is not None
    assert course.ended is not None
    assert course.ended.winner in (0, 1)
    assert {board.path for asked in room.dealer.asked for board in asked} >= {"1/t1/1/1", "1/t1/2/1"}
    shown = players[0].view.match
    assert list(shown.levels) == list(course.match.levels)
    assert [deal.deal for deal in shown.played] == [deal.deal for deal in course.played]
    assert shown.ended.clause == course.ended.clause

    path = "1/t1/1/1"
    key = log_key(StandInDealer.leaf("cup", path), "t1", path)
    played = [step async for step in steps(room.store, subject, path, key)]
    assert "cards_drawn 100" in played[0].events
    assert played[1].action.split()[0] in ("bid", "pass")
    assert played[-1].seen_by(0).view.over
    assert all(step.seen_by(3).course is not None for step in played)


async def test_s3_1_cards_come_one_by_one_to_every_seat_and_then_everybody_is_asked(room: Room) -> None:
    subject, players = await seated(room, match(deal_pace_ms=300))
    await room.wind(31)
    for player in players:
        drawn = [update.view.shengji.drawn for update in player.updates if update.HasField("view")]
        assert drawn == sorted(drawn)
        assert set(range(2, 101)) <= set(drawn)
    assert all(player.view.question == "bid" for player in players)
    await play_on(room, subject, players)


async def test_s4_1_a_player_bids_while_cards_are_drawn(room: Room) -> None:
    subject, players = await seated(room, match(deal_pace_ms=300))
    while not (able := [one for one in players if one.view.view.shengji.offers]):
        await room.wind(0.3)
    offer = GAMES["shengji"].actions.from_proto(able[0].view.view.shengji.offers[0])
    said = await able[0].answer(offer, ask=0)
    assert said.HasField("accepted")
    assert able[0].view.view.shengji.offers == []
    assert all(not one.view.view.shengji.HasField("standing") for one in players)
    await room.wind(0.3)
    assert {one.view.view.shengji.standing.seat for one in players} == {able[0].line.seat}
    await play_on(room, subject, players)


async def test_house_ai_bids_while_cards_are_drawn(room: Room) -> None:
    made = []
    for number in range(4):
        alone = (Seat(1, f"p{number}"), Seat(0, ""), Seat(0, ""), Seat(0, ""))
        subject, _ = await seated(room, match(deal_pace_ms=300, seats=alone, table=f"t{number}"))
        await room.wind(29)
        made.append(room.board(subject).game.standing)
    assert any(bid is not None and bid.seat > 0 for bid in made)


@pytest.mark.parametrize("cards", [20, 130])
async def test_after_a_kill_it_goes_on_in_the_middle_of_bidding_and_of_a_trick(cards: int) -> None:
    store, dealer = MemoryStore(), StandInDealer()
    first = await Room(store, dealer).start()
    subject, players = await seated(first, match(deal_pace_ms=300))
    for _ in range(cards):
        await answered(first, players)
    before = {player.line.person: player.view for player in players}
    last_us = first.log.head(subject).time_us
    await first.stop()
    second = Room(store, dealer, first.time)
    await second.wind(30)
    await second.log.start(["TABLE-e2026-0"])
    locked = second.hall.open()
    back = [Player(second, person, 7) for person in PEOPLE]
    await Recovery(second.hall, second.steward, second.time, asyncio.Event()).run(locked, last_us)
    await second.settle()
    for player in back:
        told, now = before[player.line.person].view.shengji, player.view.view.shengji
        if told.drawn == 100:
            assert now == told
        else:  # what was drawn since the last bid is drawn again
            assert now.drawn <= told.drawn
            assert set(now.hand) <= set(told.hand)
    await play_on(second, subject, back)
    assert second.table(subject).closed == 1
    await second.stop()


async def test_after_a_kill_between_two_deals_the_match_goes_on_and_its_time_was_not_lost() -> None:
    store, dealer = MemoryStore(), StandInDealer()
    first = await Room(store, dealer).start()
    subject, players = await seated(first, match(deals=3))
    await play_on(first, subject, players)
    course, last_us = first.table(subject).course, first.log.head(subject).time_us
    assert course is not None
    await first.stop()

    second = Room(store, dealer, first.time)
    await second.wind(600)
    await second.log.start(["TABLE-e2026-0"])
    locked = second.hall.open()
    back = [Player(second, person) for person in PEOPLE]
    away_us = second.time.now_us() - last_us
    await Recovery(second.hall, second.steward, second.time, asyncio.Event()).run(locked, last_us)
    await second.settle()
    now = second.table(subject).course
    assert now is not None
    assert (now.match, now.played) == (course.match, course.played)
    assert abs(now.ends_us - course.ends_us - away_us) < 1_000
    await play_on(second, subject, back, 3)
    await second.until(lambda: second.table(subject).sealed)
    await second.stop()


async def test_another_replica_knows_a_match_as_well_as_its_owner() -> None:
    store, dealer = MemoryStore(), StandInDealer()
    owner = await Room(store, dealer, name="a").start()
    other = await Room(store, dealer, owner.time, name="b", owns=lambda subject: False).start()
    subject, players = await seated(owner, match(deals=2, deal_pace_ms=300))
    await owner.wind(10)
    guest = Player(other, PEOPLE[0])
    await other.until(lambda: bool(guest.updates))
    await other.settle()
    seen = players[0].view.view.shengji
    assert (guest.view.view.shengji.drawn, list(guest.view.view.shengji.hand)) == (
        seen.drawn,
        list(seen.hand),
    )
    await play_on(owner, subject, players, 2)
    await owner.until(lambda: owner.table(subject).sealed)
    await other.until(lambda: other.table(subject).sealed)
    assert other.table(subject).course == owner.table(subject).course
    await owner.stop()
    await other.stop()


async def test_c8_3a_at_the_end_of_its_time_the_service_breaks_the_deal_off_and_ends_the_match(
    room: Room,
) -> None:
    subject, players = await seated(room, match(minutes=5))
    await play_on(room, subject, players)
    while room.table(subject).course.level:  # type: ignore[union-attr]  # 80 to 95 points: nobody has risen
        await play_on(room, subject, players, room.table(subject).closed + 1)
    closed = room.table(subject).closed
    while room.table(subject).live is None:
        await answered(room, players)
    await room.until(lambda: room.board(subject).game is not None)
    await room.wind(300)
    await room.until(lambda: room.table(subject).sealed)
    table = room.table(subject)
    assert table.course is not None
    assert table.course.ended is not None
    assert (table.course.ended.clause, table.course.ended.deals) == ("C8.3a", len(table.course.played))
    assert table.closed == closed + 1
    assert table.result is not None
    assert table.result.unfinished


async def test_of_what_is_no_action_of_the_game_nothing_is_kept(room: Room) -> None:
    _, players = await seated(room, boards())
    away = Database(await asyncpg.create_pool("postgresql://nobody@127.0.0.1:1/none", min_size=0))
    tries = Tries(away)  # not started: what is noted waits
    room.answers.on_refused = noting(room.log, room.leaves, tries, room.time)
    line = players[0].line
    for ask, played in ((1, (1,) * 100_000), (99, (1,) * 100_000), (99, (1_000,)), (99, ())):
        said = await players[0].answer(Play(played), ask=ask)
        assert said.refused.reason in ("MALFORMED_ACTION", "QUESTION_OVER")
    other = pb.Answer(command_id="other", board=1, ask=99, paohuzi=GAMES["paohuzi"].actions.to_proto(PENG))
    with pytest.raises(Rejected):
        await room.answers.send("cup", line.person, other).task
    await room.settle()
    assert tries._waiting.qsize() == 0
    await players[0].answer(Play((1,)), ask=99)
    assert tries._waiting.qsize() == 1
    await away.close()


async def test_time_that_a_deal_waits_for_the_dealer_is_none_of_the_match(room: Room) -> None:
    subject, players = await seated(room, match(minutes=5))
    await play_on(room, subject, players)
    room.dealer.away = True
    while room.table(subject).live is None:
        await answered(room, players)
    opened_us = room.log.head(subject).time_us
    course = room.table(subject).course
    assert course is not None
    for _ in range(12):
        await room.wind(50)
        await asyncio.sleep(0.02)  # a leaf that is asked for in vain
    assert room.time.now_us() > course.ends_us
    room.dealer.away = False
    async with asyncio.timeout(SECONDS):
        while room.board(subject).game is None:
            await room.wind(1)
            await asyncio.sleep(0.01)
    after = room.table(subject).course
    assert after is not None
    assert after.ended is None
    waited_us = after.ends_us - course.ends_us
    assert 0 <= room.time.now_us() - opened_us - waited_us < 10_000_000


async def test_s5_2_whatever_is_laid_down_the_others_are_sent_the_same() -> None:
    """Two tables with the same deal and the same play, but other cards in the bottom: byte for byte, in the same order."""
    sent: list[Any] = []
    held: list[Any] = []
    for lowest in (True, False):
        one = await Room().start()
        _, players = await seated(one, boards())
        while (asked := next(player for player in players if player.view.ask)).view.question == "bid":
            await asked.answer()
        hand = sorted(asked.view.view.shengji.hand)
        await asked.answer(Bury(tuple(hand[:8] if lowest else [*hand[:7], hand[8]])))
        await asked.answer(Play((hand[20],)))
        for _ in range(6):
            await answered(one, players)
        others = [player for player in players if player is not asked]
        sent.append([[_bytes(update) for update in player.updates] for player in others])
        held.append(list(asked.view.view.shengji.hand))
        await one.stop()
    assert sent[0] == sent[1]
    assert held[0] != held[1]


def _bytes(update: pb.Update) -> bytes:
    """An update but for the time of its clock, and for hashes of what is sealed."""
    kept = pb.Update()
    kept.CopyFrom(update)
    kept.ClearField("deadline_us")
    kept.ClearField("accepted")
    return kept.SerializeToString(deterministic=True)
