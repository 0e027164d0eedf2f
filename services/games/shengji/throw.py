"""Whether a throw (甩牌) stands, and what its leader must play if it does not (S6.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from services.games.shengji.cards import Cards, Counts
from services.games.shengji.order import Order
from services.games.shengji.params import Params
from services.games.shengji.shape import Component, demand, split

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
    suit = demand(order, lead).suit
    components = split(order, lead)
    if len(components) == 1:
        return Throw(True, lead, 0)
    beaten = [each for each in components if any(_beats(hand, suit, order, each) for hand in others)]
    if not beaten:
        return Throw(True, lead, 0)
    smallest = min(beaten, key=lambda each: (each.place, len(each.cards), each.cards))
    return Throw(False, smallest.cards, params.throw_fine * sum(len(each.cards) for each in beaten))


def _beats(hand: Hand, suit: int, leader: Order, component: Component) -> bool:
    """Whether a hand holds the same kind strictly higher, a tractor at least as long (S6.4)."""
    order, counts = hand
    copies, run = (1, 1) if not component.pairs else (2, component.pairs)
    height = leader.height(suit, component.place)
    places = {order.places[card] for card in order.members[suit] if counts[card] >= copies}
    return any(
        order.height(suit, top) > height and all(top - below in places for below in range(run))
        for top in places
    )
