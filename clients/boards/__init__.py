"""Boards as every client knows them: replays step by step, the same board across the field, sentences about both, game by game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from clients.boards import paohuzi, shengji
from clients.boards.telling import Pick, Sentence
from fupan.table.v1 import service_pb2 as pb
from services.games.paohuzi.view import SeatView as PaohuziView
from services.games.shengji.view import SeatView as ShengjiView
from services.ledger.games import GAMES


class Game(Protocol):
    """How one game is told; `view` is that game's own SeatView."""

    def record(self, view: Any) -> dict[str, Any]:
        """A view as JSON has it, cards and tiles by their text."""

    def read(self, told: Mapping[str, Any]) -> Any:
        """The view that `record` tells. Raises KeyError, TypeError, ValueError or Rejected for what is none."""

    def action(self, text: str, pick: Pick) -> Sentence:
        """An action from its canonical text."""

    def event(self, text: str, pick: Pick) -> Sentence:
        """What happened, from an event's text."""


BY_GAME: Mapping[str, Game] = {"paohuzi": paohuzi, "shengji": shengji}
"""By the name of the game in the messages' oneofs."""

_BY_VIEW: Mapping[type, Game] = {PaohuziView: paohuzi, ShengjiView: shengji}


def decoded(view: pb.SeatView) -> Any:
    """The game's own view in a message; None where nothing is shown."""
    field = view.WhichOneof("game")
    return None if field is None else GAMES[field].views.from_proto(getattr(view, field))


def record(view: Any) -> dict[str, Any] | None:
    """A view as JSON has it; None where nothing is seen."""
    if view is None:
        return None
    return next(game for kind, game in _BY_VIEW.items() if isinstance(view, kind)).record(view)
