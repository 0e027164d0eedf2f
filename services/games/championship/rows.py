"""Table results as columns (see `vectors`): one row for each seat that counts for an entrant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter

import numpy as np

from services.domain import Rejected
from services.games.championship.results import MOST_SEATS, TableResult
from services.games.championship.vectors import Flags, Ints, pack

LARGEST = 1_000_000_000
"""Bound of numbers, rounds, boards and scores; microseconds may be a million times as large."""


@dataclass(frozen=True, slots=True)
class Rows:
    """One row for each seat of an entrant on a board that counts.

    `table` is the index of the table's result, `size` its number of seats, `deal` differs for every board of a round and
    attempt at it, `micros` is the time that counts (C4.3).
    """

    table: Ints
    size: Ints
    seat: Ints
    entrant: Ints
    round: Ints
    group: Ints
    board: Ints
    attempt: Ints
    deal: Ints
    score: Ints
    micros: Ints

    def only(self, rows: Flags) -> Rows:
        """The rows marked."""
        return Rows(*(getattr(self, name)[rows] for name in self.__slots__))


def joined(first: Rows, second: Rows, tables: int) -> Rows:
    """Rows of two lots of results, the first of which holds `tables` of them."""
    both = {
        name: np.concatenate([getattr(first, name), getattr(second, name)])
        for name in Rows.__slots__
        if name not in ("table", "deal")
    }
    deal, _ = pack(both["round"], both["board"], both["attempt"])
    return Rows(table=np.concatenate([first.table, second.table + tables]), deal=deal, **both)


def rows_of(results: Sequence[TableResult], thinking_time: str = "all_decisions") -> Rows:
    """Rows of all seats that count. Raises Rejected for figures out of range or not one for every seat (C2.1)."""
    time = "play_micros" if thinking_time == "plays" else "micros"
    sizes = _lengths(results, "seats")
    if sizes.max(initial=0) > MOST_SEATS:
        raise Rejected("SEATS_OUT_OF_RANGE", "C6.3", f"a table of {sizes.max()} seats, not 1 to {MOST_SEATS}")
    unfit = np.flatnonzero((_lengths(results, "scores") != sizes) | (_lengths(results, time) != sizes))
    if unfit.size:
        round_, number, name = min(results[index].key for index in unfit.tolist())
        detail = f"round {round_}, board {number}, table {name}: one score and one time for every seat"
        raise Rejected("RESULT_OF_WRONG_LENGTH", "C2.1", detail)
    cells = int(sizes.sum())
    entrant = read((-1 if seat is None else seat for result in results for seat in result.seats), cells)
    counting = np.flatnonzero(entrant != -1)
    table_of = np.repeat(np.arange(len(results)), sizes)
    table = table_of[counting]

    def by_table(name: str) -> Ints:
        return read(map(attrgetter(name), results), len(results), least_value=1)

    def by_seat(name: str, most: int = LARGEST, least_value: int = -LARGEST) -> Ints:
        return read(chain.from_iterable(map(attrgetter(name), results)), cells, most, least_value)[counting]

    played, board, attempt = by_table("round"), by_table("board"), by_table("attempt")
    return Rows(
        table=table,
        size=sizes[table],
        seat=(np.arange(cells) - (np.cumsum(sizes) - sizes)[table_of])[counting],
        entrant=entrant[counting],
        round=played[table],
        group=by_table("group")[table],
        board=board[table],
        attempt=attempt[table],
        deal=pack(played, board, attempt)[0][table],
        score=by_seat("scores"),
        micros=by_seat(time, LARGEST * 1_000_000, 0),
    )


def _lengths(results: Sequence[TableResult], name: str) -> Ints:
    return np.fromiter(map(len, map(attrgetter(name), results)), np.int64, len(results))


def read(values: Iterable[int], count: int, most: int = LARGEST, least_value: int = -1) -> Ints:
    """A column of `count` values. Raises Rejected for one that is not within `least_value` to `most`."""
    try:
        column = np.fromiter(values, np.int64, count)
    except OverflowError:
        column = np.array([most + 1])
    if column.size and not least_value <= column.min() <= column.max() <= most:
        raise Rejected("OUT_OF_RANGE", "C2.1", f"a number is not within {least_value} to {most}")
    return column
