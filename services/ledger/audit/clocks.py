"""Who answered at a table, which question, in which time: seats' own people, within their clocks, and clocks' answers after them
(P6.4, P12, S11, C4.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from services.ledger.audit.evidence import Entry, Event

SERVICE = "service:table"
"""Who answers for house AI and for clocks that have run out."""

DELIVERY_US = 500_000
"""Most that the way of a question to the player takes off its thinking time."""

LEAST_REST_US = 10_000_000
"""Time a question has at least after an outage."""

CLOCKED = frozenset(
    [
        "acted",
        "asked",
        "board_closed_unfinished",
        "board_finished",
        "board_opened",
        "clock_extended",
        "paced",
        "table_paused",
        "table_resumed",
    ]
)
"""What `Clocks.passed` has something to say of."""


class _Question(NamedTuple):
    """A question that a seat was asked: its number and kind, and its clock."""

    ask: int
    kind: str
    shown_us: int
    deadline_us: int
    demo_us: int


Wrong = Callable[[str, str], None]
"""Told of what is wrong: a code and a sentence."""


class Clocks:
    """The questions of one table, as its records put and move them. `opened` is what the table was opened with."""

    def __init__(self, opened: Any) -> None:
        self._demo: bool = opened.demo
        self._clocks_us: dict[str, int] = {
            "play": opened.play_clock_ms * 1000,
            "claim": opened.claim_clock_ms * 1000,
            "bid": opened.bid_clock_ms * 1000,
            "bury": opened.bury_clock_ms * 1000,
        }
        self._floor_us: int = opened.claim_floor_ms * 1000
        self._entrants = [seat.entrant for seat in opened.seats]
        self._open: dict[int, _Question] = {}
        """The open question of a seat."""
        self._asks: dict[int, int] = {}
        self._beat_us = 0
        self._paused_us = 0
        self._unsure = False
        """Records are missing of the open board: what is asked there nobody can tell."""

    def lose(self) -> None:
        """The open board is given up: a record of it cannot be read, or does not fit."""
        self._unsure = True

    def passed(self, entry: Entry, event: Event, people: Sequence[str], wrong: Wrong) -> None:
        """Tell what is wrong with the next event, `people` sitting there."""
        message = event.message
        match event.kind:
            case "acted":
                self._answered(entry, message, people, wrong)
            case "paced":
                for shown_us in message.shown_us:
                    if shown_us > self._latest(entry):
                        wrong(
                            "OTHER_CLOCK", "something is told to be shown later than the floor lets it (P6.4)"
                        )
                    self._beat_us = shown_us
            case "asked":
                self._asked(entry, message.questions, wrong)
            case "board_opened" | "board_finished" | "board_closed_unfinished":
                self._open, self._asks, self._beat_us, self._unsure = {}, {}, 0, False
            case "table_paused":
                if self._paused_us:
                    wrong("OTHER_CLOCK", "the table was paused twice (C9.3)")
                self._paused_us = entry.time_us
            case "table_resumed":
                by_us = entry.time_us - self._paused_us
                if not self._paused_us:
                    wrong("OTHER_CLOCK", "the table was resumed and had not been paused (C9.3)")
                else:
                    self._moved(message.questions, by_us, lambda one: one.deadline_us + by_us, wrong)
                self._paused_us = 0
            case "clock_extended":
                began_us = entry.time_us - message.outage_us
                self._moved(
                    message.questions,
                    message.outage_us,
                    lambda one: entry.time_us + max(one.deadline_us - began_us, LEAST_REST_US),
                    wrong,
                )

    def _latest(self, entry: Entry) -> int:
        """The latest moment at which anything of a record is shown."""
        return max(entry.time_us, self._beat_us) + self._floor_us

    def _answered(self, entry: Entry, acted: Any, people: Sequence[str], wrong: Wrong) -> None:
        seat, expired = acted.seat, entry.order == "expire_clock"
        if not 0 <= seat < len(people):
            return  # which the rules refuse
        person = "" if expired else people[seat]
        if entry.actor != (person or SERVICE):
            wrong("OTHER_PERSON", f"{entry.actor} answered for seat {seat}, where {person or SERVICE} does")
        if acted.automatic != (not person and (expired or self._entrants[seat] > 0)):
            wrong("OTHER_PERSON", f"who answered for seat {seat} is not who is told to have")
        if self._paused_us:
            wrong("PAUSED", f"seat {seat} answered while the table was paused (C9.3)")
        asked = self._open.pop(seat, None)
        kind, asked_us = acted.question, acted.asked_us
        if self._unsure or (not asked_us and kind == "bid" and not expired):
            return
        if asked is None or asked[:3] != (entry.command.ask, kind, asked_us):
            wrong("NOT_ASKED", f"seat {seat} answered what it had not been asked (P6.4)")
            return
        if expired and entry.time_us < asked.deadline_us:
            wrong("EARLY_FALLBACK", f"the clock answered for seat {seat}, which had time left (P12)")
        if person and not asked_us <= acted.received_us <= asked.deadline_us:
            wrong("LATE_ANSWER", f"the answer of seat {seat} counts and came outside its clock (P12)")
        if acted.thinking_us != self._thought(asked, acted, person, expired):
            wrong("OTHER_TIMES", f"seat {seat} is told to have thought for another time (C4.3)")

    def _thought(self, asked: _Question, acted: Any, person: str, expired: bool) -> int:
        if self._demo:
            return asked.demo_us
        clock_us = self._clocks_us.get(asked.kind, 0)
        if expired or not person:
            return clock_us if expired else 0
        began_us: int = max(asked.shown_us, min(acted.delivered_us, asked.shown_us + DELIVERY_US))
        took_us: int = max(acted.received_us - began_us, 0)
        return min(took_us, clock_us)

    def _asked(self, entry: Entry, questions: Iterable[Any], wrong: Wrong) -> None:
        before, self._open = self._open, _by_seat(questions)
        for seat, one in self._open.items():
            was = before.get(seat)
            if was is not None and was.ask == one.ask:
                if was != one:
                    wrong("OTHER_CLOCK", f"the question of seat {seat} was changed while it was open (P12)")
                continue
            last = self._asks.get(seat, 0)
            if not self._unsure:
                if one.ask != last + 1:
                    wrong("OTHER_CLOCK", f"a question of seat {seat} is missing before number {one.ask}")
                if one.deadline_us - one.shown_us != self._clocks_us.get(one.kind, 0):
                    wrong("OTHER_CLOCK", f"seat {seat} was given another clock than the table's (P12)")
                if not entry.time_us <= one.shown_us <= self._latest(entry):
                    wrong(
                        "OTHER_CLOCK", f"a question of seat {seat} is told to be shown at another time (P6.4)"
                    )
            self._asks[seat] = max(one.ask, last)

    def _moved(
        self, questions: Iterable[Any], by_us: int, deadline_us: Callable[[_Question], int], wrong: Wrong
    ) -> None:
        """Clocks that stood still: every open question, so much later."""
        told = _by_seat(questions)
        due = {
            seat: one._replace(shown_us=one.shown_us + by_us, deadline_us=deadline_us(one))
            for seat, one in self._open.items()
        }
        if due != told and not self._unsure:
            wrong("OTHER_CLOCK", "the clocks go on from elsewhere than where they stood (C9.3)")
        self._open = told


def _by_seat(questions: Iterable[Any]) -> dict[int, _Question]:
    return {
        one.seat: _Question(one.ask, one.question, one.shown_us, one.deadline_us, one.demo_thinking_us)
        for one in questions
    }
