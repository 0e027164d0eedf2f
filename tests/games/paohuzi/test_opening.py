"""P2, P3, P5.1 and the wins on the bright tile: from the deal to the first play."""

from __future__ import annotations

import pytest

from services.domain import Rejected
from services.games.paohuzi import tiles
from services.games.paohuzi.events import TiDealt
from services.games.paohuzi.ruleset import COMPETITIVE_2017
from services.games.paohuzi.state import next_draw, owes
from tests.games.paohuzi.given import act, dealt, default, kind, open_to, refusal, table, won

HEAVEN = "s1 s2 s3 s5 s5 s6 s7 s9 s9 s9 b1 b1 b1 b2 b4 b5 b5 b6 b7 b10"
"""Wins with s8: 15 huxi without a name but red ones missing (P8.3)."""
EARTH = "s1 s2 s3 s4 s5 s6 s7 s9 b2 b7 b10 b2 b3 b4 b6 b6 b6 b8 b8 b8"
"""Wins with s8 too."""


@pytest.mark.parametrize(("board", "dealer"), [(1, 0), (2, 1), (3, 2), (4, 0)])
def test_p2_the_board_gives_the_dealer(board: int, dealer: int) -> None:
    assert COMPETITIVE_2017.start(default(), board, tiles.DECK).dealer == dealer


def test_p3_one_tile_at_a_time_from_the_dealer_then_the_bright_tile_then_the_stock() -> None:
    board = COMPETITIVE_2017.start(default(), 2, tiles.DECK)
    first, second, third = (tiles.expand(seat.hand) for seat in board.seats)
    assert second == (*tiles.DECK[0:60:3], tiles.DECK[60])
    assert third == tiles.DECK[1:60:3]
    assert first == tiles.DECK[2:60:3]
    assert board.bright == tiles.DECK[60]
    assert board.stock == tiles.DECK[61:]
    assert [seat.holds for seat in board.seats] == [20, 21, 20]


@pytest.mark.parametrize(
    ("board", "deal"),
    [(0, tiles.DECK), (1, tiles.DECK[1:]), (1, (*tiles.DECK[1:], 20)), (1, (*tiles.DECK, 1))],
)
def test_p3_only_a_permutation_of_the_deck_is_dealt(board: int, deal: tuple[int, ...]) -> None:
    with pytest.raises(Rejected):
        COMPETITIVE_2017.start(default(), board, deal)


def test_p5_1_the_dealer_plays_first() -> None:
    board = dealt({}, "s7", dealer=1)
    assert list(open_to(board)) == [1]
    assert owes(board) == 1
    assert next_draw(board) == 2


def test_p5_1_dealt_ti_are_laid_dealer_first_then_in_turn_order() -> None:
    deal = [*"s4 b4 b5 s4 b4 b5 s4 b4 b5 s4 b4 b5".split()]
    left = list(tiles.DECK)
    for word in deal:
        left.remove(kind(word))
    dealer_2 = COMPETITIVE_2017.start(default(), 3, (*map(kind, deal), *left))
    laid = [event for event in COMPETITIVE_2017.opening(dealer_2) if isinstance(event, TiDealt)]
    assert laid[:3] == [TiDealt(2, kind("s4")), TiDealt(0, kind("b4")), TiDealt(1, kind("b5"))]


def test_p4_the_bright_tile_makes_a_dealt_ti() -> None:
    board = dealt({0: "s3 s3 s3"}, "s3")
    assert table(board, 0) == ["ti s3"]
    assert owes(board) == 0


def test_p5_1_the_bright_tile_triggers_no_pao_peng_or_eat() -> None:
    board = dealt({1: "b5 b5 b6", 2: "s5 b4 b6"}, "b5")
    assert list(open_to(board)) == [0]
    assert [table(board, number) for number in (0, 1, 2)] == [[], [], []]
    assert refusal(board, "1 peng") == "P5.1"
    assert refusal(board, "1 eat b4 b6") == "P5.1"


def test_p5_1_a_kan_is_kept_when_its_fourth_is_the_bright_tile() -> None:
    board = dealt({1: "b5 b5 b5"}, "b5")
    assert table(board, 1) == []


def test_p5_1_the_dealer_may_win_before_it_plays_and_playing_declines() -> None:
    board = dealt({0: HEAVEN}, "s8")
    choice = open_to(board)[0]
    assert choice[0] == "win"
    assert "pass" not in choice
    assert all(text.startswith("play ") for text in choice[1:])
    assert won(act(board, "0 win")).scores == (4, -2, -2)
    assert "win" not in open_to(act(board, "0 play s1")).get(0, [])


def test_p8_3_the_others_do_not_win_on_the_bright_tile() -> None:
    board = dealt({1: EARTH}, "s8")
    assert list(open_to(board)) == [0]
    assert refusal(board, "1 win") == "P8.3"


def test_p8_3_dihu_asks_everybody_who_can_win_before_the_dealer_plays() -> None:
    board = dealt({1: EARTH}, "s8", dihu_on_bright_tile=True)
    assert open_to(board) == {1: ["win", "pass"]}
    assert owes(board) == 0
    assert refusal(board, "0 play s1") in ("P8.3", "P5.6")
    passed = act(board, "1 pass")
    assert list(open_to(passed)) == [0]
    assert refusal(passed, "1 win") == "P8.3"


def test_p8_3_dihu_dealer_first_then_in_turn_order() -> None:
    board = dealt({0: HEAVEN, 1: EARTH}, "s8", dihu_on_bright_tile=True)
    assert open_to(board) == {0: ["win", "pass"], 1: ["win", "pass"]}
    other_first = act(board, "1 win")
    assert open_to(other_first) == {0: ["win", "pass"]}
    assert act(other_first, "0 win").result == act(board, "0 win").result
    assert won(act(other_first, "0 pass")).seat == 1


def test_p10_dihu_counts_the_name_earth() -> None:
    board = dealt({1: EARTH}, "s8", dihu_on_bright_tile=True, fan={"earth": 4})
    assert won(act(board, "1 win")).names == ("earth",)


def test_p8_3_dihu_with_nobody_to_win_is_the_dealers_turn() -> None:
    board = dealt({}, "s7", dihu_on_bright_tile=True)
    assert list(open_to(board)) == [0]
    assert all(text.startswith("play ") for text in open_to(board)[0])


def test_p8_3_a_declined_bright_tile_is_not_offered_again() -> None:
    board = act(dealt({0: HEAVEN}, "s8", dihu_on_bright_tile=True), "0 pass")
    assert "win" not in open_to(board)[0]
    assert owes(board) == 0


def test_p5_7_seven_kan_may_win_and_are_dead_if_they_do_not() -> None:
    hand = "s1 s1 s1 s3 s3 s3 s5 s5 s5 s7 s7 s7 s9 s9 s9 b2 b2 b2 b4 b4"
    board = dealt({0: hand}, "b4")
    assert open_to(board) == {0: ["win", "pass"]}
    assert owes(board) == 0
    declined = act(board, "0 pass")
    assert declined.seats[0].dead
    assert owes(declined) != 0
