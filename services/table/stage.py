"""What a table shows, and when: frames of the game, each after the one before (claim floor; P6.4, design: views)."""

from __future__ import annotations

from typing import NamedTuple

from services.domain import Meta
from services.runtime.log import Applied
from services.table.decider import clocks
from services.table.decider.evolve import OWN, dealt
from services.table.model.events import Acted, BoardDealt, Event
from services.table.model.state import Table
from services.table.views import Frame


class Timed(NamedTuple):
    """A frame and when it is shown."""

    at_us: int
    frame: Frame


class Stage:
    """The frames of one table: the one shown, and those to come. The last frame always is the newest state."""

    __slots__ = ("_coming", "frame")

    def __init__(self, table: Table) -> None:
        self.restart(table)

    def restart(self, table: Table) -> None:
        """Show the newest state at once, whatever was shown before."""
        self.frame = newest(table)
        self._coming: tuple[Timed, ...] = ()

    @property
    def next_us(self) -> int:
        """When the next frame is shown; 0 when everything is shown."""
        return self._coming[0].at_us if self._coming else 0

    @property
    def shown_us(self) -> int:
        """When everything there is so far will have been shown; 0: it is."""
        return self._coming[-1].at_us if self._coming else 0

    def take(self, applied: Applied[Table, Event]) -> None:
        """Queue what a record brings to show."""
        before, after, meta = applied.before, applied.after, applied.meta
        if meta is None or _game(before) is _game(after):
            self._renew(newest(after))
        else:
            self._coming += frames(before, after, applied.events, meta)

    def advance(self, now_us: int) -> bool:
        """Show what is due; whether anything was."""
        coming = self._coming
        due = sum(timed.at_us <= now_us for timed in coming)
        if due:
            self.frame, self._coming = coming[due - 1].frame, coming[due:]
        return due > 0

    def _renew(self, frame: Frame | None) -> None:
        """The newest frame with other questions, or without them. A board without a deal leaves the last one to be seen."""
        if frame is None:
            return
        if self._coming:
            self._coming = (*self._coming[:-1], Timed(self._coming[-1].at_us, frame))
        else:
            self.frame = frame


def newest(table: Table) -> Frame | None:
    """The newest state of a table as a frame; None before the first deal."""
    board = table.board
    if board is None or board.game is None:
        return None
    return Frame(board.slot.board, board.game, board.questions, board.result)


def frames(before: Table, after: Table, events: tuple[Event, ...], meta: Meta) -> tuple[Timed, ...]:
    """The frames of one record: an answer, each tile played or drawn, and what follows the last one.

    An answer to a claim is shown at once, since nobody but its own seat sees that it was given. With no claim floor all is shown
    at once, and one frame is enough.
    """
    facts, rules = after.facts, after.rules
    last = newest(after)
    if last is None:
        return ()
    if not facts.claim_floor_ms or before.board is None:
        return (Timed(meta.time_us, last),)
    found: list[Timed] = []
    game, beat_us, shown = before.board.game, before.board.beat_us, True
    acted = events[0] if isinstance(events[0], Acted) else None
    hidden = acted is not None and acted.question == "claim"
    for event in events:
        if isinstance(event, BoardDealt):
            game = dealt(after, event)
        elif type(event) in OWN:
            continue
        else:
            game = rules.evolve(game, event)
        shown = hidden or rules.is_beat(event)
        if hidden and acted is not None:
            waiting = tuple([one for one in before.board.questions if one.seat != acted.seat])
            found.append(Timed(meta.time_us, Frame(last.board, game, waiting)))
            hidden = False
        elif shown:
            beat_us = clocks.settled(facts, beat_us, meta.time_us)
            found.append(Timed(beat_us, Frame(last.board, game)))
    if shown:
        found[-1] = Timed(found[-1].at_us, last)
    else:
        found.append(Timed(clocks.settled(facts, beat_us, meta.time_us), last))
    return tuple(found)


def _game(table: Table) -> object:
    return None if table.board is None else table.board.game
