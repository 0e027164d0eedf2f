"""Standings of every format from one kind of facts, their terms and digests (C1.5, C3, C7, C8)."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.domain import Rejected
from services.games.championship import contest as c
from services.games.championship.contest import Contest, Match, Played, Terms
from services.games.championship.explain import Explanation
from services.games.championship.league import Placing
from services.games.championship.params import Params
from services.games.championship.points import MatchResult
from services.games.championship.results import Corrected, Facts, Penalised, TableResult, Voided
from services.games.championship.standings import Standing

Seats = dict[tuple[int, str], tuple[int, ...]]


def result(table: str, seats: tuple[int, ...], score: int, board: int = 1, round_: int = 1) -> TableResult:
    scores = (score, -score) * (len(seats) // 2)
    return TableResult(round_, 1, board, table, seats, scores, tuple(1_000 * seat for seat in seats))


def pairs(*rulings: Corrected | Voided | Penalised, byes: tuple[tuple[int, int], ...] = ()) -> Contest:
    """Two tables of pairs on two boards; the first line does better at the first table on both."""
    seats: Seats = {(1, "r1-t1"): (1, 2, 1, 2), (1, "r1-t2"): (3, 4, 3, 4)}
    results = tuple(
        result(table, who, score, board)
        for (_, table), who in seats.items()
        for board, score in ((1, 20 if table == "r1-t1" else 10), (2, 5 if table == "r1-t1" else -5))
    )
    return Contest(Terms("pairs", Params(), 2, 3), Facts(results, rulings, (1, 2, 3, 4, 5)), seats, byes)


def percents(contest: Contest) -> dict[int, int]:
    return {row.entrant: row.tenths for row in c.order(contest) if isinstance(row, Standing)}


def test_C7_1_pairs_compare_within_their_line() -> None:
    assert percents(pairs()) == {1: 1000, 4: 1000, 2: 0, 3: 0, 5: 0}
    told = c.explain(pairs(), 1)
    assert isinstance(told, Explanation)
    assert [(unit.seat, unit.score, unit.size, unit.mp) for unit in told.units] == [
        (0, 20, 2, 2),
        (0, 5, 2, 2),
    ]
    assert {(term.entrant, term.seat, term.mp) for term in c.traveller(pairs(), 1, 1)} == {
        (1, 0, 2),
        (3, 0, 0),
        (2, 1, 0),
        (4, 1, 2),
    }


def test_C1_5_a_bye_of_pairs_is_worth_the_mean_or_half() -> None:
    assert percents(pairs(byes=((5, 1),)))[5] == 500
    assert c.reckon(pairs(byes=((5, 1),))).byes_of(5) == (1,)
    better = pairs(byes=((1, 2), (2, 2)))
    assert percents(better)[1] == 1000
    assert percents(better)[2] == 250  # 0, 0 and twice 50


def test_C1_5_a_standing_of_pairs_tells_its_byes_and_the_digest_does_not() -> None:
    contest = pairs(byes=((1, 2), (2, 2), (1, 3)))
    rows = c.order(contest)
    assert {row.entrant: row.byes for row in rows} == {1: 2, 2: 1, 3: 0, 4: 0, 5: 0}
    told = c.explain(contest, 1)
    assert isinstance(told, Explanation)
    assert told.standing.byes == 2
    untold = tuple(replace(row, byes=0) for row in rows if isinstance(row, Standing))
    assert c.digest(untold) == c.digest(rows)


def test_rulings_on_pairs_are_given_by_seat() -> None:
    """C2.2, C10.6."""
    swapped = Corrected(1, 1, 1, "r1-t1", (0, 0, 0, 0))
    assert percents(pairs(swapped)) == {1: 500, 2: 500, 3: 500, 4: 500, 5: 0}
    void = Voided(1, 1, 1, "r1-t1", (600, 400, 600, 400))
    # Board 1 alone is compared with nobody at the other table.
    assert percents(pairs(void)) == {1: 800, 2: 200, 3: 250, 4: 750, 5: 0}
    with pytest.raises(Rejected) as refused:
        c.order(pairs(Corrected(1, 1, 1, "r1-t1", (1, 0, -1, 0))))
    assert (refused.value.reason, refused.value.clause) == ("NO_PAIRS", "C7.1")


def placed(contest: Contest, *entrants: int) -> list[tuple[str, int]]:
    """Points and net of entrants."""
    rows = {row.entrant: row for row in c.order(contest) if isinstance(row, Placing)}
    return [(str(rows[one].points), rows[one].net) for one in entrants]


def teams(byes: tuple[tuple[int, int], ...] = ()) -> Contest:
    """A match of two boards: +30 in the open room, -10 in the closed one where the other team has seats 0 and 2."""
    seats: Seats = {(1, "r1-t1-open"): (1, 2, 1, 2), (1, "r1-t1-closed"): (2, 1, 2, 1)}
    results = (
        result("r1-t1-open", (1, 2, 1, 2), 30, 1),
        result("r1-t1-closed", (2, 1, 2, 1), -10, 1),
        result("r1-t1-open", (1, 2, 1, 2), -5, 2),
        result("r1-t1-closed", (2, 1, 2, 1), -5, 2),
    )
    return Contest(Terms("teams", Params(), 2, 3), Facts(results, (), (1, 2, 3)), seats, byes)


def test_C7_2_teams_have_match_points_and_differences() -> None:
    assert placed(teams(((3, 1),)), 1, 2, 3) == [("2", 40), ("0", -40), ("1", 0)]
    told = c.explain(teams(), 2)
    assert isinstance(told, Played)
    (term,) = told.matches
    assert (term.first, term.second, term.points, term.net) == (2, 1, (0, 2), -40)
    assert term.table == "r1-t1-open"
    assert [(swing.board, swing.difference) for swing in term.swings] == [(1, -40), (2, 0)]
    assert c.traveller(teams(), 1, 1) == ()


def points(*matches: Match, byes: tuple[tuple[int, int], ...] = (), a_is_a_level: bool = False) -> Contest:
    seats: Seats = {(1, "r1-t1"): (1, 2, 1, 2), (1, "r1-t2"): (3, 4, 3, 4)}
    params = Params(a_is_a_level=a_is_a_level)
    return Contest(Terms("points", params, 0, 5), Facts((), (), (1, 2, 3, 4, 5)), seats, byes, matches)


WON = Match(1, "r1-t1", MatchResult(0, ("A", "7"), "S9.5"), 9)


def test_C8_2_C8_4_the_seeds_example() -> None:
    """The winner at A, the loser at 7: three points and six net levels; seven where A is a level."""
    assert placed(points(WON), 1, 2) == [("3", 6), ("0", -6)]
    assert placed(points(WON, a_is_a_level=True), 1, 2) == [("3", 7), ("0", -7)]
    told = c.explain(points(WON), 2)
    assert isinstance(told, Played)
    assert [(term.second, term.levels, term.deals) for term in told.matches] == [(1, ("7", "A"), 9)]
    assert c.matches(points(WON)) == (told.matches[0].turned(),)
    assert c.matches(pairs()) == ()


def test_a_ruling_on_a_match_replaces_what_its_table_said() -> None:
    """C9.2."""
    ruled = Match(1, "r1-t1", MatchResult(1, ("7", "A"), "C9.2"))
    assert placed(points(WON, ruled), 1, 2) == [("0", -6), ("3", 6)]
    stray = Match(1, "r1-t9", MatchResult(1, ("7", "A"), "C9.2"))
    assert c.order(points(WON, stray)) == c.order(points(WON))


def test_C1_5_a_bye_of_the_points_format_is_worth_half_a_win_at_least() -> None:
    assert placed(points(WON, byes=((5, 1), (1, 2))), 5, 1) == [("3/2", 0), ("6", 6)]


def test_nobody_outside_the_field_is_explained() -> None:
    """C1.2."""
    for contest in (pairs(), teams(), points(WON)):
        with pytest.raises(Rejected) as refused:
            c.explain(contest, 9)
        assert refused.value.reason == "NO_SUCH_ENTRANT"


@given(st.randoms(use_true_random=False))
def test_the_order_of_facts_changes_no_byte(chance: Random) -> None:
    for contest in (pairs(byes=((5, 1),)), teams(((3, 1),)), points(WON)):
        facts, seats = contest.facts, list(contest.seats.items())
        results = chance.sample(facts.results, len(facts.results))
        chance.shuffle(seats)
        other = replace(contest, facts=replace(facts, results=tuple(results)), seats=dict(seats))
        assert c.digest(c.order(other)) == c.digest(c.order(contest))


def test_digests_tell_orders_apart() -> None:
    assert len({c.digest(c.order(contest)) for contest in (pairs(), teams(), points(WON), points())}) == 4


@pytest.mark.parametrize(
    "contest", [pairs(Penalised(1, "p-1", 2, 30)), teams(((3, 1),)), points(WON, byes=((5, 1),))]
)
def test_an_order_is_read_back_from_its_canonical_form(contest: Contest) -> None:
    order = c.order(contest)
    read = c.read(c.canonical(order), contest.terms)
    assert c.digest(read) == c.digest(order)
    untold = {"decided_by": ""} if contest.terms.format in c.BY_POINTS else {"decided_by": "", "byes": 0}
    assert list(read) == [replace(row, **untold) for row in order]


@pytest.mark.parametrize("data", [b"[[1]]", b"7", b"[[1,2,3,4,5,0,7,8,9,10,[],12,13,14,0]]", b"x"])
@pytest.mark.parametrize("contest", [pairs(), points(WON)])
def test_what_is_no_order_is_not_read(data: bytes, contest: Contest) -> None:
    with pytest.raises((ValueError, TypeError, ZeroDivisionError)):
        c.read(data, contest.terms)
