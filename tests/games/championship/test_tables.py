"""Tables of a round in every format (C1.3, C1.5, C6.1, C7, C8.1)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.domain import Rejected
from services.games.championship.meetings import Meeting, Round
from services.games.championship.tables import (
    EVEN_LINES,
    EVEN_PARTS,
    LINES_AFTER,
    MEETING,
    Plan,
    Tables,
    check,
    check_field,
    met,
    plan_of,
    schedule,
    seat_drawn,
    seat_ranked,
)
from tests.games.championship.rounds import balance

PAIRS = Plan("pairs", 4, 3)
TEAMS = Plan("teams", 4, 3)


def refused(call: object, *given_: object) -> tuple[str, str]:
    assert callable(call)
    with pytest.raises(Rejected) as told:
        call(*given_)
    return told.value.reason, told.value.clause


def test_C8_1_the_lot_pairs_neighbours_of_the_order_drawn() -> None:
    drawn = seat_drawn(Plan("points", 4, 5), 1, (5, 3, 1, 2, 4), {3})
    assert [(one.name, one.entrants) for one in drawn.tables] == [("t1", (5, 1, 5, 1)), ("t2", (4, 2, 4, 2))]
    assert drawn.byes == ()
    assert seat_drawn(PAIRS, 1, (5, 3, 1)).byes == (1,)


def test_C7_2_a_team_sits_in_two_rooms() -> None:
    (opened, closed) = seat_drawn(TEAMS, 1, (8, 9)).tables
    assert (opened.name, opened.entrants, opened.members) == ("t1-open", (8, 9, 8, 9), (0, 0, 1, 1))
    assert (closed.name, closed.entrants, closed.members) == ("t1-closed", (9, 8, 9, 8), (2, 2, 3, 3))


def test_C1_3_individuals_and_machines_as_before() -> None:
    assert [
        one.entrants for one in seat_drawn(Plan("individual", 4, 3, groups=9), 1, (1, 2, 3, 4, 5)).tables
    ] == [
        (1, 2, 3, 4),
        (5, 0, 0, 0),
    ]
    machine = Plan("machine", 4, 3, machine_seat=2)
    assert [one.entrants for one in seat_ranked(machine, (7, 3)).tables] == [(0, 0, 7, 0), (0, 0, 3, 0)]


def test_C7_1_strong_meets_strong_but_nobody_twice() -> None:
    played = [Round(1, (Meeting(1, 2, 1), Meeting(3, 4, 1)))]
    seated = seat_ranked(PAIRS, (1, 2, 3, 4), {1: 900, 2: 800, 3: 200, 4: 100}, played)
    assert {frozenset(one.entrants) for one in seated.tables} == {frozenset({1, 3}), frozenset({2, 4})}


def test_C7_1_lines_say_who_meets_as_the_method_of_the_event_has_it() -> None:
    """1 and 2 have sat in seats 0+2, and are to be even after the last round of pairs; neighbours meet before, and where lines
    compare nothing (C7.2, C8.1)."""
    played, scores = [Round(1, (Meeting(1, 3, 1), Meeting(2, 4, 1)))], {1: 900, 2: 800, 3: 200, 4: 100}

    def meetings(plan: Plan) -> set[frozenset[int]]:
        return {frozenset(one.entrants) for one in seat_ranked(plan, (1, 2, 3, 4), scores, played).tables}

    neighbours, even = {frozenset({1, 2}), frozenset({3, 4})}, {frozenset({1, 4}), frozenset({2, 3})}
    assert meetings(replace(PAIRS, rounds=2)) == even
    for plan in (PAIRS, replace(TEAMS, rounds=2), Plan("points", 4, 2), Plan("pairs", 4, 2, line_method=1)):
        assert meetings(plan) == neighbours


def test_C7_1_three_times_in_one_line_and_never_in_the_other() -> None:
    """Who has sat in seats 0+2 twice meets somebody else before it sits there again, in every format; not so in older events."""
    rounds = [
        Round(
            number,
            tuple(Meeting(one, other, number) for one, other in zip((1, 2, 3, 4), others, strict=True)),
        )
        for number, others in enumerate(((5, 6, 7, 8), (6, 5, 8, 7)), 1)
    ]
    order, scores = tuple(range(1, 9)), dict(zip(range(1, 9), range(80, 0, -10), strict=True))
    for plan in (Plan("pairs", 4, 5), Plan("teams", 4, 5), Plan("points", 4, 5)):
        for method, worst in ((EVEN_PARTS, 1), (EVEN_LINES, 1), (LINES_AFTER, 3)):
            tables = seat_ranked(replace(plan, line_method=method), order, scores, rounds).tables
            last = met(plan.format, 3, [one.entrants for one in tables])
            assert balance([*rounds, last]) == worst


def test_C7_1_large_fields_are_paired_as_the_method_of_the_event_has_it() -> None:
    """The last round of 160 pairs, the better half of whom sat in one line."""
    order, scores = range(1, 161), {one: 1000 - one for one in range(1, 161)}
    rounds = [Round(1, tuple(Meeting(one, one + 80, 1) for one in range(1, 81)))]
    for method, worst in ((EVEN_PARTS, 0), (EVEN_LINES, 2)):
        for form in ("pairs", "teams"):
            plan = Plan(form, 4, 2, line_method=method)
            tables = seat_ranked(plan, order, scores, rounds).tables
            last = met(form, 2, [one.entrants for one in tables])
            assert balance([*rounds, last]) == (worst if form == "pairs" else 2)


@pytest.mark.parametrize(
    ("form", "movement", "sizes"), [("pairs", "howell", range(3, 32)), ("teams", "round_robin", range(2, 17))]
)
def test_C7_1_lines_of_a_movement_that_is_cut_short_are_even(form: str, movement: str, sizes: range) -> None:
    """C7.3: the same meetings as without, in which somebody sat eight times in one line and never in the other."""
    worst = 0
    for size in sizes:
        for rounds in range(1, size + size % 2):
            plan, drawn = Plan(form, 4, rounds, movement=movement), range(size, 0, -1)
            even, before = schedule(plan, drawn), schedule(replace(plan, line_method=LINES_AFTER), drawn)
            assert balance(even) <= 1
            assert [_meetings(one) for one in even] == [_meetings(one) for one in before]
            if balance(before) <= 1:
                assert even == before
            worst = max(worst, balance(before))
    assert worst == (8 if movement == "howell" else 2)


def _meetings(one: Round) -> object:
    return one.number, [({each.first, each.second}, each.boards) for each in one.meetings], one.bye


def test_C7_1_what_a_later_version_made_is_not_paired_by_an_older_one() -> None:
    later = SimpleNamespace(ruleset="shengji/duplicate-2017", line_method=EVEN_PARTS + 1)
    assert refused(plan_of, later) == ("MOVEMENT_REFUSED", "C7.1")


def test_a_late_entrant_counts_as_the_lowest() -> None:
    """C1.6."""
    seated = seat_ranked(PAIRS, (1, 2, 3, 9), {1: 900, 2: 850, 3: 300})
    assert {frozenset(one.entrants) for one in seated.tables} == {frozenset({1, 2}), frozenset({3, 9})}


def test_C7_3_who_should_meet_somebody_that_withdrew_has_a_bye() -> None:
    plan = Plan("pairs", 4, 3, movement="mitchell")
    whole = seat_drawn(plan, 2, (1, 2, 3, 4, 5, 6))
    gone, left = whole.tables[0].entrants[:2]
    seated = seat_drawn(plan, 2, (1, 2, 3, 4, 5, 6), {gone})
    assert seated.byes == (left,)
    assert [one.entrants for one in seated.tables] == [one.entrants for one in whole.tables[1:]]
    assert refused(seat_drawn, plan, 4, (1, 2, 3, 4, 5, 6)) == ("NO_SUCH_ROUND", "C7.3")
    staying = tuple(one.entrants[0] for one in whole.tables)
    assert seat_drawn(plan, 2, (1, 2, 3, 4, 5, 6), {1, 2, 3, 4, 5, 6}.difference(staying)) == Tables(
        (), staying
    )
    assert refused(seat_drawn, plan, 2, (1, 2, 3, 4, 5, 6), {1, 2, 3, 4, 5})[0] == "EMPTY_FIELD"


@pytest.mark.parametrize(
    ("plan", "entrants", "told"),
    [
        (PAIRS, 1, ("EMPTY_FIELD", "C7")),
        (Plan("pairs", 4, 3, movement="mitchell"), 4, ("ROUNDS_OUT_OF_RANGE", "C7.3")),
        (Plan("pairs", 4, 9, movement="howell"), 8, ("ROUNDS_OUT_OF_RANGE", "C7.3")),
        (Plan("teams", 4, 3, movement="round_robin"), 17, ("FIELD_TOO_LARGE", "C7.3")),
        (Plan("teams", 4, 6, movement="round_robin"), 5, ("ROUNDS_OUT_OF_RANGE", "C7.3")),
    ],
)
def test_a_field_that_a_movement_is_not_made_for(plan: Plan, entrants: int, told: tuple[str, str]) -> None:
    assert refused(check_field, plan, entrants) == told


def test_tables_that_are_none_of_the_format() -> None:
    lined, both = (0, 0, 1, 1), ((1, 2, 1, 2), (0, 0, 1, 1))
    for form, tables in (
        ("pairs", [((1, 2, 2, 1), lined)]),
        ("pairs", [((1, 1, 1, 1), lined)]),
        ("pairs", [((1, 0, 1, 0), lined)]),
        ("pairs", [((1, 2, 1), (0, 0, 1))]),
        ("pairs", [((1, 2, 1, 2), ())]),
        ("pairs", [((1, 2, 1, 2), (0, 0, 0, 1))]),
        ("points", [both, ((2, 1, 2, 1), (2, 2, 3, 3))]),
        ("teams", [both]),
        ("teams", [both, ((1, 2, 1, 2), (2, 2, 3, 3))]),
        ("teams", [both, ((2, 1, 2, 1), (1, 2, 3, 3))]),
    ):
        assert refused(check, form, tables)[0] == "SEATING_WRONG", tables
    check("teams", [both, ((2, 1, 2, 1), (2, 2, 3, 3))])
    check("individual", [((1, 2, 3, 4), ())])


@given(
    st.sampled_from([PAIRS, TEAMS, Plan("points", 4, 5), Plan("individual", 4, 3), Plan("individual", 3, 3)]),
    st.integers(4, 60),
    st.randoms(use_true_random=False),
)
def test_everybody_has_a_place_and_every_person_one_seat(plan: Plan, entrants: int, chance: object) -> None:
    """C1.5, C7, and back again: tables say who met whom."""
    field = list(range(1, entrants + 1))
    chance.shuffle(field)  # type: ignore[attr-defined]
    for seated in (seat_drawn(plan, 1, field), seat_ranked(plan, field, dict.fromkeys(field, 1))):
        _check(plan, seated, entrants)


def _check(plan: Plan, seated: Tables, entrants: int) -> None:
    check(plan.format, [(one.entrants, one.members) for one in seated.tables])
    seats = Counter(number for one in seated.tables for number in one.entrants if number)
    assert sorted([*seats, *seated.byes]) == list(range(1, entrants + 1))
    assert set(seats.values()) == {{"pairs": 2, "points": 2, "teams": 4}.get(plan.format, 1)}
    assert len(seated.byes) == (entrants % 2 if plan.format in MEETING else 0)
    meetings = met(plan.format, 1, [one.entrants for one in seated.tables], seated.byes)
    assert len(meetings.meetings) == (entrants // 2 if plan.format in MEETING else 0)
    assert meetings.bye == (seated.byes[0] if seated.byes else None)
