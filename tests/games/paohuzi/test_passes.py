"""P7: dead kinds after a pass or an own play, and copies laid along with an eat."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from services.games.paohuzi.events import KindPassed
from services.games.paohuzi.sight import view
from services.games.paohuzi.state import Seat, State
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
    table,
    turn,
)

Offer = Callable[[str, int, dict[int, Seat]], State]
S5 = kind("s5")
EATS = "s4 s6 b1 b2"
PAIR = "s5 s5 b1 b2"
PENG_OR_EAT = "s5 s5 s6 s7 b5 b1"
"""Pengs s5, or eats it with s6 s7 and lays s5 s5 b5 along, or eats it with s5 b5 and lays s5 s6 s7 along."""
WINS_ON_S5 = "s1 s2 s3 s4 s6 s8 s9 s10 b1 b1 b1 b2 b4 b5 b6 b7 b9 b9 b9 b10"


def marks(board: State, text: str) -> list[KindPassed]:
    """The passes that count once an act has settled the tile."""
    return [event for event in happens(board, text) if isinstance(event, KindPassed)]


def held(board: State, number: int) -> dict[int, Seat]:
    """The seats of a board for the next one; the given seat could still take s5 but for what it has passed."""
    return {number: board.seats[number]}


# P7.1, P7.2: passes


@pytest.mark.parametrize("offer", [played, drawn])
def test_p7_1_a_passed_tile_of_the_previous_seat_is_neither_eaten_nor_ponged_again(offer: Offer) -> None:
    board = offer("s5", 0, {1: seat(PENG_OR_EAT)})
    assert marks(board, "1 pass") == [KindPassed(1, S5, eat=True, peng=True)]
    passed = held(act(board, "1 pass"), 1)
    for again in (played("s5", 0, passed), played("s5", 2, passed), drawn("s5", 0, passed)):
        assert open_to(again) == {}
        assert refusal(again, "1 peng") == "P7.1"
    assert refusal(drawn("s5", 0, passed), "1 eat s6 s7 + s5 s5 b5") == "P7.1"


def test_p7_1_an_own_draw_that_was_not_eaten_is_neither_eaten_nor_ponged_again() -> None:
    board = drawn("s5", 1, {1: seat(EATS)})
    assert marks(board, "1 pass") == [KindPassed(1, S5, eat=True, peng=False)]
    passed = held(act(board, "1 pass"), 1)
    assert open_to(drawn("s5", 1, passed)) == open_to(played("s5", 0, passed)) == {}
    assert refusal(played("s5", 0, passed), "1 eat s4 s6") == "P7.1"


def test_p7_1_another_kind_stays_open() -> None:
    passed = held(act(played("s5", 0, {1: seat("s4 s6 s7 b1")}), "1 pass"), 1)
    assert open_to(played("s5", 0, passed)) == {}
    assert open_to(played("s8", 0, passed)) == {1: ["eat s6 s7", "pass"]}


@pytest.mark.parametrize("offer", [played, drawn])
def test_p7_2_a_passed_tile_of_the_next_seat_may_still_be_eaten(offer: Offer) -> None:
    board = offer("s5", 2, {1: seat(PENG_OR_EAT)})
    assert open_to(board) == {1: ["peng", "pass"]}
    assert marks(board, "1 pass") == [KindPassed(1, S5, eat=False, peng=True)]
    again = played("s5", 0, held(act(board, "1 pass"), 1))
    assert open_to(again) == {1: ["eat s5 b5 + s5 s6 s7", "eat s6 s7 + s5 s5 b5", "pass"]}
    assert refusal(again, "1 peng") == "P7.2"


def test_p7_1_what_could_not_be_taken_was_not_passed() -> None:
    """The next seat can neither eat s5, having no meld for it, nor does a tile from there ask it to."""
    board = played("s5", 2, {0: seat(EATS, no_eat="s5"), 1: seat(PAIR)})
    assert marks(board, "1 pass") == [KindPassed(1, S5, eat=False, peng=True)]
    assert act(board, "1 pass").seats[0].no_peng == 0


# P7.3


def test_p7_3_a_kind_one_has_played_is_neither_eaten_nor_ponged_by_oneself() -> None:
    board = act(turn(1, {1: seat("s5 s4 s6 s5 b1", holds=21)}), "1 play s5")
    mine = held(board, 1)
    for later in (played("s5", 0, mine), drawn("s5", 1, mine), drawn("s5", 0, mine)):
        assert open_to(later) == {}
        assert refusal(later, "1 eat s4 s6") == "P7.3"
    assert refusal(drawn("s5", 2, mine), "1 peng") == "P7.3"


def test_p7_3_what_others_played_is_not_dead() -> None:
    board = act(turn(1, {1: seat("s5 b1", holds=21), 0: seat(EATS)}), "1 play s5")
    assert open_to(played("s5", 2, held(board, 0))) == {0: ["eat s4 s6", "pass"]}


# P7.4


def test_p7_4_a_claim_that_lost_is_not_a_pass() -> None:
    seats = {0: seat(EATS), 1: seat(EATS), 2: seat(PAIR)}
    settled = act(drawn("s5", 0, seats), "0 eat s4 s6", "2 peng")
    assert [each.no_eat for each in settled.seats] == [0, 0, 0]


def test_p7_4_never_being_asked_is_not_a_pass() -> None:
    seats = {0: seat(EATS), 1: seat(EATS), 2: seat(PAIR)}
    settled = act(drawn("s5", 0, seats), "2 peng")
    assert [each.no_eat for each in settled.seats] == [0, 0, 0]


@pytest.mark.parametrize(
    ("answers", "counting"),
    [
        (("0 pass", "1 pass", "2 pass"), [0, 1, 2]),
        (("0 pass", "1 pass", "2 peng"), []),
        (("0 pass", "2 pass", "1 eat s4 s6"), [0, 2]),
        (("1 pass", "2 pass", "0 eat s4 s6"), [2]),
        (("1 pass", "0 pass", "2 peng"), []),
    ],
)
def test_p7_4_a_pass_counts_unless_the_tile_went_to_a_claim_above_all_that_was_passed(
    answers: tuple[str, ...], counting: list[int]
) -> None:
    board = act(drawn("s5", 0, {0: seat(EATS), 1: seat(EATS), 2: seat(PAIR)}), *answers[:-1])
    assert [mark.seat for mark in marks(board, answers[-1])] == counting


def test_p7_4_a_pass_on_peng_and_eat_counts_when_the_drawer_eats() -> None:
    """The peng that was passed would have gone before the eat."""
    board = drawn("s5", 0, {0: seat(EATS), 1: seat(PENG_OR_EAT)})
    assert marks(act(board, "1 pass"), "0 eat s4 s6") == [KindPassed(1, S5, eat=True, peng=True)]
    assert marks(act(board, "1 eat s6 s7 + s5 s5 b5"), "0 eat s4 s6") == []


def test_p7_4_a_pass_on_a_tile_that_goes_to_a_pao_does_not_count() -> None:
    board = drawn("s5", 0, {1: seat(WINS_ON_S5), 2: seat("s5 s5 s5 b1")})
    assert marks(board, "1 pass") == []


def test_p8_7_passing_a_win_kills_the_kind_only_if_it_could_be_eaten_too() -> None:
    board = drawn("s5", 2, {1: seat(WINS_ON_S5)})
    assert open_to(board) == {1: ["win", "pass"]}
    assert marks(board, "1 pass") == []
    eater = drawn("s5", 0, {1: seat(WINS_ON_S5)})
    assert marks(eater, "1 pass") == [KindPassed(1, S5, eat=True, peng=False)]


# P7.5


@pytest.mark.parametrize(
    ("hand", "choices"),
    [
        ("s7 s8 b1", ["eat s7 s8"]),
        ("s6 s4 s5 s7 s8 b1", ["eat s4 s5 + s6 s7 s8", "eat s7 s8 + s4 s5 s6"]),
        ("s6 s7 s8 b1", []),
        ("s6 b6 b1", ["eat s6 b6"]),
        ("b6 b6 b1", ["eat b6 b6"]),
        ("s6 b6 b6 b1", ["eat s6 b6"]),
        ("s6 b6 b6 s7 s8 b1", ["eat s6 b6", "eat s7 s8 + s6 b6 b6", "eat b6 b6 + s6 s7 s8"]),
        ("s6 s6 b6 s7 s8 b1", ["peng", "eat s6 b6 + s6 s7 s8", "eat s7 s8 + s6 s6 b6"]),
        ("s6 s6 b6 b1", ["peng"]),
        ("s6 s7 s7 s8 s8 b1", ["eat s7 s8 + s6 s7 s8"]),
        (
            "s6 s6 s4 s5 s7 s7 s8 s8 b1",
            ["peng", "eat s4 s5 + s6 s7 s8 + s6 s7 s8", "eat s7 s8 + s4 s5 s6 + s6 s7 s8"],
        ),
        ("s6 s7 s7 s7 s8 s4 s5 b1", []),
    ],
)
def test_p7_5_copies_of_an_eaten_tile_are_laid_along(hand: str, choices: list[str]) -> None:
    board = played("s6", 0, {1: seat(hand)})
    assert open_to(board).get(1, ["pass"])[:-1] == choices


def test_p7_5_a_copy_may_lie_in_a_run_of_two_seven_ten() -> None:
    board = drawn("s7", 1, {1: seat("s7 s2 s10 s8 s9 b1")})
    assert open_to(board) == {1: ["eat s2 s10 + s7 s8 s9", "eat s8 s9 + s2 s7 s10", "pass"]}


def test_p7_5_an_eat_without_its_copies_is_refused() -> None:
    board = played("s6", 0, {1: seat("s6 s4 s5 s7 s8 b1 b2 b3")})
    assert refusal(board, "1 eat s7 s8") == "P7.5"
    assert refusal(board, "1 eat s7 s8 + b1 b2 b3") == "P7.5"
    assert refusal(board, "1 eat s7 s8 + s4 s5 s6 + b1 b2 b3") == "P7.5"
    assert refusal(board, "1 eat s7 s8 + s4 s6 b2") == "P7.5"
    assert refusal(board, "1 eat s7 s8 + s6 s6 b6") == "P5.6"


def test_p7_5_eaten_meld_first_then_what_lies_along() -> None:
    board = act(played("s6", 0, {1: seat("s6 s4 s5 s7 s8 b1")}), "1 eat s8 s7 + s6 s5 s4")
    assert table(board, 1) == ["run s6 s7 s8", "run s4 s5 s6"]
    assert open_to(board) == {1: ["play b1"]}


# P7.6


def test_p7_6_dead_kinds_do_not_prevent_wei_ti_pao_or_a_win() -> None:
    def dead(hand: str, laid: Iterable[str] = ()) -> Seat:
        return seat(hand, laid, no_eat="s5", no_peng="s5")

    assert table(draws("s5", 0, {0: dead("s5 s5 b1")}), 0) == ["wei s5"]
    assert table(draws("s5", 0, {0: dead("s5 s5 s5 b1")}), 0) == ["ti s5"]
    assert table(draws("s5", 1, {0: dead("s5 s5 s5 b1")}), 0) == ["pao s5"]
    assert table(draws("s5", 1, {0: dead("b1", ["peng s5"])}), 0) == ["pao s5"]
    assert open_to(drawn("s5", 1, {0: dead(WINS_ON_S5)})) == {0: ["win", "pass"]}


def test_p13_which_kinds_are_dead_only_the_seat_itself_knows() -> None:
    before = drawn("s5", 0, {1: seat(PENG_OR_EAT)}, stock="b8 b8")
    after = act(before, "1 pass")
    assert view(after, 1).dead_eat == view(after, 1).dead_peng == (S5,)
    for viewer in (0, 2, None):
        assert view(after, viewer).dead_eat == view(after, viewer).dead_peng == ()
