"""Whether a throw (甩牌) stands, and what its leader must play if it does not (S6.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from services.games.shengji.cards import Cards, Counts
from services.games.shengji.order import Order
from services.games.shengji.params import Params
from services.games.shengji.shape import split, suit_led

_ABOVE = 99
"""Above every place, and next to none."""

Hand = tuple[Order, Counts]
"""A hand, read by the order that holds for its side (S4.6)."""


class Throw(NamedTuple):
    """What became of a lead."""

    stands: bool
    led: Cards
    """The cards led after all: the whole throw if it stands, else its smallest beaten component."""
    fine: int
    """Points that the leader's side is fined; 0 if the throw stands."""


def judge(params: Params, order: Order, lead: Cards, others: Sequence[Hand]) -> Throw:
    """The verdict on `lead`, cards of one suit, facing the hands of the other three. One component always stands."""
    suit = suit_led(order, lead)
    components = split(order, lead)
    if len(components) == 1:
        return Throw(True, lead, 0)
    kinds = {each.pairs for each in components}
    highest = {pairs: max([_highest(hand, suit, pairs) for hand in others]) for pairs in kinds}
    beaten = [each for each in components if highest[each.pairs] > order.height(suit, each.place)]
    if not beaten:
        return Throw(True, lead, 0)
    smallest = min(beaten, key=lambda each: (each.place, len(each.cards), each.cards))
    return Throw(False, smallest.cards, params.throw_fine * sum([len(each.cards) for each in beaten]))


def _highest(hand: Hand, suit: int, pairs: int) -> int:
    """Height of the highest single card (0 pairs), pair, or tractor of `pairs` in a hand; −1 if it holds none."""
    order, counts = hand
    copies = 2 if pairs else 1
    top = low = _ABOVE
    for card in reversed(order.members[suit]):
        if counts[card] >= copies:
            place = order.places[card]
            if place < low - 1:
                top = place
            low = place
            if top - low + 1 >= pairs:
                return order.height(suit, top)
    return -1
