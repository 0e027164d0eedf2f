"""S8: who wins a trick."""

from __future__ import annotations

import pytest

from services.domain import Rejected
from services.games.shengji import trick
from services.games.shengji.params import Params
from tests.games.shengji.given import duplicate, order, play, xiamen


def winner(plays: str, params: Params | None = None, ranked: str = "7 H") -> int:
    """The seat that wins with plays separated by `|`."""
    each = [play(text) for text in plays.split("|")]
    return trick.winner(params or duplicate(), [order(ranked)] * len(each), each)


@pytest.mark.parametrize(
    ("plays", "expected"),
    [
        ("C9|CK|CA|CT", 2),
        ("C9|DA|SA|C2", 0),
        ("C9|H2|CA|H3", 3),
        ("D7|H7|jo|C7", 2),
        ("C9 C9|CT CT|CA CK|CJ CJ", 3),
        ("C9 C9 CT CT|CJ CJ CQ CQ|C2 C3 C4 C5|CK CK CA CA", 3),
    ],
)
def test_s8_1_the_highest_that_answers_wins(plays: str, expected: int) -> None:
    assert winner(plays) == expected


def test_s1_3_of_equal_cards_the_first_played_wins() -> None:
    assert winner("C9|CA|CA|C2") == 1
    assert winner("HA|D7|C7|S7") == 1
    assert winner("HA HA|D7 D7|C7 C7|S7 S7") == 1


def test_s4_6_fallen_level_cards_win_against_plain_cards_only() -> None:
    assert winner("H2|H7|D7|H3", ranked="7 H demoted") == 3
    assert winner("C9|D7|CA|C2", ranked="7 H demoted") == 1


def test_s4_6_a_side_whose_level_cards_have_not_fallen() -> None:
    fallen, upright = order("7 H demoted"), order("7 H")
    plays = [play(text) for text in ("HA", "H7", "H7", "D7")]
    assert trick.winner(xiamen(), [fallen, upright, fallen, upright], plays) == 1


@pytest.mark.parametrize(
    ("plays", "expected"),
    [
        ("C9 C9|H2 H3|HA JO|H5 H5", 3),
        ("C9 C9 CT CT|H2 H2 H5 H5|H2 H3 HA jo|C2 C2 C3 C3", 0),
        ("C9 C9 CT CT|H5 H5 H6 H6|H8 H8 H9 H9|H2 H2 H3 H3", 2),
        ("CA CA CK CK CQ CQ|H2 H2 H3 H3 H5 H5|H8 H8 H9 H9 HT HT|C2 C3 C4 C5 C6 C8", 2),
        ("CA CA|HA DA|DA DA|C2 C3", 0),
    ],
)
def test_s8_2_ruffs_answer_the_lead(plays: str, expected: int) -> None:
    assert winner(plays) == expected


def test_s8_1_a_play_may_be_cut_up_in_any_way_that_fits() -> None:
    """Tractors count as pairs, pairs as singles, and the best cutting counts."""
    assert winner("CA CA CQ CQ|H2 H2 H3 H3|H9 H9 HJ HJ|C2 C3 C4 C5") == 2
    assert winner("CA CK CQ|H2 H3 H4|HA HA H2|C2 C3 C4") == 2
    assert winner("CA CA CQ|H2 H2 H8|H5 H5 H3|C2 C3 C4") == 2


def test_s8_1_the_best_cutting_need_not_start_at_the_top() -> None:
    """A tractor of three out of the low run, since two more of two must come out of the high one."""
    lead = "C2 C2 C3 C3 C4 C4 C6 C6 C8 C8 CT CT CJ CJ"
    low_and_high = "H2 H2 H3 H3 H4 H4 H8 H8 H9 H9 HT HT HJ HJ"
    higher = "H3 H3 H4 H4 H5 H5 HQ HQ HK HK HA HA D7 D7"
    assert winner(f"{lead}|{low_and_high}|{higher}|{low_and_high}") == 2
    assert winner(f"{lead}|{higher}|{low_and_high}|{low_and_high}") == 1


def test_s8_1_overruff_the_largest_or_all() -> None:
    plays = "CA CK CK|H5 H5 HA|C3 C4 C6|H8 H8 H2"
    assert winner(plays) == 3
    assert winner(plays, duplicate(overruff="all")) == 1
    higher = "CA CK CK|H5 H5 HA|C3 C4 C6|H8 H8 jo"
    assert winner(higher, duplicate(overruff="all")) == 3


def test_s8_1_overruff_all_compares_one_kind_in_descending_order() -> None:
    every = duplicate(overruff="all")
    assert winner("CA CK CQ|H2 H5 H9|C3 C4 C6|H3 H6 HT", every) == 3
    assert winner("CA CK CQ|H3 H5 H9|C3 C4 C6|H3 H6 HT", every) == 1
    assert winner("CA CA CQ CQ|H2 H2 H9 H9|H5 H5 HT HT|H3 H3 HK HK", every) == 2


def test_s8_1_overruff_all_best_cuttings_on_both_sides() -> None:
    """The first may be cut as 33 with 5 5 or as 55 with 3 3: the over-ruff must answer either."""
    every = duplicate(overruff="all")
    assert winner("CA CA CK CQ|H3 H3 H5 H5|H6 H6 H4 H4|C2 C3 C4 C5", every) == 2
    assert winner("CA CA CK CQ|H3 H3 H5 H5|H4 H4 H6 H2|C2 C3 C4 C5", every) == 1


def test_s8_3_a_pair_counts_as_two_singles() -> None:
    assert winner("SA SQ|H3 H3|S4 S6|H2 H8") == 3
    assert winner("SA SQ|H8 H2|S4 S6|H3 H3") == 1


def test_s8_3a_a_tractor_beats_as_many_unconnected_pairs() -> None:
    plays = "CA CA CQ CQ|H2 H2 HK HK|C2 C3 C4 C5|H3 H3 H4 H4"
    assert winner(plays, xiamen()) == 3
    assert winner(plays, duplicate()) == 1


def test_s8_3a_height_decides_between_equal_tractors() -> None:
    assert winner("CA CA CQ CQ|H3 H3 H4 H4|C2 C3 C4 C5|H2 H2 H3 H3", xiamen()) == 1
    assert winner("CA CA CQ CQ|H2 H2 H3 H3|C2 C3 C4 C5|H3 H3 H4 H4", xiamen()) == 3


def test_s8_3a_the_longer_tractor_before_height() -> None:
    plays = "CA CA CQ CQ CT CT|H2 H2 H3 H3 HA HA|H4 H4 H5 H5 H6 H6|C2 C3 C4 C5 C6 C8"
    assert winner(plays, xiamen()) == 2
    assert winner(plays, duplicate()) == 1


def test_s8_3a_in_the_led_suit_too() -> None:
    """The throw stood, for a tractor does not make it fail; it still takes the trick."""
    plays = "CA CA CQ CQ|C2 C2 C3 C3|C4 C5 C6 C8|DA DA DK DK"
    assert winner(plays, xiamen()) == 1
    assert winner(plays, duplicate()) == 0


def test_s8_3a_not_against_a_tractor_or_a_single_pair() -> None:
    assert winner("C9 C9 CT CT|H2 H2 H3 H3|H5 H5 HA HA|C2 C3 C4 C5", xiamen()) == 1
    assert winner("CA CA CQ|H2 H2 H3|H5 H5 H6|C2 C3 C4", xiamen()) == 2


def test_s8_4_points_are_those_of_the_cards() -> None:
    assert trick.points([play("C5"), play("CK"), play("HT"), play("CA")]) == 25


def test_s7_1_plays_are_of_the_size_of_the_lead() -> None:
    with pytest.raises(Rejected, match=r"S7\.1"):
        winner("C9|CT|CJ CJ|C2")
    with pytest.raises(Rejected, match=r"S6\.2"):
        winner("C9 D9|CT CT|CJ CJ|C2 C2")
