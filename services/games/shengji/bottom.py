"""What the bottom (底牌) is worth to defenders who win the last trick (挖底, S9.1)."""

from __future__ import annotations

from services.games.shengji import cards
from services.games.shengji.cards import Cards
from services.games.shengji.order import Order
from services.games.shengji.params import Params
from services.games.shengji.shape import split, suit_led

SIZE = 8
"""Cards of the bottom (S3.1)."""


def factor(order: Order, play: Cards) -> int:
    """The multiplier of a play by its largest component: no pair 2, a pair 4, a tractor of n pairs 2^(n+1).

    Raises Rejected("NOT_ONE_SUIT") for cards of several suits.
    """
    suit_led(order, play)
    return int(2 ** (split(order, play)[0].pairs + 1))


def bonus(params: Params, bottom: Cards, lead: tuple[Order, Cards], winning: tuple[Order, Cards]) -> int:
    """Points that the defenders add for the bottom, having won the last trick with `winning` against `lead`."""
    order, play = winning if params.bottom_shape == "winner" else lead
    return factor(order, play) * cards.points(bottom)
