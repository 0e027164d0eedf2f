"""What cards are worth to keep, in points of the game: high cards, trumps, pairs and tractors (S1.3, S6.3)."""

from __future__ import annotations

from functools import lru_cache

from services.games.shengji.cards import POINTS, Cards, Counts
from services.games.shengji.order import TRUMPS, Order
from services.games.shengji.shape import split

ACE = 11
"""Place of the highest plain card."""
_PLAIN = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9, 1.2, 1.8, 3.0, 7.0)
_TRUMP = (2.0, 2.1, 2.2, 2.4, 2.6, 2.8, 3.0, 3.2, 3.5, 3.9, 4.4, 5.5, 6.5, 7.5, 9.5, 12.0)
_POINT = 0.5
"""A point card kept is a point that may be won or lost: half its points."""
_PAIR, _TRUMP_PAIR, _LINK = 1.5, 3.0, 3.0


@lru_cache(maxsize=1 << 8)
def single(order: Order, card: int) -> float:
    """Worth of one card by itself."""
    ladder = _TRUMP if order.suits[card] == TRUMPS else _PLAIN
    return ladder[order.places[card]] + _POINT * POINTS[card]


@lru_cache(maxsize=1 << 10)
def together(order: Order, cards: Cards) -> float:
    """Worth of what cards of one effective suit are together: their pairs, and the links of their tractors."""
    if len(cards) < 2:
        return 0.0
    pair = _TRUMP_PAIR if order.suits[cards[0]] == TRUMPS else _PAIR
    return sum(
        [pair * each.pairs + _LINK * (each.pairs - 1) for each in split(order, cards) if each.pairs], 0.0
    )


def given_up(order: Order, hand: Counts, played: Cards) -> float:
    """What a hand loses by playing cards: themselves, and what they were together with those that stay."""
    cost = sum([single(order, card) for card in played], 0.0)
    for suit in {order.suits[card] for card in played}:
        own = tuple(sorted(card for card in order.members[suit] for _ in range(hand[card])))
        left = list(own)
        for card in played:
            if order.suits[card] == suit:
                left.remove(card)
        cost += together(order, own) - together(order, tuple(left))
    return cost
