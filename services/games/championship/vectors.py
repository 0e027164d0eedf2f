"""Exact arithmetic over columns of a whole field; only modules that put fields in order use numpy beside it.

Columns are int64, or Python integers in object arrays where a bound says that int64 might overflow. No binary floating
point. All columns of a call are equally long, and every function takes time linear in them but for sorting.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Exact = npt.NDArray[Any]
"""int64, or Python integers."""

INT64 = 2**62
"""Results that stay below this are computed in int64."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Comparison of all rows (C3.2): one cell for each raw score in each comparison group.

    `of_row` is the cell of each row. By cell: `size` of its group, how many rows are `worse`, how many it `held`, and its
    `dense` rank in the group (C4.2).
    """

    of_row: Ints
    size: Ints
    worse: Ints
    held: Ints
    dense: Ints

    def mp(self) -> Ints:
        """Matchpoints by row: 2 for every worse result of the group, 1 for every equal one (C3.2)."""
        by_cell: Ints = 2 * self.worse + self.held - 1
        return by_cell[self.of_row]


def compare(score: Ints, *group: Ints) -> Cells:
    """Compare the raw score of each row with all rows that agree with it in the columns of `group`."""
    key, bound = pack(*group, score)
    values, of_row, held = tally(key, bound)
    first = np.flatnonzero(np.diff(values // _span(score)[1], prepend=-1))  # first cell of each group
    cells = np.diff(first, append=values.size)
    before = np.cumsum(held) - held
    occupied = np.cumsum(held > 0)
    return Cells(
        of_row=of_row,
        size=np.repeat(np.add.reduceat(held, first), cells),
        worse=before - np.repeat(before[first], cells),
        held=held,
        dense=np.repeat(occupied[first + cells - 1] + 1, cells) - occupied,
    )


def pack(column: Ints, *columns: Ints) -> tuple[Ints, int]:
    """One integer from 0 up for each row, ordered as the columns are, first column first; and a bound above all."""
    low, bound = _span(column)
    key = column - low
    for then in columns:
        low, span = _span(then)
        if bound * span >= INT64:
            key = dense(key)
            bound = _span(key)[1]
        key *= span
        key += then
        key -= low
        bound *= span
    return key, bound


def _span(column: Ints) -> tuple[int, int]:
    """Least value, and the number of values from it to the greatest; (0, 1) for no rows."""
    if not column.size:
        return 0, 1
    low = int(column.min())
    return low, int(column.max()) - low + 1


def tally(key: Ints, bound: int) -> tuple[Ints, Ints, Ints]:
    """Values of `key` ascending, the index of each row's value, and how many rows hold each value.

    Counted where `bound` is small enough (then values that nobody holds appear with 0), else sorted.
    """
    if bound <= 4 * key.size + 1024:
        return np.arange(bound), key, np.bincount(key, minlength=bound)
    values, index, held = np.unique(key, return_inverse=True, return_counts=True)
    return values, index, held


def dense(values: Exact) -> Ints:
    """The place of each value among the distinct values, from 0."""
    return np.unique(values, return_inverse=True)[1]


def totals(index: Ints, values: Ints, size: int) -> Ints:
    """Sum of the values of each index below `size`."""
    sums = np.zeros(size, np.int64)
    np.add.at(sums, index, values)
    return sums


def distinct(column: Ints) -> tuple[Ints, Ints]:
    """Distinct values ascending, and the index of each row's value."""
    low, span = _span(column)
    values, index, held = tally(column - low, span)
    present = held > 0
    return values[present] + low, (np.cumsum(present) - 1)[index]


def exact_sums(who: Ints, numerator: Ints, denominator: Ints, size: int, common: int, limit: int) -> Exact:
    """Sum of the fractions of each `who` below `size`, over the denominator `common`.

    `common` is a multiple of every denominator, and `limit` bounds whatever the caller computes from the sums.
    """
    sums: Exact = np.zeros(size, np.int64 if limit < INT64 else object)
    parts, part_of = distinct(denominator)
    for index, part in enumerate(parts.tolist()):
        rows = part_of == index
        members, member_of = distinct(who[rows])
        sums[members] += totals(member_of, numerator[rows], members.size).astype(sums.dtype) * (
            common // part
        )
    return sums


def common_multiple(denominators: Ints) -> int:
    """Least common multiple, 1 for none."""
    return math.lcm(*distinct(denominators)[0].tolist())


def by_value(numerator: Exact, denominator: Exact) -> Ints:
    """Integers that compare as the fractions ≥ 0 do.

    Different fractions with denominators up to K lie at least 1/K² apart, so the floors of their K²-folds differ too.
    """
    scale = int(denominator.max(initial=1)) ** 2
    if numerator.dtype == object or int(numerator.max(initial=0)) * scale >= INT64:
        return dense(numerator.astype(object) * scale // denominator)
    scaled: Ints = numerator * scale // denominator
    return scaled


def split(ahead: Ints, key: Ints) -> Ints:
    """Break ties: `ahead` says how many stand strictly ahead of each; those with the same number are put in order of `key`.

    Lower keys go first, equal ones stay tied.
    """
    tied = np.flatnonzero(sharing(ahead) > 1)
    order = tied[np.lexsort((key[tied], ahead[tied]))]
    before, value = ahead[order], key[order]
    new_tie = np.diff(before, prepend=-1) != 0
    new_value = new_tie | (np.diff(value, prepend=0) != 0)
    place = np.arange(order.size)
    start = np.maximum.accumulate(np.where(new_value, place, 0))
    refined = ahead.copy()
    refined[order] = before + start - np.maximum.accumulate(np.where(new_tie, place, 0))
    return refined


def sharing(ahead: Ints) -> Ints:
    """How many, itself included, have as many ahead of them as each one has."""
    return np.bincount(ahead, minlength=1)[ahead]


def least(index: Ints, values: Ints, size: int) -> Ints:
    """The least value of each index below `size`, INT64 where there is none."""
    lowest = np.full(size, INT64)
    np.minimum.at(lowest, index, values)
    return lowest


def rows_by_owner(who: Ints, values: Ints, size: int, fill: int) -> Ints:
    """A matrix with one line for each `who` below `size`: its values ≥ 0 ascending, then `fill`."""
    held = np.bincount(who, minlength=size)
    lines = np.full((size, int(held.max(initial=0))), fill)
    span = _span(values)[1] + _span(values)[0]
    key = np.sort(who * span + values)
    owner = key // span
    lines[owner, np.arange(key.size) - (np.cumsum(held) - held)[owner]] = key % span
    return lines
