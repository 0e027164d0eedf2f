"""The house AI: legal, deterministic, knows only its view, and plays sensibly."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.domain import fold
from services.games.paohuzi import actions, policy
from services.games.paohuzi.actions import WIN, Action
from services.games.paohuzi.ruleset import COMPETITIVE_2017 as RULES
from services.games.paohuzi.state import SEATS, State
from services.games.paohuzi.view import SeatView
from tests.games.paohuzi import boards
from tests.games.paohuzi.given import drawn, kind, played, seat, turn

Player = Callable[[State, int], Action]

STOCK = "b2 b3 s7 b8 s1 s10 b2 b3 s7 b8 s1 s10"
"""Long enough for a board in its middle; nobody sees it."""
READY_ON_S5 = "s1 s2 s3 s4 s6 s8 s9 s10 b1 b1 b1 b2 b4 b5 b6 b7 b9 b9 b9 b10"


def chooses(board: State, number: int) -> str:
    return actions.show(policy.choose(RULES.view(board, number)))


def ai(board: State, number: int) -> Action:
    return policy.choose(RULES.view(board, number))


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10_000))
def test_it_chooses_one_of_its_options_and_always_the_same(seed: int) -> None:
    for step in boards.play(seed):
        for number in RULES.asked(step.before):
            seen = RULES.view(step.before, number)
            choice = policy.choose(seen)
            assert choice in seen.options
            assert choice == policy.choose(SeatView(*seen))
            if WIN in seen.options:
                assert choice == WIN


def test_a_view_without_a_question_is_refused() -> None:
    board = turn(0, {0: seat("s5 s6 s7 b1", holds=21)})
    for number in (1, None):
        with pytest.raises(ValueError, match="question"):
            policy.choose(RULES.view(board, number))


def test_p8_7_it_wins_when_it_can() -> None:
    assert chooses(drawn("s5", 0, {1: seat(READY_ON_S5)}), 1) == "win"


def test_it_eats_what_completes_a_run_with_huxi() -> None:
    """S1 s2 s3 (3 huxi), not s2 s3 s4."""
    hand = "s1 s2 b5 b6 b7 b9 b9 b9 s8 s8 s9 s10 b2 b7 b10 s4 s4 b4 s6 b8"
    assert chooses(played("s3", 0, {1: seat(hand)}, stock=STOCK), 1) == "eat s1 s2"


def test_it_does_not_break_what_is_worth_more_to_eat() -> None:
    """Every eat of 肆 would take a tile of a whole meld."""
    hand = "b1 b2 b3 s1 s2 s3 b6 b7 b8 s9 s9 s9 b10 b10 b10 s4 s5 s6 s8 b5"
    board = played("b4", 0, {1: seat(hand)}, stock=STOCK)
    assert len(RULES.options(board, 1)) > 1
    assert chooses(board, 1) == "pass"


def test_it_pengs_when_huxi_are_short() -> None:
    hand = "b9 b9 b8 b8 s1 s2 s3 s4 s5 s6 s7 s8 s9 b1 b2 b3 b5 s10 b6 s6"
    assert chooses(played("b9", 0, {2: seat(hand)}, stock=STOCK), 2) == "peng"


def test_it_plays_a_loose_tile_and_keeps_shapes() -> None:
    hand = "s1 s2 s3 b1 b2 b3 s4 s5 s6 s9 s9 s9 b5 b6 b7 b2 b10 s1 s2 s8 b4"
    assert chooses(turn(0, {0: seat(hand, holds=21)}, stock=STOCK), 0) == "play s8"


@pytest.mark.parametrize("safe", ["b4", "b9"])
def test_p7_3_it_does_not_feed_the_next_seat(safe: str) -> None:
    """Of 肆 and 玖, both loose, it plays the one that the next seat has played and can never eat."""
    hand = "s1 s2 s3 b1 b2 b3 s9 s9 s9 b2 b7 b10 s6 s7 s8 s6 s7 b7 b6 b4 b9"
    following = seat()._replace(played=1 << kind(safe))
    board = turn(0, {0: seat(hand, holds=21), 1: following}, stock=STOCK)
    assert chooses(board, 0) == f"play {safe}"


def scores_of(seed: int, players: tuple[Player, Player, Player]) -> tuple[int, ...]:
    board = RULES.start(RULES.resolve({}), 1, boards.shuffled(random.Random(seed)))
    board = fold(RULES.evolve, board, RULES.opening(board))
    while asked := RULES.asked(board):
        board = fold(RULES.evolve, board, RULES.decide(board, asked[0], players[asked[0]](board, asked[0])))
    outcome = RULES.outcome(board)
    assert outcome is not None
    return outcome.scores


@pytest.mark.parametrize("others", ["fallback", "random"])
def test_it_beats_simpler_players_from_every_seat(others: str) -> None:
    """Over these boards, each played once from every seat; the long run is measured elsewhere."""
    rng = random.Random(5)
    simple: Player = RULES.fallback
    if others == "random":
        simple = lambda board, number: rng.choice(RULES.options(board, number))  # noqa: E731
    total = 0
    for seed in range(60):
        for number in SEATS:
            first, second, third = (ai if each == number else simple for each in SEATS)
            total += scores_of(seed, (first, second, third))[number]
    assert total > 60
