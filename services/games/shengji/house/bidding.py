"""Which trumps to bid for, and whether to void a poor deal (S4)."""

from __future__ import annotations

from services.games.shengji import cards
from services.games.shengji.actions import PASS, REVOLT, Action, Bid
from services.games.shengji.bids import DRAWN
from services.games.shengji.cards import Counts
from services.games.shengji.order import TRUMPS, order_of
from services.games.shengji.result import partner
from services.games.shengji.view import SeatView

ENOUGH = 9.0
"""Strength of a complete hand with which trumps are bid; an average one has some 9."""
TO_DECLARE = 1.5
"""As much less is enough where the bidder becomes the declarer (S4.7)."""
OVER_OPPONENT, OVER_PARTNER = 1.0, 4.0
"""How much stronger than under the trumps that stand a hand must be to overcall."""
WEAK = 9.0
"""Strength below which a defender voids a deal it may void."""


def strength(hand: Counts, level: str, trump: str) -> float:
    """How strong a hand is with a suit as trumps: a point a trump, more for high ones and for pairs."""
    order = order_of(level, trump)
    total = 0.0
    for card in order.members[TRUMPS]:
        if hand[card]:
            high = max(order.places[card] - 10, 0)
            total += hand[card] * (1 + 0.3 * high) + (0.7 if hand[card] == 2 else 0.0)
    return total


def bid(view: SeatView) -> Action:
    """The strongest bid open to the viewer, or a pass."""
    hand = cards.count(view.hand)
    offers = [offer for offer in view.offers if isinstance(offer, Bid)]
    if not offers:
        return PASS
    strengths = {suit: strength(hand, view.level, suit) for suit in cards.SUITS}
    best = max(offers, key=lambda offer: (strengths[cards.suit_of(offer.cards[0])], -len(offer.cards)))
    value = strengths[cards.suit_of(best.cards[0])]
    return best if value >= _needed(view, strengths) else PASS


def _needed(view: SeatView, strengths: dict[str, float]) -> float:
    enough = ENOUGH - (TO_DECLARE if view.declarer is None else 0.0)
    if view.standing is None:
        return enough * (0.35 + 0.65 * view.drawn / DRAWN)
    current = strengths[cards.suit_of(view.standing.cards[0])]
    if view.standing.seat == view.seat:
        return enough
    with_partner = view.seat is not None and view.standing.seat == partner(view.seat)
    return max(enough, current + (OVER_PARTNER if with_partner else OVER_OPPONENT))


def revolt(view: SeatView) -> Action:
    """Void the deal with few trumps, if that is open."""
    weak = strength(cards.count(view.hand), view.level, view.trump) < WEAK
    return REVOLT if weak and REVOLT in view.offers else PASS
