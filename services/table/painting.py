"""Views as the serialised messages that carry them, several times as fast as their codec (`services.ledger.games`) makes them.

Every move shows every seat a whole view, of which little is new. What lies in front of a seat and what one may answer are kept
serialised, as the fields of the view that they are, and joined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from fupan.table.v1 import paohuzi_pb2 as pb
from services.games.paohuzi.actions import PASS, PENG, PLAYS, WIN, Action
from services.games.paohuzi.view import Fans, Front, SeatView
from services.ledger import shengji_codec
from services.ledger.paohuzi_codec import ACTIONS, VIEWS

PAINTERS: Mapping[str, Callable[[Any], bytes]]
"""By the game's name: a view's message, serialised."""


def paohuzi(view: SeatView) -> bytes:
    """A Paohuzi view; the same message as `VIEWS.encode(view)`, its fields in another order."""
    if view.won is not None:  # once a board
        return VIEWS.encode(view)
    public = _public(
        view.dealer,
        view.bright,
        view.stock_left,
        view.current,
        view.current_from,
        view.current_drawn,
        view.owes,
        view.min_huxi,
        view.over,
    )
    own = (
        b""
        if view.seat is None
        else _own(view.seat, view.hand, view.dead_eat, view.dead_peng, view.dead_hand)
    )
    fronts = [_front(front) for front in view.fronts]
    options = [_COMMON.get(id(action)) or _option(action) for action in view.options]
    return b"".join([public, own, *fronts, *options, _fans(view.fans)])


_PUBLIC = (
    "dealer",
    "bright",
    "stock_left",
    "current",
    "current_from",
    "current_drawn",
    "owes",
    "min_huxi",
    "over",
)
_OWN = ("seat", "hand", "dead_eat", "dead_peng", "dead_hand")


@lru_cache(maxsize=1 << 12)
def _public(*values: Any) -> bytes:
    """The fields `_PUBLIC`, the same for all who look at a moment."""
    return _fields(_PUBLIC, values)


@lru_cache(maxsize=1 << 12)
def _own(*values: Any) -> bytes:
    """The fields `_OWN`, which stay while others move."""
    return _fields(_OWN, values)


def _fields(names: tuple[str, ...], values: tuple[Any, ...]) -> bytes:
    return pb.PaohuziView(**dict(zip(names, values, strict=True))).SerializeToString()


@lru_cache(maxsize=1 << 14)
def _front(front: Front) -> bytes:
    """The field `fronts` with one entry."""
    message = pb.PaohuziView.Front(
        discards=front.discards,  # type: ignore[arg-type]
        hand_size=front.hand_size,
        played=front.played,  # type: ignore[arg-type]
    )
    for meld in front.melds:
        message.melds.add(name=meld.name, tiles=meld.tiles)
    return pb.PaohuziView(fronts=[message]).SerializeToString()


@lru_cache(maxsize=64)
def _fans(fans: Fans | None) -> bytes:
    """The field `fans`, the same all the time."""
    if fans is None:
        return b""
    hands = [pb.PaohuziView.NamedHand(code=hand.code, fan=hand.fan) for hand in fans.hands]
    told = pb.PaohuziView.Fans(hands=hands, red_step=fans.red_step, combine=fans.combine)
    return pb.PaohuziView(fans=told).SerializeToString()


@lru_cache(maxsize=1 << 14)
def _option(action: Action) -> bytes:
    """The field `options` with one entry."""
    return pb.PaohuziView(options=[ACTIONS.to_proto(action)]).SerializeToString()


_COMMON = {id(action): _option(action) for action in (*PLAYS[1:], WIN, PENG, PASS)}
"""Of the actions there is one object each of; an object is found faster than its equal."""


PAINTERS = {
    "paohuzi": paohuzi,
    "shengji": shengji_codec.VIEWS.encode,
}  # Shengji's cards are numbers, which cost little
