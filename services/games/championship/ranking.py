"""A whole field compared and put in order, with every term kept: C3.0 to C4.5 on columns (see `vectors`).

Entrants are indices into the ascending array of their numbers; units and wins are rows, in any order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter

import numpy as np

from services.domain import Rejected
from services.games.championship.params import Params
from services.games.championship.results import MOST_SEATS, BoardKey, Settled, TableResult
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

LARGEST = 1_000_000_000
"""Bound of numbers, rounds, boards and scores; microseconds may be a million times as large."""
UNRANKED = 2**31
"""Stands after the last dense rank of an entrant."""


@dataclass(frozen=True, slots=True)
class Rows:
    """One row for each seat of an entrant on a board that counts.

    `table` is the index of the table's result, `size` its number of seats, `micros` the time that counts (C4.3).
    """

    table: Ints
    size: Ints
    seat: Ints
    entrant: Ints
    round: Ints
    group: Ints
    board: Ints
    attempt: Ints
    score: Ints
    micros: Ints


@dataclass(frozen=True, slots=True)
class Units:
    """One row for each unit that an entrant is compared in: a board or a session (C3.0).

    `number` is the board's, or the session's from 1 within its round; `deals` differs for those who played other deals;
    `table` is that of the unit's first row.
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
class Ranking:
    """The order of a field; arrays by entrant but for `order`, `rows`, `units`, `assigned` and `wins`.

    `order` lists entrants, best first, nobody shared (C4.5). `stages`: clause, and how many entrants stand strictly
    ahead of each once it has been applied. `total / share` is R exactly, `tenths` R as published, `count` its units.
    `dense` holds an entrant's dense ranks ascending, then UNRANKED. `skipped`: still tied where C4.4 was skipped.
    `met` is how often entrants had an opponent at all; 0 skips C4.1 (人机赛, C1.7).
    """

    numbers: Ints
    order: Ints
    stages: tuple[tuple[str, Ints], ...]
    total: Exact
    share: Exact
    tenths: Ints
    penalty: Ints
    count: Ints
    beaten_sum: Ints
    beaten_count: Ints
    dense: Ints
    boards: Ints
    micros: Ints
    slowest: Ints
    fastest: Ints
    skipped: Flags
    met: int
    rows: Rows
    who: Ints
    units: Units
    cells: Cells
    assigned: Assigned
    wins: Wins


def rank(settled: Settled, registered: Sequence[int], params: Params) -> Ranking:
    """Compare everybody (C3) and break ties until decided (C4).

    The field is everybody `registered`, and whoever has a result or an assigned percentage. Entrants without any unit
    come last. Raises Rejected for facts that contradict each other.
    """
    rows = rows_of(settled.results, params.thinking_time)
    given = (registered, [entrant for entrant, _, _ in settled.assigned], settled.penalties)
    numbers = np.unique(np.concatenate([rows.entrant, *(_read(part, len(part)) for part in given)]))
    field = numbers.size
    who = np.searchsorted(numbers, rows.entrant)
    assigned = _assigned(settled.assigned, numbers, params)
    units = _compared(units_of(rows, who, params), assigned)
    cells = compare(_comparison_group(units, params), units.score)
    penalty = np.array([settled.penalties.get(number, 0) for number in numbers.tolist()], np.int64)
    total, share, count = _results(units, cells, assigned, penalty)
    tenths = ((2000 * total + share) // (2 * share)).astype(np.int64)
    met, wins = _wins(rows, who, params.beaten_scope)
    beaten_sum = totals(wins.who, tenths[wins.whom], field)
    beaten_count = np.bincount(wins.who, minlength=field)
    ranks = rows_by_owner(units.who, cells.dense[cells.of_row], field, UNRANKED)
    boards = np.bincount(who, minlength=field)
    micros = totals(who, rows.micros, field)
    slowest = -least(who, -rows.micros, field, 0)
    fastest = least(who, rows.micros, field, LARGEST**2)
    trimmed = np.where(boards < 3, 0, micros - slowest - fastest)

    ahead = split(np.zeros(field, np.int64), (count == 0).astype(np.int64))
    by_r = split(ahead, -(by_value(total, share) if params.tie_on == "exact" else tenths))
    by_beaten = split(by_r, -by_value(beaten_sum, np.maximum(beaten_count, 1)))
    by_ranks = by_beaten
    for column in ranks.T:
        by_ranks = split(by_ranks, column)
    by_time = split(by_ranks, micros)
    short = (
        least(by_time, boards, field, LARGEST)[by_time] < 3
    )  # C4.4: one of those tied has fewer than 3 boards
    by_trimmed = split(by_time, np.where(short, 0, by_value(trimmed, np.maximum(boards - 2, 1))))
    return Ranking(
        numbers=numbers,
        order=np.argsort(by_trimmed, kind="stable"),
        stages=(
            ("C3.5", by_r),
            ("C4.1", by_beaten),
            ("C4.2", by_ranks),
            ("C4.3", by_time),
            ("C4.4", by_trimmed),
        ),
        total=total,
        share=share,
        tenths=tenths,
        penalty=penalty,
        count=count,
        beaten_sum=beaten_sum,
        beaten_count=beaten_count,
        dense=ranks,
        boards=boards,
        micros=micros,
        slowest=slowest,
        fastest=fastest,
        skipped=short & (sharing(by_time) > 1),
        met=met,
        rows=rows,
        who=who,
        units=units,
        cells=cells,
        assigned=assigned,
        wins=wins,
    )


def rows_of(results: Sequence[TableResult], thinking_time: str = "all_decisions") -> Rows:
    """Rows of all seats that count. Raises Rejected for figures out of range or not one for every seat (C2.1)."""
    time = "play_micros" if thinking_time == "plays" else "micros"
    sizes = _lengths(results, "seats")
    if sizes.max(initial=0) > MOST_SEATS:
        raise Rejected("SEATS_OUT_OF_RANGE", "C6.3", f"a table of {sizes.max()} seats, not 1 to {MOST_SEATS}")
    unfit = np.flatnonzero((_lengths(results, "scores") != sizes) | (_lengths(results, time) != sizes))
    if unfit.size:
        first = min(results[index].key for index in unfit.tolist())
        detail = "round {}, board {}, table {}: one score and one time for every seat".format(*first)
        raise Rejected("RESULT_OF_WRONG_LENGTH", "C2.1", detail)
    cells = int(sizes.sum())
    entrant = _read((-1 if seat is None else seat for result in results for seat in result.seats), cells)
    counting = np.flatnonzero(entrant != -1)
    table_of = np.repeat(np.arange(len(results)), sizes)
    table = table_of[counting]

    def by_table(name: str) -> Ints:
        return _read(map(attrgetter(name), results), len(results), least_value=1)[table]

    def by_seat(name: str, most: int = LARGEST, least_value: int = -LARGEST) -> Ints:
        return _read(chain.from_iterable(map(attrgetter(name), results)), cells, most, least_value)[counting]

    return Rows(
        table=table,
        size=sizes[table],
        seat=(np.arange(cells) - (np.cumsum(sizes) - sizes)[table_of])[counting],
        entrant=entrant[counting],
        round=by_table("round"),
        group=by_table("group"),
        board=by_table("board"),
        attempt=by_table("attempt"),
        score=by_seat("scores"),
        micros=by_seat(time, LARGEST * 1_000_000, 0),
    )


def _lengths(results: Sequence[TableResult], name: str) -> Ints:
    return np.fromiter(map(len, map(attrgetter(name), results)), np.int64, len(results))


def _read(values: Iterable[int], count: int, most: int = LARGEST, least_value: int = -1) -> Ints:
    try:
        column = np.fromiter(values, np.int64, count)
    except OverflowError:
        column = np.array([most + 1])
    if column.size and not least_value <= column.min() <= column.max() <= most:
        raise Rejected("OUT_OF_RANGE", "C2.1", f"a number is not within {least_value} to {most}")
    return column


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
    return Units(who, rows.round, rows.board, rows.seat, rows.group, rows.attempt, rows.score, rows.table)


def _sessions(rows: Rows, who: Ints, boards: int) -> Units:
    session, place = np.divmod(rows.board - 1, boards)
    within, _ = pack(rows.round, session)
    _, row, unit, scored = np.unique(
        pack(who, within)[0], return_index=True, return_inverse=True, return_counts=True
    )
    for column in (rows.seat, rows.group):
        if (column[row][unit] != column).any():
            raise Rejected("SEAT_CHANGED", "C3.1", "an entrant changed its seat or group within a session")
    score = totals(unit, rows.score, row.size)
    deals = np.zeros_like(row)
    for replayed in distinct(place[rows.attempt > 1]):
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


def _comparison_group(units: Units, params: Params) -> Ints:
    """C3.1: the same deals in the same seat; within the group of the round if so chosen."""
    group = (units.group,) if params.compare_within == "group" else ()
    return pack(units.round, units.number, units.deals, units.seat, *group)[0]


def _results(units: Units, cells: Cells, assigned: Assigned, penalty: Ints) -> tuple[Exact, Exact, Ints]:
    """R as `total / share`, and the number of units: the mean of r less penalties, not below 0 (C3.3, C3.5)."""
    size = cells.size[cells.of_row]
    alone = size == 1
    who = np.concatenate([units.who, assigned.who])
    numerator = np.concatenate([np.where(alone, 1, cells.mp()), assigned.tenths])
    denominator = np.concatenate([np.where(alone, 2, 2 * (size - 1)), 1000 * assigned.boards])
    count = np.bincount(who, minlength=penalty.size)
    common = common_multiple(distinct(denominator) + [1000] * bool(penalty.any()))
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
