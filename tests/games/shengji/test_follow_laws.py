"""Legal follows of the fast engine beside those of the slow one, and of hands too large for it (S7)."""

from __future__ import annotations

import random

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from services.games.shengji import cards
from services.games.shengji.follow import follows
from services.games.shengji.order import order_of
from services.games.shengji.selections import Plays
from services.games.shengji.shape import demand
from tests.games.shengji import reference
from tests.games.shengji.given import two_hands, words
from tests.games.shengji.reference import Deal, Play

MOST = 12


def legal(deal: Deal, hand: Play, lead: Play, partial: bool) -> Plays:
    order = order_of(*deal)
    held = cards.count(map(cards.parse, hand))
    asked = demand(order, tuple(sorted(map(cards.parse, lead))))
    return follows(order, held, asked, partial=partial)


@settings(max_examples=400, deadline=None)
@given(two_hands(MOST), st.booleans())
def test_s7_legal_follows_are_those_of_the_slow_engine(
    position: tuple[Deal, Play, Play], partial: bool
) -> None:
    deal, lead, hand = position
    assume(len(hand) >= len(lead))
    found = legal(deal, hand, lead, partial)
    listed = [words(play) for play in found]
    assert len(listed) == len(set(listed)) == len(found)
    assert set(listed) == reference.legal(deal, hand, lead, partial)


@settings(max_examples=150, deadline=None)
@given(two_hands(25), st.booleans(), st.integers(0, 2**32))
def test_s7_a_sequence_of_follows_agrees_with_itself(
    position: tuple[Deal, Play, Play], partial: bool, seed: int
) -> None:
    """Count, list, n-th play, membership and lowest play, on hands of any size."""
    deal, lead, hand = position
    assume(len(hand) >= len(lead))
    found = legal(deal, hand, lead, partial)
    assert len(found) > 0
    assert found.lowest() in found
    for play, _ in zip(found, range(50), strict=False):
        assert play in found
    for index in random.Random(seed).sample(range(len(found)), min(20, len(found))):
        assert found[index] in found
        assert found[index - len(found)] == found[index]
    if len(found) < 2_000:
        listed = list(found)
        assert [found[index] for index in range(len(found))] == listed
        everything = [tuple(sorted(map(cards.parse, hand)))[: len(lead)]]
        assert all((play in found) == (play in listed) for play in everything)
