"""Ways to take cards from a hand, counted and indexed without a list (S5.1, S6.2)."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.games.shengji import cards
from services.games.shengji.actions import Bury, Play
from services.games.shengji.choices import buries, leads
from services.games.shengji.selections import Leads, Picks
from tests.games.shengji.given import hand, order, play

hands = st.lists(st.sampled_from(cards.DECK), min_size=1, max_size=9).filter(
    lambda held: all(held.count(card) <= 2 for card in held)
)


@settings(deadline=None)
@given(hands, st.integers(0, 9))
def test_picks_are_all_ways_to_take_so_many(held: list[int], size: int) -> None:
    kinds = [*dict.fromkeys(held)]
    found = Picks(kinds, [held.count(card) for card in kinds], size)
    wanted = {tuple(sorted(each)) for each in combinations(held, size)}
    assert len(found) == len(wanted)
    assert set(found) == wanted
    assert [found[index] for index in range(len(found))] == list(found)
    assert all(each in found for each in wanted)


@settings(deadline=None)
@given(hands)
def test_s6_2_leads_are_all_cards_of_one_suit(held: list[int]) -> None:
    found = Leads(order(), cards.count(held))
    wanted = {
        tuple(sorted(each))
        for size in range(1, len(held) + 1)
        for each in combinations(held, size)
        if order().suit_of(each) is not None
    }
    assert len(found) == len(wanted)
    assert set(found) == wanted
    assert all(each in found for each in wanted)


def test_what_is_no_selection() -> None:
    found = Leads(order(), hand("CA CA CK DA"))
    others: list[object] = [play("CA DA"), play("CK CK"), play("CA CA CA"), (), 5, None]
    assert not any(each in found for each in others)
    with pytest.raises(IndexError):
        found[len(found)]


def test_actions_wrap_their_cards() -> None:
    found = leads(order(), hand("CA CK"))
    assert list(found) == [found[0], found[1], found[2]] == found[:]
    assert Play(play("CA CK")) in found
    assert Bury(play("CA CK")) not in found
    assert Play(play("CA CA")) not in found


def test_s5_1_all_ways_to_lay_eight() -> None:
    found = buries(hand("S2 S3 S4 S5 S6 S7 S8 S9 ST SJ"))
    assert len(found) == 45
    assert len(set(found)) == 45
