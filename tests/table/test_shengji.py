"""Duplicate Shengji at a table: who is asked what, on which clock, and what of it is shown (S3-S11)."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.domain import Meta, Rejected
from services.games.paohuzi.actions import PASS as NO_CLAIM
from services.games.shengji import cards
from services.games.shengji.actions import PASS, Bury, Play
from services.games.shengji.events import BidOffered, BidPassed, CardsPlayed, TrickWon
from services.table import codec, views
from services.table.decider.clocks import GRACE_US
from services.table.model import commands as c
from services.table.model.events import Acted, BoardFinished, Paced
from services.table.model.state import Table
from services.table.stage import frames, newest
from tests.table.four import DUPLICATE, boards
from tests.table.given import SUBJECT, Script

MS = 1_000
SEATS = range(4)


def dealt(number: int = 1, **changes: Any) -> Script:
    return Script(boards(**changes)).dealt(number)


def bid(number: int = 1, **changes: Any) -> Script:
    """A board on which everybody has said what it bids."""
    script = dealt(number, **changes)
    while any(question.question == "bid" for question in script.board.questions):
        seat = script.table.rules.asked(script.board.game)[0]
        script.answer(seat, script.choose(seat))
    return script


def led(number: int = 1, **changes: Any) -> Script:
    """A board whose bottom is laid: the declarer is about to lead."""
    script = bid(number, **changes)
    (seat,) = script.asked()
    script.answer(seat, script.choose(seat))
    return script


def trick(script: Script, cards: int = 3) -> None:
    """So many cards of a trick."""
    for _ in range(cards):
        (seat,) = script.asked()
        script.answer(seat, script.choose(seat))


def test_s4_5_everybody_is_asked_for_a_bid_at_once_and_answers_on_the_clock_of_bids() -> None:
    script = dealt()
    asked = [(one.seat, one.question, one.deadline_us - one.shown_us) for one in script.board.questions]
    assert asked == [(seat, "bid", 7_000 * MS) for seat in SEATS]


def test_s11_ten_seconds_for_the_bottom_and_five_a_play() -> None:
    script = bid()
    (question,) = script.board.questions
    assert (question.question, question.deadline_us - question.shown_us) == ("bury", 10_000 * MS)
    script.answer(question.seat, script.choose(question.seat))
    (question,) = script.board.questions
    assert (question.question, question.deadline_us - question.shown_us) == ("play", 5_000 * MS)


def test_s11_when_the_clock_runs_out_the_fallback_player_acts() -> None:
    script = bid()
    (question,) = script.board.questions
    with pytest.raises(Rejected) as early:
        script.when(c.ExpireClock(question.seat, question.ask))
    assert (early.value.reason, early.value.clause) == ("CLOCK_RUNNING", "S11")
    script.now_us = question.deadline_us + GRACE_US
    acted = script.when(c.ExpireClock(question.seat, question.ask))[0]
    assert isinstance(acted, Acted)
    assert (acted.automatic, acted.question, acted.thinking_us) == (True, "bury", 10_000 * MS)


def test_a_bid_is_no_action_of_paohuzi_and_another_games_action_is_malformed() -> None:
    script = dealt()
    for malformed in (NO_CLAIM, Play((1,) * 34), Play((0,)), Play((99,)), Play(())):
        with pytest.raises(Rejected) as refused:
            script.answer(0, malformed)
        assert refused.value.reason == "MALFORMED_ACTION"
    paohuzi = Script().dealt(1)
    (seat,) = paohuzi.asked()
    with pytest.raises(Rejected):
        paohuzi.answer(seat, PASS)


def test_a_whole_board_is_played_and_every_event_comes_back_from_its_stored_form() -> None:
    script = dealt(3)
    script.play_out()
    finished = script.log[-1][-1]
    assert isinstance(finished, BoardFinished)
    assert sum(finished.scores) == 0
    for record in script.log:
        for event in record:
            assert codec.EVENTS.decode(codec.EVENTS.encode(event)) == event


def test_s10_the_fourth_card_of_a_trick_is_seen_before_the_trick_is_swept() -> None:
    script = led()
    trick(script)
    (seat,) = script.asked()
    before = script.table
    script.now_us += 1_000 * MS
    events = script.answer(seat, script.choose(seat))
    assert [type(one) for one in events[1:4]] == [CardsPlayed, TrickWon, Paced]
    meta = Meta(SUBJECT, script.version, script.now_us, "", "")
    card, swept = frames(before, script.table, events, meta)
    assert [len(DUPLICATE.view(one.frame.game, None).trick) for one in (card, swept)] == [4, 0]
    assert swept.at_us - card.at_us == 800 * MS
    assert card.frame.questions == ()
    assert script.board.questions[0].shown_us == swept.at_us


def test_s4_5_what_a_seat_bids_is_shown_to_nobody_else_before_it_is_decided() -> None:
    """Whatever a seat answers while others are still waited for, the others are shown the same."""
    for number in range(40):
        script = dealt(number)
        while script.board.questions and script.board.questions[0].question == "bid":
            waited = script.table.rules.asked(script.board.game)
            for seat in waited:
                shown = {}
                for action in script.table.rules.options(script.board.game, seat):
                    after, events = _after(script, seat, action)
                    if not isinstance(events[-1], BidOffered | BidPassed):
                        continue  # it decides
                    meta = Meta(SUBJECT, script.version + 1, script.now_us, "", "")
                    found = frames(script.table, after, events, meta)
                    shown[action] = [
                        views.seat(after, timed.frame, other)
                        for timed in found
                        for other in (*SEATS, None)
                        if other != seat
                    ]
                assert len({repr(seen) for seen in shown.values()}) <= 1
            script.answer(waited[0], script.choose(waited[0]))


def _after(script: Script, seat: int, action: Any) -> tuple[Any, tuple[Any, ...]]:
    question = script.board.question(seat)
    assert question is not None
    command = c.Act(script.board.slot.board, seat, question.ask, action, received_us=question.shown_us)
    meta = Meta(SUBJECT, script.version + 1, script.now_us, script.table.people[seat], "")
    events = tuple(script.decider.decide(script.table, command, meta))
    after = script.table
    for event in events:
        after = script.decider.evolve(after, event, meta)
    return after, events


def test_s5_2_the_bottom_that_is_laid_shows_in_nobody_elses_view() -> None:
    script = bid(5)
    (seat,) = script.asked()
    hand = DUPLICATE.view(script.board.game, seat).hand
    shown = []
    for laid in (hand[:8], hand[8:16]):
        after, _ = _after(script, seat, Bury(tuple(sorted(laid))))
        shown.append([views.seat(after, newest(after), other) for other in (*SEATS, None) if other != seat])
    assert shown[0] == shown[1]


def test_a_card_that_is_not_held_is_refused_by_the_rule_and_changes_nothing() -> None:
    script = led()
    (seat,) = script.asked()
    missing = next(card for card in range(1, 55) if card not in DUPLICATE.view(script.board.game, seat).hand)
    before = script.table
    with pytest.raises(Rejected) as refused:
        script.answer(seat, Play((missing,)))
    assert (refused.value.reason, refused.value.clause) == ("CARD_NOT_IN_HAND", "S6.2")
    assert script.table == before


@settings(max_examples=40, deadline=None)
@given(number=st.integers(0, 500), moves=st.integers(0, 60), seed=st.integers(0, 99))
def test_s10_what_a_seat_is_sent_does_not_depend_on_cards_it_cannot_see(
    number: int, moves: int, seed: int
) -> None:
    """Byte for byte: hands of the others and the bottom lie otherwise, and nobody who cannot see them notices."""
    script, rng = dealt(number, claim_floor_ms=0), random.Random(seed)
    for _ in range(moves):
        if script.board.closed:
            return
        seat = script.table.rules.asked(script.board.game)[0]
        script.answer(seat, script.choose(seat))
    for viewer in (*SEATS, None):
        other = _redealt(script.table, viewer, rng)
        assert _sent(other, viewer) == _sent(script.table, viewer)


def _sent(table: Table, viewer: int | None) -> bytes:
    return codec.update(1, "shengji", views.seat(table, newest(table), viewer))


def _redealt(table: Table, viewer: int | None, rng: random.Random) -> Table:
    """The table with all that the viewer cannot see shuffled."""
    game = table.board.game  # type: ignore[union-attr]
    mine = game.buried and viewer == game.declarer
    hidden = [seat for seat in SEATS if seat != viewer]
    pool = [card for seat in hidden for card in cards.expand(game.hands[seat])]
    pool += [] if mine else game.bottom
    rng.shuffle(pool)
    hands = list(game.hands)
    for seat in hidden:
        size = sum(hands[seat])
        hands[seat], pool = cards.count(pool[:size]), pool[size:]
    changed = game._replace(hands=tuple(hands), bottom=game.bottom if mine else tuple(pool))
    assert table.board is not None
    return table._replace(board=table.board._replace(game=changed))
