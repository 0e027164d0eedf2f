"""Boards as pages show them: what lies on a table as plain data, and what each step of a replay says, game by game.

A game is one module here (its words, and what lies on its table) and one script that draws that data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from clients import boards
from clients.boards.replays import Replay, Step, Tried, seen
from clients.boards.telling import Sentence
from clients.console.language import Language
from clients.console.tables import paohuzi, shengji
from clients.console.tables.choosing import Choice, Laying


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

    def laying(self, view: Any) -> Laying | None:
        """What the viewer makes of its own cards now; None where it makes nothing of them."""

    def standing(self, view: Any, language: Language) -> tuple[int, Sentence] | None:
        """The seat whose bid stands, and its bid; None in a game without bids, and before one."""

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
class Shown:
    """One step as a page shows it. `clocks`: thinking time by seat so far, µs; `legal`: what could be chosen, where few."""

    step: Step
    action: Sentence
    events: tuple[Sentence, ...]
    legal: tuple[Sentence, ...]
    tried: tuple[tuple[Tried, Sentence], ...]
    clocks: tuple[int, ...]
    table: dict[str, Any]

    @property
    def decides(self) -> bool:
        """Whether a seat chose among several actions here."""
        return self.step.legal is not None and self.step.legal.count > 1

    def drawn(self) -> dict[str, Any]:
        """What the script draws."""
        step, legal = self.step, self.step.legal
        return {
            "step": step.number,
            "seat": step.seat,
            "clocks": self.clocks,
            "table": self.table,
            "decides": self.decides,
            "automatic": step.automatic,
            "took": step.thinking_us,
            "action": self.action,
            "passed": step.action == "pass",
            "legal": None
            if legal is None
            else {
                "count": legal.count,
                "chosen": legal.actions.index(step.action) if step.action in legal.actions else None,
                "listed": self.legal,
            },
            "tried": [
                {"seat": one.seat, "said": said, "reason": one.reason, "clause": one.clause}
                for one, said in self.tried
            ],
        }


def named(game: str) -> Game | None:
    """What shows the game of that name."""
    return _GAMES.get(game)


def steps(game: Game, replay: Replay, language: Language) -> list[Shown]:
    """The steps in order. A replay in which nothing was seen has none."""
    told, pick = boards.BY_GAME[replay.head.game], language.pick
    clocks: list[int] = []
    made: list[Shown] = []
    before: Any = None
    for step in replay.steps:
        views = seen(step)
        shown = game.table(views, language)
        clocks += [0] * (len(shown["seats"]) - len(clocks))
        if step.seat is not None:
            game.settle(shown, made[-1].table if made else None, step.seat, step.action)
            clocks[step.seat] += step.thinking_us
        echoed = game.ECHOES.get(step.action.partition(" ")[0])
        all_hands = replay.head.seat is None
        happened = step.events if all_hands or before is None else game.noticed(before, views[0])
        before = views[0]
        made.append(
            Shown(
                step,
                told.action(step.action, pick) if step.action else (),
                tuple(game.event(text, language) for text in happened if text.partition(" ")[0] != echoed),
                tuple(told.action(text, pick) for text in step.legal.actions) if step.legal else (),
                tuple((one, told.action(one.action, pick)) for one in step.tried),
                tuple(clocks),
                shown,
            )
        )
    return made
