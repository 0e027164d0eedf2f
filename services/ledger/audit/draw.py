"""Whether every round sits as its draw or the published standings give it (C1.5, C4.5, C6, C7, C8.1), and as its digest says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from services.domain import Rejected
from services.games.championship import playoff
from services.games.championship.contest import Order
from services.games.championship.league import Placing
from services.games.championship.meetings import Round
from services.games.championship.standings import Standing
from services.games.championship.tables import Tables, met, plan_of, seat_drawn, seat_ranked
from services.ledger import dealing, digests
from services.ledger.audit import reseated
from services.ledger.audit.course import check_course
from services.ledger.audit.evidence import Entry, Evidence
from services.ledger.audit.given import check_given
from services.ledger.audit.opened import check_opened
from services.ledger.audit.ranking import Standings
from services.ledger.audit.report import Tally
from services.ledger.audit.reseated import Seated
from services.ledger.audit.ruled import no_appeal

DRAW = "round-1"


def check_draw(evidence: Evidence, standings: Standings, tally: Tally) -> None:
    """Entrant list, draw, standings and seats in pairing's records, and who sits at tables, as they were opened and later on."""
    pairing = _Pairing(evidence, standings, tally)
    for entry, event in evidence.events("pairing"):
        pairing.event(entry, event.kind, event.message)
    if pairing.settings is None:
        tally.missing.append("pairing's records are not in this file")
    check_course(evidence, tally)
    check_opened(evidence, tally)
    check_given(evidence, tally)


class _Pairing:
    """What matters of pairing's records, in order."""

    def __init__(self, evidence: Evidence, standings: Standings, tally: Tally) -> None:
        self.settings: Any = None
        self._evidence = evidence
        self._standings = standings
        self._tally = tally
        self._imports: dict[str, list[Any]] = {}
        self._entrants: dict[int, list[tuple[str, str]]] = {}
        self._withdrawn: set[int] = set()
        # Entrants of the draw, ascending, and their digest, once the registration is closed.
        self._listed: list[int] = []
        self._digest = b""
        self._seated: list[Seated] = []
        # Tables and byes of the rounds that were paired, as they were played.
        self._rounds: dict[int, tuple[list[Seated], tuple[int, ...]]] = {}
        self._started: set[int] = set()
        # Tables of a round that a committee seated, as it did.
        self._ruled: dict[int, set[Seated]] = {}

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
                tables = _tables(message.tables)
                self._seated = tables if message.chunk == 0 else self._seated + tables
            case "round_paired":
                self._pair(entry, message)
            case "seating_overridden":
                self._reseat(entry, message.round, _tables(message.tables))
            case "seats_confirmed":
                before, _ = self._rounds.get(message.round, ([], ()))
                left = (one for one in before if one[0] in message.tables)
                self._ruled.setdefault(message.round, set()).update(left)
            case "round_started":
                self._started.add(message.round)

    def _reseat(self, entry: Entry, round_: int, tables: list[Seated]) -> None:
        before, byes = self._rounds.get(round_, ([], ()))
        self._rounds[round_] = tables, byes
        if round_ in self._started:
            self._wrong(entry, "ROUND_STARTED", f"the seats of round {round_} are changed after it began")
        ruled = self._ruled.setdefault(round_, set())
        if not reseated.by_ruling(entry):
            if not ruled.issubset(tables):
                detail = (
                    f"seats of round {round_} that a committee ruled, or left, are changed by an official"
                )
                self._wrong(entry, "RULING_FINAL", detail)
            return
        self._ruled[round_] = ruled.intersection(tables) | set(tables).difference(before)
        match reseated.ruled(self._evidence, entry, round_, before, tables):
            case None:
                no_appeal(self._evidence, self._tally, entry, reseated.appeal_of(entry))
            case False:
                detail = f"the seats of round {round_} are changed by a ruling that nobody made"
                self._wrong(entry, "NOT_UPHELD", detail)

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
        seated, byes = self._seated, tuple(paired.byes)
        lines = ((table, group, digests.places(who, members)) for table, group, who, members in seated)
        if digests.seating_digest(lines) != paired.digest:
            self._wrong(entry, "SEATING_DIGEST", f"round {paired.round} does not sit as its digest says")
        try:
            due = self._due(entry, paired)
        except Rejected as refused:
            self._tally.missing.append(f"round {paired.round}: {refused.detail}")
        else:
            found = [table[1:] for table in seated]
            if due is not None and (found, byes) != (
                [(one.group, one.entrants, one.members) for one in due.tables],
                due.byes,
            ):
                source = (
                    "its draw gives" if paired.basis == "draw" else f"publication {paired.publication} gives"
                )
                self._wrong(entry, "OTHER_SEATING", f"round {paired.round} does not sit as {source}")
        self._rounds[paired.round] = seated, byes

    def _due(self, entry: Entry, paired: Any) -> Tables | None:
        """The round as it should sit, None where this file cannot tell. Raises Rejected."""
        match paired.basis:
            case "draw":
                return self._drawn(entry, paired)
            case "playoff":
                return self._played_off(entry, paired)
            case _:
                return self._ranked(entry, paired)

    def _drawn(self, entry: Entry, paired: Any) -> Tables | None:
        """The round as the draw gives it. Raises Rejected."""
        dealings, path = self._evidence.dealings, dealing.draw_path(DRAW)
        leaf = dealings.leaves().get(path)
        if leaf is None:
            self._tally.missing.append(f"the leaf of {path} is not revealed in this file")
            return None
        if dealings.draws[path] != self._digest:
            self._wrong(entry, "OTHER_ENTRANTS", f"{path} was drawn for another entrant list")
        order = dealing.draw(leaf, self._digest, dealings.entropies().get(path, b""), self._listed)
        return seat_drawn(plan_of(self._checked()), paired.round, order, self._withdrawn)

    def _ranked(self, entry: Entry, paired: Any) -> Tables | None:
        """The round as the standings it names give it, None where this file cannot give those. Raises Rejected."""
        order = self._order(entry, paired)
        if order is None:
            return None
        playing = self._entrants.keys() - self._withdrawn
        ranked = [row.entrant for row in order if row.entrant in playing]
        late = sorted(playing.difference(ranked))
        scores: dict[int, int | Fraction] = {
            row.entrant: row.points if isinstance(row, Placing) else row.tenths for row in order
        }
        return seat_ranked(plan_of(self._checked()), (*ranked, *late), scores, self._played())

    def _played_off(self, entry: Entry, paired: Any) -> Tables | None:
        """The play-off of the rank it names, without tables where there should be none, None where this file cannot give those who
        share it (C4.5)."""
        order = self._order(entry, paired)
        if order is None:
            return None
        sharing = playoff.sharing((row for row in order if isinstance(row, Standing)), paired.rank)
        absent = tuple(one for one in sharing if one in self._withdrawn)
        playing = [one for one in sharing if one not in absent]
        if len(playing) < 2:
            return Tables(())
        return replace(playoff.seated(plan_of(self._checked()), playing), byes=absent)

    def _order(self, entry: Entry, paired: Any) -> Order | None:
        """The publication that a round sits by."""
        order = self._standings.order(paired.publication)
        if order is None:
            detail = f"round {paired.round} sits by publication {paired.publication}, which this file does not give"
            if self._evidence.entire:
                self._wrong(entry, "NO_PUBLICATION", detail)
            else:
                self._tally.missing.append(detail)
        return order

    def _played(self) -> tuple[Round, ...]:
        form = self._checked().format
        return tuple(
            met(form, number, [entrants for _, _, entrants, _ in tables], byes)
            for number, (tables, byes) in sorted(self._rounds.items())
        )

    def _checked(self) -> Any:
        if self.settings is None:
            raise Rejected("NO_CHAMPIONSHIP", "", "the record that created the championship cannot be read")
        return self.settings

    def _wrong(self, entry: Entry, code: str, detail: str) -> None:
        self._tally.wrong(entry.stored.subject, entry.version, entry.stored.sequence, code, detail)


def _tables(messages: Iterable[Any]) -> list[Seated]:
    return [(one.table, one.group, tuple(one.entrants), tuple(one.members)) for one in messages]
