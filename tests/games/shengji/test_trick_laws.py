"""Trick winners and throws of the fast engine beside those of the slow one (S6.2, S6.4, S8)."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from services.games.shengji import cards, throw, trick
from services.games.shengji.order import order_of
from services.games.shengji.shape import split
from tests.games.shengji import reference
from tests.games.shengji.given import deals, duplicate, plays, words
from tests.games.shengji.reference import Deal, Piece, Play

SUITS = ("trump", *"SHCD")
laws = settings(max_examples=400, deadline=None)


def codes(play: Play) -> tuple[int, ...]:
    return tuple(sorted(map(cards.parse, play)))


@st.composite
def tricks(draw: st.DrawFn) -> tuple[Deal, list[Play]]:
    """A lead, and three plays that often answer it in its suit or in trumps."""
    deal = draw(deals)
    asked = draw(st.lists(st.sampled_from([0, 0, 1, 1, 2, 2, 3]), min_size=1, max_size=3))
    size = sum(max(1, 2 * pairs) for pairs in asked)
    plain = [suit for suit in SUITS if suit != deal.trump]
    led = draw(st.sampled_from(plain))
    lead = draw(plays(deal, led, asked, size))
    shape = [piece.pairs for piece in reference.pieces(deal, lead)]
    suits = st.sampled_from([led, "trump", "trump", plain[1]])
    return deal, [lead, *(draw(plays(deal, draw(suits), shape, size)) for _ in range(3))]


@laws
@given(tricks())
def test_s6_2_the_split_of_a_lead_is_that_of_the_slow_engine(trick_: tuple[Deal, list[Play]]) -> None:
    deal, (lead, *_) = trick_
    found = split(order_of(*deal), codes(lead))
    assert [Piece(each.pairs, each.place) for each in found] == reference.pieces(deal, lead)
    assert sorted(card for each in found for card in each.cards) == list(codes(lead))


@laws
@given(tricks(), st.booleans(), st.booleans())
def test_s8_the_winner_is_that_of_the_slow_engine(
    trick_: tuple[Deal, list[Play]], every: bool, tractor_first: bool
) -> None:
    deal, four = trick_
    params = duplicate(overruff="all" if every else "largest", tractor_over_pairs=tractor_first)
    found = trick.winner(params, [order_of(*deal)] * 4, [codes(play) for play in four])
    assert found == reference.winner(deal, four, every=every, tractor_first=tractor_first)


@laws
@given(tricks(), st.data())
def test_s6_4_a_throw_stands_or_falls_as_in_the_slow_engine(
    trick_: tuple[Deal, list[Play]], data: st.DataObject
) -> None:
    deal, (lead, *_) = trick_
    size = st.integers(1, 12)
    others = [
        data.draw(
            plays(
                deal,
                reference.suit(deal, lead[0]),
                data.draw(st.sampled_from([[0], [1], [2], [3, 1]])),
                data.draw(size),
            )
        )
        for _ in range(3)
    ]
    order = order_of(*deal)
    found = throw.judge(
        duplicate(), order, codes(lead), [(order, cards.count(codes(hand))) for hand in others]
    )
    beaten = reference.beaten(deal, lead, others)
    if not beaten or len(reference.pieces(deal, lead)) == 1:
        assert found == (True, codes(lead), 0)
    else:
        assert not found.stands
        assert found.fine == 10 * sum(max(1, 2 * piece.pairs) for piece in beaten)
        smallest = min(beaten, key=lambda piece: (piece.top, max(1, 2 * piece.pairs)))
        assert reference.pieces(deal, words(found.led)) == [smallest]
