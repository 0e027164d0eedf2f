"""Whether members of a panel had a tie to a party when it was appointed, or when they voted: the board, a table with one, a unit
(C10.3)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Any

from services.ledger.audit.evidence import Entry, Evidence
from services.ledger.audit.report import Tally
from services.ledger.audit.ruled import LATE_US
from services.ledger.seats import sat

Fact = tuple[int, str, Any]
"""When something was told, its kind, and what."""

Place = tuple[int, str]
"""Round and table."""

_TOLD = frozenset(
    ["entrants_imported", "official_appointed", "replay_seated", "round_seated", "seating_overridden"]
)
_ON_A_BOARD = frozenset(["assign_percent", "correct_result", "replay_board", "void_board"])


def check_ties(evidence: Evidence, tally: Tally) -> None:
    """Every panel in the file, by what pairing's and the tables' records said a while before."""
    facts = _Facts(evidence)
    for _, _, entries in evidence.of("appeals"):
        filed, told = None, set[tuple[str, str]]()
        for entry in entries:
            for kind, message in entry.events:
                judges: Iterable[Any] = ()
                match kind:
                    case "appeal_filed":
                        filed = message
                    case "panel_appointed":
                        judges = [one.person_id for one in (*message.members, *message.reserves)]
                    case "ballot_cast":
                        judges = [message.member]
                for person in judges if filed is not None else ():
                    for why in facts.known(entry.time_us - LATE_US).ties(filed, person):
                        if (person, why) not in told:
                            told.add((person, why))
                            _wrong(tally, entry, f"{person} sits on a panel and {why} (C10.3)")


def _wrong(tally: Tally, entry: Entry, detail: str) -> None:
    tally.wrong(entry.stored.subject, entry.version, entry.stored.sequence, "CONFLICT", detail)


class _Facts:
    """What ties are read from, in the order of time; gathered once there is a panel."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._facts: list[Fact] = []
        self._times: list[int] = []
        self._known: dict[int, _Known] = {}

    def known(self, until_us: int) -> _Known:
        """Entrants, units and seats as they were told before a moment."""
        if not self._times:
            self._facts = sorted(_facts(self._evidence), key=lambda one: one[0])
            self._times = [time_us for time_us, _, _ in self._facts]
        number = bisect_left(self._times, until_us)
        if number not in self._known:
            self._known[number] = _Known(self._facts[:number])
        return self._known[number]


def _facts(evidence: Evidence) -> Iterator[Fact]:
    for entry, event in evidence.events("pairing"):
        if event.kind in _TOLD:
            yield entry.time_us, event.kind, event.message
    for _, subject, entries in evidence.of("table", play=False):
        round_ = 0
        for entry in entries:
            events = () if entry.sealed else entry.events
            round_ = next((one.message.round for one in events if one.kind == "table_opened"), round_)
            for person in sat(entry, events):
                yield entry.time_us, "sat", (person, (round_, subject.id))


class _Known:
    """Entrants, arbitrators' units and seats, also those that substitutes were given (C1.6)."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self._entrant_of: dict[str, int] = {}
        self._units_of: dict[int, set[str]] = {}
        self._units: dict[str, set[str]] = {}
        self._seats: dict[Place, set[int]] = {}
        self._again: set[Place] = set()
        self._sat: dict[str, set[Place]] = {}
        for _, kind, told in facts:
            match kind:
                case "entrants_imported":
                    for one in told.entrants:
                        self._entrant_of |= {member.person_id: one.number for member in one.members}
                        self._units_of[one.number] = {member.unit_id for member in one.members} - {""}
                case "official_appointed" if told.role == "arbitrator":
                    self._units[told.person_id] = {told.unit_id} - {""}
                case "round_seated" | "seating_overridden":
                    for one in told.tables:
                        self._seats[told.round, one.table] = set(one.entrants) - {0}
                case "replay_seated":
                    place = told.round, told.table.table
                    self._seats[place] = set(told.table.entrants) - {0}
                    self._again.add(place)
                case "sat":
                    person, place = told
                    self._sat.setdefault(person, set()).add(place)

    def ties(self, filed: Any, person: str) -> Iterator[str]:
        """Why a person may not judge an appeal."""
        own, parties, rounds = self._entrant_of.get(person, 0), self._parties(filed), _rounds(filed)
        if own:
            places = {place for place, seats in self._seats.items() if own in seats}
            played = {round_ for round_, _ in places - self._again}
        else:
            places = self._sat.get(person, set())
            played = {round_ for round_, _ in places}
        if own and own in parties:
            yield "is a party"
        elif any(self._seats.get(place, set()) & parties for place in places):
            yield "played at a table with a party"
        elif played & rounds:
            yield "played the contested board"
        if self._units.get(person, set()) & {unit for one in parties for unit in self._units_of.get(one, ())}:
            yield "shares a unit with a party"

    def _parties(self, filed: Any) -> set[int]:
        """The appellant, everybody at a table that is contested or that a remedy is asked for, and whom a remedy names."""
        found = {filed.entrant}
        at = _board(filed)
        places = [(at.round, at.table)]
        for sought in filed.sought:
            kind = sought.WhichOneof("kind") or ""
            asked: Any = getattr(sought, kind, None)
            match kind:
                case "assign_percent" | "set_penalty":
                    found.add(asked.entrant)
                case "reseat_round":
                    found.update(one for table in asked.tables for one in table.entrants)
                case "":
                    pass
                case _:
                    places.append((asked.round, asked.table))
        return found.union(*(self._seats.get(place, ()) for place in places)) - {0}


def _board(filed: Any) -> Any:
    """The contested board, of a referee's ruling that on which it was made."""
    contested = filed.contested
    return contested.ruling.at if contested.HasField("ruling") else contested.board


def _rounds(filed: Any) -> set[int]:
    """Rounds of the boards that are contested, or that a remedy is asked for: who was seated in one played its boards."""
    kinds = [(one, one.WhichOneof("kind")) for one in filed.sought]
    return {
        _board(filed).round,
        *(getattr(one, kind).round for one, kind in kinds if kind in _ON_A_BOARD),
    } - {0}
