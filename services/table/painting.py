"""Views written into the messages that carry them, several times as fast as their codec (`services.ledger.games`) would.

Every move shows every seat a whole view, of which little is new. What lies in front of a seat and what one may answer are kept
serialised, as the fields of the view that they are, and joined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from fupan.table.v1 import paohuzi_pb2 as pb
from services.games.paohuzi.actions import Action
from services.games.paohuzi.view import Front, SeatView
from services.ledger.paohuzi_codec import ACTIONS, VIEWS

PAINTERS: Mapping[str, Callable[[Any, Any], None]]
"""By the game's name: write a view into an empty message."""


def paohuzi(view: SeatView, into: pb.PaohuziView) -> None:
    """Write a Paohuzi view; the same message as `VIEWS.to_proto(view)`."""
    if view.won is not None:  # once a board
        into.CopyFrom(VIEWS.to_proto(view))
        return
    if view.seat is not None:
        into.seat = view.seat
        into.hand.extend(view.hand)
        into.dead_eat.extend(view.dead_eat)  # type: ignore[arg-type]
        into.dead_peng.extend(view.dead_peng)  # type: ignore[arg-type]
        into.dead_hand = view.dead_hand
    if view.current_from is not None:
        into.current_from = view.current_from
        into.current_drawn = view.current_drawn
        into.current = view.current  # type: ignore[assignment]
    if view.owes is not None:
        into.owes = view.owes
    into.dealer = view.dealer
    into.bright = view.bright  # type: ignore[assignment]
    into.stock_left = view.stock_left
    into.min_huxi = view.min_huxi
    into.over = view.over
    into.MergeFromString(b"".join([*map(_front, view.fronts), *map(_option, view.options)]))


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


@lru_cache(maxsize=1 << 14)
def _option(action: Action) -> bytes:
    """The field `options` with one entry."""
    return pb.PaohuziView(options=[ACTIONS.to_proto(action)]).SerializeToString()


PAINTERS = {"paohuzi": paohuzi}
