"""One table in the hall: what it shows, who is connected, and what the service is doing for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from services.table.agenda import Duty
from services.table.line import Line
from services.table.model.state import Table
from services.table.stage import Stage
from services.table.timekeeper import Alarm
from services.table.watch import Seen, Watcher


class Delivery(NamedTuple):
    """When a question reached its player: `delay_us` after it was shown, and the round trip it took."""

    board: int
    ask: int
    delay_us: int
    rtt_us: int


class Desk:
    """Everything about a table that is no part of its state."""

    __slots__ = (
        "alarm",
        "alarm_us",
        "busy",
        "considered",
        "deliveries",
        "duty",
        "duty_since_us",
        "failures",
        "held",
        "lines",
        "locked",
        "not_before_us",
        "nudged",
        "reconnects",
        "stage",
        "subject",
        "watchers",
    )

    def __init__(self, subject: str, table: Table, locked: bool = False) -> None:
        seats = len(table.people)
        self.subject = subject
        self.stage = Stage(table)
        self.lines: list[Line | None] = [None] * seats
        self.watchers: tuple[Watcher[Seen], ...] = ()
        self.deliveries: list[Delivery | None] = [None] * seats
        self.reconnects = [-1] * seats
        """Streams each seat has had here beyond its first; -1 before that."""
        self.held: tuple[tuple[int, Callable[[], None]], ...] = ()
        """What is told in the turn in which the table shows what is due at a time, and when that is."""
        self.locked = locked
        """The board is sealed to this replica: the state is an old one."""
        self.nudged = False
        self.busy = False
        """A duty is under way."""
        self.duty: Duty | None = None
        """Another replica's next duty, as far as known here, and since when it is."""
        self.duty_since_us = 0
        self.failures = 0
        """Duties that failed since the last one that did not."""
        self.not_before_us = 0
        """No duty is tried again before."""
        self.considered: dict[tuple[int, int], int] = {}
        """By board and seat, the card with which house AI has last thought about a bid while cards are drawn."""
        self.alarm: Alarm | None = None
        self.alarm_us = 0

    @property
    def next_us(self) -> int:
        """When something is to be shown or told next; 0: nothing is."""
        times = [at_us for at_us in (self.stage.next_us, *(at_us for at_us, _ in self.held)) if at_us]
        return min(times, default=0)

    def advance(self, now_us: int) -> None:
        """Have the stage show what is due, and tell what is."""
        self.stage.advance(now_us)
        if self.held:
            due = [tell for at_us, tell in self.held if at_us <= now_us]
            self.held = tuple([one for one in self.held if one[0] > now_us])
            for tell in due:
                tell()

    def delivered(self, table: Table, seat: int, board: int, ask: int, now_us: int, rtt_us: int) -> None:
        """A player's client says that it shows a question; the first time counts, over all its streams."""
        live, known = table.live, self.deliveries[seat]
        question = None if live is None or live.slot.board != board else live.question(seat)
        if question is None or question.ask != ask or (known is not None and known[:2] == (board, ask)):
            return
        self.deliveries[seat] = Delivery(board, ask, now_us - question.shown_us, rtt_us)

    def delivery(self, seat: int, board: int, ask: int) -> Delivery | None:
        """How a question was delivered, if its client said so."""
        known = self.deliveries[seat]
        return known if known is not None and known[:2] == (board, ask) else None
