"""Which eight cards the declarer lays down (S5.1)."""

from __future__ import annotations

from itertools import chain, combinations

from services.games.shengji.actions import Bury
from services.games.shengji.bottom import SIZE
from services.games.shengji.cards import POINTS, Cards
from services.games.shengji.house.knowledge import Knowledge
from services.games.shengji.house.worth import given_up, single
from services.games.shengji.order import TRUMPS

VOID = 6.0
"""What it is worth to be out of a plain suit, so as to ruff it."""
RISK = 1.2
"""What a point in the bottom costs: the defenders get it several times if they win the last trick (S9.1)."""
_KEPT = 1000.0


def bury(knowledge: Knowledge) -> Bury:
    """The eight cards that cost least: short suits whole, then low cards; trumps last."""
    plain = [suit for suit in range(TRUMPS) if knowledge.order.size(knowledge.hand, suit)]
    every = chain.from_iterable(combinations(plain, number) for number in range(len(plain) + 1))
    candidates = [laid for suits in every if (laid := _laid(knowledge, suits))]
    return Bury(min(candidates, key=lambda laid: (_cost(knowledge, laid), laid)))


def _laid(knowledge: Knowledge, suits: tuple[int, ...]) -> Cards:
    """Eight cards with all of some suits among them, filled up with the cheapest others; none if those are too many."""
    order, hand = knowledge.order, knowledge.hand
    whole = [card for suit in suits for card in order.members[suit] for _ in range(hand[card])]
    if len(whole) > SIZE:
        return ()
    others = [card for card in order.low_first if order.suits[card] not in suits for _ in range(hand[card])]
    others.sort(key=lambda card: _price(knowledge, card))
    return tuple(sorted([*whole, *others[: SIZE - len(whole)]]))


def _price(knowledge: Knowledge, card: int) -> float:
    order = knowledge.order
    kept = _KEPT if order.suits[card] == TRUMPS else 0.0
    pair = 2.0 if knowledge.hand[card] == 2 else 0.0
    return kept + single(order, card) + pair + RISK * POINTS[card]


def _cost(knowledge: Knowledge, laid: Cards) -> float:
    order = knowledge.order
    left = bytearray(knowledge.hand)
    for card in laid:
        left[card] -= 1
    voids = sum(1 for suit in range(TRUMPS) if order.members[suit] and not order.size(bytes(left), suit))
    trumps = sum(order.suits[card] == TRUMPS for card in laid)
    risk = RISK * sum(POINTS[card] for card in laid)
    return given_up(order, knowledge.hand, laid) + risk + _KEPT * trumps - VOID * voids
