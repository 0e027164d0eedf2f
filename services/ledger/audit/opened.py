"""Whether every table was opened as the event is set and the round seated: its people, its boards, its rules and its clocks (C1.1,
C6.4, C9.2)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from services.domain import Rejected
from services.games import registry
from services.ledger.audit.evidence import Evidence
from services.ledger.audit.report import Tally
from services.ledger.digests import canonical_json

FIRST_ATTEMPT = 1
POINTS = "points"
_AS_SET = (
    "ruleset",
    "play_clock_ms",
    "claim_clock_ms",
    "claim_floor_ms",
    "bid_clock_ms",
    "bury_clock_ms",
    "deal_pace_ms",
    "join_wait_ms",
    "board_pause_ms",
    "demo",
)
"""What a table has from the event's settings."""


class _Seating(NamedTuple):
    """What pairing says of a table; `slots`: its boards with their attempts, None: those of a round."""

    round: int
    table: Any
    slots: tuple[tuple[int, int], ...] | None = None


def check_opened(evidence: Evidence, tally: Tally) -> None:
    """Every table in the file that pairing's records there have seated."""
    event = _Event(evidence)
    if event.settings is None:
        return
    for text, subject, entries in evidence.of("table", play=False):
        opened = False
        left: list[tuple[int, int]] = []
        for entry in entries:
            for told in entry.events:
                if told.kind not in ("table_opened", "board_opened"):
                    continue
                wrong: Sequence[str] = ()
                match told.kind:
                    case "table_opened" if opened:
                        wrong = ("the table was opened twice",)
                    case "table_opened":
                        opened = True
                        wrong = tuple(event.objections(subject.id, told.message, entry.time_us))
                        left = [(one.board, one.attempt) for one in told.message.boards]
                    case "board_opened" if not told.message.HasField("match"):
                        slot = told.message.board, told.message.attempt
                        if slot not in left:
                            wrong = (
                                f"board {slot[0]}, attempt {slot[1]} is not one that the table had to play",
                            )
                        else:
                            del left[: left.index(slot) + 1]
                for one in wrong:
                    tally.wrong(text, entry.version, entry.stored.sequence, "OTHER_TABLE", one)


class _Event:
    """The event's settings, entrants and seats."""

    def __init__(self, evidence: Evidence) -> None:
        self.settings: Any = None
        self._params = b""
        self._people: dict[int, list[str]] = {}
        self._withdrawn: set[int] = set()
        self._seated: dict[str, _Seating] = {}
        self._closed: dict[int, int] = {}
        for entry, event in evidence.events("pairing"):
            message = event.message
            match event.kind:
                case "championship_created":
                    self.settings = message.settings
                case "entrants_imported":
                    for one in message.entrants:
                        self._people[one.number] = [member.person_id for member in one.members]
                case "entrant_withdrawn":
                    self._withdrawn.add(message.entrant)
                case "round_seated" | "seating_overridden":
                    for one in message.tables:
                        self._seated[one.table] = _Seating(message.round, one)
                case "replay_seated":
                    slots = ((message.board, message.attempt),)
                    self._seated[message.table.table] = _Seating(message.round, message.table, slots)
                case "round_closed":
                    self._closed[message.round] = entry.time_us

    def objections(self, table: str, opened: Any, at_us: int) -> Iterator[str]:
        """What is wrong with how a table was opened."""
        settings, seating = self.settings, self._seated.get(table)
        if opened.table != table or seating is None:
            return  # the ends of logs tell of a table that nobody seated
        if opened.params.encode() != _canonical(opened.ruleset, opened.params):
            return  # which the replay tells
        if (opened.round, opened.group) != (seating.round, seating.table.group):
            yield f"table {table} was opened for another round or group than it was seated for"
        for seat, one in enumerate(opened.seats):
            if not self._sits(seating, seat, one, at_us):
                yield f"seat {seat} of table {table} was given to another one than was seated there"
        if len(opened.seats) != len(seating.table.entrants):
            yield f"table {table} was opened with another number of seats"
        slots = seating.slots
        if slots is None and settings.format != POINTS:
            slots = tuple((board, FIRST_ATTEMPT) for board in range(1, settings.boards_per_round + 1))
        if tuple((one.board, one.attempt) for one in opened.boards) != (slots or ()):
            yield f"table {table} was opened with other boards than it had to play (C6.4)"
        for name in _AS_SET:
            if getattr(opened, name) != getattr(settings, name):
                yield f"table {table} was opened with another {name} than the event's"
        if opened.params.encode() != self._parameters():
            yield f"table {table} was opened with other parameters than the event's"
        if opened.HasField("match"):
            terms = settings.match_time_ms, settings.match_deals, settings.a_is_a_level, settings.real_cards
            match = opened.match
            if (match.time_ms, match.deals, match.a_is_a_level, match.real_cards) != terms:
                yield f"the match of table {table} was opened by other terms than the event's (C8.2)"
        elif opened.real_cards != settings.real_cards:
            yield f"table {table} was opened with another real_cards than the event's"

    def _sits(self, seating: _Seating, seat: int, opened: Any, at_us: int) -> bool:
        """Whether a seat is its entrant's, and its person's; house AI's of one that has withdrawn, or once the round is closed."""
        entrants, members = seating.table.entrants, seating.table.members
        entrant = entrants[seat] if seat < len(entrants) else 0
        people = self._people.get(entrant, [])
        member = members[seat] if seat < len(members) else 0
        person = people[member] if member < len(people) else ""
        if opened.entrant != entrant:
            return False
        closed_us = self._closed.get(seating.round, at_us + 1)
        return opened.person_id == person or (
            not opened.person_id and (entrant in self._withdrawn or closed_us <= at_us)
        )

    def _parameters(self) -> bytes:
        """The event's parameters, every one named."""
        if not self._params:
            self._params = _canonical(self.settings.ruleset, self.settings.params or "{}")
        return self._params


def _canonical(ruleset: str, params: str) -> bytes:
    """Parameters with every one named; empty where they are none."""
    try:
        rules = registry.find(ruleset)
        return canonical_json(rules.describe(rules.resolve(json.loads(params))))
    except (Rejected, ValueError):
        return b""
