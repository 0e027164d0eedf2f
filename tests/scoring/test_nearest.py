"""The nearest value that changes something (C10.6)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from services.games.championship import standings
from services.games.championship.matchpoints import published
from services.games.championship.params import Params
from services.games.championship.results import Assigned, Facts
from services.scoring.nearest import above, below, first, reaching


@given(st.integers(1, 300), st.integers(0, 320), st.sets(st.integers(0, 300)))
def test_the_first_that_holds_is_found_whatever_is_marked(size: int, begins: int, marks: set[int]) -> None:
    values, asked = range(size), list[int]()

    def holds(value: int) -> bool:
        asked.append(value)
        return value >= begins

    assert first(values, marks, holds) == (begins if begins < size else None)
    assert len(set(asked)) <= 2 + 2 * size.bit_length()


def test_of_nothing_nothing_is_the_first() -> None:
    assert first([], {1}, lambda value: True) is None


ROWS = standings.standings(
    Facts((), tuple(Assigned(n, n, 1, 1, tenths) for n, tenths in enumerate((900, 700, 700, 300), 1))),
    Params(),
)


def test_results_with_which_an_entrant_rises_or_falls() -> None:
    best, second, _, last = ROWS
    assert [row.rank for row in ROWS] == [1, 2, 2, 4]
    assert list(above(ROWS, best, 0)) == [901]
    assert list(above(ROWS, second, 0)) == [701, 900, 901]
    assert list(below(ROWS, second, 0)) == [699, 300, 299]
    assert list(below(ROWS, last, 0)) == [299]
    # Across a line: to come level with whoever is on it, or past.
    assert list(above(ROWS, last, 2)) == [700, 701]
    assert list(below(ROWS, last, 2)) == []
    assert list(above(ROWS, second, 2)) == []
    assert list(below(ROWS, second, 2)) == [300, 299]


@given(
    st.integers(1, 30), st.integers(0, 1000), st.integers(0, 1000), st.integers(0, 1000), st.integers(1, 4)
)
def test_a_percentage_just_reaches_the_result_that_is_wanted(
    units: int, now: int, rest: int, wanted: int, boards: int
) -> None:
    """C3.5: half up, of as many units as the boards are of."""
    boards = min(boards, units)
    others = Fraction(rest * (units - boards), 1000 * units)

    def result(tenths: int) -> int:
        return published(others + Fraction(tenths * boards, 1000 * units))

    row = ROWS[0]
    own = replace(
        row, units=units, tenths=result(now), exact=others + Fraction(now * boards, 1000 * units), penalty=0
    )
    tenths = reaching(own, now, boards, wanted)
    if wanted > own.tenths:
        assert result(tenths) >= wanted > result(tenths - 1)
    elif wanted < own.tenths and tenths >= 0:
        assert result(tenths) <= wanted < result(tenths + 1)
