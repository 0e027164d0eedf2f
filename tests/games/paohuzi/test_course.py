"""P4 and P5 in the course of play: draws, compulsory melds, tiles owed, dead hands, the end of the stock."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from services.games.paohuzi.events import BoardDrawn, HandDied, TiLaid, TileDied, TileDrawn, WeiLaid
from services.games.paohuzi.sight import view
from services.games.paohuzi.state import Seat, State, next_draw, owes
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
)

Offer = Callable[[str, int, dict[int, Seat]], State]
STUCK = "s3 s3 s3"
"""A hand of nothing but a kan."""


# P4: what comes about by itself


def test_p4_wei_is_compulsory_on_an_own_draw() -> None:
    board = draws("s5", 0, {0: seat("s5 s5 b1")})
    assert table(board, 0) == ["wei s5"]
    assert open_to(board) == {0: ["play b1"]}


def test_p4_a_wei_after_a_passed_peng_is_a_chouwei() -> None:
    passed = act(drawn("s5", 2, {0: seat("s5 s5 b1")}, stock="s5"), "0 pass")
    assert table(passed, 0) == ["chouwei s5"]


def test_p4_a_peng_not_claimed_for_an_eat_that_lost_was_not_passed() -> None:
    """The drawer eats, the next seat wanted to eat too: no pass (P7.4), so its later wei is none too stale."""
    seats = {1: seat("s5 s5 b5 s4 s6 s1 s2"), 0: seat("s6 s7 b2 b2")}
    board = act(drawn("s5", 0, seats, stock="s5 b3"), "1 eat s4 s6 + s5 s5 b5", "0 eat s6 s7", "0 play b2")
    assert table(board, 0) == ["run s5 s6 s7"]
    assert table(board, 1) == ["wei s5"]


def test_p4_ti_with_a_kan_on_an_own_draw() -> None:
    board = draws("s5", 0, {0: seat("s5 s5 s5 b1")})
    assert table(board, 0) == ["ti s5"]
    assert owes(board) == 0


def test_p4_ti_with_an_own_wei_on_an_own_draw_in_its_place() -> None:
    board = draws("s5", 0, {0: seat("b1", ["run s1 s2 s3", "wei s5", "run b1 b2 b3"])})
    assert table(board, 0) == ["run s1 s2 s3", "ti s5", "run b1 b2 b3"]


@pytest.mark.parametrize("by", [0, 2])
@pytest.mark.parametrize("offer", [played, drawn])
def test_p4_pao_with_a_kan_on_anothers_tile(offer: Offer, by: int) -> None:
    board = offer("s5", by, {1: seat("s5 s5 s5 b1")})
    assert table(settled(board), 1) == ["pao s5"]


@pytest.mark.parametrize("offer", [played, drawn])
def test_p4_pao_with_an_own_wei_on_anothers_tile(offer: Offer) -> None:
    board = offer("s5", 0, {1: seat("b1", ["wei s5"])})
    assert table(settled(board), 1) == ["pao s5"]


@pytest.mark.parametrize("by", [0, 1, 2])
def test_p4_pao_with_an_own_peng_on_a_tile_drawn_by_anyone(by: int) -> None:
    board = draws("s5", by, {1: seat("b1", ["peng s5"])})
    assert table(board, 1) == ["pao s5"]


def test_p4_no_pao_with_an_own_peng_on_a_played_tile() -> None:
    board = act(turn(0, {0: seat("s5 b1", holds=21), 1: seat("b1", ["peng s5"])}), "0 play s5")
    assert table(board, 1) == ["peng s5"]
    assert board.seats[0].discards == (kind("s5"),)


def test_p4_a_pao_takes_the_place_of_its_peng() -> None:
    board = draws("s5", 0, {1: seat("b1", ["peng s4", "peng s5", "run s1 s2 s3"])})
    assert table(board, 1) == ["peng s4", "pao s5", "run s1 s2 s3"]


# P5.2, P5.3: draws


def test_p5_2_a_played_tile_nobody_takes_is_dead_before_its_player_and_the_next_seat_draws() -> None:
    board = turn(0, {0: seat("s5 b1", holds=21), 2: seat("s9 s9 b1")}, stock="s9 b2")
    events = happens(board, "0 play s5")
    assert events[1:] == (TileDied(0, kind("s5")), TileDrawn(1, kind("s9")))
    after = act(board, "0 play s5")
    assert after.seats[0].discards == (kind("s5"),)
    assert open_to(after) == {2: ["peng", "pass"]}
    assert next_draw(after) == 2


def test_p5_2_a_drawn_tile_nobody_takes_is_dead_before_its_drawer_and_the_next_seat_draws() -> None:
    board = drawn("s5", 1, {2: seat("s5 s5 b1"), 0: seat("s9 s9 b1")}, stock="s9 b2")
    events = happens(board, "2 pass")
    assert TileDied(1, kind("s5")) in events
    assert events[-1] == TileDrawn(2, kind("s9"))
    assert act(board, "2 pass").seats[1].discards == (kind("s5"),)


def test_p5_3_a_tile_drawn_into_a_wei_is_not_shown() -> None:
    board = drawn("s5", 1, {0: seat("s5 s5 b1"), 2: seat("s9 s9 b1")}, stock="s9 b2")
    events = happens(board, "0 pass")
    assert events[-1] == WeiLaid(2, kind("s9"), stale=False)
    assert not [event for event in events if isinstance(event, TileDrawn)]
    assert view(act(board, "0 pass"), 0).melds[2][0].tiles == (0, 0, 0)


# P5.4: who owes a tile


def test_p5_4_a_taken_tile_is_followed_by_a_play() -> None:
    board = act(drawn("s5", 2, {0: seat("s5 s5 b1")}), "0 peng")
    assert owes(board) == 0
    assert next_draw(board) == 1


@pytest.mark.parametrize(("laid", "owing"), [([], True), (["ti s1"], False), (["pao s1", "ti s2"], False)])
def test_p5_4_a_second_ti_or_pao_is_followed_by_no_play(laid: list[str], owing: bool) -> None:
    """八块: the next seat draws at once."""
    room = max(0, len(laid) - 1)
    board = draws(
        "s5", 0, {0: seat("s5 s5 s5 b1", laid, holds=20 + room), 2: seat("b2 b2 b1")}, stock="b2 b3"
    )
    assert (owes(board) == 0) is owing
    if not owing:
        assert board.actor == 1
        assert open_to(board) == {2: ["peng", "pass"]}


def test_p5_4_after_a_second_pao_the_seat_after_its_taker_draws() -> None:
    """Not the seat after the one the tile came from."""
    board = act(
        turn(
            0, {0: seat("s5 b1", holds=21), 2: seat("s5 s5 s5", ["ti s1"]), 1: seat("b2 b2 b1")}, stock="b2"
        ),
        "0 play s5",
    )
    assert table(board, 2) == ["ti s1", "pao s5"]
    assert board.actor == 0
    assert open_to(board) == {1: ["peng", "pass"]}


def test_p5_4_with_two_dealt_ti_the_first_tile_taken_is_kept() -> None:
    two = seat("s5 s5 b1 b2", ["ti s1", "ti s2"])
    first = act(drawn("s5", 2, {0: two, 2: seat("b9 b9 b1")}, stock="b9"), "0 peng")
    assert owes(first) is None
    assert open_to(first) == {2: ["peng", "pass"]}
    second = draws("s9", 0, {0: seat("s9 s9 b1", ["ti s1", "ti s2", "peng s5"], holds=21)})
    assert owes(second) == 0


# P5.5: the end of the stock


def test_p5_5_the_next_draw_that_is_due_ends_the_board() -> None:
    board = drawn("s5", 1, {2: seat("s5 s5 b1")}, stock="")
    assert happens(board, "2 pass")[-1] == BoardDrawn()
    over = act(board, "2 pass")
    assert over.phase == "over"
    assert open_to(over) == {}
    assert next_draw(over) is None
    assert refusal(over, "2 peng") == "P0"


def test_p5_5_the_last_tile_is_resolved_in_full_with_the_discard_after_it() -> None:
    seats = {2: seat("s5 s5 b1"), 0: seat("b1 b1 s9")}
    taken = act(drawn("s5", 1, seats, stock=""), "2 peng")
    assert owes(taken) == 2
    claimed = act(taken, "2 play b1")
    assert open_to(claimed) == {0: ["peng", "pass"]}
    again = act(claimed, "0 peng")
    assert owes(again) == 0
    assert act(again, "0 play s9").phase == "over"


def test_p5_5_a_wei_of_the_last_tile_is_followed_by_its_play() -> None:
    board = draws("s5", 1, {1: seat("s5 s5 b1")}, stock="")
    assert owes(board) == 1
    assert act(board, "1 play b1").result == BoardDrawn()


def test_p5_5_eight_blocks_on_the_last_tile_end_the_board() -> None:
    board = draws("s5", 1, {1: seat("s5 s5 s5 b1", ["ti s1"])}, stock="")
    assert board.result == BoardDrawn()


# P5.6, P5.7: what may be played, and hands with nothing to play


def test_p5_6_any_tile_but_those_of_a_kan_may_be_played() -> None:
    board = draws("s1", 0, {0: seat("s1 s1 s2 s3 s3 s3 b7 b7")})
    assert open_to(board) == {0: ["play s2", "play b7"]}
    assert refusal(board, "0 play s3") == "P5.6"
    assert refusal(board, "0 play s9") == "P5.6"
    assert refusal(board, "1 play b1") == "P5.4"
    assert refusal(board, "0 pass") == "P5.4"


def test_p5_7_no_peng_that_leaves_nothing_to_play() -> None:
    board = drawn("s5", 0, {1: seat("s5 s5 " + STUCK), 0: seat("s4 s6 b1")})
    assert open_to(board) == {0: ["eat s4 s6", "pass"]}
    assert refusal(board, "1 peng") == "P5.7"


def test_p5_7_no_eat_that_leaves_nothing_to_play() -> None:
    board = played("s5", 0, {1: seat("s6 s7 " + STUCK), 2: seat("s5 s5 b1")})
    assert open_to(board) == {2: ["peng", "pass"]}
    assert refusal(board, "1 eat s6 s7") == "P5.7"


def test_p5_7_each_way_to_eat_is_weighed_by_itself() -> None:
    """Eating with the s5 of the hand leaves s6 and s7; eating with those lays it along and leaves nothing."""
    board = played("s5", 0, {1: seat("s5 b5 b5 s6 s7 " + STUCK), 2: seat("s5 s5 b1")})
    assert open_to(board)[1] == ["eat s5 b5", "pass"]
    assert refusal(board, "1 eat s6 s7 + s5 b5 b5") == "P5.7"


def test_p5_7_an_eat_that_owes_nothing_may_leave_nothing_to_play() -> None:
    board = played("s5", 0, {1: seat("s6 s7 " + STUCK, ["ti s1", "ti s2"])})
    assert open_to(board) == {1: ["eat s6 s7", "pass"]}


def test_p5_7_a_compulsory_meld_that_leaves_nothing_to_play_kills_the_hand() -> None:
    for dead in (
        draws("s5", 1, {1: seat("s5 s5 " + STUCK), 0: seat("b2 b2 b1")}, stock="b2"),
        draws("s5", 1, {1: seat("s5 s5 s5 " + STUCK), 0: seat("b2 b2 b1")}, stock="b2"),
        draws("s5", 1, {1: seat(STUCK, ["peng s5"]), 0: seat("b2 b2 b1")}, stock="b2"),
        draws("s5", 1, {1: seat("", ["wei s5"]), 0: seat("b2 b2 b1")}, stock="b2"),
    ):
        assert dead.seats[1].dead
        assert owes(dead) is None
        assert dead.actor == 2
        assert open_to(dead) == {0: ["peng", "pass"]}


def test_p5_7_a_dead_hand_takes_nothing_by_choice_but_still_lays_ti_and_pao() -> None:
    dead = seat("s3 s3 s3 s6 s7", ["wei s5"], holds=21, dead=True)
    board = drawn("s8", 0, {1: dead, 2: seat("s8 s8 b1")})
    assert open_to(board) == {2: ["peng", "pass"]}
    assert refusal(board, "1 eat s6 s7") == "P5.7"
    assert refusal(board, "1 win") == "P5.7"
    assert table(draws("s3", 0, {1: dead}), 1) == ["wei s5", "pao s3"]
    assert table(draws("s3", 1, {1: dead}), 1) == ["wei s5", "ti s3"]
    assert table(draws("s5", 1, {1: dead}), 1) == ["ti s5"]


def test_p5_7_the_next_seat_draws_after_a_dead_hands_meld() -> None:
    dead = seat(STUCK, ["wei s5"], holds=21, dead=True)
    board = draws("s3", 1, {1: dead, 0: seat("b2 b2 b1")}, stock="b2")
    assert table(board, 1) == ["wei s5", "ti s3"]
    assert board.actor == 2
    assert not board.seats[2].dead


def test_p5_7_a_hand_dies_once() -> None:
    dead = seat(STUCK, ["wei s5"], holds=21, dead=True)
    board = drawn("b2", 0, {1: dead, 2: seat("b2 b2 b1")}, stock="s3 b9")
    events = happens(board, "2 pass")
    assert TiLaid(1, kind("s3")) in events
    assert not [event for event in events if isinstance(event, HandDied)]
