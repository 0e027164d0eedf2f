"""Laws that every deal of Shengji keeps, whatever is dealt and whoever does what."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.domain import Rejected, fold
from services.games.shengji import cards, questions, trick
from services.games.shengji.actions import PASS, Action, Bid, Bury, Play, Revolt, canonical, parse, show
from services.games.shengji.events import (
    BidMade,
    CardsPlayed,
    DealEnded,
    DealVoided,
    Event,
    Penalised,
    ThrowFailed,
    TrickWon,
)
from services.games.shengji.result import SEATS
from services.games.shengji.state import State
from tests.games.shengji.boards import Step, afresh, dealt, everywhere, play, rules_of

seeds = st.integers(0, 2**32)
deals = settings(max_examples=60, deadline=None)
DECK = list(cards.DECK)


@deals
@given(seeds)
def test_108_cards_after_every_event(seed: int) -> None:
    for step in play(seed):
        board = step.before
        for event in step.events:
            board = rules_of(seed).evolve(board, event)
            assert everywhere(board) == DECK


@deals
@given(seeds)
def test_somebody_can_always_go_on_until_the_deal_is_over(seed: int) -> None:
    rules, after = rules_of(seed), dealt(seed)
    for number, step in enumerate(play(seed)):
        after = step.after
        asked = rules.asked(after)
        assert (rules.outcome(after) is None) == (bool(asked) or after.phase == "drawing")
        for seat in asked:
            assert len(rules.options(after, seat)) > 0
            assert rules.put(after, seat)
            assert rules.question(after, seat) in ("play", "claim", "bury", "bid")
        assert number < 300
    assert after.phase == "over"


@deals
@given(seeds)
def test_s1_1_200_points_are_accounted_for(seed: int) -> None:
    """Points of tricks and of the bottom are the deck's; the defenders' total is theirs, fines and bonus told."""
    events = [event for step in play(seed, revolts=0) for event in step.events]
    last = [*play(seed, revolts=0)][-1].after
    assert isinstance(last.result, DealEnded)
    tricks = [event for event in events if isinstance(event, TrickWon)]
    assert sum(event.points for event in tricks) + cards.points(last.bottom) == 200
    fines = sum(
        -event.fine if last.defends(event.seat) else event.fine
        for event in events
        if isinstance(event, ThrowFailed)
    )
    taken = sum(event.points for event in tricks if last.defends(event.seat))
    assert last.result.points == taken + fines + last.result.bonus
    dug = last.defends(tricks[-1].seat)
    assert last.result.bonus == 0 or (dug and last.result.bonus % cards.points(last.bottom) == 0)
    assert (last.result.bonus > 0) == (dug and cards.points(last.bottom) > 0)


@deals
@given(seeds)
def test_s9_6_scores_sum_to_zero(seed: int) -> None:
    outcome = rules_of(seed).outcome([*play(seed)][-1].after)
    assert outcome is not None
    assert sum(outcome.scores) == 0
    assert outcome.scores[0] == outcome.scores[2]


@deals
@given(seeds)
def test_replay_is_live(seed: int) -> None:
    """Folding the events over the deal gives the state that was played, also from events read back from a log."""
    board = dealt(seed)
    for step in play(seed):
        board = fold(rules_of(seed).evolve, board, afresh(step.events))
        assert board == step.after


@deals
@given(seeds)
def test_s6_1_tricks_are_four_plays_clockwise_from_the_winner_of_the_last(seed: int) -> None:
    leader, seats, last = None, [], None
    for step in play(seed, revolts=0):
        last = step.after
        for event in step.events:
            if isinstance(event, CardsPlayed):
                seats.append(event.seat)
            if isinstance(event, TrickWon):
                first = last.declarer if leader is None else leader
                assert first is not None
                assert seats == [(first + at) % 4 for at in range(4)]
                leader, seats = event.seat, []
    assert last is not None
    assert not any(any(hand) for hand in last.hands)


@deals
@given(seeds)
def test_s7_1_all_play_as_many_cards_as_were_led(seed: int) -> None:
    for step in play(seed):
        assert len({len(each) for each in step.after.trick}) <= 1
        if step.after.trick:
            sizes = sorted(sum(hand) for hand in step.after.hands)
            assert sizes[-1] - sizes[0] in (0, len(step.after.trick[0]))


@deals
@given(seeds)
def test_s6_4_a_lead_that_stood_is_not_beaten_component_by_component(seed: int) -> None:
    """What was led of a failed throw was part of it; a throw that stood is overtaken by a ruff or a tractor alone."""
    for step in play(seed):
        throws = [event for event in step.events if isinstance(event, ThrowFailed)]
        led = [event for event in step.events if isinstance(event, CardsPlayed)]
        for event, played in zip(throws, led, strict=False):
            assert cards.holds(cards.count(event.cards), played.cards)
            assert len(played.cards) < len(event.cards)
        won = [event for event in step.events if isinstance(event, TrickWon)]
        if won and step.before.demand and len(step.before.demand.pairs) < 2:
            plays = (*step.before.trick, led[-1].cards)
            asked = step.before.demand
            orders = step.before.orders
            winner = (won[0].seat - step.before.leader) % 4
            suit = orders[won[0].seat].suit_of(plays[winner])
            thrown = len(plays[0]) > 1 and len(plays[0]) > 2 * sum(asked.pairs)
            assert not (winner and thrown and suit == asked.suit)


@deals
@given(seeds)
def test_decisions_are_deterministic(seed: int) -> None:
    def told(step: Step) -> tuple[int | None, Action | None, tuple[Event, ...]]:
        return step.seat, step.action, step.events

    assert [told(step) for step in play(seed)] == [told(step) for step in play(seed)]


@deals
@given(seeds)
def test_options_are_what_is_accepted(seed: int) -> None:
    """Every option sampled is accepted, and what is taken from other options or hands is refused, changing nothing."""
    rng = random.Random(seed)
    rules = rules_of(seed)
    for step in play(seed):
        board = step.before
        for seat in SEATS:
            options = rules.options(board, seat)
            for index in rng.sample(range(len(options)), min(3, len(options))):
                assert options[index] in options
                assert canonical(options[index]) == options[index]
                assert rules.decide(board, seat, options[index])
            for action in _others(rng, board, seat):
                if action not in options:
                    with pytest.raises(Rejected):
                        rules.decide(board, seat, action)
                else:
                    assert rules.decide(board, seat, action)


def _others(rng: random.Random, board: State, seat: int) -> list[Action]:
    """Actions that may be legal or not: cards of the own hand or others', of sizes that may fit."""
    own = cards.expand(board.hands[seat])
    size = board.demand.size if board.demand else rng.randint(1, 3)
    mine = tuple(sorted(rng.sample(own, min(size, len(own)))))
    theirs = tuple(sorted(rng.sample(cards.DECK, size)))
    eight = tuple(sorted(rng.sample(own, min(8, len(own)))))
    found: list[Action] = [Play(theirs), Bid(theirs), Bury(eight), PASS, Revolt()]
    return [*found, Play(mine), Bid(mine)] if mine else found


@deals
@given(seeds)
def test_actions_are_their_text(seed: int) -> None:
    for step in play(seed):
        if step.action is not None:
            assert parse(show(step.action)) == step.action


@deals
@given(seeds)
def test_s4_2_a_bid_is_only_ever_overcalled_by_a_pair(seed: int) -> None:
    made = [event for step in play(seed, bidding=0.8) for event in step.events if isinstance(event, BidMade)]
    for before, after in pairwise(made):
        assert (len(before.cards), len(after.cards)) == (1, 2)
    assert len(made) <= 2


@deals
@given(seeds)
def test_s8_the_winner_played_what_answers_and_nobody_after_it_beat_it(seed: int) -> None:
    for step in play(seed):
        won = [event for event in step.events if isinstance(event, TrickWon)]
        if won:
            led = [event for event in step.events if isinstance(event, CardsPlayed)]
            plays = (*step.before.trick, led[-1].cards)
            orders = [step.before.orders[(step.before.leader + at) % 4] for at in range(4)]
            found = trick.winner(step.before.params, orders, plays)
            assert (step.before.leader + found) % 4 == won[0].seat
            assert won[0].points == trick.points(plays)


@deals
@given(seeds, st.sampled_from(["S10.3", "S10.5", "S10.15"]), st.sampled_from(SEATS))
def test_s9_2_a_fine_moves_points_and_nothing_else(seed: int, code: str, seat: int) -> None:
    from services.games.shengji.decide import penalise

    finding, amount = ("fine", 15) if code == "S10.15" else ("found", None)
    for step in play(seed):
        board = step.before
        if board.trumps is None:
            with pytest.raises(Rejected, match=r"S9\.2"):
                penalise(board, seat, code, finding, amount=amount)
            continue
        (event,) = penalise(board, seat, code, finding, amount=amount)
        assert isinstance(event, Penalised)
        after = rules_of(seed).evolve(board, event)
        assert after == board._replace(points=event.points)
        assert (event.points < board.points) == board.defends(seat)


@deals
@given(seeds)
def test_s4_8_a_voided_deal_is_over_before_the_first_lead(seed: int) -> None:
    steps = [*play(seed, revolts=1)]
    last = steps[-1].after
    if isinstance(last.result, DealVoided):
        assert not any(isinstance(event, CardsPlayed) for step in steps for event in step.events)
        outcome = rules_of(seed).outcome(last)
        assert outcome is not None
        assert (outcome.scores, outcome.drawn) == ((0, 0, 0, 0), True)
        assert last.defends(last.result.seat)
        assert questions.asked(last) == ()
