"""Seating: C1.3, C1.5, C6.1 to C6.4."""

from __future__ import annotations

from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.domain import Rejected
from services.games.championship.movement import (
    Seating,
    group_sizes,
    seat_against_machine,
    seat_by_lot,
    seat_by_rank,
)

LAYOUTS = ("row_snake", "column_snake")


def tables(seating: tuple[Seating, ...]) -> list[list[int | None]]:
    return [list(table.seats) for table in seating]


def test_C6_1_the_draw_is_laid_out_as_it_comes() -> None:
    assert tables(seat_by_lot([5, 3, 1, 2, 4, 7, 6], 3)) == [[5, 3, 1], [2, 4, 7], [6, None, None]]


def test_C6_2_the_first_entrants_go_to_the_first_group() -> None:
    seating = seat_by_rank(range(1, 25), 4, 3)
    assert [table.group for table in seating] == [1, 1, 2, 2, 3, 3]
    assert tables(seating) == [
        *([1, 2, 3, 4], [8, 7, 6, 5]),
        *([9, 10, 11, 12], [16, 15, 14, 13]),
        *([17, 18, 19, 20], [24, 23, 22, 21]),
    ]


def test_C6_2_earlier_groups_get_the_tables_that_are_left_over() -> None:
    assert group_sizes(11, 3) == (4, 4, 3)
    assert [table.group for table in seat_by_rank(range(15), 3, 2)] == [1, 1, 1, 2, 2]


def test_C6_3_the_snake_starts_anew_in_each_group() -> None:
    assert tables(seat_by_rank(range(1, 19), 3, 2)) == [
        *([1, 2, 3], [6, 5, 4], [7, 8, 9]),
        *([10, 11, 12], [15, 14, 13], [16, 17, 18]),
    ]


def test_C6_3_row_snake() -> None:
    assert tables(seat_by_rank(range(1, 17), 4)) == [
        [1, 2, 3, 4],
        [8, 7, 6, 5],
        [9, 10, 11, 12],
        [16, 15, 14, 13],
    ]


def test_C6_3_column_snake() -> None:
    n = 5
    assert tables(seat_by_rank(range(1, 4 * n + 1), 4, 1, "column_snake")) == [
        [t, 2 * n + 1 - t, 2 * n + t, 4 * n + 1 - t] for t in range(1, n + 1)
    ]


def test_C1_5_house_players_fill_the_last_tables() -> None:
    assert tables(seat_by_rank(range(1, 9), 3))[-1] == [7, 8, None]
    assert tables(seat_by_rank(range(1, 11), 3))[-1] == [None, None, 10]
    assert tables(seat_by_rank(range(1, 15), 4, 2))[-1] == [None, None, 14, 13]
    assert tables(seat_by_rank(range(1, 11), 4, 1, "column_snake")) == [
        [1, 6, 7, 10],
        [2, 5, 8, None],
        [3, 4, 9, None],
    ]
    assert tables(seat_by_rank([1], 4, 1, "column_snake")) == [[1, None, None, None]]


def test_C1_3_everybody_sits_in_the_same_seat_against_machines() -> None:
    seating = seat_against_machine([4, 2, 9], 3, 1, groups=2)
    assert tables(seating) == [[None, 4, None], [None, 2, None], [None, 9, None]]
    assert [table.group for table in seating] == [1, 1, 2]


@given(st.integers(1, 60), st.integers(1, 5), st.integers(1, 5), st.sampled_from(LAYOUTS))
def test_everybody_sits_once_and_groups_are_blocks_of_ranks(
    entrants: int, seats: int, groups: int, layout: str
) -> None:
    """C1.5, C6.2: at most seats − 1 house players, all in the last group, no table without an entrant."""
    if -(-entrants // seats) < groups:
        with pytest.raises(Rejected, match="GROUPS_OUT_OF_RANGE"):
            seat_by_rank(range(entrants), seats, groups, layout)
        return
    seating = seat_by_rank(range(entrants), seats, groups, layout)
    seated = [seat for table in seating for seat in table.seats]
    assert len(seated) - entrants == seated.count(None) < seats
    assert all(None not in table.seats for table in seating if table.group < groups)
    assert all(any(seat is not None for seat in table.seats) for table in seating)
    blocks = [
        sorted(seat for table in group for seat in table.seats if seat is not None)
        for _, group in groupby(seating, key=lambda table: table.group)
    ]
    assert [seat for block in blocks for seat in block] == list(range(entrants))
    with_house = [index for index, table in enumerate(seating) if None in table.seats]
    assert with_house == list(range(len(seating)))[len(seating) - len(with_house) :]


@given(st.integers(1, 10), st.integers(1, 5))
def test_C6_3_seat_columns_have_equal_rank_sums_when_the_tables_are_even(pairs: int, seats: int) -> None:
    columns = zip(*tables(seat_by_rank(range(2 * pairs * seats), seats)), strict=True)
    assert len({sum(seat for seat in column if seat is not None) for column in columns}) == 1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_seating_that_cannot_be_is_refused(layout: str) -> None:
    for order, seats, groups in (
        ([], 3, 1),
        ([1, 1], 2, 1),
        ([1, 2], 0, 1),
        ([1, 2], 101, 1),
        ([1, 2], 2, 0),
    ):
        with pytest.raises(Rejected):
            seat_by_rank(order, seats, groups, layout)
    with pytest.raises(Rejected, match="layout"):
        seat_by_rank([1], 1, 1, "spiral")
    with pytest.raises(Rejected, match="NO_SUCH_SEAT"):
        seat_against_machine([1], 3, 3)
