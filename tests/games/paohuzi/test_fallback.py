"""P12: what is played for a seat whose clock ran out."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.domain import fold
from services.games.paohuzi import actions, fallback, tiles
from services.games.paohuzi.events import KindPassed
from services.games.paohuzi.ruleset import COMPETITIVE_2017 as RULES
from services.games.paohuzi.state import State
from tests.games.paohuzi.boards import opened
from tests.games.paohuzi.given import act, drawn, draws, kind, seat, turn

WINS_ON_S5 = "s1 s2 s3 s4 s6 s8 s9 s10 b1 b1 b1 b2 b4 b5 b6 b7 b9 b9 b9 b10"


def acts(board: State, number: int) -> str:
    return actions.show(RULES.fallback(board, number))


def test_p12_it_wins_if_it_can() -> None:
    assert acts(drawn("s5", 0, {1: seat(WINS_ON_S5)}), 1) == "win"
    hand = "s5 s5 s5 s1 s2 s3 b1 b1 b1 b2 b7 b10 b9 b9 b9 b4 b5 b6 s8 s8"
    assert acts(draws("s5", 0, {0: seat(hand)}), 0) == "win"


def test_p12_it_passes_an_optional_claim() -> None:
    board = drawn("s5", 0, {1: seat("s4 s6 b1"), 2: seat("s5 s5 b1")})
    assert [acts(board, 1), acts(board, 2)] == ["pass", "pass"]


def test_p7_4_an_automatic_pass_is_a_pass() -> None:
    board = drawn("s5", 0, {1: seat("s4 s6 b1")})
    events = RULES.decide(board, 1, RULES.fallback(board, 1))
    assert KindPassed(1, kind("s5"), eat=True, peng=False) in events


@pytest.mark.parametrize(
    ("hand", "loosest"),
    [
        ("s1 s2 s3 b9", "b9"),
        ("s1 s1 s5 s6", "s5"),
        ("s2 s7 s10 b4 b5 b6 b8", "b8"),
        ("s3 b3 s3 s6 s8", "s6"),
        ("s9 s9 s9 b1 b1", "b1"),
        ("s4 b8", "s4"),
        ("s4 s5 b8", "b8"),
    ],
)
def test_p12_it_plays_the_tile_least_tied_to_the_rest(hand: str, loosest: str) -> None:
    assert acts(turn(0, {0: seat(hand, holds=21)}), 0) == f"play {loosest}"


def test_p5_6_it_never_breaks_a_kan() -> None:
    hand = bytes(tiles.count([1, 1, 1, 12, 13]))
    assert fallback.loosest(hand, [12, 13]) in (12, 13)


def test_it_answers_for_a_seat_that_is_no_longer_waited_for() -> None:
    board = drawn("s5", 0, {0: seat("s4 s6 b1"), 1: seat("s4 s6 b1"), 2: seat("s5 s5 b1")})
    assert acts(act(board, "0 eat s4 s6"), 1) == "pass"


def test_nobody_plays_for_a_seat_without_a_question() -> None:
    with pytest.raises(ValueError, match="no question"):
        RULES.fallback(drawn("s5", 0, {2: seat("s5 s5 b1")}), 1)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32))
def test_p12_a_board_of_absent_players_ends(seed: int) -> None:
    _, _, board = opened(seed)
    for _ in range(300):
        asked = RULES.asked(board)
        if not asked:
            break
        board = fold(RULES.evolve, board, RULES.decide(board, asked[0], RULES.fallback(board, asked[0])))
    assert RULES.outcome(board) is not None
