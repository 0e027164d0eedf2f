"""Whether whoever was given a seat may have it: a member of its entrant, or somebody who plays for nobody and never held an office
(C1.5, C1.6)."""

from __future__ import annotations

from services.ledger.audit.evidence import Entry, Evidence
from services.ledger.audit.ruled import LATE_US


class Substitutes:
    """Who plays as which entrant, and who held an office, since when, by pairing's records."""

    def __init__(self, evidence: Evidence) -> None:
        self._entrant_of: dict[str, tuple[int, int]] = {}
        self._office: dict[str, int] = {}
        imports: dict[str, dict[str, int]] = {}
        for entry, event in evidence.events("pairing"):
            message = event.message
            match event.kind:
                case "championship_created":
                    self._office.setdefault(message.organiser, entry.time_us)
                case "official_appointed":
                    self._office.setdefault(message.person_id, entry.time_us)
                case "entrants_imported":
                    told = imports.setdefault(message.import_id, {})
                    told |= {
                        member.person_id: one.number for one in message.entrants for member in one.members
                    }
                case "entrants_import_closed":
                    for person, number in imports.pop(message.import_id, {}).items():
                        self._entrant_of[person] = number, entry.time_us

    def unfit(self, person: str, entrant: int, since: Entry) -> str:
        """Why a person may not have been given a seat of an entrant's, empty if it may; of what was told in the moments before
        nobody is held to know."""
        known_us = since.time_us - LATE_US
        if not entrant:
            return f"{person} was given a seat that house AI fills (C1.5)"
        own, entered_us = self._entrant_of.get(person, (0, known_us))
        if own and entered_us < known_us and own != entrant:
            return f"{person} was given a seat and plays this event as another entrant (C1.6)"
        if not own and self._office.get(person, known_us) < known_us:
            return f"{person} was given a seat and holds an office, or has (C1.6)"
        return ""
