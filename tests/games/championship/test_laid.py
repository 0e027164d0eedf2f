"""Results read into columns once give under any rulings what the same results give by themselves."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings

from services.games.championship import contest as c
from services.games.championship.contest import Contest, Terms
from services.games.championship.params import Params
from services.games.championship.results import Corrected, Facts, Voided
from services.games.championship.standings import Standing
from services.games.championship.tables import INDIVIDUAL, PAIRS
from tests.games.championship.fields import all_params, fields, result


def contest(facts: Facts, params: Params, form: str = INDIVIDUAL, rounds: int = 3) -> Contest:
    seats = {(1, one.table): tuple(seat or 0 for seat in one.seats) for one in facts.results}
    return Contest(Terms(form, params, 4, rounds), facts, seats)


@settings(max_examples=200, deadline=None)
@given(fields(), all_params)
def test_C2_2_rulings_over_columns_come_to_what_rulings_over_results_do(facts: Facts, params: Params) -> None:
    whole = contest(facts, params)
    read = c.under(c.reading(replace(whole, facts=replace(facts, rulings=()))), facts.rulings)
    assert read.read is not None
    ours, theirs = c.reckon(read), c.reckon(whole)
    assert ours.order == theirs.order
    for row in theirs.order:
        assert ours.explained(row.entrant) == theirs.explained(row.entrant)


def test_a_ruling_touches_its_own_table_of_its_own_board_and_no_other() -> None:
    """C10.6: tables of one name play many boards."""
    boards = [result("1 2", "3 -3", board=number, table="t1") for number in (1, 2)]
    boards += [result("3 4", "1 -1", board=number, table="t2") for number in (1, 2)]
    read = c.reading(contest(Facts(tuple(boards)), Params()))
    corrected = c.reckon(c.under(read, (Corrected(1, 1, 2, "t1", (0, 0)), Voided(2, 1, 1, "nowhere", ()))))
    assert [row.tenths for row in corrected.order if isinstance(row, Standing)] == [500, 500, 500, 500]


def test_what_more_is_needed_for_than_seats_and_boards_stays_as_it_is() -> None:
    """C7.1, C4.5: lines of pairs, and rounds after the last."""
    facts = Facts((result("1 2 1 2", "3 -3 3 -3"),))
    for other in (contest(facts, Params(), PAIRS), contest(facts, Params(), rounds=0)):
        assert c.reading(other) is other
