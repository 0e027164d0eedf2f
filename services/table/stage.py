"""What a table shows, and when: frames of the game, each after the one before (claim floor; P6.4, design: views)."""

from __future__ import annotations

from typing import NamedTuple

from services.domain import Meta
from services.games.rules import Ruleset
from services.games.shengji.pace import Dealing
from services.runtime.log import Applied
from services.table.decider import clocks
from services.table.decider.evolve import OWN, dealt
from services.table.model.dealing import BEFORE_LAST, drawing, drawn
from services.table.model.events import Acted, BoardDealt, Event
from services.table.model.state import Table
from services.table.views import Frame

KEPT = 4
"""Ends of boards whose cards a table keeps at hand, for who comes back."""

SECRET = ("claim", "bid")
"""Questions that several seats answer at once: nobody but its own seat sees that an answer was given, nor that seat whether others
had decided before it while the claim floor lasts."""


class Timed(NamedTuple):
    """A frame and when it is shown."""

    at_us: int
    frame: Frame


class Stage:
    """The frames of one table: the one shown, and those to come. The last frame always is the newest state."""

    __slots__ = ("_coming", "_drawing", "_noted", "ended", "frame")

    def __init__(self, table: Table) -> None:
        self._noted: tuple[Applied[Table, Event], ...] = ()
        """The last records that changed the game, of those that were noted: all that may bring something that is not shown yet."""
        self.ended: tuple[Frame, ...] = ()
        """How the last boards ended, oldest first, as far as that was shown here; it stays while others are played."""
        self.restart(table)

    def show(self, frame: Frame | None) -> None:
        """Show a frame now."""
        self.frame = frame
        if frame is not None and frame.result is not None:
            self.ended = (*[one for one in self.ended if one.board != frame.board], frame)[-KEPT:]

    def note(self, applied: Applied[Table, Event]) -> None:
        """Remember a record of a table that is not shown here: the next `restart` does not show early what it brought."""
        before, board = applied.before, applied.before.board
        if applied.meta is None:
            self._noted = ()
        elif _game(before) is not _game(applied.after):
            waits = board is not None and applied.meta.time_us < clocks.settled(
                before.facts, board.beat_us, 0
            )
            self._noted = (*self._noted, applied) if waits else (applied,)

    def forget(self) -> None:
        """What was noted stands no more."""
        self._noted = ()

    def restart(self, table: Table) -> None:
        """Show the newest state, whatever was shown before: what was noted as if it had been taken in (P6.4), all else at once."""
        noted, self._noted = self._noted, ()
        self._coming: tuple[Timed, ...] = ()
        self._drawing = drawing_of(table)
        if not noted or self._drawing is not None:
            self.show(newest(table))
            return
        self.show(newest(noted[0].before))
        for one in noted:
            assert one.meta is not None
            self._coming += frames(one.before, one.after, one.events, one.meta)
        self._renew(newest(table))

    @property
    def next_us(self) -> int:
        """When the next frame is shown; 0 when everything is shown."""
        if self._coming:
            return self._coming[0].at_us
        return 0 if self._drawing is None or self.frame is None else self._drawing.next_us(self.frame)

    @property
    def shown_us(self) -> int:
        """When everything there is so far will have been shown; 0: it is."""
        return self._coming[-1].at_us if self._coming else 0

    def told_us(self, table: Table, seat: int, board: int, ask: int) -> int:
        """Before when a seat is told nothing of its answer to a question: where others may be asked as well, what they have decided
        shows no earlier (P6.4). 0: there is no such time."""
        frame, live = self.frame, table.live
        if frame is None or frame.board != board:
            return 0
        if not any(one[:2] == (seat, ask) and one.question in SECRET for one in frame.questions):
            return 0
        if self._coming:
            return self._coming[0].at_us
        return 0 if live is None else clocks.settled(table.facts, live.beat_us, 0)

    def take(self, applied: Applied[Table, Event]) -> None:
        """Queue what a record brings to show."""
        before, after, meta = applied.before, applied.after, applied.meta
        self._drawing = drawing_of(after)
        if self._drawing is not None:
            self.frame, self._coming = newest(after), ()
        elif meta is None or _game(before) is _game(after):
            self._renew(newest(after))
        else:
            self._coming += frames(before, after, applied.events, meta)

    def advance(self, now_us: int) -> None:
        """Show what is due."""
        coming = self._coming
        due = sum(timed.at_us <= now_us for timed in coming)
        if due:
            for timed in coming[:due]:
                self.show(timed.frame)
            self._coming = coming[due:]
        if self._drawing is not None and self.frame is not None:
            self.frame = self._drawing.at(self.frame, now_us)

    def _renew(self, frame: Frame | None) -> None:
        """The newest frame with other questions, which may be shown later than they were to be, or without them. A board without a
        deal leaves the last one to be seen."""
        if frame is None:
            return
        if self._coming:
            at_us = max([self._coming[-1].at_us, *(one.shown_us for one in frame.questions)])
            self._coming = (*self._coming[:-1], Timed(at_us, frame))
        else:
            self.show(frame)


class Drawing(NamedTuple):
    """Cards that are drawn at a pace: what is shown follows from time, as far as the last card (S3.1)."""

    rules: Ruleset
    dealing: Dealing
    stands_us: int
    """Since when the table is paused; 0: it is not."""

    def at(self, frame: Frame, now_us: int) -> Frame:
        """The frame with the cards that are drawn by now."""
        number = min(self.dealing.newest(self.stands_us or now_us), BEFORE_LAST)
        if number <= frame.game.drawn:
            return frame
        return frame._replace(game=drawn(self.rules, frame.game, number))

    def next_us(self, frame: Frame) -> int:
        """When the next card is drawn; 0 when it is the last, which is a record, or the table is paused."""
        number = frame.game.drawn + 1
        return 0 if self.stands_us or number > BEFORE_LAST else self.dealing.drawn_us(number)


def drawing_of(table: Table) -> Drawing | None:
    """How the cards of the open board are being drawn; None when they are not."""
    live = table.live
    if live is None or live.dealing is None or not drawing(live.game):
        return None
    return Drawing(table.rules, live.dealing, table.paused_us)


def newest(table: Table) -> Frame | None:
    """The newest state of a table as a frame; None before the first deal."""
    board = table.board
    if board is None or board.game is None:
        return None
    return Frame(board.slot.board, board.game, board.questions, board.result, table.course)


def frames(before: Table, after: Table, events: tuple[Event, ...], meta: Meta) -> tuple[Timed, ...]:
    """The frames of one record: an answer, each tile played or drawn, and what follows the last one.

    An answer to a claim is a frame of its own, the same to all but its own seat. With no claim floor all is shown at once, and one
    frame is enough.
    """
    facts, rules = after.facts, after.rules
    last = newest(after)
    if last is None:
        return ()
    if not facts.claim_floor_ms or before.board is None:
        return (Timed(meta.time_us, last),)
    found: list[Timed] = []
    acted = events[0] if isinstance(events[0], Acted) else None
    game, beat_us, shown = before.board.game, clocks.floored_us(before.board, acted), True
    hidden = acted is not None and acted.question in SECRET
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
            at_us = clocks.settled(facts, beat_us, meta.time_us)
            found.append(Timed(at_us, Frame(last.board, game, waiting, None, before.course)))
            hidden = False
        elif shown:
            beat_us = clocks.settled(facts, beat_us, meta.time_us)
            found.append(Timed(beat_us, Frame(last.board, game, (), None, before.course)))
    if shown:
        found[-1] = Timed(found[-1].at_us, last)
    else:
        found.append(Timed(clocks.settled(facts, beat_us, meta.time_us), last))
    return tuple(found)


def _game(table: Table) -> object:
    return None if table.board is None else table.board.game
