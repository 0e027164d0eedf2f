"""Boards as people see them, game by game: the table, one's own hand, what one may do, what happened."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Protocol

from rich.console import Console
from rich.text import Text

from clients.boards.replays import Replay
from clients.cli.faces import paohuzi, shengji
from services.games.paohuzi.view import SeatView as PaohuziView
from services.games.shengji.view import SeatView as ShengjiView


class Face(Protocol):
    """How one game is shown; `view` is that game's own SeatView."""

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


def of_replay(replay: Replay) -> Face:
    """What shows the game of a replay."""
    return BY_GAME[replay.head.game]


def show(views: Sequence[Any], hands: bool = True) -> None:
    """Print the table as `views` see it, those that see nothing left out."""
    seen = [view for view in views if view is not None]
    console = Console(file=sys.stdout, highlight=False)
    for line in of(seen[0]).table(seen, hands) if seen else ():
        console.print(line, soft_wrap=True)
