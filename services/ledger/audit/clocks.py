"""Who answered at a table, which question, in which time: seats' own people, within their clocks, and clocks' answers after them
(P6.4, P12, S11, C4.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from services.ledger.audit.evidence import Entry
from services.ledger.audit.questions import Question, by_seat

SERVICE = "service:table"
"""Who answers for house AI and for clocks that have run out."""

DELIVERY_US = 500_000
"""Most that the way of a question to the player takes off its thinking time."""

LEAST_REST_US = 10_000_000
"""Time a question has at least after an outage."""


Wrong = Callable[[Entry, str, str], None]
"""Told of what is wrong with a record: a code and a sentence."""


class Clocks:
    """The questions of one table, as its records put and move them, and the time they took. `opened` is what the table was opened
    with; `wrong` is told what does not fit."""

    def __init__(self, opened: Any, wrong: Wrong) -> None:
        self._wrong = wrong
        self._demo: bool = opened.demo
        self._clocks_us: dict[str, int] = {
            "play": opened.play_clock_ms * 1000,
            "claim": opened.claim_clock_ms * 1000,
            "bid": opened.bid_clock_ms * 1000,
            "bury": opened.bury_clock_ms * 1000,
        }
        self._floor_us: int = opened.claim_floor_ms * 1000
        self._entrants = [seat.entrant for seat in opened.seats]
        self.open: dict[int, Question] = {}
        """The open question of a seat; what an answer closes is gone from it, what a record puts is in another one."""
        self._asks: dict[int, int] = {}
        self._beat_us = 0
        self._paused_us = 0
        self._unsure = False
        """Records are missing of the open board: what is asked there nobody can tell."""
        self.thinking_us = self._no_time()
        """What is told to have been thought on the board so far, by seat; a demo counts it when it asks."""
        self.playing_us = self._no_time()
        """On plays alone."""

    def lose(self) -> None:
        """The open board is given up: a record of it cannot be read, or does not fit."""
        self._unsure = True

    def passed(self, entry: Entry, kind: str, message: Any, people: Sequence[str]) -> None:
        """Follow the next event of a record that is not the game's own, `people` sitting there."""
        match kind:
            case "acted":
                self._answered(entry, message, people)
            case "asked":
                self._asked(entry, message)
            case "paced":
                for shown_us in message.shown_us:
                    if shown_us > self._latest(entry):
                        detail = "something is told to be shown later than the floor lets it (P6.4)"
                        self._wrong(entry, "OTHER_CLOCK", detail)
                    self._beat_us = shown_us
            case "board_opened" | "board_finished" | "board_closed_unfinished":
                self.open, self._asks, self._beat_us, self._unsure = {}, {}, 0, False
                if kind == "board_opened":
                    self.thinking_us, self.playing_us = self._no_time(), self._no_time()
            case "table_paused":
                if self._paused_us:
                    self._wrong(entry, "OTHER_CLOCK", "the table was paused twice (C9.3)")
                self._paused_us = entry.time_us
            case "table_resumed":
                by_us = entry.time_us - self._paused_us
                if not self._paused_us:
                    detail = "the table was resumed and had not been paused (C9.3)"
                    self._wrong(entry, "OTHER_CLOCK", detail)
                else:
                    self._moved(entry, message.questions, by_us, lambda one: one.deadline_us + by_us)
                self._paused_us = 0
            case "clock_extended":
                began_us = entry.time_us - message.outage_us
                self._moved(
                    entry,
                    message.questions,
                    message.outage_us,
                    lambda one: entry.time_us + max(one.deadline_us - began_us, LEAST_REST_US),
                )

    def _no_time(self) -> list[int]:
        return [0] * len(self._entrants)

    def _count(self, seat: int, kind: str, thinking_us: int) -> None:
        self.thinking_us[seat] += thinking_us
        if kind == "play":
            self.playing_us[seat] += thinking_us

    def _latest(self, entry: Entry) -> int:
        """The latest moment at which anything of a record is shown."""
        return max(entry.time_us, self._beat_us) + self._floor_us

    def _answered(self, entry: Entry, acted: Any, people: Sequence[str]) -> None:
        seat, kind, asked_us, expired = (
            acted.seat,
            acted.question,
            acted.asked_us,
            entry.order == "expire_clock",
        )
        if not 0 <= seat < len(people):
            return  # which the rules refuse
        if not self._demo:
            self._count(seat, kind, acted.thinking_us)
        person = "" if expired else people[seat]
        if entry.actor != (person or SERVICE):
            detail = f"{entry.actor} answered for seat {seat}, where {person or SERVICE} does"
            self._wrong(entry, "OTHER_PERSON", detail)
        if acted.automatic != (not person and (expired or self._entrants[seat] > 0)):
            detail = f"who answered for seat {seat} is not who is told to have"
            self._wrong(entry, "OTHER_PERSON", detail)
        if self._paused_us:
            self._wrong(entry, "PAUSED", f"seat {seat} answered while the table was paused (C9.3)")
        asked = self.open.pop(seat, None)
        if self._unsure or (not asked_us and kind == "bid" and not expired):
            return
        if asked is None or asked[:3] != (entry.command.ask, kind, asked_us):
            self._wrong(entry, "NOT_ASKED", f"seat {seat} answered what it had not been asked (P6.4)")
            return
        if expired and entry.time_us < asked.deadline_us:
            detail = f"the clock answered for seat {seat}, which had time left (P12)"
            self._wrong(entry, "EARLY_FALLBACK", detail)
        if person and not asked_us <= acted.received_us <= asked.deadline_us:
            detail = f"the answer of seat {seat} counts and came outside its clock (P12)"
            self._wrong(entry, "LATE_ANSWER", detail)
        due_us = asked.demo_us if self._demo else self._thought(asked, acted, person, expired)
        if acted.thinking_us != due_us:
            detail = f"seat {seat} is told to have thought for another time (C4.3)"
            self._wrong(entry, "OTHER_TIMES", detail)

    def _thought(self, asked: Question, acted: Any, person: str, expired: bool) -> int:
        clock_us = self._clocks_us.get(asked.kind, 0)
        if expired or not person:
            return clock_us if expired else 0
        began_us: int = max(asked.shown_us, min(acted.delivered_us, asked.shown_us + DELIVERY_US))
        took_us: int = max(acted.received_us - began_us, 0)
        return min(took_us, clock_us)

    def _asked(self, entry: Entry, questions: Mapping[int, Question]) -> None:
        before, self.open = self.open, {**questions}
        for seat, one in self.open.items():
            was = before.get(seat)
            if was is None or was.ask != one.ask:
                self._put(entry, seat, one)
            elif was != one:
                detail = f"the question of seat {seat} was changed while it was open (P12)"
                self._wrong(entry, "OTHER_CLOCK", detail)

    def _put(self, entry: Entry, seat: int, put: Question) -> None:
        """A new question."""
        last, (ask, kind, shown_us, deadline_us, demo_us) = self._asks.get(seat, 0), put
        if not self._unsure:
            if ask != last + 1:
                self._wrong(entry, "OTHER_CLOCK", f"a question of seat {seat} is missing before number {ask}")
            if deadline_us - shown_us != self._clocks_us.get(kind, 0):
                detail = f"seat {seat} was given another clock than the table's (P12)"
                self._wrong(entry, "OTHER_CLOCK", detail)
            if shown_us != entry.time_us and not entry.time_us < shown_us <= self._latest(entry):
                detail = f"a question of seat {seat} is told to be shown at another time (P6.4)"
                self._wrong(entry, "OTHER_CLOCK", detail)
        if ask > last:
            self._asks[seat] = ask
            if self._demo:
                self._count(seat, kind, demo_us)

    def _moved(
        self, entry: Entry, questions: Iterable[Any], by_us: int, deadline_us: Callable[[Question], int]
    ) -> None:
        """Clocks that stood still: every open question, so much later."""
        told = by_seat(questions)
        due = {
            seat: one._replace(shown_us=one.shown_us + by_us, deadline_us=deadline_us(one))
            for seat, one in self.open.items()
        }
        if due != told and not self._unsure:
            detail = "the clocks go on from elsewhere than where they stood (C9.3)"
            self._wrong(entry, "OTHER_CLOCK", detail)
        self.open = told
