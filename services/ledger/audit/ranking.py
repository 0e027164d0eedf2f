"""Every publication of standings computed over again from the results, seats and rulings inside its cut (C3, C4)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from services.domain import Rejected
from services.games import registry
from services.games.championship import results as r
from services.games.championship.params import Params, resolve
from services.games.championship.standings import digest, standings
from services.ledger.audit.evidence import Entry, Evidence
from services.ledger.audit.report import Tally

_PARAMETERS = (
    "mp_unit",
    "boards_per_session",
    "compare_within",
    "tie_on",
    "beaten_scope",
    "thinking_time",
    "layout",
)


def check_standings(evidence: Evidence, tally: Tally) -> None:
    """Digests of publications, and whose authority the rulings in them have."""
    upheld = _upheld(evidence)
    rulings: list[r.Ruling] = []
    published: dict[int, bytes] = {}
    for entry, event in evidence.events("scoring"):
        message = event.message
        if event.kind in _RULINGS:
            rulings.append(_RULINGS[event.kind](len(rulings) + 1, message))
            if message.authority.by == "arbitration" and message.authority.appeal not in upheld:
                _no_ruling(evidence, tally, entry, message.authority.appeal)
        elif event.kind == "standings_published":
            published[message.number] = message.digest
            _check_publication(evidence, tally, entry, message, tuple(rulings))
        elif event.kind == "standings_sealed" and published.get(message.publication) != message.digest:
            _wrong(tally, entry, "OTHER_STANDINGS", "what was sealed is not that publication")


def _upheld(evidence: Evidence) -> set[str]:
    return {
        subject.id
        for _, subject, entries in evidence.of("appeals")
        if any(
            event.kind == "appeal_decided" and event.message.upheld for one in entries for event in one.events
        )
    }


def _no_ruling(evidence: Evidence, tally: Tally, entry: Entry, appeal: str) -> None:
    if any(subject.id == appeal for _, subject, _ in evidence.of("appeals")):
        _wrong(tally, entry, "NOT_UPHELD", f"applies a ruling of appeal {appeal}, which was not upheld")
    else:
        tally.missing.append(f"appeal {appeal} is not in this file")


def _check_publication(
    evidence: Evidence, tally: Tally, entry: Entry, published: Any, rulings: tuple[r.Ruling, ...]
) -> None:
    if evidence.about.kind != "championship":
        tally.missing.append("standings need every table of the championship in the file")
        return
    tally.done += 1
    cut = {position.stream: position.sequence for position in published.cut.positions}
    try:
        params = _params(evidence)
        due = digest(standings(_Field(evidence, cut).facts(rulings), params))
    except Rejected as refused:
        _wrong(tally, entry, "NO_STANDINGS", f"publication {published.number}: {refused}")
        return
    if due != published.digest:
        detail = f"publication {published.number} is not what the results and rulings in its cut give"
        _wrong(tally, entry, "OTHER_STANDINGS", detail)


def _params(evidence: Evidence) -> Params:
    for _, event in evidence.events("pairing"):
        if event.kind == "championship_created":
            settings = event.message.settings
            game = registry.find(settings.ruleset).game
            return resolve(game, {name: getattr(settings, name) for name in _PARAMETERS})
    raise Rejected("NO_CHAMPIONSHIP", "", "the record that created the championship cannot be read")


@dataclass(slots=True)
class _Field:
    """Entrants, seats and results inside a cut."""

    evidence: Evidence
    cut: dict[str, int]
    entrants: set[int] = field(default_factory=set)
    seats: dict[tuple[int, str], tuple[int, tuple[int, ...]]] = field(default_factory=dict)

    def facts(self, rulings: tuple[r.Ruling, ...]) -> r.Facts:
        """What the standings are a function of: only boards that every table of the round has closed."""
        self._pairing()
        results = list(self._results().values())
        tables = Counter(round_ for round_, _ in self.seats)
        closed = Counter((result.round, result.board) for result in results)
        shown = [one for one in results if closed[one.round, one.board] == tables[one.round]]
        return r.Facts(tuple(shown), rulings, tuple(sorted(self.entrants)))

    def _inside(self, entry: Entry) -> bool:
        return entry.stored.sequence <= self.cut.get(entry.stored.stream, 0)

    def _pairing(self) -> None:
        imports: dict[str, list[int]] = {}
        seated: dict[int, list[Any]] = {}
        for entry, event in self.evidence.events("pairing"):
            message = event.message
            match event.kind if self._inside(entry) else "":
                case "entrants_imported":
                    imports.setdefault(message.import_id, []).extend(one.number for one in message.entrants)
                case "entrants_import_closed":
                    self.entrants.update(imports.get(message.import_id, ()))
                case "round_seated":
                    before = seated.get(message.round, []) if message.chunk else []
                    seated[message.round] = [*before, *message.tables]
                case "round_paired":
                    self._seat(message.round, seated.get(message.round, []))
                case "seating_overridden":
                    self.seats = {key: one for key, one in self.seats.items() if key[0] != message.round}
                    self._seat(message.round, message.tables)

    def _seat(self, round_: int, tables: Any) -> None:
        for table in tables:
            self.seats[round_, table.table] = (table.group, tuple(table.entrants))

    def _results(self) -> dict[tuple[int, int, int, str], r.TableResult]:
        """Closed boards of seated tables, by round, board, attempt and table."""
        found: dict[tuple[int, int, int, str], r.TableResult] = {}
        for _, subject, entries in self.evidence.of("table"):
            for entry in entries:
                closing = entry.record.closing
                if (
                    closing is None
                    or not self._inside(entry)
                    or (closing.round, subject.id) not in self.seats
                ):
                    continue
                group, entrants = self.seats[closing.round, subject.id]
                result = r.TableResult(
                    round=closing.round,
                    group=group,
                    board=closing.board,
                    table=subject.id,
                    seats=tuple(number or None for number in entrants),
                    scores=() if closing.unfinished else closing.scores,
                    micros=closing.thinking_us,
                    play_micros=closing.playing_us,
                    attempt=closing.attempt,
                    taken_over=closing.taken_over,
                )
                found.setdefault((result.round, result.board, result.attempt, result.table), result)
        return found


_RULINGS: dict[str, Any] = {
    "result_corrected": lambda n, e: r.Corrected(n, e.round, e.board, e.table, tuple(e.scores)),
    "board_voided": lambda n, e: r.Voided(n, e.round, e.board, e.table, tuple(e.tenths)),
    "percent_assigned": lambda n, e: r.Assigned(n, e.entrant, e.round, e.board, e.tenths),
    "penalty_set": lambda n, e: r.Penalised(n, e.penalty, e.entrant, e.tenths),
    "board_superseded": lambda n, e: r.Voided(n, e.round, e.board, e.table),
}
"""Scoring's decisions as the arithmetic takes them: (place among the rulings, event) -> ruling."""


def _wrong(tally: Tally, entry: Entry, code: str, detail: str) -> None:
    tally.wrong(entry.stored.subject, entry.version, entry.stored.sequence, code, detail)
