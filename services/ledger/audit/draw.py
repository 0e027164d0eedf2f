"""Whether round 1 sits as the committed draw gives it (C6.1), and every round as its digest says."""

from __future__ import annotations

from typing import Any

from services.domain import Rejected
from services.games import registry
from services.games.championship.movement import Seating, seat_against_machine, seat_by_lot
from services.ledger import dealing, digests
from services.ledger.audit.evidence import Entry, Evidence
from services.ledger.audit.report import Tally

Table = tuple[str, int, tuple[int, ...]]


def check_draw(evidence: Evidence, tally: Tally) -> None:
    """Entrant list, draw and seats in pairing's records."""
    pairing = _Pairing(evidence, tally)
    for entry, event in evidence.events("pairing"):
        pairing.event(entry, event.kind, event.message)
    if pairing.settings is None:
        tally.missing.append("pairing's records are not in this file")


class _Pairing:
    """What matters of pairing's records, in order."""

    def __init__(self, evidence: Evidence, tally: Tally) -> None:
        self.settings: Any = None
        self._evidence = evidence
        self._tally = tally
        self._imports: dict[str, list[Any]] = {}
        self._entrants: dict[int, list[tuple[str, str]]] = {}
        self._withdrawn: set[int] = set()
        # Entrants of the draw, ascending, and their digest, once the registration is closed.
        self._listed: list[int] = []
        self._digest = b""
        self._seated: list[Table] = []

    def event(self, entry: Entry, kind: str, message: Any) -> None:
        """Follow one event."""
        match kind:
            case "championship_created":
                self.settings = message.settings
            case "entrants_imported":
                self._imports.setdefault(message.import_id, []).extend(message.entrants)
            case "entrants_import_closed":
                self._enter(entry, message)
            case "entrant_withdrawn":
                self._withdrawn.add(message.entrant)
            case "registration_closed":
                self._close(entry, message)
            case "round_seated":
                tables = [(table.table, table.group, tuple(table.entrants)) for table in message.tables]
                self._seated = tables if message.chunk == 0 else self._seated + tables
            case "round_paired":
                self._pair(entry, message)

    def _enter(self, entry: Entry, closed: Any) -> None:
        entrants = {
            entrant.number: [(member.person_id, member.unit_id) for member in entrant.members]
            for entrant in self._imports.pop(closed.import_id, [])
        }
        if digests.entrants_digest(sorted(entrants.items())) != closed.digest:
            self._wrong(entry, "ENTRANTS_DIGEST", f"import {closed.import_id} is not what its digest says")
        self._entrants |= entrants

    def _close(self, entry: Entry, closed: Any) -> None:
        self._listed = sorted(self._entrants.keys() - self._withdrawn)
        self._digest = closed.entrants_digest
        if digests.entrants_digest((n, self._entrants[n]) for n in self._listed) != closed.entrants_digest:
            self._wrong(entry, "ENTRANTS_DIGEST", "the entrant list is not what its digest says")

    def _pair(self, entry: Entry, paired: Any) -> None:
        self._tally.done += 1
        if digests.seating_digest(self._seated) != paired.digest:
            self._wrong(entry, "SEATING_DIGEST", f"round {paired.round} does not sit as its digest says")
        if paired.basis == "draw":
            self._check_draw(entry, paired.round)

    def _check_draw(self, entry: Entry, round_: int) -> None:
        dealings, path = self._evidence.dealings, dealing.draw_path(f"round-{round_}")
        leaf = dealings.leaves().get(path)
        if leaf is None:
            self._tally.missing.append(f"the leaf of {path} is not revealed in this file")
            return
        if dealings.draws[path] != self._digest:
            self._wrong(entry, "OTHER_ENTRANTS", f"{path} was drawn for another entrant list")
        entropy = dealings.entropies().get(path, b"")
        order = dealing.draw(leaf, self._digest, entropy, self._listed)
        playing = [number for number in order if number not in self._withdrawn]
        try:
            due = [(table.group, tuple(one or 0 for one in table.seats)) for table in self._seat(playing)]
        except Rejected as refused:
            self._tally.missing.append(f"round {round_}: {refused.detail}")
            return
        if due != [(group, entrants) for _, group, entrants in self._seated]:
            self._wrong(entry, "OTHER_SEATING", f"round {round_} does not sit as {path} gives")

    def _seat(self, order: list[int]) -> tuple[Seating, ...]:
        """The tables of a draw, as pairing lays them out (C1.3, C6.1). Raises Rejected."""
        settings = self.settings
        if settings is None:
            raise Rejected("NO_CHAMPIONSHIP", "", "the record that created the championship cannot be read")
        seats = registry.find(settings.ruleset).seats
        if settings.format == "machine":
            return seat_against_machine(order, seats, settings.machine_seat, min(settings.groups, len(order)))
        if settings.format != "individual":
            raise Rejected("OTHER_FORMAT", "C7", f"the seating of format {settings.format!r} is not checked")
        return seat_by_lot(order, seats, min(settings.groups, -(-len(order) // seats)))

    def _wrong(self, entry: Entry, code: str, detail: str) -> None:
        self._tally.wrong(entry.stored.subject, entry.version, entry.stored.sequence, code, detail)
