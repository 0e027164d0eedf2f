"""The facts that standings are made of, and what is left of them once every ruling has been laid over them.

Facts come in any order and carry what orders them: results by (round, board, table), rulings by their number in the
log. Rounds, groups, boards and attempts count from 1, seats from 0; a session's boards have consecutive numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from services.domain import Rejected

NO_FAULT, SHARED_FAULT, OWN_FAULT = 600, 500, 400
"""Assigned percentages of C2.2, tenths of a percent."""

MOST_SEATS = 100
"""More than any table has; keeps the work on a table within reason."""

BoardKey = tuple[int, int, int]
"""(entrant, round, board)"""
TableKey = tuple[int, int, str]
"""(round, board, table): the canonical order of results."""


@dataclass(frozen=True, slots=True)
class TableResult:
    """What one board came to at one table.

    By seat: `seats` entrant numbers, None for house AI and machines (C1.7); `scores` raw scores (C2.1), none at all for
    a board closed unfinished (C2.2); `micros` thinking time of all decisions and `play_micros` of plays only, in
    microseconds (C4.3; may be left out unless `thinking_time = plays`). `taken_over`: seats that house AI had taken over
    before the board ended. A board replayed by a ruling is a new `attempt` at a table of its own: another deal, never
    compared with the first.
    """

    round: int
    group: int
    board: int
    table: str
    seats: tuple[int | None, ...]
    scores: tuple[int, ...]
    micros: tuple[int, ...]
    play_micros: tuple[int, ...] = ()
    attempt: int = 1
    taken_over: tuple[int, ...] = ()

    @property
    def key(self) -> TableKey:
        """Place in the canonical order."""
        return self.round, self.board, self.table


def replay_table(table: str, attempt: int) -> str:
    """The table at which a table's board is played again."""
    return f"{table}-a{attempt}"


@dataclass(frozen=True, slots=True)
class Corrected:
    """Raw scores by seat that count instead of the recorded ones; lifts what was ruled on this table's board before."""

    number: int
    round: int
    board: int
    table: str
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Voided:
    """The table's board has no raw score (C2.2); `tenths` by seat is what its entrants get for it.

    Without `tenths` they get nothing for it, as when another attempt counts instead.
    """

    number: int
    round: int
    board: int
    table: str
    tenths: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Assigned:
    """One entrant's percentage for a board, tenths of a percent 0-1000, instead of whatever it scored there (C2.2)."""

    number: int
    entrant: int
    round: int
    board: int
    tenths: int


@dataclass(frozen=True, slots=True)
class Penalised:
    """A penalty on R, tenths of a percent 0-1000; the last one of the same `penalty` id counts, 0 lifts it (C10.6)."""

    number: int
    penalty: str
    entrant: int
    tenths: int


Ruling = Corrected | Voided | Assigned | Penalised


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything standings depend on. `entrants`: numbers of the field; those found in results are added by themselves."""

    results: tuple[TableResult, ...]
    rulings: tuple[Ruling, ...] = ()
    entrants: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Settled:
    """Facts once all rulings are applied.

    `results` hold boards with raw scores only, None in every seat that does not count; `assigned` tenths of a percent by
    (entrant, round, board); `penalties` tenths of a percent by entrant.
    """

    results: tuple[TableResult, ...]
    assigned: Mapping[BoardKey, int]
    penalties: Mapping[int, int]


def in_order(results: Iterable[TableResult]) -> tuple[TableResult, ...]:
    """Results in canonical order: round, board, table."""
    return tuple(sorted(results, key=lambda result: result.key))


def settle(facts: Facts) -> Settled:
    """Apply rulings by their number; the order in which facts are given does not matter.

    A board closed unfinished gives its entrants 60 % until a ruling says otherwise, a replay as well, of which the order
    that took the first attempt away says nothing (C2.2). A seat taken over by house AI does not count, nor does the result
    of an entrant with a percentage assigned for the board (C1.7, C2.2). A ruling on a table without a result changes nothing
    yet. Raises Rejected for two rulings of one number, a percentage out of range or a correction of the wrong length.
    """
    rulings = sorted(facts.rulings, key=lambda ruling: ruling.number)
    if len({ruling.number for ruling in rulings}) < len(rulings):
        raise Rejected("RULING_TWICE", "C9.4", "two rulings have the same number")
    ruled = {_table(ruling) for ruling in rulings if isinstance(ruling, Corrected | Voided)}
    tables = {
        result.key: result for result in facts.results if not result.scores or (ruled and result.key in ruled)
    }
    unruled = [result for key, result in tables.items() if not result.scores and key not in ruled]
    assigned: dict[BoardKey, int] = {}
    penalties: dict[str, Penalised] = {}
    for ruling in rulings:
        if isinstance(ruling, Assigned):
            assigned[ruling.entrant, ruling.round, ruling.board] = _percent(ruling.tenths)
        elif isinstance(ruling, Penalised):
            penalties[ruling.penalty] = replace(ruling, tenths=_percent(ruling.tenths))
        elif (key := _table(ruling)) in tables:
            tables[key] = _ruled(tables[key], ruling, assigned)
    for result in unruled:
        for _, own in _counting(result):
            assigned.setdefault(own, NO_FAULT)
    return Settled(
        tuple(_settled(facts.results, tables, assigned)), assigned, _by_entrant(penalties.values())
    )


def _table(ruling: Corrected | Voided) -> TableKey:
    return ruling.round, ruling.board, ruling.table


def _counting(result: TableResult) -> Iterator[tuple[int, BoardKey]]:
    """Seat, and whose board it is, of every seat that counts for an entrant."""
    for seat, entrant in enumerate(result.seats):
        if entrant is not None and seat not in result.taken_over:
            yield seat, (entrant, result.round, result.board)


def _ruled(result: TableResult, ruling: Corrected | Voided, assigned: dict[BoardKey, int]) -> TableResult:
    """The result after `ruling`; enters and removes what is assigned to its entrants for the board."""
    by_seat = ruling.scores if isinstance(ruling, Corrected) else ruling.tenths
    if len(by_seat) != len(result.seats) and (by_seat or isinstance(ruling, Corrected)):
        detail = f"table {result.table} has {len(result.seats)} seats, the ruling {len(by_seat)} figures"
        raise Rejected("RULING_OF_WRONG_LENGTH", "C10.6", detail)
    for seat, own in _counting(result):
        assigned.pop(own, None)
        if isinstance(ruling, Voided) and by_seat:
            assigned[own] = _percent(by_seat[seat])
    if isinstance(ruling, Voided):
        return replace(result, scores=())
    untimed = (0,) * len(by_seat)
    times = result.micros or untimed, result.play_micros or untimed
    return replace(result, scores=by_seat, micros=times[0], play_micros=times[1])


def _settled(
    results: Iterable[TableResult], tables: Mapping[TableKey, TableResult], assigned: Mapping[BoardKey, int]
) -> Iterator[TableResult]:
    touched = {(played, board) for _, played, board in assigned}
    for given in results:
        result = tables.get(given.key, given) if tables else given
        if not result.scores:
            continue
        if result.taken_over or (touched and (result.round, result.board) in touched):
            counting = {seat: own[0] for seat, own in _counting(result) if own not in assigned}
            result = replace(result, seats=tuple(map(counting.get, range(len(result.seats)))))
        yield result


def _percent(tenths: int) -> int:
    if not 0 <= tenths <= 1000:
        raise Rejected("PERCENT_OUT_OF_RANGE", "C2.2", f"{tenths} tenths of a percent, not within 0 to 1000")
    return tenths


def _by_entrant(penalties: Iterable[Penalised]) -> dict[int, int]:
    totals: dict[int, int] = {}
    for penalty in penalties:
        totals[penalty.entrant] = totals.get(penalty.entrant, 0) + penalty.tenths
    return totals
