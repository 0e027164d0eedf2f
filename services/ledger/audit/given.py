"""Seats that people were given after their table was opened: each counts once it is confirmed, and nobody has two (C1.6, C6.4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from services.ledger.audit.evidence import Entry, Evidence
from services.ledger.audit.report import Tally
from services.ledger.audit.ruled import LATE_US
from services.ledger.audit.substitutes import Substitutes
from services.ledger.record import BoardClosing

_NEVER_US = 1 << 63

_KINDS = frozenset(["match_ended", "seat_confirmed", "seat_replaced", "table_opened", "table_sealed"])
_WAITING = _KINDS | {"acted", "referee_called", "seat_joined"}
"""What says something while a seat waits to be confirmed."""

Found = tuple[Entry, str, str]
"""A record, a code and a sentence."""


@dataclass(slots=True, eq=False)
class _Stay:
    """Somebody in a seat of a table; house AI is nobody."""

    table: _Table
    entrant: int
    person: str
    since: Entry
    given: bool
    """By a record of its own, and not with the table."""
    instead: str = ""
    """Who has the seat back where it does not count: who had it last and counted, house AI where that one's own did not."""
    counts: Entry | None = None
    """Since when it counts."""
    blamed: bool = False
    left_us: int = _NEVER_US

    @property
    def ends_us(self) -> int:
        """When it was left, or its table had nothing more to play."""
        return min(self.left_us, self.table.over_us)


def check_given(evidence: Evidence, tally: Tally) -> None:
    """Every table in the file."""
    builds = {
        entries[0].build
        for _, _, entries in evidence.of("table")
        if any(one.kind == "table_opened" and one.message.confirms_seats for one in entries[0].events)
    }
    tables = {}
    for _, subject, entries in evidence.of("table"):
        tables[subject.id] = table = _Table(builds)
        table.read(entries)
    for table in tables.values():
        found = [*table.found, *_elsewhere(evidence, table, tables, tally)]
        for entry, code, detail in found:
            tally.wrong(entry.stored.subject, entry.version, entry.stored.sequence, code, detail)
    substitutes = Substitutes(evidence)
    for stay in (one for table in tables.values() for one in table.stays):
        if stay.given and stay.person and (why := substitutes.unfit(stay.person, stay.entrant, stay.since)):
            entry = stay.since
            tally.wrong(entry.stored.subject, entry.version, entry.stored.sequence, "NO_SUBSTITUTE", why)
    for entry, detail in _twice(tables.values()):
        tally.wrong(entry.stored.subject, entry.version, entry.stored.sequence, "TWO_SEATS", detail)


@dataclass(slots=True)
class _Table:
    """Who sat at one table when. `builds`: programs that confirm seats."""

    builds: set[str]
    round: int = 0
    boards: frozenset[tuple[int, int]] = frozenset()
    """Boards and their attempts, which others in its round play too; none of a match, whose deals are its own."""
    over_us: int = _NEVER_US
    stays: list[_Stay] = field(default_factory=list)
    sent_back: list[tuple[Entry, str, str]] = field(default_factory=list)
    """Records that gave a seat back: whose, and at which table that person is told to sit."""
    found: list[Found] = field(default_factory=list)
    unread: bool = False
    """A record of the open board could not be read: what was confirmed there nobody can tell."""
    _seats: list[_Stay] = field(default_factory=list)
    _left: int = 0

    def read(self, entries: Sequence[Entry]) -> None:
        """All of its records."""
        kinds = _KINDS
        for entry in entries:
            if entry.decision and kinds is _KINDS:
                continue
            for kind, message in entry.events:
                if kind in kinds:
                    self._happened(entry, kind, message)
                    kinds = self._kinds
            if not entry.read:
                self.unread = True
                told = entry.people or (entry.closing.people if entry.closing else ())
                for seat, person in enumerate(told[: len(self._seats)]):
                    if person != self._seats[seat].person:
                        self._sit(entry, seat, person)
                kinds = self._kinds
            if entry.closing is not None:
                self._closed(entry, entry.closing)
                kinds = self._kinds

    @property
    def _kinds(self) -> frozenset[str]:
        return _WAITING if any(stay.counts is None for stay in self._seats) else _KINDS

    def _happened(self, entry: Entry, kind: str, message: Any) -> None:
        match kind:
            case "table_opened":
                self.round = message.round
                self.boards = frozenset((one.board, one.attempt) for one in message.boards)
                self._left = len(message.boards)
                self._seats = [
                    _Stay(self, one.entrant, one.person_id, entry, False, "", entry) for one in message.seats
                ]
                self.stays += self._seats
            case "seat_replaced":
                self._replaced(entry, message)
            case "seat_confirmed":
                self._confirmed(entry, message.seat)
            case "seat_joined" | "acted" | "referee_called":
                self._answered(entry, kind, message.seat)
            case "match_ended":
                self.over_us = min(self.over_us, entry.time_us)
            case "table_sealed":
                self.over_us = min(self.over_us, entry.time_us)
                for stay in self._waiting(entry):
                    detail = f"the table was sealed while a seat of {stay.person} waited (C1.6)"
                    self.found.append((entry, "NOT_CONFIRMED", detail))

    def _sit(self, entry: Entry, seat: int, person: str) -> None:
        """Somebody else has a seat from a record on."""
        before = self._seats[seat]
        before.left_us = entry.time_us
        # In records of older versions a seat went on before it counted.
        instead = before.instead if before.counts is None else before.person
        stay = self._seats[seat] = _Stay(self, before.entrant, person, entry, True, instead)
        if not person:
            stay.counts = entry
        self.stays.append(stay)

    def _replaced(self, entry: Entry, replaced: Any) -> None:
        before, person = self._seats[replaced.seat], replaced.person_id
        if person and not self.unread and person in [one.person for one in self._seats]:
            detail = f"{person} was given a seat and sits at that table already (C1.6)"
            self.found.append((entry, "TWO_SEATS", detail))
        if not replaced.sits_at:
            if before in self._waiting(entry):
                detail = f"a seat of {before.person} that waited was given to somebody else (C1.6)"
                self.found.append((entry, "NOT_CONFIRMED", detail))
            self._sit(entry, replaced.seat, replaced.person_id)
            return
        self._sit(entry, replaced.seat, replaced.person_id)
        self._seats[replaced.seat].instead = ""
        self.sent_back.append((entry, before.person, replaced.sits_at))
        if before.counts is not None and not self.unread:
            detail = f"a seat of {before.person} that counted was given back (C1.6)"
            self.found.append((entry, "OTHER_SEATS", detail))
        elif replaced.person_id not in ("", before.instead) and not self.unread:
            detail = f"the seat of {before.person} was given back to {replaced.person_id}, who had not had it (C1.6)"
            self.found.append((entry, "OTHER_SEATS", detail))

    def _waiting(self, entry: Entry) -> list[_Stay]:
        """Seats that are not confirmed yet, where who wrote a record confirms seats."""
        told = entry.build in self.builds and not self.unread
        return [stay for stay in self._seats if stay.counts is None] if told else []

    def _confirmed(self, entry: Entry, seat: int) -> None:
        stay, command = self._seats[seat], entry.command
        told = (command.person_id, command.given_us) if entry.order == "confirm_seat" else ("", 0)
        if (stay.counts is not None or told != (stay.person, stay.since.time_us)) and not self.unread:
            detail = f"seat {seat} was confirmed for whom it had not been given, or again (C1.6)"
            self.found.append((entry, "OTHER_SEATS", detail))
        stay.counts = stay.counts or entry

    def _answered(self, entry: Entry, kind: str, seat: int) -> None:
        """Who had a seat of older versions sat down there."""
        stay = self._seats[seat]
        if stay.counts is not None or entry.actor != stay.person:
            return
        if entry.build in self.builds:
            if not stay.blamed and not self.unread:
                detail = f"{stay.person} sat down, answered or called the referee before the seat was confirmed (C6.4)"
                self.found.append((entry, "NOT_CONFIRMED", detail))
            stay.blamed = True
        elif kind == "seat_joined":
            stay.counts = entry

    def _closed(self, entry: Entry, closing: BoardClosing) -> None:
        """What a board's end tells of seats that are not confirmed, of a board that nobody can read the only word."""
        self._left -= 1
        if self.boards and self._left == 0:
            self.over_us = entry.time_us
        waits = [stay.counts is None for stay in self._seats]
        due = [stay.since.time_us if one else 0 for stay, one in zip(self._seats, waits, strict=True)]
        instead = [stay.instead if one else "" for stay, one in zip(self._seats, waits, strict=True)]
        told = closing.given_us or (0,) * len(self._seats)
        if not self.unread and (closing.given_us or entry.build in self.builds):
            if list(told) != due:
                detail = (
                    f"seats of board {closing.board} are told to wait since {list(told)}, not {due} (C1.6)"
                )
                self.found.append((entry, "OTHER_CLOSING", detail))
            elif any(waits) and closing.instead and list(closing.instead) != instead:
                detail = f"who has seats of board {closing.board} back is told to be {list(closing.instead)}, not {instead} (C1.6)"
                self.found.append((entry, "OTHER_CLOSING", detail))
        if self.unread:
            for stay, given_us, instead_of in zip(
                self._seats, told, closing.instead or instead, strict=False
            ):
                stay.counts, stay.instead = None if given_us else stay.counts or entry, instead_of
        self.unread = False


def _elsewhere(evidence: Evidence, table: _Table, tables: dict[str, _Table], tally: Tally) -> Iterator[Found]:
    """Seats that were given back for one at another table which their person never had."""
    for entry, person, other in table.sent_back:
        there = tables.get(other)
        if there is None and not evidence.entire:
            tally.missing.append(f"who sat at {other} is not checked: it is not in this file")
        elif there is None or not _sat(there, person, entry.time_us + LATE_US):
            yield entry, "OTHER_SEATS", f"{person} is told to sit at {other} and did not (C1.6)"


def _sat(table: _Table, person: str, by_us: int) -> bool:
    return table.unread or any(stay.person == person and stay.since.time_us <= by_us for stay in table.stays)


def _twice(tables: Iterable[_Table]) -> Iterator[tuple[Entry, str]]:
    """Confirmed seats whose person had another one that keeps it from them."""
    stays: defaultdict[str, list[_Stay]] = defaultdict(list)
    for table in tables:
        for stay in table.stays:
            if stay.person:
                stays[stay.person].append(stay)
    for theirs in stays.values():
        for stay in theirs:
            confirmed = stay.counts
            if not stay.given or confirmed is None or confirmed.order != "confirm_seat":
                continue
            for other in theirs:
                if other.table is not stay.table and (why := _kept(stay, confirmed, other)):
                    yield confirmed, why
                    break


def _kept(stay: _Stay, confirmed: Entry, other: _Stay) -> str:
    """Why somebody who has the `other` seat may not have this one, empty if it may; of two that keep each other away the later is
    blamed. Where pairing seats somebody later than a referee did is for pairing to know."""
    one, two, counts = stay.table, other.table, other.counts
    if counts is None or not _first(counts, confirmed):
        return ""
    at_us, given_us, together = confirmed.time_us, stay.since.time_us, one.round == two.round
    if together and one.boards & two.boards and (other.given or counts.time_us + LATE_US < at_us):
        return f"{stay.person} was confirmed in a seat and sat at another table, which plays the same boards (C6.4)"
    if other.given:
        plays = min(other.ends_us, stay.ends_us) > at_us + LATE_US
    else:
        plays = together and counts.time_us + LATE_US < given_us < other.ends_us - LATE_US
    return (
        f"{stay.person} was confirmed in a seat and sat at another table, which still played (C1.6)"
        if plays
        else ""
    )


def _first(one: Entry, other: Entry) -> bool:
    return (one.time_us, one.stored.subject) < (other.time_us, other.stored.subject)
