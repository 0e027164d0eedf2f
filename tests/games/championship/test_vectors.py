"""Laws of the exact column arithmetic, each against plain Python."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from services.games.championship import matchpoints as mp
from services.games.championship.vectors import (
    Ints,
    by_value,
    compare,
    distinct,
    pack,
    rows_by_owner,
    sharing,
    split,
)

wide = st.integers(-(10**9), 10**9) | st.integers(-2, 2)
scores = st.lists(st.integers(-5, 5), min_size=1, max_size=30)


def column(values: list[int]) -> Ints:
    return np.array(values, np.int64)


@given(st.lists(scores, max_size=6), st.booleans())
def test_comparing_all_groups_at_once_is_comparing_each(groups: list[list[int]], far: bool) -> None:
    """C3.2, C4.2: one call for the field gives what each group gives, counted or sorted."""
    distance = 10**8 if far else 1
    group = column([index * distance for index, held in enumerate(groups) for _ in held])
    score = column([own * distance for held in groups for own in held])
    cells = compare(score, group)
    assert cells.mp().tolist() == [points for held in groups for points in mp.matchpoints(held)]
    assert cells.dense[cells.of_row].tolist() == [rank for held in groups for rank in mp.dense_ranks(held)]
    assert cells.size[cells.of_row].tolist() == [len(held) for held in groups for _ in held]


@given(st.lists(st.tuples(wide, wide, wide, wide), max_size=20))
def test_packed_columns_order_as_tuples_do(rows: list[tuple[int, int, int, int]]) -> None:
    columns = [column([row[index] for row in rows]) for index in range(4)]
    key, bound = pack(*columns)
    assert sorted(range(len(rows)), key=rows.__getitem__) == np.argsort(key, kind="stable").tolist()
    assert len(set(key.tolist())) == len(set(rows))
    assert all(0 <= value < bound for value in key.tolist())


@given(st.lists(wide, max_size=20))
def test_distinct_values_and_where_they_are(values: list[int]) -> None:
    found, index = distinct(column(values))
    assert found.tolist() == sorted(set(values))
    assert found[index].tolist() == values


@given(st.lists(st.tuples(st.integers(0, 10**17), st.integers(1, 100)), max_size=20), st.integers(0, 3))
def test_fractions_compare_by_value(pairs: list[tuple[int, int]], nudge: int) -> None:
    """Also such as differ by little, and such as overflow int64 when multiplied out."""
    pairs += [(numerator + nudge, denominator) for numerator, denominator in pairs]
    keys = by_value(column([pair[0] for pair in pairs]), column([pair[1] for pair in pairs])).tolist()
    values = [Fraction(*pair) for pair in pairs]
    assert all(
        (keys[one] < keys[other]) == (values[one] < values[other])
        for one in range(len(pairs))
        for other in range(len(pairs))
    )


def test_neighbouring_fractions_are_told_apart() -> None:
    """1/K(K−1) apart, which a fold by K would lose."""
    assert len(set(by_value(column([96, 95, 96]), column([97, 96, 97])).tolist())) == 2


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(-2, 2)), max_size=20))
def test_splitting_twice_orders_by_both_keys(keys: list[tuple[int, int]]) -> None:
    ahead = split(column([0] * len(keys)), column([key[0] for key in keys]))
    ahead = split(ahead, column([key[1] for key in keys]))
    assert ahead.tolist() == [sum(other < key for other in keys) for key in keys]
    assert sharing(ahead).tolist() == [keys.count(key) for key in keys]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 9)), max_size=20))
def test_each_owner_has_a_line_of_its_values(pairs: list[tuple[int, int]]) -> None:
    lines = rows_by_owner(column([pair[0] for pair in pairs]), column([pair[1] for pair in pairs]), 5, 99)
    for owner, line in enumerate(lines.tolist()):
        own = sorted(value for who, value in pairs if who == owner)
        assert line == own + [99] * (len(line) - len(own))
