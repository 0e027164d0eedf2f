"""S1.2-S1.4, S4.6, S6.3: how cards rank, and what is consecutive."""

from __future__ import annotations

from itertools import groupby

import pytest

from services.games.shengji import cards
from services.games.shengji.order import TRUMPS, order_of
from tests.games.shengji.given import order, play


def ladder(text: str, suit: int) -> str:
    """Cards of an effective suit from high to low, equals joined by `=`."""
    ranked = order(text)
    high_first = reversed(ranked.members[suit])
    steps = groupby(high_first, key=lambda card: ranked.places[card])
    return " ".join("=".join(sorted(map(cards.show, kinds))) for _, kinds in steps)


def test_s1_2_plain_suits_without_the_level() -> None:
    assert ladder("7 H", 0) == "SA SK SQ SJ ST S9 S8 S6 S5 S4 S3 S2"
    assert ladder("A H", 3) == "DK DQ DJ DT D9 D8 D7 D6 D5 D4 D3 D2"
    assert ladder("7 H", 1) == ""


def test_s1_3_trumps() -> None:
    assert ladder("7 H", TRUMPS) == "JO jo H7 C7=D7=S7 HA HK HQ HJ HT H9 H8 H6 H5 H4 H3 H2"
    assert ladder("2 S", TRUMPS) == "JO jo S2 C2=D2=H2 SA SK SQ SJ ST S9 S8 S7 S6 S5 S4 S3"


def test_s4_6_fallen_level_cards() -> None:
    assert ladder("7 H demoted", TRUMPS) == "JO jo HA HK HQ HJ HT H9 H8 H6 H5 H4 H3 H2 H7 C7=D7=S7"


def test_s1_4_level_cards_and_jokers_are_trumps_alone() -> None:
    ranked = order("7 H")
    assert {ranked.suits[card] for card in play("S7 H7 C7 D7 jo JO H2")} == {TRUMPS}
    assert [ranked.suits[card] for card in play("SA CA DA")] == [0, 2, 3]
    assert ranked.suit_of(play("SA S2")) == 0
    assert ranked.suit_of(play("SA S7")) is None
    assert ranked.suit_of(()) is None


@pytest.mark.parametrize("demoted", [False, True])
def test_s6_3_places_have_no_gap(demoted: bool) -> None:
    for level in cards.RANKS:
        for trump in cards.SUITS:
            ranked = order_of(level, trump, demoted)
            for suit, kinds in enumerate(ranked.members):
                places = [ranked.places[card] for card in kinds]
                steps = 16 if suit == TRUMPS else 12 if kinds else 0
                assert sorted(set(places)) == list(range(steps))
            assert sum(map(len, ranked.members)) == 54


def test_s4_6_heights_compare_across_sides_of_which_one_has_fallen() -> None:
    fallen, upright = order("7 H demoted"), order("7 H")
    heights = {
        (ranked.demoted, cards.show(card)): ranked.height(TRUMPS, ranked.places[card])
        for ranked in (fallen, upright)
        for card in ranked.members[TRUMPS]
    }
    falling = [(True, text) for text in ("JO", "jo", "HA", "H2", "H7", "D7")]
    mixed = [
        (False, "JO"),
        (True, "jo"),
        (False, "H7"),
        (False, "D7"),
        (True, "HA"),
        (False, "HK"),
        (True, "H7"),
    ]
    for chain in (falling, mixed):
        found = [heights[each] for each in chain]
        assert found == sorted(set(found), reverse=True)
    for text in ("JO", "jo", "HA", "H8", "H2"):
        assert heights[True, text] == heights[False, text]


def test_an_order_is_made_once() -> None:
    assert order("7 H") is order("7 H")


def test_cards_of_a_suit_in_a_hand() -> None:
    ranked = order("7 H")
    held = cards.count(play("H2 H2 D7 JO SA"))
    assert ranked.size(held, TRUMPS) == 4
    assert ranked.within(held, TRUMPS) == tuple(held[card] for card in ranked.members[TRUMPS])
    assert ranked.within(held, 1) == ()
