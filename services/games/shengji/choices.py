"""What may be done in answer to each question, out of what the asked seat itself knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from services.domain import Rejected
from services.games.shengji import bids as bidding
from services.games.shengji import cards, follow
from services.games.shengji.actions import PASS, REVOLT, Action, Bid, Bury, Play
from services.games.shengji.bottom import SIZE
from services.games.shengji.cards import SUITS, Cards, Counts
from services.games.shengji.order import Order
from services.games.shengji.params import Params
from services.games.shengji.selections import Leads, Made, Picks
from services.games.shengji.shape import Demand


def bids(
    params: Params, level: str, standing: bidding.Bid | None, seat: int, drawn: Counts, at: int
) -> tuple[Action, ...]:
    """Bids open to a seat that has `drawn` these cards, `at` by all (S4.1, S4.2); single cards before pairs."""
    own = [card for suit in SUITS if drawn[card := cards.kind(suit, level)]]
    offers: list[Cards] = [*((card,) for card in own), *((card, card) for card in own if drawn[card] == 2)]
    found: list[Action] = []
    for shown in offers:
        try:
            bidding.made(params, level, standing, seat, shown, drawn, at)
        except Rejected:
            continue
        found.append(Bid(shown))
    return tuple(found)


def revolts(params: Params, hand: Counts) -> tuple[Action, ...]:
    """Whether a defender may void the deal (S4.8)."""
    return (REVOLT, PASS) if bidding.may_revolt(params, cards.expand(hand)) else (PASS,)


def buries(hand: Counts) -> Sequence[Action]:
    """All ways to lay eight cards of the declarer's 33 (S5.1)."""
    held = {card: number for card, number in enumerate(hand) if number}
    return Made(Picks(held, SIZE), Bury, _cards_of(Bury))


def leads(order: Order, hand: Counts) -> Sequence[Action]:
    """All leads, throws included whether they stand or not (S6.2)."""
    return Made(Leads(order, hand), Play, _cards_of(Play))


def follows(order: Order, hand: Counts, asked: Demand, *, partial: bool) -> Sequence[Action]:
    """All legal follows (S7)."""
    return Made(follow.follows(order, hand, asked, partial=partial), Play, _cards_of(Play))


def _cards_of(kind: type[Bury] | type[Play]) -> Callable[[object], Cards | None]:
    return lambda action: action.cards if isinstance(action, kind) else None
