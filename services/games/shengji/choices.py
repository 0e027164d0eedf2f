"""What may be done in answer to each question, out of what the asked seat itself knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from services.games.shengji import bids as bidding
from services.games.shengji import cards, follow
from services.games.shengji.actions import PASS, REVOLT, Action, Bid, Bury, Play
from services.games.shengji.bottom import SIZE
from services.games.shengji.cards import KINDS, SUITS, Cards, Counts
from services.games.shengji.order import Order
from services.games.shengji.params import Params
from services.games.shengji.selections import Lazy, Leads, Picks
from services.games.shengji.shape import Demand

_SINGLE: dict[int, Action] = {card: Play((card,)) for card in KINDS}


def bids(
    params: Params, level: str, standing: bidding.Bid | None, seat: int, drawn: Counts, at: int
) -> tuple[Action, ...]:
    """Bids open to a seat that has `drawn` these cards, `at` by all (S4.1, S4.2); single cards before pairs."""
    own = [card for suit in SUITS if drawn[card := cards.kind(suit, level)]]
    offers: list[Cards] = [*((card,) for card in own), *((card, card) for card in own if drawn[card] == 2)]
    return tuple(
        [
            Bid(shown)
            for shown in offers
            if not bidding.objection(params, level, standing, seat, shown, drawn, at)
        ]
    )


def revolts(params: Params, hand: Counts) -> tuple[Action, ...]:
    """Whether a defender may void the deal (S4.8)."""
    return (REVOLT, PASS) if bidding.may_revolt(params, cards.expand(hand)) else (PASS,)


def buries(hand: Counts) -> Sequence[Action]:
    """All ways to lay eight cards of the declarer's 33 (S5.1)."""
    return _Actions(Bury, Picks(KINDS, hand[1:], SIZE))


def leads(order: Order, hand: Counts) -> Sequence[Action]:
    """All leads, throws included whether they stand or not (S6.2)."""
    return _Actions(Play, Leads(order, hand))


def follows(order: Order, hand: Counts, asked: Demand, *, partial: bool) -> Sequence[Action]:
    """All legal follows (S7)."""
    if asked.size == 1:
        return tuple([_SINGLE[card] for card in follow.singles(order, hand, asked.suit)])
    return _Actions(Play, follow.follows(order, hand, asked, partial=partial))


class _Actions(Lazy[Action]):
    """The actions of one kind, by the cards they may be of."""

    def __init__(self, kind: type[Bury] | type[Play], cards_of: Lazy[Cards]) -> None:
        self._kind, self._cards_of = kind, cards_of

    def __len__(self) -> int:
        return len(self._cards_of)

    def __iter__(self) -> Iterator[Action]:
        return map(self._kind, self._cards_of)

    def __contains__(self, action: object) -> bool:
        return isinstance(action, self._kind) and action.cards in self._cards_of

    def _nth(self, index: int) -> Action:
        return self._kind(self._cards_of._nth(index))
