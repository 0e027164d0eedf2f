"""P8 at the table: when a seat is asked whether it wins, and what becomes of the board."""

from __future__ import annotations

import pytest

from services.games.paohuzi.state import owes
from tests.games.paohuzi.given import act, drawn, draws, kind, open_to, refusal, seat, table, turn, won

WINS_ON_S5 = "s1 s2 s3 s4 s6 s8 s9 s10 b1 b1 b1 b2 b4 b5 b6 b7 b9 b9 b9 b10"


def test_p8_3_a_win_ends_the_board_and_is_scored() -> None:
    board = act(drawn("s5", 2, {1: seat(WINS_ON_S5)}), "1 win")
    claimed = won(board)
    assert (claimed.seat, claimed.tile, claimed.huxi, claimed.fan) == (1, kind("s5"), 21, 1)
    assert claimed.scores == (-3, 6, -3)
    assert len(claimed.melds) == 7
    assert board.phase == "over"
    assert open_to(board) == {}
    assert owes(board) is None


@pytest.mark.parametrize(("least", "asked"), [(21, True), (22, False)])
def test_p8_2_a_win_takes_the_events_minimum(least: int, asked: bool) -> None:
    board = drawn("s5", 2, {1: seat(WINS_ON_S5)}, min_huxi=least)
    assert (1 in open_to(board)) is asked
    if not asked:
        assert refusal(board, "1 win") == "P8.2"


def test_p8_1_no_win_without_seven_melds() -> None:
    board = drawn("s7", 2, {1: seat(WINS_ON_S5), 0: seat("s7 s7 b1")})
    assert open_to(board) == {0: ["peng", "pass"]}
    assert refusal(board, "1 win") == "P8.1"


# P8.4: own draws

KAN_HAND = "s5 s5 s5 s1 s2 s3 b1 b1 b1 b2 b7 b10 b9 b9 b9 b4 b5 b6 s8 s8"
"""With a ti of s5: 9 + 3 + 6 + 6 + 6 huxi and the pair s8."""
PAIR_HAND = "s5 s5 s1 s2 s3 b1 b1 b1 b2 b7 b10 b9 b9 b9 b4 b5 b6 s8 s9 s10"
"""With a wei of s5: 3 + 3 + 6 + 6 + 6 huxi; with a run of s5, no."""


@pytest.mark.parametrize(("hand", "laid"), [(KAN_HAND, "ti s5"), (PAIR_HAND, "wei s5")])
def test_p8_4_after_its_ti_or_wei_a_seat_may_win_before_it_plays(hand: str, laid: str) -> None:
    board = draws("s5", 0, {0: seat(hand)})
    assert table(board, 0) == [laid]
    assert open_to(board)[0][0] == "win"
    assert "pass" not in open_to(board)[0]
    assert len(open_to(board)[0]) > 1
    claimed = won(act(board, "0 win"))
    assert claimed.tile == kind("s5")
    assert claimed.scores[0] > 0
    assert "win" not in open_to(act(board, "0 play s8")).get(0, [])


def test_p8_4_the_drawn_tile_is_bound_in_its_wei() -> None:
    """s5 s5 with s4 s6 and the drawn s5 as a run and a pair would win; as a wei it leaves s4 and s6."""
    hand = "s4 s5 s5 s6 s1 s2 s3 b1 b1 b1 b2 b7 b10 b9 b9 b9"
    board = draws("s5", 0, {0: seat(hand, ["pao b5"])})
    assert "win" not in open_to(board)[0]
    assert refusal(board, "0 win") == "P8.4"
    other = drawn("s5", 1, {0: seat(hand, ["pao b5"])})
    assert open_to(other)[0][0] == "win"


def test_p8_4_a_win_comes_before_the_pao_of_an_own_peng() -> None:
    """The drawn s5 goes into a run here; as a pao there would be no pair."""
    hand = "s6 s7 s1 s2 s3 b1 b1 b1 b2 b7 b10 b9 b9 b9 b4 b5 b6"
    board = draws("s5", 0, {0: seat(hand, ["peng s5"])})
    assert open_to(board) == {0: ["win", "pass"]}
    assert won(act(board, "0 win")).tile == kind("s5")
    assert table(act(board, "0 pass"), 0) == ["pao s5"]


def test_p8_4_others_may_win_on_a_draw_that_fits_the_drawers_peng() -> None:
    board = draws("s5", 0, {0: seat("b1 b2", ["peng s5"]), 1: seat(WINS_ON_S5)})
    assert list(open_to(board)) == [1]
    assert act(board, "1 win").result is not None
    assert table(act(board, "1 pass"), 0) == ["pao s5"]


def test_p8_4_a_win_on_a_wei_that_leaves_nothing_to_play() -> None:
    """Then passing leaves the hand dead (P5.7)."""
    laid = ["run s1 s2 s3", "run b1 b2 b3", "run b2 b7 b10", "run b4 b5 b6", "peng b8"]
    board = draws("s5", 0, {0: seat("s5 s5 b9 b9 b9", laid)})
    assert open_to(board) == {0: ["win", "pass"]}
    assert owes(board) == 0
    assert act(board, "0 win").result is not None
    declined = act(board, "0 pass")
    assert declined.seats[0].dead
    assert owes(declined) is None


# P8.5: another's draw


@pytest.mark.parametrize(
    ("hand", "laid", "huxi"),
    [
        (KAN_HAND, [], 6 + 3 + 6 + 6 + 6),
        (PAIR_HAND, [], 1 + 3 + 6 + 6 + 6),
        ("s1 s2 s3 b1 b1 b1 b2 b7 b10 b9 b9 b9 b4 b5 b6 s8 s8", ["wei s5"], 6 + 3 + 6 + 6 + 6),
        ("s1 s2 s3 b1 b1 b1 b2 b7 b10 b9 b9 b9 b4 b5 b6 s8 s8", ["peng s5"], 6 + 3 + 6 + 6 + 6),
    ],
)
def test_p8_5_anothers_draw_makes_a_pao_or_peng_of_what_it_meets(
    hand: str, laid: list[str], huxi: int
) -> None:
    board = draws("s5", 1, {0: seat(hand, laid)})
    assert open_to(board)[0][0] == "win"
    claimed = won(act(board, "0 win"))
    assert claimed.huxi == huxi


# P8.7


def test_p8_7_a_passed_win_comes_again_and_a_compulsory_pao_still_happens() -> None:
    board = draws("s5", 1, {0: seat(KAN_HAND)}, stock="b3 b8")
    paoed = act(board, "0 pass")
    assert table(paoed, 0) == ["pao s5"]
    assert owes(paoed) == 0
    again = drawn("s5", 1, {0: act(drawn("s5", 2, {0: seat(WINS_ON_S5, no_eat="s5")}), "0 pass").seats[0]})
    assert open_to(again) == {0: ["win", "pass"]}


def test_p8_7_after_its_pao_a_seat_does_not_win_on_the_same_tile() -> None:
    paoed = act(draws("s5", 1, {0: seat(KAN_HAND)}), "0 pass")
    assert "win" not in open_to(paoed)[0]
    assert refusal(paoed, "0 win") == "P8.3"


def test_p8_8_three_dealt_ti_do_not_win_by_themselves() -> None:
    board = turn(0, {0: seat("b1 b3 b5", ["ti s1", "ti s2", "ti s3"], holds=22 + 1)})
    assert open_to(board) == {0: ["play b1", "play b3", "play b5"]}


def test_p10_the_last_stock_tile_and_an_untouched_hand_are_known_at_the_table() -> None:
    names = {"fan": {"last_tile": 2, "untouched": 4, "own_draw": 0}}
    last = won(act(drawn("s5", 1, {1: seat(WINS_ON_S5)}, stock="", **names), "1 win"))
    assert last.names == ("last_tile", "own_draw", "untouched")
    before = won(act(drawn("s5", 2, {1: seat(WINS_ON_S5)}, stock="b2", **names), "1 win"))
    assert before.names == ("untouched",)
    touched = seat(WINS_ON_S5)._replace(touched=True)
    after = won(act(drawn("s5", 2, {1: touched}, stock="b2", **names), "1 win"))
    assert after.names == ("plain",)


def test_p10_eating_and_ponging_touch_a_hand_and_compulsory_melds_do_not() -> None:
    assert act(drawn("s5", 2, {0: seat("s5 s5 b1")}), "0 peng").seats[0].touched
    assert act(drawn("s5", 2, {0: seat("s4 s6 b1")}), "0 eat s4 s6").seats[0].touched
    assert not draws("s5", 0, {0: seat("s5 s5 b1")}).seats[0].touched
    assert not draws("s5", 1, {0: seat("s5 s5 s5 b1")}).seats[0].touched
