"""Pairs: lines compare within their line (C7.1), byes in percent (C1.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from services.domain import Rejected
from services.games.championship.explain import traveller
from services.games.championship.pairs import by_line, with_byes
from services.games.championship.params import Params
from services.games.championship.results import Assigned, Facts, Penalised, TableResult
from services.games.championship.standings import Standing, standings
from tests.games.championship.fields import result

PARAMS = Params()


def table(pairs: str, score: int, board: int = 1, in_round: int = 1) -> TableResult:
    """A table of four from `first second`: raw scores of S9.6, by seat, as a table service gives them."""
    one, other = pairs.split()
    given = result(
        f"{one} {other} {one} {other}", f"{score} {-score} {score} {-score}", "10 20 30 50", in_round, board
    )
    return replace(given, table=f"r{in_round}b{board} {pairs}")


def facts(*tables: TableResult) -> Facts:
    return Facts(tuple(map(by_line, tables)))


def of(entrant: int, given: Facts, params: Params = PARAMS) -> Standing:
    return next(each for each in standings(given, params) if each.entrant == entrant)


def test_C7_1_a_table_has_two_lines() -> None:
    line = by_line(replace(table("7 3", 25), taken_over=(3,)))
    assert (line.seats, line.scores, line.micros) == ((7, 3), (25, -25), (40_000_000, 70_000_000))
    assert line.play_micros == line.micros
    assert line.taken_over == (1,)
    assert by_line(replace(table("7 3", 25), taken_over=(2, 0))).taken_over == (0,)


def test_C7_1_unfinished_boards_and_missing_times_stay_so() -> None:
    line = by_line(replace(table("7 3", 25), scores=(), play_micros=()))
    assert (line.seats, line.scores, line.play_micros) == ((7, 3), (), ())


@pytest.mark.parametrize(
    "wrong",
    [
        result("1 2 3", "0 0 0"),
        result("1 2 1 3", "0 0 0 0"),
        result("1 2 1 2", "5 -5 4 -5"),
    ],
)
def test_C7_1_other_tables_are_refused(wrong: TableResult) -> None:
    with pytest.raises(Rejected, match="NO_PAIRS"):
        by_line(wrong)


def test_C7_1_lines_compare_within_their_line() -> None:
    """Three tables, one board: seats 0+2 scored 40, 10, −20, seats 1+3 the opposite."""
    given = facts(table("1 2", 40), table("3 4", 10), table("5 6", -20))
    assert [(each.entrant, each.tenths) for each in standings(given, PARAMS)] == [
        *[(1, 1000), (6, 1000)],
        *[(3, 500), (4, 500)],
        *[(5, 0), (2, 0)],
    ]
    assert {unit.entrant: unit.seat for unit in traveller(given, PARAMS, 1, 1)} == {
        1: 0,
        3: 0,
        5: 0,
        2: 1,
        4: 1,
        6: 1,
    }


def test_C4_1_the_other_line_is_the_opponent() -> None:
    given = facts(table("1 2", 40), table("3 4", 10), table("5 6", -20))
    assert [of(entrant, given).beaten_count for entrant in range(1, 7)] == [1, 0, 1, 0, 0, 1]
    assert of(1, given).beaten_sum == of(2, given).tenths


LOW = (table("1 2", 40), table("3 4", 10), table("5 6", -20))


def byed(
    *byes: tuple[int, int], tables: Sequence[TableResult] = LOW, boards: int = 1, params: Params = PARAMS
) -> Facts:
    return with_byes(facts(*tables), params, byes, boards)


def test_C1_5_a_bye_is_worth_the_mean_of_the_other_results() -> None:
    """It leaves it as it is, to the last digit of a third."""
    tables = [table(f"{entrant} {entrant + 1}", score) for entrant, score in ((1, 5), (3, 3), (5, 1), (7, 0))]
    given = byed((3, 2), (1, 2), tables=tables)
    assert of(3, given).exact == Fraction(2, 3)
    assert standings(given, PARAMS) == standings(facts(*tables), PARAMS)


def test_C1_5_and_at_least_half() -> None:
    """Entrant 5 has 0 % on one board, then a bye of 1, of 3 boards."""
    assert of(5, byed((5, 2))).exact == Fraction(1, 4)
    assert of(5, byed((5, 2), boards=3)).exact == Fraction(3, 8)
    assert of(5, byed((5, 2), (5, 3))).exact == Fraction(1, 3)
    assert of(5, byed((5, 2))).units == 2


def test_C1_5_a_bye_alone_is_worth_half() -> None:
    assert (of(9, byed((9, 1))).tenths, of(9, byed((9, 1))).units) == (500, 1)


def test_C1_5_a_bye_follows_the_results_to_come() -> None:
    """Entrant 5 has 0 % in round 1, a bye in round 2, and 100 % on three boards of round 3."""
    later = [
        table(pairs, score, board, 3)
        for board in (1, 2, 3)
        for pairs, score in (("5 1", 9), ("6 2", 0), ("3 4", 0))
    ]
    assert of(5, byed((5, 2))).exact == Fraction(1, 4)
    assert of(5, byed((5, 2), tables=(*LOW, *later))).exact == Fraction(3, 4)


def test_C1_5_rulings_count_and_penalties_come_off_afterwards() -> None:
    given = facts(*LOW)
    ruled = replace(given, rulings=(Assigned(4, 5, 1, 1, 600), Penalised(9, "late", 5, 200)))
    assert with_byes(ruled, PARAMS, [(5, 2)], 2) == replace(ruled, entrants=(5,))
    assert of(5, ruled).tenths == 400
    penalised = replace(given, rulings=(Penalised(9, "late", 5, 200),))
    added = with_byes(penalised, PARAMS, [(5, 2)], 2).rulings[1:]
    assert added == (Assigned(10, 5, 2, 1, 500), Assigned(11, 5, 2, 2, 500))


def test_C1_5_C3_0_a_bye_of_sessions() -> None:
    """Two boards make a session: a bye of four boards is two sessions of 50 %."""
    params = Params(mp_unit="session", boards_per_session=2)
    tables = [
        table(pairs, score, board)
        for board in (1, 2)
        for pairs, score in (("1 2", 4), ("3 4", 1), ("5 6", -9))
    ]
    given = byed((5, 2), tables=tables, boards=4, params=params)
    assert (of(5, given, params).exact, of(5, given, params).units) == (Fraction(1, 3), 3)
