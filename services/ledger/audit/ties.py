"""Whether members of a panel had a tie to a party when it was appointed: the board, a table with one, a unit (C10.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from services.ledger.audit.evidence import Entry, Evidence
from services.ledger.audit.report import Tally
from services.ledger.audit.ruled import LATE_US


def check_ties(evidence: Evidence, tally: Tally) -> None:
    """Every panel in the file, by what pairing's records said a while before."""
    for _, _, entries in evidence.of("appeals"):
        filed = None
        for entry in entries:
            for event in entry.events:
                if event.kind == "appeal_filed":
                    filed = event.message
                elif event.kind == "panel_appointed" and filed is not None:
                    known = _Known(evidence, entry.time_us - LATE_US)
                    for one in (*event.message.members, *event.message.reserves):
                        for why in known.ties(filed, one.person_id):
                            _wrong(tally, entry, f"{one.person_id} sits on a panel and {why} (C10.3)")


def _wrong(tally: Tally, entry: Entry, detail: str) -> None:
    tally.wrong(entry.stored.subject, entry.version, entry.stored.sequence, "CONFLICT", detail)


class _Known:
    """Entrants, arbitrators' units and seats, as pairing's records told before a moment."""

    def __init__(self, evidence: Evidence, until_us: int) -> None:
        self._entrant_of: dict[str, int] = {}
        self._units_of: dict[int, set[str]] = {}
        self._units: dict[str, set[str]] = {}
        self._seats: dict[tuple[int, str], set[int]] = {}
        for entry, event in evidence.events("pairing"):
            message = event.message
            match event.kind if entry.time_us < until_us else "":
                case "entrants_imported":
                    for one in message.entrants:
                        self._entrant_of |= {member.person_id: one.number for member in one.members}
                        self._units_of[one.number] = {member.unit_id for member in one.members} - {""}
                case "official_appointed" if message.role == "arbitrator":
                    self._units[message.person_id] = {message.unit_id} - {""}
                case "round_seated" | "seating_overridden":
                    for one in message.tables:
                        self._seats[message.round, one.table] = set(one.entrants) - {0}
                case "replay_seated":
                    self._seats[message.round, message.table.table] = set(message.table.entrants) - {0}

    def ties(self, filed: Any, person: str) -> Iterator[str]:
        """Why a person may not judge an appeal."""
        own, parties = self._entrant_of.get(person, 0), self._parties(filed)
        if own and own in parties:
            yield "is a party"
        elif own and any(own in seats and seats & parties for seats in self._seats.values()):
            yield "played at a table with a party"
        if self._units.get(person, set()) & {unit for one in parties for unit in self._units_of.get(one, ())}:
            yield "shares a unit with a party"

    def _parties(self, filed: Any) -> set[int]:
        """The appellant, everybody at a table that is contested or that a remedy is asked for, and whom a remedy names."""
        found = {filed.entrant}
        contested = filed.contested
        at = contested.ruling.at if contested.HasField("ruling") else contested.board
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
