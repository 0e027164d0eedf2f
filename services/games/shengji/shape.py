"""What a play is made of: tractors, pairs and single cards of one effective suit, longest first (S6.2)."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from services.domain import Rejected
from services.games.shengji.cards import Cards, show
from services.games.shengji.order import EFFECTIVE_SUITS, Order


class Component(NamedTuple):
    """One component of a play."""

    pairs: int
    """0 a single card, 1 a pair, n a tractor (拖拉机) of n pairs."""
    place: int
    """Of its highest card."""
    cards: Cards


Shape = tuple[Component, ...]
"""Longest first, of one length the higher first; of equals ♠ ♥ ♣ ♦."""


class Demand(NamedTuple):
    """What a lead asks of the other three (S7.1, S7.2)."""

    suit: int
    """Effective suit."""
    size: int
    """Number of cards."""
    pairs: tuple[int, ...]
    """Pairs in each component that has any, longest first."""


@lru_cache(maxsize=1 << 6)
def split(order: Order, played: Cards) -> Shape:
    """The longest-first split of cards of one effective suit (S6.2).

    Which of equal level cards goes into a tractor is open; it is the last in ♠ ♥ ♣ ♦, so that the first is left over.
    """
    places = order.places
    if len(played) == 1:
        return (Component(0, places[played[0]], played),)
    pairs: dict[int, list[int]] = {}
    found: list[Component] = []
    for card in dict.fromkeys(played):
        if played.count(card) == 2:
            pairs.setdefault(places[card], []).append(card)
        else:
            found.append(Component(0, places[card], (card,)))
    run: list[int] = []
    for place in sorted(pairs):
        if run and places[run[-1]] != place - 1:
            found.append(_tractor(order, run))
            run = []
        *spare, last = sorted(pairs[place])
        found += [Component(1, place, (card, card)) for card in spare]
        run.append(last)
    if run:
        found.append(_tractor(order, run))
    return tuple(sorted(found, key=lambda each: (-each.pairs, -each.place, each.cards)))


def _tractor(order: Order, run: list[int]) -> Component:
    """The component of pairs at consecutive places, one of them or more."""
    return Component(len(run), order.places[run[-1]], tuple(sorted([*run, *run])))


_SINGLE = tuple(Demand(suit, 1, ()) for suit in EFFECTIVE_SUITS)


def demand(order: Order, lead: Cards) -> Demand:
    """What `lead` asks of the others. Raises Rejected("NOT_ONE_SUIT") unless it is of one effective suit (S6.2)."""
    return _SINGLE[order.suits[lead[0]]] if len(lead) == 1 else _demand(order, lead)


@lru_cache(maxsize=1 << 6)
def _demand(order: Order, lead: Cards) -> Demand:
    suit = suit_led(order, lead)
    return Demand(suit, len(lead), tuple([each.pairs for each in split(order, lead) if each.pairs]))


def suit_led(order: Order, lead: Cards) -> int:
    """The effective suit of a lead. Raises Rejected("NOT_ONE_SUIT") unless all its cards share one (S6.2)."""
    suit = order.suit_of(lead)
    if suit is None:
        text = " ".join(map(show, lead)) or "nothing"
        raise Rejected("NOT_ONE_SUIT", "S6.2", f"{text}: a lead is of one suit, all trumps being one")
    return suit
