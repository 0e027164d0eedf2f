"""Whether scoring carried out what committees ruled, and nobody changed that afterwards (C10.6, C10.7)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from services.ledger.audit.evidence import Entry, Event, Evidence
from services.ledger.audit.report import Tally

COMMITTEE = "arbitration"
FIRST_ATTEMPT = 1

LATE_US = 10_000_000
"""What one log says others know a moment later, and clocks differ: so long an act of theirs is not held against its actor."""

About = tuple[Any, ...]
"""What a ruling is about; a later one on the same would replace it."""

REMEDY_OF: Mapping[str, str] = {
    "result_corrected": "correct_result",
    "board_voided": "void_board",
    "percent_assigned": "assign_percent",
    "penalty_set": "set_penalty",
    "board_superseded": "replay_board",
    "match_corrected": "correct_match",
}
"""Scoring's rulings by kind, and the remedies that they carry out."""


def upheld(evidence: Evidence) -> dict[str, Any]:
    """The decisions of the appeals that were upheld, by appeal."""
    return {
        subject.id: event.message
        for _, subject, entries in evidence.of("appeals")
        for entry in entries
        for event in entry.events
        if event.kind == "appeal_decided" and event.message.upheld
    }


def no_appeal(evidence: Evidence, tally: Tally, entry: Entry, appeal: str) -> None:
    """A record names an appeal that is not in the file: one of a whole championship holds every appeal there was, but for those on
    boards that are being played."""
    detail = f"appeal {appeal} is not in this file"
    if evidence.entire and not evidence.playing:
        tally.wrong(entry.stored.subject, entry.version, entry.stored.sequence, "NO_APPEAL", detail)
    else:
        tally.missing.append(detail)


def carries_out(event: Event, remedies: Iterable[Any]) -> bool:
    """Whether a ruling is one of an appeal's remedies. A board may be played again at more tables than the one named: in both rooms
    of a match, and where a table plays a board again already, at the first one."""
    kind = REMEDY_OF[event.kind]
    said = [getattr(remedy, kind) for remedy in remedies if remedy.HasField(kind)]
    if kind == "replay_board":
        at = event.message.round, event.message.board
        return any((one.round, one.board) == at for one in said)
    return any(_told(one) == _told(event.message) for one in said)


def _told(message: Any) -> dict[str, Any]:
    """What a ruling or a remedy says, but for its authority."""
    return {
        field.name: tuple(value) if field.is_repeated else value
        for field, value in message.ListFields()
        if field.name != "authority"
    }


def rejected(evidence: Evidence) -> dict[About, tuple[str, int]]:
    """What stays as it is, since an appeal about it was rejected: by what a ruling would be about, the appeal and when."""
    left: dict[About, tuple[str, int]] = {}
    seats: dict[tuple[int, str], tuple[int, ...]] | None = None
    for _, subject, entries in evidence.of("appeals"):
        filed = None
        for entry in entries:
            for event in entry.events:
                if event.kind == "appeal_filed":
                    filed = event.message
                elif event.kind == "appeal_decided" and not event.message.upheld and filed is not None:
                    seats = seats_of(evidence) if seats is None else seats
                    for about in about_of(filed, event.message.left or filed.sought, seats):
                        left.setdefault(about, (subject.id, entry.time_us))
    return left


def about_of(
    filed: Any, judged: Iterable[Any], seats: Mapping[tuple[int, str], tuple[int, ...]]
) -> Iterator[About]:
    """What an appeal is about, of which so much was `judged`. A result at a table is its entrants', and the other way round."""
    boards = [filed.contested.board] if filed.contested.HasField("board") else []
    for sought in judged:
        match sought.WhichOneof("kind"):
            case "correct_result" | "void_board" | "replay_board" as kind:
                boards.append(getattr(sought, kind))
            case "assign_percent":
                one = sought.assign_percent
                yield "entrant", one.entrant, one.round, one.board
                for (round_, table), entrants in seats.items():
                    if round_ == one.round and one.entrant in entrants:
                        yield "table", one.round, one.board, table
            case "set_penalty":
                yield "penalty", sought.set_penalty.penalty
            case "correct_match":
                yield "match", sought.correct_match.round, sought.correct_match.table
    for board in boards:
        yield "table", board.round, board.board, board.table
        yield "match", board.round, board.table  # in the points format, of which it is a deal
        for entrant in seats.get((board.round, board.table), ()):
            yield "entrant", entrant, board.round, board.board


def seats_of(evidence: Evidence) -> dict[tuple[int, str], tuple[int, ...]]:
    """The entrants of every table, of replays too, by round and table."""
    seats: dict[tuple[int, str], tuple[int, ...]] = {}
    for _, event in evidence.events("pairing"):
        if event.kind in ("round_seated", "seating_overridden"):
            tables = event.message.tables
        elif event.kind == "replay_seated":
            tables = [event.message.table]
        else:
            continue
        seats |= {(event.message.round, one.table): tuple(one.entrants) for one in tables}
    return seats


class Final:
    """What committees have ruled so far, by what it is about; `left`: what they `rejected` to change, `seats` as in `seats_of`."""

    def __init__(
        self,
        left: Mapping[About, tuple[str, int]] = MappingProxyType({}),
        seats: Mapping[tuple[int, str], tuple[int, ...]] = MappingProxyType({}),
    ) -> None:
        self._ruled: dict[About, Event] = {}
        self._results: defaultdict[About, list[tuple[Event, int]]] = defaultdict(list)
        """By result of an entrant on a board: what decided it, and when."""
        self._left = left
        self._seats = seats
        self._attempts: dict[tuple[int, str], int] = {}
        """By round and table of a replay, which attempt is played there."""

    def broken(self, event: Event, time_us: int = 0) -> str:
        """The appeal whose ruling the next one, of that time, changes, empty if none; a board that was to be played again may be so
        once more."""
        about, authority = _about(event), event.message.authority
        final, others = self._ruled.get(about), self._decided(event, time_us)
        if event.kind == "board_superseded":
            self._attempts[event.message.round, event.message.by_table] = event.message.by_attempt
        if authority.by == COMMITTEE:
            self._ruled[about] = event
            for result in self._about_results(event):
                self._results[result].append((event, time_us))
        appeal, since_us = self._left.get(about, ("", 0))
        of_replay = event.kind == "board_superseded" and event.message.attempt > FIRST_ATTEMPT
        if appeal and time_us > since_us + LATE_US and not of_replay:
            return appeal
        for earlier in ([] if final is None else [final]) + others:
            if earlier.message.authority.appeal != authority.appeal and not self._follows(event, earlier):
                return str(earlier.message.authority.appeal)
        return ""

    def _decided(self, event: Event, time_us: int) -> list[Event]:
        """What committees ruled, in whatever words, of the results that a ruling would change."""
        return [
            ruled
            for result in self._about_results(event)
            for ruled, since_us in self._results.get(result, ())
            if time_us > since_us + LATE_US
        ]

    def _follows(self, event: Event, ruled: Event) -> bool:
        """Whether a board that was ruled to be played again is so once more, or what it came to is corrected: that changes no
        ruling."""
        message = event.message
        match event.kind if ruled.kind == "board_superseded" else "":
            case "board_superseded":
                return bool(message.attempt >= ruled.message.by_attempt)
            case "result_corrected" | "board_voided":
                return self._attempts.get((message.round, message.table), 0) >= int(ruled.message.by_attempt)
        return False

    def _about_results(self, event: Event) -> Iterator[About]:
        message = event.message
        match event.kind:
            case "percent_assigned":
                yield message.entrant, message.round, message.board
            case "result_corrected" | "board_voided" | "board_superseded":
                for entrant in self._seats.get((message.round, message.table), ()):
                    if entrant:
                        yield entrant, message.round, message.board


def _about(event: Event) -> About:
    message = event.message
    match event.kind:
        case "percent_assigned":
            return "entrant", message.entrant, message.round, message.board
        case "penalty_set":
            return "penalty", message.penalty
        case "match_corrected":
            return "match", message.round, message.table
        case _:
            return "table", message.round, message.board, message.table
