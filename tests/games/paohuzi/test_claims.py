"""P6: who may claim a tile, whose claim goes first, who is waited for, and what is refused."""

from __future__ import annotations

from itertools import permutations

import pytest

from services.games.paohuzi import questions
from services.games.paohuzi.events import Passed, PengClaimed, Ponged, WinClaimed
from services.games.paohuzi.ruleset import COMPETITIVE_2017
from tests.games.paohuzi.given import (
    act,
    drawn,
    draws,
    happens,
    kind,
    open_to,
    played,
    refusal,
    seat,
    settled,
    table,
    turn,
    won,
)

WINS_ON_S5 = "s1 s2 s3 s4 s6 s8 s9 s10 b1 b1 b1 b2 b4 b5 b6 b7 b9 b9 b9 b10"
"""Seven melds and 21 huxi with s5, which it may also eat in two ways."""
EATS = "s4 s6 b1 b2"
"""Eats s5 in one way."""
PAIR = "s5 s5 b1 b2"
KAN = "s5 s5 s5 b1 b2"


# P6.2: played tiles


def test_p6_2_the_others_peng_and_only_the_next_seat_eats_a_played_tile() -> None:
    board = played("s5", 0, {1: seat(EATS), 2: seat(PAIR)})
    assert open_to(board) == {1: ["eat s4 s6", "pass"], 2: ["peng", "pass"]}
    previous = played("s5", 1, {0: seat(EATS), 2: seat(PAIR)})
    assert open_to(previous) == {2: ["peng", "pass"]}
    assert refusal(previous, "0 eat s4 s6") == "P6.2"


def test_p6_2_nobody_wins_on_a_played_tile() -> None:
    board = played("s5", 0, {1: seat(WINS_ON_S5)})
    assert open_to(board) == {1: ["eat s3 s4", "eat s4 s6", "pass"]}
    assert refusal(board, "1 win") == "P8.3"


def test_p6_2_a_player_does_not_claim_its_own_tile() -> None:
    board = played("s5", 0, {0: seat(PAIR + " s6 s7"), 2: seat(PAIR)})
    assert open_to(board) == {2: ["peng", "pass"]}
    assert refusal(board, "0 peng") == "P6.2"
    assert refusal(board, "0 eat s6 s7") == "P6.2"


# P6.3: drawn tiles


def test_p6_3_the_drawer_and_the_next_seat_eat_and_the_others_peng_a_drawn_tile() -> None:
    board = drawn("s5", 0, {0: seat(EATS), 1: seat(EATS), 2: seat(PAIR)})
    assert open_to(board) == {
        0: ["eat s4 s6", "pass"],
        1: ["eat s4 s6", "pass"],
        2: ["peng", "pass"],
    }
    before = drawn("s5", 0, {2: seat(EATS), 1: seat(PAIR)})
    assert open_to(before) == {1: ["peng", "pass"]}
    assert refusal(before, "2 eat s4 s6") == "P6.3"
    assert refusal(before, "0 peng") == "P6.3"


def test_p6_3_anybody_wins_on_a_drawn_tile() -> None:
    for winner in (0, 1, 2):
        board = drawn("s5", 0, {winner: seat(WINS_ON_S5)})
        assert open_to(board)[winner][0] == "win"
        assert act(board, f"{winner} win").result is not None


# P6.1: the order of claims


@pytest.mark.parametrize(
    ("answers", "taker", "laid"),
    [
        ({0: "eat s4 s6", 1: "eat s4 s6", 2: "peng"}, 2, "peng s5"),
        ({0: "eat s4 s6", 1: "eat s4 s6", 2: "pass"}, 0, "run s4 s5 s6"),
        ({0: "pass", 1: "eat s4 s6", 2: "pass"}, 1, "run s4 s5 s6"),
        ({0: "pass", 1: "eat s4 s6", 2: "peng"}, 2, "peng s5"),
    ],
)
def test_p6_1_peng_before_eat_and_the_drawer_before_the_next_seat(
    answers: dict[int, str], taker: int, laid: str
) -> None:
    for order in permutations(answers):
        board = drawn("s5", 0, {0: seat(EATS), 1: seat(EATS), 2: seat(PAIR)})
        for number in order:
            if number in questions.asked(board) and board.phase == "drawn":
                board = act(board, f"{number} {answers[number]}")
        assert table(board, taker) == [laid]


def test_p6_1_ti_and_wei_before_anothers_win() -> None:
    for held in ("s5 s5 b1", "s5 s5 s5 b1"):
        board = draws("s5", 0, {0: seat(held), 1: seat(WINS_ON_S5)})
        assert list(open_to(board)) == [0]
        assert refusal(board, "1 win") == "P6.1"


def test_p6_1_a_win_before_a_pao_which_waits_for_it() -> None:
    board = drawn("s5", 0, {1: seat(WINS_ON_S5), 2: seat(KAN)})
    assert settled(board) == board
    assert open_to(board) == {1: ["win", "eat s3 s4", "eat s4 s6", "pass"]}
    assert act(board, "1 win").result is not None
    assert table(act(board, "1 eat s4 s6"), 2) == ["pao s5"]
    assert table(act(board, "1 pass"), 2) == ["pao s5"]


def test_p6_1_two_winners_the_drawer_first_then_in_turn_order() -> None:
    for drawer in (0, 1, 2):
        board = drawn("s5", drawer, {number: seat(WINS_ON_S5) for number in (0, 1, 2)})
        second, third = (drawer + 1) % 3, (drawer + 2) % 3
        claimed = act(board, f"{third} win", f"{second} win")
        assert open_to(claimed).keys() == {drawer}
        assert won(act(claimed, f"{drawer} win")).seat == drawer
        assert won(act(claimed, f"{drawer} pass")).seat == second


# P6.4: who is asked, and until when


def test_p6_4_everybody_with_a_choice_is_asked_at_once_and_a_better_claim_settles_it() -> None:
    board = drawn("s5", 0, {0: seat(EATS), 1: seat(EATS), 2: seat(PAIR)})
    assert happens(board, "2 peng") == (PengClaimed(2), Ponged(2, kind("s5")))


def test_p6_4_an_answer_waits_for_those_that_can_outrank_it() -> None:
    board = drawn("s5", 0, {0: seat(EATS), 1: seat(EATS), 2: seat(PAIR)})
    waiting = act(board, "1 eat s4 s6", "2 pass")
    assert open_to(waiting) == {0: ["eat s4 s6", "pass"]}
    assert table(waiting, 1) == []


def test_p6_4_a_seat_outranked_by_a_given_claim_is_no_longer_asked() -> None:
    board = drawn("s5", 0, {0: seat(EATS), 1: seat(EATS), 2: seat(PAIR)})
    assert open_to(act(board, "0 eat s4 s6")) == {2: ["peng", "pass"]}


def test_p6_4_a_win_that_may_come_is_waited_for() -> None:
    board = drawn("s5", 0, {1: seat(WINS_ON_S5), 0: seat(EATS), 2: seat(PAIR)})
    ponged = act(board, "2 peng")
    assert open_to(ponged) == {1: ["win", "eat s3 s4", "eat s4 s6", "pass"]}
    assert happens(ponged, "1 win")[0] == WinClaimed(1)
    assert table(act(ponged, "1 pass"), 2) == ["peng s5"]
    assert table(act(ponged, "1 eat s4 s6"), 2) == ["peng s5"]


def test_p6_4_what_an_asked_seat_may_claim_does_not_tell_of_a_pao() -> None:
    without = drawn("s5", 0, {1: seat(WINS_ON_S5)})
    behind = drawn("s5", 0, {1: seat(WINS_ON_S5), 2: seat(KAN)})
    assert open_to(without) == open_to(behind)
    assert act(behind, "1 pass").seats[1].no_eat == 0, "the pao outranks what was passed (P7.4)"


def test_p6_4_nobody_is_asked_whose_claims_a_compulsory_pao_outranks() -> None:
    board = drawn("s5", 0, {0: seat(EATS), 1: seat(EATS), 2: seat(KAN)})
    assert open_to(board) == {}
    assert refusal(board, "1 eat s4 s6") == "P6.1"
    assert table(settled(board), 2) == ["pao s5"]


def test_p6_4_a_late_answer_is_void_and_its_question_stands_until_the_award() -> None:
    """A seat must not learn from its question that somebody gave a better claim."""
    board = drawn("s5", 0, {0: seat(EATS), 1: seat(EATS), 2: seat(PAIR)})
    outranked = act(board, "0 eat s4 s6")
    assert COMPETITIVE_2017.view(outranked, 1) == COMPETITIVE_2017.view(board, 1)
    assert COMPETITIVE_2017.view(act(board, "0 pass"), 1) == COMPETITIVE_2017.view(board, 1)
    assert happens(outranked, "1 pass") == (Passed(1),)
    for late in ("1 eat s4 s6", "1 pass"):
        answered = act(outranked, late)
        assert open_to(answered) == {2: ["peng", "pass"]}
        assert act(answered, "2 pass") == act(outranked, "2 pass")


def test_p6_4_nobody_answers_twice() -> None:
    board = act(drawn("s5", 0, {0: seat(EATS), 2: seat(PAIR)}), "0 eat s4 s6")
    assert refusal(board, "0 pass") == "P6.4"
    assert refusal(board, "0 eat s4 s6") == "P6.4"


def test_p6_4_who_is_not_asked_does_not_answer() -> None:
    board = drawn("s5", 0, {2: seat(PAIR)})
    assert refusal(board, "1 pass") == "P6.4"
    assert refusal(board, "1 win") == "P8.1"
    assert refusal(turn(0, {0: seat(holds=21)}), "1 pass") == "P6.4"


def test_p6_4_a_tile_that_is_gone_is_not_claimed() -> None:
    board = act(drawn("s5", 0, {1: seat(EATS), 2: seat(PAIR)}), "2 peng")
    assert refusal(board, "1 eat s4 s6") == "P6.4"
    assert refusal(board, "1 peng") == "P6.4"


# P4: what a claim takes


def test_p4_a_kan_is_not_eaten_with() -> None:
    board = played("s5", 0, {1: seat("s6 s6 s6 s7 b1"), 2: seat(PAIR)})
    assert open_to(board) == {2: ["peng", "pass"]}
    assert refusal(board, "1 eat s6 s7") == "P4"


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("1 eat s6 s8", "P4"),
        ("1 eat s7 s9", "P5.6"),
        ("1 eat b4 b6", "P4"),
        ("1 peng", "P4"),
        ("1 play s6", "P5.4"),
    ],
)
def test_p4_what_is_no_meld_or_not_in_hand_is_refused(text: str, clause: str) -> None:
    board = played("s5", 0, {1: seat("s6 s7 s8 b4 b6 b1")})
    assert refusal(board, text) == clause


def test_the_question_says_which_clock_runs() -> None:
    assert COMPETITIVE_2017.question(turn(0, {0: seat(holds=21)}), 0) == "play"
    assert COMPETITIVE_2017.question(drawn("s5", 0, {2: seat(PAIR)}), 2) == "claim"
