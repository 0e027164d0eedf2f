"""Every publication of standings computed over again from the results, seats and rulings inside its cut (C3, C4, C7, C8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

from services.domain import Rejected
from services.games import registry
from services.games.championship import contest as c
from services.games.championship import results as r
from services.games.championship.points import MatchResult
from services.ledger.audit.evidence import Entry, Event, Evidence
from services.ledger.audit.recalculated import WHOLE, Ruling, objection, refigured
from services.ledger.audit.replayed import Replays
from services.ledger.audit.report import Tally
from services.ledger.audit.ruled import COMMITTEE, Final, carries_out, no_appeal, rejected, seats_of, upheld
from services.ledger.record import BoardClosing


class Standings:
    """The standings of an event, each publication computed once."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._orders: dict[int, c.Order | None] = {}

    @property
    def computes(self) -> bool:
        """Whether the file holds all that standings are made of."""
        return self._evidence.entire

    @cached_property
    def _published(self) -> dict[int, tuple[Any, tuple[Ruling, ...], Replays]]:
        """By number: a publication, the rulings before it, and the boards that they had played again."""
        published: dict[int, tuple[Any, tuple[Ruling, ...], Replays]] = {}
        rulings: list[Ruling] = []
        replays = Replays()
        for _, event in self._evidence.events("scoring"):
            message = event.message
            if event.kind in RULINGS:
                rulings.append(RULINGS[event.kind](len(rulings) + 1, message))
                replays = replays.after(event)
            elif event.kind == "ruling_recalculated":
                rulings.append(refigured(rulings, message))
            elif event.kind == "standings_published":
                published[message.number] = message, tuple(rulings), replays
        return published

    def order(self, number: int) -> c.Order | None:
        """Publication `number`: computed over again where the file holds all that it was made of, else as the file's ranking tells
        it, if that is the published one; None without either. Raises Rejected, and ValueError for a ranking that is none."""
        if number not in self._published:
            return None
        if number not in self._orders:
            self._orders[number] = self._computed(number) if self._evidence.entire else self._told(number)
        return self._orders[number]

    def _computed(self, number: int) -> c.Order | None:
        """None: while a round is played not everybody reads all of its tables, whose boards may count already."""
        published, rulings, replays = self._published[number]
        cut = {position.stream: position.sequence for position in published.cut.positions}
        played = _Field(self._evidence, cut, replays)
        contest = played.contest(rulings, self._terms())
        if self._evidence.playing and played.absent():
            return None
        return c.order(contest)

    def _told(self, number: int) -> c.Order | None:
        told = self.told(number)
        if told is None or sha256(told).digest() != self._published[number][0].digest:
            return None
        return c.read(told, self._terms())

    def told(self, number: int) -> bytes | None:
        """The ranking of a publication that the file brings."""
        return next((one.canonical for one in self._evidence.about.rankings if one.number == number), None)

    def _terms(self) -> c.Terms:
        return c.terms(registry.find(self.settings.ruleset).game, self.settings)

    @cached_property
    def settings(self) -> Any:
        """The event's. Raises Rejected."""
        for _, event in self._evidence.events("pairing"):
            if event.kind == "championship_created":
                return event.message.settings
        raise Rejected("NO_CHAMPIONSHIP", "", "the record that created the championship cannot be read")


def check_standings(evidence: Evidence, standings: Standings, tally: Tally) -> None:
    """Digests of publications, and whose authority the rulings in them have."""
    decided, final = upheld(evidence), Final(rejected(evidence), seats_of(evidence))
    published: dict[int, bytes] = {}
    ruled: list[Event] = []
    newest, fixed = 0, False
    if not any(evidence.of("scoring")):
        tally.missing.append("scoring's records are not in this file")
    for entry, event in evidence.events("scoring"):
        message = event.message
        if fixed and event.kind in _DECIDING:
            _wrong(
                tally, entry, "OUT_OF_TURN", f"{event.kind} while the championship was being sealed (C10.8)"
            )
        if event.kind in RULINGS or event.kind == "ruling_recalculated":
            newest = entry.stored.sequence
        if event.kind in RULINGS:
            ruled.append(event)
            if not _makes_sense(message):
                _wrong(
                    tally,
                    entry,
                    "OTHER_REMEDY",
                    "no such ruling: scores sum to zero, 100 % is all there is (C2.2)",
                )
            _check_authority(evidence, tally, entry, event, decided)
            if appeal := final.broken(event, entry.time_us):
                _wrong(tally, entry, "RULING_FINAL", f"changes what the committee ruled in appeal {appeal}")
        elif event.kind == "ruling_recalculated":
            if wrong := objection(ruled, message):
                _wrong(tally, entry, "NOT_ARITHMETIC", wrong)
            ruled.append(event)
        elif event.kind == "standings_published":
            published[message.number] = message.digest
            _check_publication(standings, tally, entry, message)
            _check_cut(tally, entry, message, newest)
        elif event.kind in ("standings_fixed", "standings_reopened"):
            fixed = event.kind == "standings_fixed"
        elif event.kind == "standings_sealed" and published.get(message.publication) != message.digest:
            _wrong(tally, entry, "OTHER_STANDINGS", "what was sealed is not that publication")
    for ranking in evidence.about.rankings:
        if ranking.number not in published:
            detail = f"the file has a ranking of publication {ranking.number}, which is not in it"
            tally.wrong("", 0, 0, "NO_PUBLICATION", detail)


def _makes_sense(ruling: Any) -> bool:
    """Whether scores that are ruled sum to zero, and percentages lie within 0 and 100 (C2.2)."""
    tenths = getattr(ruling, "tenths", ())
    shares = (tenths,) if isinstance(tenths, int) else tenths
    return sum(getattr(ruling, "scores", ())) == 0 and all(0 <= one <= WHOLE for one in shares)


def _check_authority(
    evidence: Evidence, tally: Tally, entry: Entry, event: Event, decided: Mapping[str, Any]
) -> None:
    """Whether a committee ruled what is said to be its ruling (C10.6)."""
    by, appeal = event.message.authority.by, event.message.authority.appeal
    if by == COMMITTEE and appeal not in decided:
        _no_ruling(evidence, tally, entry, appeal)
    elif by == COMMITTEE and not carries_out(event, decided[appeal].remedies):
        _wrong(tally, entry, "OTHER_REMEDY", f"applies a remedy that was not ruled in appeal {appeal}")


def _no_ruling(evidence: Evidence, tally: Tally, entry: Entry, appeal: str) -> None:
    if evidence.holds_appeal(appeal):
        _wrong(tally, entry, "NOT_UPHELD", f"applies a ruling of appeal {appeal}, which was not upheld")
    else:
        no_appeal(evidence, tally, entry, appeal)


def _check_publication(standings: Standings, tally: Tally, entry: Entry, published: Any) -> None:
    number = published.number
    if not standings.computes:
        _check_ranking(standings.told(number), tally, entry, published)
        return
    try:
        order = standings.order(number)
    except Rejected as refused:
        tally.done += 1
        _wrong(tally, entry, "NO_STANDINGS", f"publication {number}: {refused}")
        return
    if order is None:
        detail = f"publication {number} may count a round that is played, of which this file lacks tables"
        tally.missing.append(detail)
        return
    tally.done += 1
    if c.digest(order) != published.digest:
        detail = f"publication {number} is not what the results and rulings in its cut give"
        _wrong(tally, entry, "OTHER_STANDINGS", detail)


def _check_ranking(told: bytes | None, tally: Tally, entry: Entry, published: Any) -> None:
    """Whether the ranking that a file of fewer tables brings is the published one."""
    tally.missing.append(
        "that standings follow from the results is shown by the championship's file alone: "
        "fupan audit export without --table and --round"
    )
    if told is None:
        return
    tally.done += 1
    if sha256(told).digest() != published.digest:
        detail = (
            f"the ranking of publication {published.number} in the file is not the one that was published"
        )
        _wrong(tally, entry, "OTHER_STANDINGS", detail)


def _check_cut(tally: Tally, entry: Entry, published: Any, ruled: int) -> None:
    """Whether a cut ends where the rulings do that the publication has; older ones do not name scoring's own stream."""
    for position in published.cut.positions:
        if position.stream == entry.stored.stream and not ruled <= position.sequence < entry.stored.sequence:
            detail = f"the cut of publication {published.number} has other rulings than the publication"
            _wrong(tally, entry, "OTHER_STANDINGS", detail)


@dataclass(slots=True)
class _Field:
    """Entrants, seats, results and matches inside a cut."""

    evidence: Evidence
    cut: dict[str, int]
    replays: Replays
    entrants: set[int] = field(default_factory=set)
    seats: dict[tuple[int, str], tuple[int, tuple[int, ...]]] = field(default_factory=dict)
    byes: list[tuple[int, int]] = field(default_factory=list)

    def contest(self, rulings: Sequence[Ruling], terms: c.Terms) -> c.Contest:
        """What the standings are a function of: only boards that every table of the round has closed, and ended matches."""
        self._pairing()
        results = list(self._results().values()) if terms.on_boards else []
        tables = Counter(round_ for round_, _ in self.seats)
        closed = Counter(
            (result.round, result.board) for result in results if (result.round, result.table) in self.seats
        )
        shown = {key for key, count in closed.items() if count == tables[key[0]]}
        matches = {} if terms.on_boards else dict(self._matches())
        if terms.on_boards:
            done = Counter(round_ for round_, board in shown if board <= terms.boards)
            rounds = {round_ for round_, count in done.items() if count == terms.boards}
        else:
            ended = Counter(round_ for round_, _ in matches)
            rounds = {round_ for round_, count in ended.items() if count == tables[round_]}
        on_boards = tuple(one for one in rulings if not isinstance(one, c.Match))
        on_matches = tuple(one for one in rulings if isinstance(one, c.Match))
        return c.Contest(
            terms,
            r.Facts(
                tuple(one for one in results if (one.round, one.board) in shown),
                on_boards,
                tuple(sorted(self.entrants)),
            ),
            {key: entrants for key, (_, entrants) in self.seats.items()},
            tuple(bye for bye in self.byes if bye[1] in rounds or not tables[bye[1]]),
            (*(match for match in matches.values() if match is not None), *on_matches),
        )

    def absent(self) -> set[str]:
        """Tables that were seated and have no record in the file."""
        return {table for _, table in self.seats} - {
            subject.id for _, subject, _ in self.evidence.of("table")
        }

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
                    self.byes += [(entrant, message.round) for entrant in message.byes]
                case "seating_overridden":
                    self.seats = {key: one for key, one in self.seats.items() if key[0] != message.round}
                    self._seat(message.round, message.tables)

    def _seat(self, round_: int, tables: Any) -> None:
        for table in tables:
            self.seats[round_, table.table] = (table.group, tuple(table.entrants))

    def _results(self) -> dict[tuple[int, int, int, str], r.TableResult]:
        """Closed boards of seated tables, by round, board, attempt and table."""
        found: dict[tuple[int, int, int, str], r.TableResult] = {}
        closings = self._closings()
        replays = self.replays.counting(closings)
        for table, closing in closings:
            # A board that a ruling had played again counts at its own table, for the seats of the first.
            seated = closing.round, replays.get((table, closing.attempt), table)
            if seated not in self.seats:
                continue
            group, entrants = self.seats[seated]
            result = r.TableResult(
                round=closing.round,
                group=group,
                board=closing.board,
                table=table,
                seats=tuple(number or None for number in entrants),
                scores=() if closing.unfinished else closing.scores,
                micros=closing.thinking_us,
                play_micros=closing.playing_us,
                attempt=closing.attempt,
                taken_over=closing.taken_over,
            )
            found.setdefault((result.round, result.board, result.attempt, result.table), result)
        return found

    def _matches(self) -> Iterator[tuple[tuple[int, str], c.Match | None]]:
        """Ended matches of seated tables, None where nothing decided one (C2.2)."""
        for _, subject, entries in self.evidence.of("table", play=False):
            table = subject.id
            for event in (event for entry in entries if self._inside(entry) for event in entry.events):
                if event.kind != "match_ended" or (event.message.round, table) not in self.seats:
                    continue
                ended = event.message
                result = (
                    _match(ended.round, table, ended, ended.clause, ended.deals)
                    if ended.HasField("winner")
                    else None
                )
                yield (ended.round, table), result

    def _closings(self) -> list[tuple[str, BoardClosing]]:
        """How the boards of all tables ended inside the cut."""
        return [
            (subject.id, entry.closing)
            for _, subject, entries in self.evidence.of("table", play=False)
            for entry in entries
            if entry.closing is not None and self._inside(entry)
        ]


def _match(round_: int, table: str, told: Any, clause: str, deals: int) -> c.Match:
    one, other = told.levels
    return c.Match(round_, table, MatchResult(told.winner, (one, other), clause), deals)


RULINGS: dict[str, Any] = {
    "result_corrected": lambda n, e: r.Corrected(n, e.round, e.board, e.table, tuple(e.scores)),
    "board_voided": lambda n, e: r.Voided(n, e.round, e.board, e.table, tuple(e.tenths)),
    "percent_assigned": lambda n, e: r.Assigned(n, e.entrant, e.round, e.board, e.tenths),
    "penalty_set": lambda n, e: r.Penalised(n, e.penalty, e.entrant, e.tenths),
    "board_superseded": lambda n, e: r.Voided(n, e.round, e.board, e.table),
    "match_corrected": lambda n, e: _match(e.round, e.table, e, "C9.2", 0),
}
"""Scoring's decisions as the arithmetic takes them: (place among the rulings, event) -> ruling."""

_DECIDING = frozenset(
    [*RULINGS, "ruling_recalculated", "standings_published", "results_confirmed", "correction_refused"]
)
"""What scoring does not write while the standings are fixed for a seal."""


def _wrong(tally: Tally, entry: Entry, code: str, detail: str) -> None:
    tally.wrong(entry.stored.subject, entry.version, entry.stored.sequence, code, detail)
