"""Boards played over again: what each step of a replay says and shows, game by game.

A game is one module here (its words, and what lies on its table as plain data) and one script that draws that data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from clients.console.language import Language
from clients.console.tables import paohuzi, shengji
from clients.console.tables.telling import Choice, Sentence
from fupan.table.v1 import service_pb2 as pb
from services.ledger.games import GAMES


class Game(Protocol):
    """How one game is shown; `view` is that game's own SeatView."""

    SCRIPT: str
    """Static file that draws its table."""
    ECHOES: Mapping[str, str]
    """By an action's first word the event that says no more than the action itself."""

    def table(self, views: Sequence[Any], language: Language) -> dict[str, Any]:
        """What lies on the table as `views` see it, one seat's or every seat's, as JSON has it."""

    def choices(self, view: Any, language: Language) -> list[Choice]:
        """What the viewer may do by choosing it."""

    def laying(self, view: Any) -> str:
        """The first word of an action that the viewer makes of its own cards now; empty where it makes none."""

    def action(self, text: str, language: Language) -> Sentence:
        """An action from its canonical text."""

    def event(self, text: str, language: Language) -> Sentence:
        """What happened, from an event's text."""

    def noticed(self, before: Any, after: Any) -> list[str]:
        """What can be seen to have happened between two views of one seat, which is told no events: as events' text."""

    def settle(self, table: dict[str, Any], before: dict[str, Any] | None, seat: int, action: str) -> None:
        """Put on a table what `seat`'s action ended and the views show no more; `before` is the table of the step before."""

    def labels(self, language: Language) -> dict[str, str]:
        """The words its script needs."""


_GAMES: dict[str, Game] = {"paohuzi": paohuzi, "shengji": shengji}
"""By the name of the game in the messages' oneofs."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step. `seat` None: nobody acted, it was dealt. `clocks`: thinking time by seat so far, µs."""

    number: int
    time_us: int
    seat: int | None
    automatic: bool
    thinking_us: int
    action: Sentence
    events: tuple[Sentence, ...]
    clocks: tuple[int, ...]
    table: dict[str, Any]

    def drawn(self) -> dict[str, Any]:
        """What the script draws."""
        return {"step": self.number, "seat": self.seat, "clocks": self.clocks, "table": self.table}


def of(told: Sequence[pb.ReplayBoardResponse]) -> Game | None:
    """What shows the game of a replay; None where nothing was seen."""
    field = next((name for one in told for view in _views(one) if (name := view.WhichOneof("game"))), None)
    return _GAMES.get(field) if field else None


def named(game: str) -> Game | None:
    """What shows the game of that name."""
    return _GAMES.get(game)


def steps(game: Game, told: Sequence[pb.ReplayBoardResponse], language: Language) -> list[Step]:
    """The steps in order."""
    clocks: list[int] = []
    made: list[Step] = []
    before: Any = None
    for one in told:
        acted = one.acted if one.HasField("acted") else None
        views = [_decoded(view) for view in _views(one) if view.WhichOneof("game")]
        shown = game.table(views, language)
        clocks += [0] * (len(shown["seats"]) - len(clocks))
        if acted is not None:
            game.settle(shown, made[-1].table if made else None, acted.seat, one.action)
            clocks[acted.seat] += acted.thinking_us
        told_again = game.ECHOES.get(one.action.partition(" ")[0])
        happened = one.events if one.seats or before is None else game.noticed(before, views[0])
        events = [game.event(text, language) for text in happened if text.partition(" ")[0] != told_again]
        before = views[0]
        made.append(
            Step(
                one.step,
                one.time_us,
                acted.seat if acted else None,
                acted.automatic if acted else False,
                acted.thinking_us if acted else 0,
                game.action(one.action, language) if one.action else (),
                tuple(events),
                tuple(clocks),
                shown,
            )
        )
    return made


def _views(one: pb.ReplayBoardResponse) -> Sequence[pb.SeatView]:
    return one.seats or [one.view]


def _decoded(view: pb.SeatView) -> Any:
    field = view.WhichOneof("game")
    assert field is not None
    return GAMES[field].views.from_proto(getattr(view, field))
