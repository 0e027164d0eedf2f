"""Boards as people see them, game by game: the table, one's own hand, what one may do, what happened."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from rich.console import Console
from rich.text import Text

from clients.cli.faces import paohuzi, shengji
from fupan.table.v1 import service_pb2 as pb
from services.games.paohuzi.view import SeatView as PaohuziView
from services.games.shengji.view import SeatView as ShengjiView
from services.ledger.games import GAMES


class Face(Protocol):
    """How one game is shown; `view` is that game's own SeatView."""

    def record(self, view: Any) -> dict[str, Any]:
        """A view as JSON has it, cards and tiles by their text."""

    def read(self, told: Mapping[str, Any]) -> Any:
        """The view that `record` tells. Raises KeyError, TypeError, ValueError or Rejected for what is none."""

    def table(self, views: Sequence[Any], hands: bool) -> list[Text]:
        """The table as `views` see it: one seat's knowledge, or every hand where there are several. `hands` False: none."""

    def news(self, view: Any, before: Any) -> list[Text] | None:
        """What has changed since the view before, on the same board, where a few words say it; None: the table is to be shown."""

    def hand(self, view: Any) -> list[Text]:
        """The viewer's own hand."""

    def options(self, view: Any) -> list[Text]:
        """What the viewer may choose by number, from 1, and how else it may answer."""

    def answer(self, view: Any, typed: str) -> Any:
        """The action that a person's line means. Raises Problem for what means none."""

    def action(self, text: str) -> Text:
        """An action from its canonical text."""

    def event(self, text: str) -> Text:
        """What happened, from an event's text."""


_FACES: dict[type, Face] = {PaohuziView: paohuzi, ShengjiView: shengji}


BY_GAME: dict[str, Face] = {"paohuzi": paohuzi, "shengji": shengji}


def of(view: Any) -> Face:
    """What shows the game of a view."""
    return next(face for kind, face in _FACES.items() if isinstance(view, kind))


def decoded(view: pb.SeatView) -> Any:
    """The game's own view in a message; None where nothing is shown."""
    field = view.WhichOneof("game")
    return None if field is None else GAMES[field].views.from_proto(getattr(view, field))


def record(view: Any) -> dict[str, Any] | None:
    """A view as JSON has it; None where nothing is seen."""
    return None if view is None else of(view).record(view)


def show(views: Sequence[Any], hands: bool = True) -> None:
    """Print the table as `views` see it, those that see nothing left out."""
    seen = [view for view in views if view is not None]
    console = Console(file=sys.stdout, highlight=False)
    for line in of(seen[0]).table(seen, hands) if seen else ():
        console.print(line, soft_wrap=True)
