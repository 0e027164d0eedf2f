"""S6.4: throws that stand, and what becomes of those that do not."""

from __future__ import annotations

import pytest

from services.games.shengji import cards, throw
from services.games.shengji.throw import Throw
from tests.games.shengji.given import duplicate, hand, order, play


def judge(lead: str, *others: str, fine: int = 10, ranked: str = "7 H") -> Throw:
    hands = [(order(ranked), hand(text)) for text in (*others, "", "", "")[:3]]
    return throw.judge(duplicate(throw_fine=fine), order(ranked), play(lead), hands)


def test_the_first_example_of_the_regulations() -> None:
    """A + 88 against a 99 elsewhere: 20, and 88 is led (000 §20)."""
    assert judge("CA C8 C8", "C9 C9") == Throw(False, play("C8 C8"), 20)


def test_the_second_example_of_the_regulations() -> None:
    """A-K-Q with the other A out: 20 (K and Q), and Q is led (000 §20)."""
    assert judge("CA CK CQ", "CA C2") == Throw(False, play("CQ"), 20)


@pytest.mark.parametrize(
    ("lead", "other"),
    [
        ("CA CK", "CQ CQ CJ"),
        ("CA CA CK CK CQ", "CQ CJ CJ"),
        ("CA CQ CQ", "CJ CJ CT CT C9 C9 CA"),
        ("CA CQ CQ", "CK CJ"),
        ("CA C8 C8", "H9 H9 jo D9 D9"),
        ("CK CK CT CT", "CA CJ C9 C9 C8 C8"),
    ],
)
def test_a_throw_that_nobody_beats_stands(lead: str, other: str) -> None:
    assert judge(lead, "C2", other) == Throw(True, play(lead), 0)


def test_equal_cards_beat_nothing() -> None:
    assert judge("CA CK", "CA CK").stands is False
    assert judge("CA C5", "C4 C5").stands is True
    assert judge("JO D7", "S7 C7").stands is True


def test_one_component_is_no_throw() -> None:
    for lead in ("C2", "C2 C2", "C2 C2 C3 C3"):
        assert judge(lead, "CA CA CK CK") == Throw(True, play(lead), 0)


def test_the_partner_counts_and_hands_are_not_added_up() -> None:
    assert judge("CA C8 C8", "", "C9 C9").stands is False
    assert judge("CA C8 C8", "C9", "C9", "CT").stands is True


def test_a_tractor_is_beaten_by_one_at_least_as_long() -> None:
    assert judge("CA C5 C5 C6 C6", "C8 C8 C9 C9 CT CT") == Throw(False, play("C5 C5 C6 C6"), 40)
    assert judge("CA C4 C4 C5 C5 C6 C6", "C8 C8 C9 C9").stands is True
    assert judge("CA C5 C5 C6 C6", "C4 C4 C5 C6").stands is True
    assert judge("CA C4 C4 C5 C5", "C5 C5 C6 C6").led == play("C4 C4 C5 C5")


def test_s6_3_a_tractor_across_the_level() -> None:
    assert judge("CA C4 C4 C5 C5", "C6 C6 C8 C8").stands is False
    assert judge("CA C4 C4 C5 C5", "C6 C6 C8 C8", ranked="T H").stands is True


def test_the_smallest_beaten_component_is_led() -> None:
    """Lowest top card, then fewest cards, then ♠ ♥ ♣ ♦."""
    assert judge("CK C8 C8 C3", "CA C9 C9").led == play("C3")
    assert judge("CK C8 C8", "CA C9 C9") == Throw(False, play("C8 C8"), 30)
    assert judge("S7 C7 C7 HA", "jo jo HA") == Throw(False, play("HA"), 40)
    assert judge("S7 C7 C7 JO", "jo jo") == Throw(False, play("S7"), 30)
    assert judge("D7 C7 S7 JO", "jo") == Throw(False, play("S7"), 30)
    assert judge("D7 D7 C7 C7 JO", "jo jo") == Throw(False, play("C7 C7"), 40)


def test_of_equal_pairs_the_one_left_of_a_tractor_is_the_first() -> None:
    assert judge("S7 S7 D7 D7 H7 H7", "jo jo") == Throw(False, play("S7 S7"), 20)


def test_s4_6_hands_are_read_by_their_own_sides_order() -> None:
    fallen, upright = order("7 H demoted"), order("7 H")
    lead, level = play("HA HK"), cards.count(play("D7"))
    hands = [(fallen, level), (fallen, level), (fallen, level)]
    assert throw.judge(duplicate(), fallen, lead, hands).stands
    assert not throw.judge(duplicate(), fallen, lead, [(upright, level), *hands[1:]]).stands


def test_throw_fine_is_a_parameter() -> None:
    assert judge("CA C8 C8", "C9 C9", fine=0) == Throw(False, play("C8 C8"), 0)
    assert judge("CA C8 C8", "C9 C9", fine=5).fine == 10
