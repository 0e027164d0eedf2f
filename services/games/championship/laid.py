"""Results read into columns once, for whatever rulings are laid over them (C2.2, C9.2, C10.6).

A ruling touches a table or an entrant's board: of a large field, all but those stay the rows that they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from services.games.championship.results import (
    BoardKey,
    Corrected,
    Facts,
    Ruling,
    Settled,
    TableResult,
    Voided,
    settle,
)
from services.games.championship.rows import Rows, joined, rows_of
from services.games.championship.vectors import Flags, Ints, pack


@dataclass(frozen=True, slots=True)
class Columns:
    """Results: `rows` of those that are as they were played, each at the table that `tables` names; `odd` are the others, closed
    unfinished or with seats that house AI took over."""

    rows: Rows
    tables: tuple[str, ...]
    odd: tuple[TableResult, ...]


def columns(results: Sequence[TableResult], thinking_time: str) -> Columns:
    """Read results. Raises as `rows_of`."""
    plain = [one for one in results if one.scores and not one.taken_over]
    odd = tuple([one for one in results if not one.scores or one.taken_over])
    return Columns(rows_of(plain, thinking_time), tuple([one.table for one in plain]), odd)


def laid(
    read: Columns, rulings: Sequence[Ruling], thinking_time: str
) -> tuple[Rows, Settled, tuple[str, ...]]:
    """Rows that count under rulings, what those assign and take off, and the table of each result. Raises as `settle`.

    It is what `settle` and `rows_of` make of the same results; of the settled ones only those are told that are not as they were
    played.
    """
    touched = _named(read, rulings)
    results = [_result(read, index) for index in touched]
    settled = settle(Facts((*read.odd, *results), tuple(rulings)))
    gone = np.isin(read.rows.table, touched) | _assigned(read.rows, settled.assigned)
    rows = read.rows.only(~gone) if gone.any() else read.rows
    if settled.results:
        rows = joined(rows, rows_of(settled.results, thinking_time), len(read.tables))
    return rows, settled, (*read.tables, *[one.table for one in settled.results])


def _named(read: Columns, rulings: Iterable[Ruling]) -> list[int]:
    """The results that rulings name, but for odd ones."""
    keys = {(one.round, one.board, one.table) for one in rulings if isinstance(one, Corrected | Voided)}
    if not keys:
        return []
    names = {table for _, _, table in keys}
    results = [index for index, table in enumerate(read.tables) if table in names]
    rows = read.rows
    at = np.flatnonzero(np.isin(rows.table, results))
    found = zip(rows.round[at].tolist(), rows.board[at].tolist(), rows.table[at].tolist(), strict=True)
    return sorted({index for played, board, index in found if (played, board, read.tables[index]) in keys})


def _result(read: Columns, index: int) -> TableResult:
    """A result put together again, of its entrants; what others scored there is nobody's."""
    rows = read.rows
    at = np.flatnonzero(rows.table == index)
    size, first = int(rows.size[at[0]]), at[0]
    seats: list[int | None] = [None] * size
    scores, micros = [0] * size, [0] * size
    for row in at.tolist():
        seat = int(rows.seat[row])
        seats[seat], scores[seat] = int(rows.entrant[row]), int(rows.score[row])
        micros[seat] = int(rows.micros[row])
    return TableResult(
        round=int(rows.round[first]),
        group=int(rows.group[first]),
        board=int(rows.board[first]),
        table=read.tables[index],
        seats=tuple(seats),
        scores=tuple(scores),
        micros=tuple(micros),
        play_micros=tuple(micros),
        attempt=int(rows.attempt[first]),
    )


def _assigned(rows: Rows, assigned: Iterable[BoardKey]) -> Flags:
    """The rows of entrants with a percentage assigned for the board."""
    keys: Ints = np.array([*assigned], np.int64).reshape(-1, 3)
    if not keys.size:
        return np.zeros(rows.table.size, np.bool_)
    both = [
        np.concatenate([one, key])
        for one, key in zip((rows.entrant, rows.round, rows.board), keys.T, strict=True)
    ]
    key, _ = pack(*both)
    return np.isin(key[: rows.table.size], key[rows.table.size :])
