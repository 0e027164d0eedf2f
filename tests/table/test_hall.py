"""A table from its opening to its seal as players and officials meet it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from fupan.table.v1 import service_pb2 as pb
from services.games.paohuzi.actions import PENG
from services.ledger import keys, seals
from services.ledger.games import GAMES
from services.runtime.memory import MemoryStore
from services.table import views
from services.table.line import Line
from services.table.model import commands as c
from services.table.model.events import BoardSlot, Seat, TableSealed
from services.table.recovery import Recovery
from services.table.watch import Seen, Watcher
from tests.servers import SECONDS
from tests.table.given import PEOPLE, RULES, facts
from tests.table.halls import Player, Room
from tests.table.logs import StandInDealer


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    room = await Room().start()
    yield room
    await room.stop()


async def seated(room: Room, **changes: object) -> tuple[str, list[Player]]:
    """A table with everybody there and its first board dealt."""
    subject = await room.open(facts(**changes))
    players = [Player(room, person) for person in room.table(subject).people if person]
    await room.until(lambda: all(player.updates for player in players))
    return subject, players


async def play_out(room: Room, subject: str, players: list[Player]) -> None:
    """Everybody answers like house AI until the board is closed and shown."""
    await play(room, subject, players)
    await room.wind(2)


async def play(room: Room, subject: str, players: list[Player]) -> None:
    """Everybody answers like house AI until the board is closed, which may be shown in a moment only."""
    while not room.board(subject).closed:
        waiting = [player for player in players if player.asked]
        if waiting and (await waiting[0].answer()).HasField("accepted"):
            continue
        # Nobody is asked, or a question is over and what has decided it is to be shown in a moment (P6.4).
        at_us = room.time.next_us()
        assert at_us is not None
        await room.wind((at_us - room.time.now_us()) / 1e6)


async def test_a_player_waits_for_its_table_sits_down_and_sees_its_hand(room: Room) -> None:
    early = Player(room, "anna")
    await room.settle()
    assert early.kinds() == ["waiting"]
    subject = await room.open()
    bo, chen = Player(room, "bo"), Player(room, "chen")
    await room.until(lambda: bool(early.updates))
    assert early.kinds()[:2] == ["waiting", "seated"]
    assert (early.got[1].seated.table, early.got[1].seated.seat) == ("t1", 0)
    assert room.table(subject).joined == (True, True, True)
    seen = GAMES["paohuzi"].views.from_proto(early.view.view.paohuzi)
    assert seen == RULES.view(room.board(subject).game, 0)
    assert (early.view.question, early.view.ask) == ("play", 1)
    assert (bo.view.ask, chen.view.ask) == (0, 0)
    assert all(update.view.paohuzi.options == [] for update in (bo.view, chen.view))


async def test_a_board_begins_without_those_who_do_not_come(room: Room) -> None:
    subject = await room.open()
    anna = Player(room, "anna")
    await room.wind(59)
    assert room.table(subject).board is None
    await room.wind(1.1)
    await room.until(lambda: bool(anna.updates))
    assert room.table(subject).joined == (True, False, False)


async def test_cursors_go_on_from_what_the_client_has_seen_and_count_its_own_updates(room: Room) -> None:
    subject, (anna, *_) = await seated(room)
    again = Player(room, "anna", cursor=41)
    await room.settle()
    assert again.view.cursor == 42
    assert again.view.view == anna.view.view
    await again.answer()
    assert [update.cursor for update in again.updates] == list(range(42, 42 + len(again.updates)))
    assert room.board(subject).game is not None


async def test_a_second_stream_replaces_the_first(room: Room) -> None:
    _, (anna, *_) = await seated(room)
    again = Player(room, "anna")
    await room.settle()
    assert anna.got[-1].closed.reason == "REPLACED"
    assert anna.task.done()
    assert again.kinds() == ["seated", "update"]


async def test_reconnecting_gives_exactly_the_live_view(room: Room) -> None:
    subject, players = await seated(room)
    for _ in range(6):
        await next(player for player in players if player.view.ask).answer()
        await room.wind(0.3)  # in the middle of what is being shown
        for number, player in enumerate(players):
            before = player.view
            again = Player(room, player.line.person, before.cursor)
            await room.settle()
            assert (
                again.view.SerializeToString()
                == before.__class__(
                    cursor=before.cursor + 1,
                    board=before.board,
                    view=before.view,
                    ask=before.ask,
                    question=before.question,
                    deadline_us=before.deadline_us,
                ).SerializeToString()
            )
            players[number] = again
        await room.wind(2)
    assert not room.board(subject).closed


async def test_what_nobody_else_may_see_sends_nobody_else_anything(room: Room) -> None:
    subject, players = await seated(room)
    while len(room.board(subject).questions) < 2:
        await next(player for player in players if player.view.ask).answer()
        await room.wind(2)
    first = next(player for player in players if player.view.ask)
    counts = [len(player.got) for player in players]
    await first.answer()
    if room.board(subject).questions:  # others are still waited for
        assert [len(p.got) - n for p, n in zip(players, counts, strict=True)] == [
            int(player is first) for player in players
        ]


async def test_who_waits_for_a_receipt_is_shown_first(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    subject, players = await seated(room)
    shown: list[str] = []
    monkeypatch.setattr(Line, "show", lambda line, _: shown.append(line.person))
    for player in players:
        player.line.unanswered = 1
        shown.clear()
        room.hall.nudge(next(desk for desk in room.hall.desks() if desk.subject == subject))
        await room.settle()
        player.line.unanswered = 0
        assert shown[0] == player.line.person
        assert sorted(shown) == sorted(other.line.person for other in players)


async def test_a_tile_and_what_follows_it_are_shown_a_floor_apart(room: Room) -> None:
    _, players = await seated(room)
    shown: list[tuple[int, int]] = []
    for _ in range(8):
        await next(player for player in players if player.asked).answer()
        while not any(player.asked for player in players):
            tile = players[0].view.view.paohuzi.current
            if tile:
                shown.append((room.time.now_us(), tile))
            at_us = room.time.next_us()
            assert at_us is not None
            await room.wind((at_us - room.time.now_us()) / 1e6)
    assert len(shown) > 3


async def test_everybody_sees_how_a_board_ended_and_who_comes_back_too(room: Room) -> None:
    subject, players = await seated(room)
    await play_out(room, subject, players)
    scores = list(room.board(subject).result.scores)  # type: ignore[union-attr]
    assert len(scores) == 3
    for player in players:
        assert list(player.view.result.scores) == scores
        assert player.view.view.paohuzi.over
    assert not any(update.HasField("result") for update in players[0].updates[:-1])
    again = Player(room, "bo")
    await room.settle()
    assert list(again.view.result.scores) == scores


async def test_the_end_of_the_last_board_is_seen_before_the_next_table_and_the_goodbye(room: Room) -> None:
    """Both may come before the claim floor is over."""
    subject, players = await seated(room, boards=(BoardSlot(1, 1),))
    await play(room, subject, players)
    scores = list(room.board(subject).result.scores)  # type: ignore[union-attr]
    await room.open(facts(table="t2", round=2))
    assert [player.kinds()[-2:] for player in players] == [["update", "seated"]] * 3
    assert [list(player.view.result.scores) for player in players] == [scores] * 3

    await room.until(lambda: not any(player.view.HasField("result") for player in players))
    await play(room, "fupan.e2026.table.0.cup.t2", players)
    room.hall.close("CHAMPIONSHIP_ENDED", "cup")
    await room.settle()
    assert [player.kinds()[-2:] for player in players] == [["update", "closed"]] * 3
    assert all(player.view.result.scores for player in players)


async def test_who_comes_back_to_a_sealed_table_sees_how_its_last_board_ended(room: Room) -> None:
    subject, players = await seated(room, boards=(BoardSlot(1, 1),))
    await play_out(room, subject, players)
    await room.until(lambda: room.table(subject).sealed)
    again = Player(room, "chen")
    await room.settle()
    assert again.view.view == players[2].view.view
    assert again.view.result == players[2].view.result


async def test_a_board_that_is_closed_without_a_result_says_so(room: Room) -> None:
    subject, (anna, *_) = await seated(room)
    await room.send(subject, c.CloseBoard("deadline"), "ref")
    assert (anna.view.result.unfinished, list(anna.view.result.scores)) == (True, [])
    await room.send(subject, c.CloseBoard("deadline"), "ref")  # the next one, never opened
    assert anna.view.result.unfinished
    assert anna.view.board == 1


async def test_answers_get_a_receipt_or_a_reason_and_a_repeated_one_the_same_receipt(room: Room) -> None:
    _, (anna, bo, _) = await seated(room)
    receipt = await anna.answer(command_id="mine")
    assert receipt.accepted.command_id == "mine"
    assert len(receipt.accepted.receipt.hash) == 32
    assert receipt.accepted.receipt.position == ""
    late = await anna.answer(PENG, ask=1)
    assert (late.refused.reason, late.refused.clause, late.refused.retry) == ("QUESTION_OVER", "P6.4", False)
    assert late.refused.message
    assert late.refused.message_zh
    stolen = await bo.answer(PENG, command_id="mine", ask=1)
    assert stolen.refused.reason == "COMMAND_ID_REUSED"


async def test_what_came_of_a_claim_is_told_with_the_view_that_it_led_to(room: Room) -> None:
    """P6.4: a message before or after it would depend on whether others had answered already."""
    subject, players = await seated(room)
    (desk,) = room.hall.desks()
    while not (claims := [one for one in players if one.asked and one.view.question == "claim"]):
        waiting = [one for one in players if one.asked]
        await (waiting[0].answer() if waiting else room.wind(0.1))
    player = claims[0]
    asked, before = (player.line.seat, player.view.board, player.view.ask), len(player.got)
    said = await player.answer()
    told_us = desk.stage.told_us(room.table(subject), *asked)
    room.hall.when_shown(subject, told_us, lambda: player.line.put(said))
    await room.settle()
    assert (len(player.got), player.view.ask) == (before, asked[-1])
    await room.wind((told_us - room.time.now_us()) / 1e6)
    assert [one.command_id for one in player.got[before].update.accepted] == [said.accepted.command_id]
    assert player.got[before].update.ask == 0 or player.got[before].update.question == "play"
    told: list[bool] = []
    room.hall.when_shown(subject, told_us, lambda: told.append(True))
    assert told


async def test_who_sits_nowhere_answers_nothing(room: Room) -> None:
    _, (anna, *_) = await seated(room)
    eve = Player(room, "eve")
    eve.got = list(anna.got)
    assert (await eve.answer()).refused.reason == "NOT_SEATED"


async def test_house_ai_plays_its_seats_and_a_whole_table_by_itself(room: Room) -> None:
    house = tuple(Seat(0, "") for _ in PEOPLE)
    subject = await room.open(facts(seats=house, claim_floor_ms=0, board_pause_ms=0))
    await room.until(lambda: room.table(subject).sealed)
    table = room.table(subject)
    assert table.closed == 2
    assert table.result is not None
    assert not table.result.unfinished


async def test_a_finished_table_is_sealed_with_a_signature_over_its_head(room: Room) -> None:
    sealed: list[TableSealed] = []
    heads: list[tuple[int, bytes]] = []
    subject = await room.open()
    room.log.listen(lambda a: sealed.extend(e for e in a.events if isinstance(e, TableSealed)))
    room.log.listen(lambda a: heads.append((room.log.head(subject).version, room.log.head(subject).hash)))
    await room.send(subject, c.CloseBoard(""), "ref")
    await room.send(subject, c.CloseBoard(""), "ref")
    await room.until(lambda: room.table(subject).sealed)
    (seal,) = sealed
    assert (seal.head_version, seal.head) == heads[-2]
    assert seal.key == keys.fingerprint(seal.public_key)
    assert keys.signed(
        seal.public_key, seal.signature, seals.table_head(subject, seal.head_version, seal.head)
    )


async def test_boards_are_closed_at_their_deadline(room: Room) -> None:
    deadline_us = room.time.now_us() + 30_000_000
    subject, (anna, *_) = await seated(room, board_deadline_us=deadline_us)
    await room.wind(31)
    assert room.table(subject).closed == 2
    assert room.table(subject).result is not None
    assert anna.view.ask == 0


async def test_while_the_dealer_is_away_open_boards_go_on_and_new_ones_wait(room: Room) -> None:
    subject, players = await seated(room)
    room.dealer.away = True
    await play_out(room, subject, players)
    await room.wind(5)
    await room.until(lambda: room.board(subject).slot.board == 2 and len(room.dealer.asked) > 1)
    await room.wind(60)
    assert room.board(subject).game is None
    room.dealer.away = False
    async with asyncio.timeout(SECONDS):
        while players[0].view.board != 2:
            await room.wind(2)
            await asyncio.sleep(0.001)  # the leaf that is asked for
    assert room.board(subject).game is not None


async def test_a_withdrawn_players_stream_waits_and_house_ai_plays_on(room: Room) -> None:
    subject, (anna, bo, _) = await seated(room)
    await room.send(subject, c.ReplaceSeat(0, "", "withdrawn"), "service:table")
    await room.settle()
    assert anna.kinds()[-1] == "waiting"
    assert room.board(subject).asks[0] == 1
    assert room.board(subject).question(0) is None
    assert bo.view.view.paohuzi.fronts[0].played


async def test_a_substitute_takes_the_seat_over_with_its_view(room: Room) -> None:
    subject, (anna, *_) = await seated(room)
    dora = Player(room, "dora")
    await room.send(subject, c.ReplaceSeat(0, "dora", "illness"), "ref")
    await room.settle()
    assert dora.kinds()[-2:] == ["seated", "update"]
    assert dora.view.view == anna.view.view
    assert (await anna.answer()).refused.reason == "NOT_SEATED"
    assert (await dora.answer()).WhichOneof("kind") == "accepted"


async def test_officials_see_a_table_without_hidden_tiles(room: Room) -> None:
    subject, (anna, *_) = await seated(room)
    watcher, seen = Watcher[Seen](), list[Seen]()
    room.hall.watch(subject, watcher)
    await room.settle()
    async for one in watcher.changes():
        seen.append(one)
        if len(seen) == 1:
            await anna.answer()
        else:
            break
    shown, status, connected = seen[-1]
    assert shown.view == RULES.view(room.board(subject).game, None)
    assert (shown.ask, shown.view.hand, shown.view.options) == (0, (), ())
    assert status == views.status(room.table(subject))
    assert connected == (True, True, True)


async def test_a_slow_client_is_shown_the_newest_only(room: Room) -> None:
    subject, players = await seated(room)
    bo = players[1]
    bo.task.cancel()
    await room.settle()
    for _ in range(5):
        waiting = [player for player in players if player.view.ask and player is not bo]
        if not waiting:
            break
        await waiting[0].answer()
        await room.wind(1)
    sent = [message async for message in _now(bo)]
    assert len(sent) == 1
    assert sent[0].update.cursor == bo.view.cursor + 1
    assert room.board(subject).game is not None


async def _now(player: Player) -> AsyncIterator[pb.PlayResponse]:
    """What is ready to be sent on a line nobody has read from."""
    player.line.close("")
    async for message in player.line:
        yield pb.PlayResponse.FromString(message)


async def test_a_restarted_hall_goes_on_with_open_boards() -> None:

    store, dealer = MemoryStore(), StandInDealer()
    first = await Room(store, dealer).start()
    subject, players = await seated(first)
    for _ in range(3):
        await next(player for player in players if player.view.ask).answer()
        await first.wind(2)
    before = {player.line.person: player.view for player in players}
    state = first.table(subject)
    last_us = first.log.head(subject).time_us
    await first.stop()

    second = Room(store, dealer, first.time)
    await second.wind(30)
    await second.log.start(["TABLE-e2026-0"])
    locked = second.hall.open()
    assert [desk.subject for desk in locked] == [subject]
    back = [Player(second, person, 7) for person in PEOPLE]
    await second.settle()
    assert [player.kinds() for player in back] == [["seated"]] * 3
    await Recovery(second.hall, second.steward, second.time, asyncio.Event()).run(locked, last_us)
    await second.settle()
    assert second.board(subject).game == state.board.game  # type: ignore[union-attr]
    for player in back:
        assert player.view.view == before[player.line.person].view
        assert player.view.ask == before[player.line.person].ask
    (question, *_) = second.board(subject).questions
    assert question.deadline_us >= second.time.now_us() + 9_999_900
    await play_out(second, subject, back)
    assert second.table(subject).closed == 1
    await second.stop()
