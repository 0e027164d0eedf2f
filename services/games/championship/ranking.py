"""A whole field compared and put in order, with every term kept: C3.0 to C4.5 on columns (see `vectors`).

Entrants are indices into the ascending array of their numbers; units and wins are rows, in any order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from services.domain import Rejected
from services.games.championship.params import Params
from services.games.championship.results import BoardKey, Settled
from services.games.championship.rows import Rows, read, rows_of
from services.games.championship.vectors import (
    Cells,
    Exact,
    Flags,
    Ints,
    by_value,
    common_multiple,
    compare,
    dense,
    distinct,
    exact_sums,
    least,
    pack,
    rows_by_owner,
    sharing,
    split,
    tally,
    totals,
)

UNRANKED = 2**31
"""Stands after the last dense rank of an entrant."""


@dataclass(frozen=True, slots=True)
class Units:
    """One row for each unit that an entrant is compared in: a board or a session (C3.0).

    `number` is the board's, or the session's from 1 within its round; `deals` is the same for those who played the same
    deals in it; `table` is that of the unit's first board.
    """

    who: Ints
    round: Ints
    number: Ints
    seat: Ints
    group: Ints
    deals: Ints
    score: Ints
    table: Ints

    def only(self, rows: Flags) -> Units:
        """The units marked."""
        return Units(*(getattr(self, name)[rows] for name in self.__slots__))


@dataclass(frozen=True, slots=True)
class Assigned:
    """One row for each unit with an assigned percentage: `tenths` the sum over its `boards` (C2.2)."""

    who: Ints
    round: Ints
    number: Ints
    tenths: Ints
    boards: Ints


@dataclass(frozen=True, slots=True)
class Wins:
    """Opponents beaten, each as often as it counts; `board` is 0 where they are beaten by the round (C4.1)."""

    who: Ints
    whom: Ints
    round: Ints
    board: Ints
    own: Ints
    theirs: Ints


@dataclass(frozen=True, slots=True)
class Terms:
    """What decides an entrant's place; arrays by entrant.

    `total / share` is R exactly, `tenths` R as published, of `count` units. `ranks` holds dense ranks ascending, then
    UNRANKED. `trimmed` is the time without the slowest and the fastest of the `boards`, 0 with fewer than 3.
    """

    total: Exact
    share: Exact
    tenths: Ints
    penalty: Ints
    count: Ints
    beaten_sum: Ints
    beaten_count: Ints
    ranks: Ints
    boards: Ints
    micros: Ints
    trimmed: Ints


@dataclass(frozen=True, slots=True)
class Stage:
    """A clause, and how many entrants stand strictly ahead of each entrant once it has been applied."""

    clause: str
    ahead: Ints


@dataclass(frozen=True, slots=True)
class Ranking:
    """The order of a field and everything it was made from.

    `numbers` are the entrants, `order` lists their indices best first, nobody shared (C4.5). `skipped` marks who was
    still tied where C4.4 was skipped; `met` is how often entrants had an opponent, 0 skips C4.1 (人机赛, C1.7). `who` is
    the entrant of each of the `rows`, `tables` the table of each result that they name.
    """

    numbers: Ints
    order: Ints
    stages: tuple[Stage, ...]
    skipped: Flags
    met: int
    terms: Terms
    rows: Rows
    tables: tuple[str, ...]
    who: Ints
    units: Units
    cells: Cells
    assigned: Assigned
    wins: Wins


def rank(settled: Settled, registered: Sequence[int], params: Params) -> Ranking:
    """Compare everybody (C3) and break ties until decided (C4).

    The field is everybody `registered`, and whoever has a result or an assigned percentage. Entrants without any unit
    come last. Raises Rejected for facts that contradict each other or lie out of range.
    """
    tables = tuple([result.table for result in settled.results])
    return rank_rows(rows_of(settled.results, params.thinking_time), tables, settled, registered, params)


def rank_rows(
    rows: Rows, tables: tuple[str, ...], settled: Settled, registered: Sequence[int], params: Params
) -> Ranking:
    """`rank` of results that are `rows` already, at these `tables`; `settled` says what is assigned and taken off."""
    given = (registered, [entrant for entrant, _, _ in settled.assigned])
    numbers, index = distinct(np.concatenate([rows.entrant, *(read(part, len(part)) for part in given)]))
    who = index[: rows.entrant.size]
    assigned = _assigned(settled.assigned, numbers, params)
    units = _compared(units_of(rows, who, params), assigned)
    cells = compare(units.score, *_comparison_group(units, params))
    met, wins = _wins(rows, who, params.beaten_scope)
    penalty = np.array([settled.penalties.get(number, 0) for number in numbers.tolist()], np.int64)
    total, share, count = _results(units, cells, assigned, penalty)
    tenths = ((2000 * total + share) // (2 * share)).astype(np.int64)
    boards = np.bincount(who, minlength=numbers.size)
    micros = totals(who, rows.micros, numbers.size)
    extremes = least(who, rows.micros, numbers.size) - least(who, -rows.micros, numbers.size)
    terms = Terms(
        total=total,
        share=share,
        tenths=tenths,
        penalty=penalty,
        count=count,
        beaten_sum=totals(wins.who, tenths[wins.whom], numbers.size),
        beaten_count=np.bincount(wins.who, minlength=numbers.size),
        ranks=rows_by_owner(units.who, cells.dense[cells.of_row], numbers.size, UNRANKED),
        boards=boards,
        micros=micros,
        trimmed=np.where(boards < 3, 0, micros - extremes),
    )
    stages, skipped = _break_ties(terms, params.tie_on)
    order = np.argsort(stages[-1].ahead, kind="stable")
    return Ranking(
        numbers, order, stages, skipped, met, terms, rows, tables, who, units, cells, assigned, wins
    )


def _break_ties(terms: Terms, tie_on: str) -> tuple[tuple[Stage, ...], Flags]:
    """The order after each clause of C4, and who was still tied where C4.4 was skipped."""
    nobody = np.zeros_like(terms.count)
    result = by_value(terms.total, terms.share) if tie_on == "exact" else terms.tenths
    by_result = split(split(nobody, (terms.count == 0).astype(np.int64)), -result)
    by_beaten = split(by_result, -by_value(terms.beaten_sum, np.maximum(terms.beaten_count, 1)))
    by_ranks = by_beaten
    for column in terms.ranks.T:
        # More 1sts, then more 2nds, …: at the first difference the lower rank goes first, no further rank last.
        by_ranks = split(by_ranks, column)
    by_time = split(by_ranks, terms.micros)
    few = least(by_time, terms.boards, nobody.size)[by_time] < 3
    by_trimmed = split(by_time, np.where(few, 0, by_value(terms.trimmed, np.maximum(terms.boards - 2, 1))))
    return (
        Stage("C3.5", by_result),
        Stage("C4.1", by_beaten),
        Stage("C4.2", by_ranks),
        Stage("C4.3", by_time),
        Stage("C4.4", by_trimmed),
    ), few & (sharing(by_time) > 1)


def units_of(rows: Rows, who: Ints, params: Params) -> Units:
    """Units in which entrants are compared: boards, or the sessions of which they scored every board (C3.0).

    A session's boards are those that anybody scored. Raises Rejected for an entrant that scored a board twice, or
    changed its seat or group within a session.
    """
    key, bound = pack(who, rows.round, rows.board)
    values, _, held = tally(key, bound)
    if held.max(initial=0) > 1:
        row = np.flatnonzero(key == values[held > 1][0])[0]
        detail = f"entrant {rows.entrant[row]}, round {rows.round[row]}, board {rows.board[row]}"
        raise Rejected("PLAYED_TWICE", "C1.1", f"two results on one board: {detail}")
    if params.mp_unit == "session" and params.boards_per_session > 1:
        return _sessions(rows, who, params.boards_per_session)
    return Units(who, rows.round, rows.board, rows.seat, rows.group, rows.deal, rows.score, rows.table)


def _sessions(rows: Rows, who: Ints, boards: int) -> Units:
    session, place = np.divmod(rows.board - 1, boards)
    within, _ = pack(rows.round, session)
    by_board = np.argsort(rows.board, kind="stable")
    _, first, units, scored = np.unique(
        pack(who, within)[0][by_board], return_index=True, return_inverse=True, return_counts=True
    )
    row, unit = by_board[first], np.empty_like(by_board)
    unit[by_board] = units
    for column in (rows.seat, rows.group):
        if (column[row][unit] != column).any():
            raise Rejected("SEAT_CHANGED", "C3.1", "an entrant changed its seat or group within a session")
    score = totals(unit, rows.score, row.size)
    deals = within[row]
    for replayed in distinct(place[rows.attempt > 1])[0]:
        attempt = np.zeros_like(row)
        at = place == replayed
        attempt[unit[at]] = rows.attempt[at]
        deals = dense(pack(deals, attempt)[0])
    played = np.unique(pack(within, rows.board)[0], return_index=True)[1]  # one row of each board
    sessions, needed = np.unique(within[played], return_counts=True)
    complete = scored == needed[np.searchsorted(sessions, within[row])]
    return Units(
        who[row],
        rows.round[row],
        session[row] + 1,
        rows.seat[row],
        rows.group[row],
        deals,
        score,
        rows.table[row],
    ).only(complete)


def _assigned(assigned: Mapping[BoardKey, int], numbers: Ints, params: Params) -> Assigned:
    """Assigned percentages by unit: a session with any of them is worth their mean."""
    keys = np.array([*assigned], np.int64).reshape(-1, 3)
    boards = params.boards_per_session if params.mp_unit == "session" else 1
    who, played, number = np.searchsorted(numbers, keys[:, 0]), keys[:, 1], (keys[:, 2] - 1) // boards + 1
    _, row, unit, held = np.unique(
        pack(who, played, number)[0], return_index=True, return_inverse=True, return_counts=True
    )
    tenths = totals(unit, np.array([*assigned.values()], np.int64), row.size)
    return Assigned(who[row], played[row], number[row], tenths, held)


def _compared(units: Units, assigned: Assigned) -> Units:
    """Units without those that have an assigned percentage."""
    if not assigned.who.size:
        return units
    both = [
        np.concatenate([getattr(units, name), getattr(assigned, name)]) for name in ("who", "round", "number")
    ]
    key, _ = pack(*both)
    return units.only(~np.isin(key[: units.who.size], key[units.who.size :]))


def _comparison_group(units: Units, params: Params) -> tuple[Ints, ...]:
    """The same deals in the same seat, and in the same group of the round if so chosen (C3.1)."""
    columns = (units.deals, units.seat)
    return (*columns, units.group) if params.compare_within == "group" else columns


def _results(units: Units, cells: Cells, assigned: Assigned, penalty: Ints) -> tuple[Exact, Exact, Ints]:
    """R as `total / share`, and the number of units: the mean of r less penalties, not below 0 (C3.3, C3.5)."""
    size = cells.size[cells.of_row]
    alone = size == 1
    who = np.concatenate([units.who, assigned.who])
    numerator = np.concatenate([np.where(alone, 1, cells.mp()), assigned.tenths])
    denominator = np.concatenate([np.where(alone, 2, 2 * (size - 1)), 1000 * assigned.boards])
    count = np.bincount(who, minlength=penalty.size)
    common = math.lcm(common_multiple(denominator), 1000 if penalty.any() else 1)
    limit = 2002 * common * int(count.max(initial=1))
    total = exact_sums(who, numerator, denominator, penalty.size, common, limit)
    share = np.maximum(count, 1).astype(total.dtype) * common
    if penalty.any():
        total = np.maximum(total - penalty.astype(total.dtype) * (share // 1000), 0)
    return total, share, count


def _wins(rows: Rows, who: Ints, scope: str) -> tuple[int, Wins]:
    """How often opponents met, and who beat whom: by raw scores summed over the round, or by the board (C4.1)."""
    own = rows.score
    if scope == "round":
        values, slot, _ = tally(*pack(who, rows.round))
        own = totals(slot, rows.score, values.size)[slot]
    met = 0
    beaten = [np.empty((2, 0), np.int64)]
    for one, other in opponents(rows):
        met += one.size
        beaten.append(np.stack([one, other])[:, own[one] > own[other]])
    one, other = np.concatenate(beaten, axis=1)
    if scope == "round":
        once = np.unique(pack(who[one], rows.round[one], who[other])[0], return_index=True)[1]
        one, other = one[once], other[once]
    board = rows.board[one] if scope == "board" else np.zeros_like(one)
    return met, Wins(who[one], who[other], rows.round[one], board, own[one], own[other])


def opponents(rows: Rows) -> Iterator[tuple[Ints, Ints]]:
    """Pairs of rows that met at a table, both ways round; of four seats 0 and 2, 1 and 3 are partners (C4.1)."""
    width = int(rows.seat.max(initial=-1)) + 1
    at = np.full((width, int(rows.table.max(initial=-1)) + 1), -1)
    at[rows.seat, rows.table] = np.arange(rows.table.size)
    for seat in range(width):
        for distance in range(1, width):
            one, other = at[seat], at[(seat + distance) % width]
            here = np.flatnonzero((one >= 0) & (other >= 0))
            if (seat - (seat + distance) % width) % 2 == 0:
                here = here[rows.size[one[here]] != 4]
            yield one[here], other[here]
