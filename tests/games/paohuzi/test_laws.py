"""Laws that every Paohuzi board keeps, whatever is dealt and whoever does what."""

from __future__ import annotations

import random
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.domain import Rejected, fold
from services.games.paohuzi import melds, questions, tiles
from services.games.paohuzi.actions import PASS, Action, Eat, Play, canonical, parse, show
from services.games.paohuzi.events import Passed, Won
from services.games.paohuzi.ruleset import COMPETITIVE_2017 as RULES
from services.games.paohuzi.state import SEATS, State, owes
from tests.games.paohuzi.boards import Step, afresh, everywhere, fours, opened, play

seeds = st.integers(0, 2**32)
boards = settings(max_examples=150, deadline=None)
DECK = list(tiles.DECK)


@boards
@given(seeds)
def test_eighty_tiles_after_every_event(seed: int) -> None:
    board, events, _ = opened(seed)
    for event in events:
        board = RULES.evolve(board, event)
        assert everywhere(board) == DECK
    for step in play(seed):
        board = step.before
        for event in step.events:
            board = RULES.evolve(board, event)
            assert everywhere(board) == DECK


@boards
@given(seeds)
def test_somebody_can_always_go_on_until_the_board_is_over(seed: int) -> None:
    """P5.7: never stuck; and never more than the stock allows."""
    _, _, after = opened(seed)
    for number, step in enumerate(play(seed)):
        after = step.after
        asked = RULES.asked(after)
        assert (RULES.outcome(after) is None) == bool(asked)
        for seat in SEATS:
            assert bool(RULES.options(after, seat)) == (seat in asked)
        assert number < 300
    assert after.phase == "over"


@boards
@given(seeds)
def test_scores_sum_to_zero_and_only_a_winner_gains(seed: int) -> None:
    """P11.1, P5.5."""
    last = _end(seed)
    outcome = RULES.outcome(last)
    assert outcome is not None
    assert sum(outcome.scores) == 0
    result = last.result
    if isinstance(result, Won):
        gain = outcome.scores[result.seat]
        assert gain > 0
        assert sorted(outcome.scores) == [-gain // 2, -gain // 2, gain]
        assert result.huxi == sum(map(melds.huxi, result.melds)) >= last.params.min_huxi
        assert len(result.melds) == 7
        assert all(map(melds.legal, result.melds))
    else:
        assert outcome.drawn
        assert last.stock_left == 0


def _end(seed: int) -> State:
    """The board played out; in a rare deal nobody is ever asked."""
    _, _, last = opened(seed)
    for step in play(seed):
        last = step.after
    return last


@boards
@given(seeds)
def test_a_replay_gives_the_live_state(seed: int) -> None:
    start, events, live = opened(seed)
    told = fold(RULES.evolve, start, afresh(events))
    assert told == live
    for step in play(seed):
        told = fold(RULES.evolve, told, afresh(step.events))
        assert told == step.after
        assert RULES.asked(told) == RULES.asked(step.after)
        for seat in (*SEATS, None):
            assert RULES.view(told, seat) == RULES.view(step.after, seat)


@boards
@given(seeds)
def test_tiles_held_and_owed_follow_the_invariant(seed: int) -> None:
    """P5.4: more than 20 + max(0, q - 1) tiles only while owing one, or with a dead hand (P5.7)."""
    for step in play(seed):
        board = step.after
        for number, seat in enumerate(board.seats):
            held = sum(seat.hand) + sum(len(meld.tiles) for meld in seat.melds)
            assert held == seat.holds
            assert seat.fours == fours(board)[number]
            surplus = held - 20 - max(0, seat.fours - 1)
            if board.phase != "over" and not seat.dead:
                assert surplus <= (owes(board) == number)
            if seat.dead:
                assert not seat.can_play()


@boards
@given(seeds)
def test_every_option_is_accepted_and_every_other_action_is_refused_without_a_trace(seed: int) -> None:
    rng = random.Random(seed)
    for step in play(seed):
        board, kept = step.before, step.before
        for seat in SEATS:
            options = RULES.options(board, seat)
            assert len(set(options)) == len(options)
            for action in options:
                assert RULES.decide(board, seat, action)
                assert parse(show(action)) == action
            stray = _stray(rng)
            if stray not in questions.put(board, seat):
                _refused(board, seat, stray)
        assert board == kept


def _stray(rng: random.Random) -> Action:
    tile = rng.randrange(1, 21)
    return rng.choice(
        (
            PASS,
            Play(tile),
            canonical(Eat((tile, rng.randrange(1, 21)))),
            parse("win"),
            parse("peng"),
            parse("eat s1 s2"),
        )
    )


def _refused(board: State, seat: int, action: Action) -> None:
    with pytest.raises(Rejected) as refusal:
        RULES.decide(board, seat, action)
    assert refusal.value.clause.startswith("P")


@boards
@given(seeds)
def test_the_order_in_which_answers_arrive_never_changes_a_board(seed: int) -> None:
    """P7.4: every order of the same answers, late ones included, comes to the same state."""
    rng = random.Random(seed)
    for step in play(seed, dihu_on_bright_tile=seed % 2 == 0):
        asked = RULES.asked(step.before)
        if len(asked) > 1 and step.before.answers == (None, None, None):
            answers = {seat: rng.choice(RULES.options(step.before, seat)) for seat in asked}
            outcomes = [_settled(step.before, order, answers) for order in permutations(asked)]
            assert all(outcome == outcomes[0] for outcome in outcomes)


def _settled(board: State, order: tuple[int, ...], answers: dict[int, Action]) -> State:
    """The board once the tile on offer is settled, the seats answering in `order` while it is open."""
    offer = (board.phase, board.tile, board.drawn, board.actor)
    for seat in order:
        open_still = (board.phase, board.tile, board.drawn, board.actor) == offer
        if open_still and questions.put(board, seat):
            board = fold(RULES.evolve, board, RULES.decide(board, seat, answers[seat]))
    return board


@boards
@given(seeds)
def test_a_pass_that_counts_is_a_pass_that_was_given(seed: int) -> None:
    """P7.1-4: kinds die only for seats that passed them or played them."""
    passed = dict.fromkeys(SEATS, 0)
    for step in play(seed):
        for event in step.events:
            if isinstance(event, Passed) and step.before.phase != "turn":
                passed[event.seat] |= 1 << step.before.tile
        for number, seat in enumerate(step.after.seats):
            assert seat.no_eat & ~seat.played & ~passed[number] == 0
            assert seat.no_peng & ~seat.played & ~passed[number] == 0
            assert seat.no_eat & ~seat.no_peng == 0


@boards
@given(seeds)
def test_decisions_are_deterministic(seed: int) -> None:
    assert [_told(step) for step in play(seed)] == [_told(step) for step in play(seed)]


def _told(step: Step) -> tuple[int, Action, tuple[object, ...]]:
    return step.seat, step.action, step.events
