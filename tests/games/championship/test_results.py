"""Facts and rulings: what counts in the end (C1.6, C1.7, C2.2, C10.6)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from services.domain import Rejected
from services.games.championship.explain import explain, traveller
from services.games.championship.params import Params
from services.games.championship.results import (
    NO_FAULT,
    OWN_FAULT,
    SHARED_FAULT,
    Assigned,
    Corrected,
    Facts,
    Penalised,
    Ruling,
    Voided,
    in_order,
    settle,
)
from services.games.championship.standings import Standing, standings
from tests.games.championship.fields import alone, result

TABLE = result("1 2 3", "4 -2 -2", "10 20 30", table="a")
OTHER = result("4 5 6", "-2 4 -2", "10 20 30", table="b")
FACTS = Facts((TABLE, OTHER))


def tenths(*rulings: Ruling, facts: Facts = FACTS) -> dict[int, int]:
    return {each.entrant: each.tenths for each in standings(replace(facts, rulings=rulings), Params())}


def of(entrant: int, facts: Facts) -> Standing:
    return next(each for each in standings(facts, Params()) if each.entrant == entrant)


def test_without_rulings_results_stand() -> None:
    assert settle(FACTS).results == (TABLE, OTHER)
    assert tenths() == {1: 1000, 5: 1000, 3: 500, 6: 500, 2: 0, 4: 0}


def test_C2_2_percentages_by_fault() -> None:
    assert (NO_FAULT, SHARED_FAULT, OWN_FAULT) == (600, 500, 400)


def test_C2_2_a_voided_board_is_left_out_and_its_entrants_get_percentages() -> None:
    void = Voided(1, 1, 1, "a", (OWN_FAULT, NO_FAULT, SHARED_FAULT))
    assert tenths(void) == {1: 400, 2: 600, 3: 500, 4: 500, 5: 500, 6: 500}
    voided = of(1, replace(FACTS, rulings=(void,)))
    assert (voided.units, voided.boards, voided.micros, voided.ranks) == (1, 0, 0, ())
    assert (voided.beaten_count, of(5, replace(FACTS, rulings=(void,))).beaten_count) == (0, 2)


def test_C2_2_a_board_closed_unfinished_gives_60_percent_until_ruled() -> None:
    facts = Facts((replace(TABLE, scores=(), micros=(), play_micros=()), OTHER))
    assert tenths(facts=facts) == {1: 600, 2: 600, 3: 600, 4: 500, 5: 500, 6: 500}
    assert tenths(Assigned(1, 3, 1, 1, OWN_FAULT), facts=facts)[3] == 400
    assert tenths(Corrected(1, 1, 1, "a", (4, -2, -2)), facts=facts) == tenths()


@pytest.mark.parametrize("times", ["all_decisions", "plays"])
def test_C2_2_C4_3_a_board_closed_unfinished_and_corrected_has_no_time_of_either_kind(times: str) -> None:
    untimed = replace(TABLE, scores=(), micros=(), play_micros=())
    facts = Facts((untimed, OTHER), (Corrected(1, 1, 1, "a", (4, -2, -2)),))
    order = standings(facts, Params(thinking_time=times))
    assert {one.entrant: one.tenths for one in order} == tenths()
    assert [one.micros for one in order if one.entrant in (1, 2, 3)] == [0, 0, 0]


def test_C2_2_an_assigned_percentage_stands_instead_of_the_score() -> None:
    facts = replace(FACTS, rulings=(Assigned(1, 1, 1, 1, 600),))
    assert tenths(*facts.rulings) == {1: 600, 4: 500, 5: 1000, 3: 500, 6: 500, 2: 0}
    assert (of(1, facts).boards, of(1, facts).micros, of(1, facts).beaten_count) == (0, 0, 0)
    assert of(2, facts).boards == 1  # the others of the table keep theirs
    told = explain(facts, Params(), 1)
    assert [(unit.assigned, unit.tenths, unit.top) for unit in told.units] == [(True, 600, 0)]
    assert [unit.assigned for unit in traveller(facts, Params(), 1, 1)] == [False] * 5 + [True]


def test_C2_2_percentages_average_with_played_boards() -> None:
    facts = Facts((*alone({1: 1, 2: 0}, 1),), (Assigned(1, 1, 1, 2, 600),))
    assert tenths(*facts.rulings, facts=facts) == {1: 800, 2: 0}


def test_C10_6_the_last_ruling_counts_by_number() -> None:
    void, correct = Voided(7, 1, 1, "a", (400, 400, 400)), Corrected(9, 1, 1, "a", (-2, 4, -2))
    assert tenths(void, correct) == tenths(correct, void) == {2: 500, 5: 500, 1: 500, 4: 500, 3: 500, 6: 500}
    assert tenths(replace(void, number=10), correct)[1] == 400


def test_C10_6_a_replayed_attempt_counts_instead_of_the_first() -> None:
    again = replace(TABLE, table="c", attempt=2, scores=(-2, -2, 4))
    facts = Facts((TABLE, OTHER, again))
    assert tenths(Voided(1, 1, 1, "a"), facts=facts) == dict.fromkeys(range(1, 7), 500)
    with pytest.raises(Rejected, match="PLAYED_TWICE"):
        tenths(facts=facts)


def test_C2_2_a_replay_closed_unfinished_gives_60_percent_as_well() -> None:
    """The ruling that had the board played again took the first attempt away, and says nothing of this one."""
    again = replace(TABLE, table="a-a2", attempt=2, scores=(), micros=())
    for first in (TABLE, replace(TABLE, scores=(), micros=())):
        facts, order = Facts((first, OTHER, again)), Voided(2, 1, 1, "a")
        assert tenths(order, facts=facts) == {1: 600, 2: 600, 3: 600, 4: 500, 5: 500, 6: 500}
        assert tenths(Assigned(1, 3, 1, 1, OWN_FAULT), order, facts=facts)[3] == 600  # lifted with it
        assert tenths(order, Assigned(3, 3, 1, 1, OWN_FAULT), facts=facts)[3] == 400
        assert tenths(order, Voided(3, 1, 1, "a-a2", (400, 500, 600)), facts=facts)[1] == 400
        assert tenths(order, Corrected(3, 1, 1, "a-a2", (4, -2, -2)), facts=facts)[1] == 500


def test_C10_6_penalties_come_off_the_result_until_lifted() -> None:
    late = Penalised(1, "late", 1, 50)
    other = Penalised(2, "noise", 1, 8)
    assert tenths(late, other)[1] == 942
    assert tenths(late, other, Penalised(3, "late", 1, 0))[1] == 992
    assert tenths(Penalised(1, "late", 2, 50))[2] == 0
    assert of(1, replace(FACTS, rulings=(late, other))).penalty == 58


def test_C1_7_a_seat_taken_over_counts_up_to_the_last_board_the_entrant_finished() -> None:
    later = replace(TABLE, board=2, taken_over=(0,))
    facts = Facts((TABLE, OTHER, later, replace(OTHER, board=2)))
    assert (of(1, facts).units, of(1, facts).boards, of(2, facts).boards) == (1, 1, 2)
    unfinished = replace(later, scores=())
    assert of(1, Facts((TABLE, OTHER, unfinished))).units == 1  # no 60 % for a board that was not its own


def test_C1_6_results_of_a_withdrawn_entrant_stay_in_the_comparison() -> None:
    later = (*alone({1: 3, 2: 1, 3: 0}, 1), *alone({2: 1, 3: 0}, 2, in_round=2))
    assert tenths(facts=Facts(later)) == {1: 1000, 2: 750, 3: 0}


def test_a_ruling_on_a_table_without_a_result_changes_nothing_yet() -> None:
    assert tenths(Corrected(1, 1, 1, "z", (0, 0, 0)), Voided(2, 9, 9, "a")) == tenths()


def test_results_in_canonical_order() -> None:
    results = [replace(TABLE, round=r, board=b, table=t) for t in "ba" for b in (2, 1) for r in (2, 1)]
    assert [each.key for each in in_order(results)] == [
        (r, b, t) for r in (1, 2) for b in (1, 2) for t in ("a", "b")
    ]


@pytest.mark.parametrize(
    ("rulings", "reason"),
    [
        ((Assigned(1, 1, 1, 1, 1001),), "PERCENT_OUT_OF_RANGE"),
        ((Voided(1, 1, 1, "a", (600, 600, -1)),), "PERCENT_OUT_OF_RANGE"),
        ((Penalised(1, "late", 1, 1001),), "PERCENT_OUT_OF_RANGE"),
        ((Corrected(1, 1, 1, "a", (1, -1)),), "RULING_OF_WRONG_LENGTH"),
        ((Corrected(1, 1, 1, "a", ()),), "RULING_OF_WRONG_LENGTH"),
        ((Voided(1, 1, 1, "a", (600,)),), "RULING_OF_WRONG_LENGTH"),
        ((Voided(1, 1, 1, "a"), Assigned(1, 1, 1, 1, 600)), "RULING_TWICE"),
    ],
)
def test_rulings_that_make_no_sense_are_refused(rulings: tuple[Ruling, ...], reason: str) -> None:
    with pytest.raises(Rejected, match=reason):
        tenths(*rulings)
