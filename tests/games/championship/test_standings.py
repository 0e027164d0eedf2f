"""The order and its tie-breaks by example: C3 to C5."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from services.domain import Rejected
from services.games.championship.explain import explain, traveller
from services.games.championship.params import Params
from services.games.championship.results import Assigned, Facts, TableResult
from services.games.championship.standings import Standing, canonical, digest, play_offs, standings
from tests.games.championship.fields import alone, result

PLAYERS = ("1", "2", "3")
C5 = Facts(
    tuple(
        result(player, score, seconds, 1, board, f"table {player}")
        for board, scores, times in (
            (1, "8 4 4", "120 144 135"),
            (2, "4 -6 4", "151 118 131"),
            (3, "6 8 6", "138 146 122"),
        )
        for player, score, seconds in zip(PLAYERS, scores.split(), times.split(), strict=True)
    )
)


def order(*results: TableResult, params: Params | None = None) -> list[int]:
    return [standing.entrant for standing in standings(Facts(results), params or Params())]


def of(entrant: int, facts: Facts, params: Params | None = None) -> Standing:
    return next(each for each in standings(facts, params or Params()) if each.entrant == entrant)


def test_worked_example_C5() -> None:
    first, second, third = standings(C5, Params())
    assert [each.entrant for each in (first, second, third)] == [1, 3, 2]
    assert [each.tenths for each in (first, second, third)] == [667, 417, 417]
    assert (first.exact, second.exact, third.exact) == (Fraction(2, 3), Fraction(5, 12), Fraction(5, 12))
    assert [each.ranks for each in (first, second, third)] == [(1, 1, 2), (1, 2, 2), (1, 2, 2)]
    assert [each.rank_counts for each in (second, third)] == [(1, 2), (1, 2)]
    assert [each.micros for each in (second, third)] == [388_000_000, 408_000_000]
    assert [each.decided_by for each in (first, second, third)] == ["C3.5", "C4.3", "C4.3"]
    assert [(each.rank, each.shared) for each in (first, second, third)] == [
        (1, False),
        (2, False),
        (3, False),
    ]


def test_worked_example_C5_explained() -> None:
    told = explain(C5, Params(), 2)
    assert [(unit.number, unit.score, unit.mp, unit.top, unit.tenths) for unit in told.units] == [
        (1, 4, 1, 4, 250),
        (2, -6, 0, 4, 0),
        (3, 8, 4, 4, 1000),
    ]
    assert [(unit.rank, unit.dense_rank) for unit in told.units] == [(2, 2), (3, 2), (1, 1)]
    assert [unit.table for unit in told.units] == ["table 2"] * 3
    assert [term.micros for term in told.times] == [144_000_000, 118_000_000, 146_000_000]
    assert told.ties == (("C3.5", 2), ("C4.1", 2), ("C4.2", 2), ("C4.3", 1), ("C4.4", 1))
    assert told.skipped == ("C4.1",)  # nobody had an opponent


def test_the_traveller_of_board_2_of_C5() -> None:
    assert [(unit.entrant, unit.mp, unit.tenths) for unit in traveller(C5, Params(), 1, 2)] == [
        (1, 3, 750),
        (3, 3, 750),
        (2, 0, 0),
    ]


def test_C1_2_explaining_somebody_else_is_refused() -> None:
    with pytest.raises(Rejected, match="NO_SUCH_ENTRANT"):
        explain(C5, Params(), 4)


def test_C3_0_sessions_compare_sums_of_raw_scores() -> None:
    facts = Facts((*alone({1: 9, 2: 5}, 1), *alone({1: -9, 2: 0}, 2), *alone({1: 3, 2: 0}, 3)))
    by_board = of(1, facts)
    assert (by_board.exact, by_board.units, by_board.ranks) == (Fraction(2, 3), 3, (1, 1, 2))
    by_session = of(1, facts, Params(mp_unit="session", boards_per_session=2))
    assert (by_session.exact, by_session.units, by_session.ranks) == (Fraction(1, 2), 2, (1, 2))
    assert by_session.boards == 3  # times stay per board
    told = explain(facts, Params(mp_unit="session", boards_per_session=2), 1)
    assert [(unit.number, unit.score) for unit in told.units] == [(1, 0), (2, 3)]


def test_C3_0_a_session_of_one_board_is_the_board() -> None:
    assert standings(C5, Params(mp_unit="session")) == standings(C5, Params())


def test_C3_0_a_session_that_lacks_a_board_is_not_compared() -> None:
    facts = Facts((*alone({1: 9, 2: 5, 3: 1}, 1), *alone({1: 0, 2: 0}, 2)))
    unfinished = of(3, facts, Params(mp_unit="session", boards_per_session=2))
    assert (unfinished.units, unfinished.boards) == (0, 1)


def test_C3_0_a_session_with_an_assigned_board_is_worth_what_was_assigned() -> None:
    facts = Facts((*alone({1: 9, 2: 5}, 1), *alone({1: 0, 2: 0}, 2)), (Assigned(1, 2, 1, 1, 600),))
    params = Params(mp_unit="session", boards_per_session=2)
    assert (of(2, facts, params).tenths, of(1, facts, params).tenths) == (600, 500)


def test_C3_0_changing_seat_within_a_session_is_a_contradiction() -> None:
    facts = Facts((result("1 2", "1 0", board=1), result("2 1", "1 0", board=2)))
    with pytest.raises(Rejected, match="SEAT_CHANGED"):
        standings(facts, Params(mp_unit="session", boards_per_session=2))


def test_C3_1_C6_4_only_the_same_seat_is_compared() -> None:
    facts = Facts((result("1 2 3", "4 -2 -2"), result("4 5 6", "-2 4 -2")))
    assert [of(entrant, facts).tenths for entrant in (1, 2, 3, 4, 5, 6)] == [1000, 0, 500, 0, 1000, 500]


def test_C3_1_a_board_of_another_round_is_another_board() -> None:
    facts = Facts((*alone({1: 5}, board=1, in_round=1), *alone({2: 9}, board=1, in_round=2)))
    assert [of(entrant, facts).tenths for entrant in (1, 2)] == [500, 500]


def test_C3_1_within_the_group_or_the_field() -> None:
    facts = Facts(
        tuple(result(str(entrant), str(entrant), group=1 + entrant // 3) for entrant in (1, 2, 3, 4))
    )
    assert [of(entrant, facts).tenths for entrant in (1, 2, 3, 4)] == [0, 333, 667, 1000]
    within = Params(compare_within="group")
    assert [of(entrant, facts, within).tenths for entrant in (1, 2, 3, 4)] == [0, 1000, 0, 1000]


def test_C1_1_an_entrant_plays_a_board_once() -> None:
    with pytest.raises(Rejected, match=r"PLAYED_TWICE.*entrant 1, round 1, board 1"):
        standings(Facts((result("1 2", "1 0"), result("3 1", "1 0"))), Params())


def test_C1_1_a_replayed_board_is_another_deal() -> None:
    first = alone({1: 5, 2: 3, 3: 1}, 1)
    facts = Facts((first[0], first[1], replace(first[2], attempt=2)))
    assert [of(entrant, facts).tenths for entrant in (1, 2, 3)] == [1000, 0, 500]
    longer = Facts((*facts.results, *alone({1: 0, 2: 0, 3: 0}, 2)))
    session = Params(mp_unit="session", boards_per_session=2)
    assert [of(entrant, longer, session).tenths for entrant in (1, 2, 3)] == [1000, 0, 500]


def test_C3_5_the_mean_is_over_all_units_never_of_means() -> None:
    rounds = (*alone({1: 1, 2: 0}, 1, 1), *alone({1: 0, 2: 1}, 1, 2), *alone({1: 0, 2: 1}, 2, 2))
    assert of(1, Facts(rounds)).exact == Fraction(1, 3)


def test_C3_5_ties_on_the_published_value_or_exactly() -> None:
    """66.7 % assigned and two thirds played are published alike: then C4.2 decides for who has a first rank."""
    boards = (*alone({1: 1, 2: 0}, 1), *alone({1: 1, 2: 0}, 2), *alone({1: 0, 2: 1}, 3))
    facts = Facts(boards, (Assigned(1, 3, 1, 1, 667),))
    assert [of(entrant, facts).tenths for entrant in (1, 3)] == [667, 667]
    assert [each.entrant for each in standings(facts, Params())] == [1, 3, 2]
    assert [each.entrant for each in standings(facts, Params(tie_on="exact"))] == [3, 1, 2]


def test_C4_1_the_mean_result_of_the_beaten_decides() -> None:
    facts = Facts((result("1 2 3", "8 -4 -4"), result("4 5 6", "8 -8 8")))
    found = standings(facts, Params())
    assert [(each.entrant, each.beaten_sum, each.beaten_count) for each in found] == [
        (2, 0, 0),
        (6, 0, 1),
        (1, 1000, 2),
        (4, 0, 1),
        (3, 0, 0),
        (5, 0, 0),
    ]
    assert of(1, facts).beaten == 500
    assert (of(1, facts).decided_by, of(4, facts).decided_by) == ("C4.1", "C4.1")
    beaten = explain(facts, Params(), 1).beaten
    assert [(term.opponent, term.own, term.theirs, term.tenths) for term in beaten] == [
        (2, 8, -4, 1000),
        (3, 8, -4, 0),
    ]


def test_C4_1_raw_scores_are_summed_over_the_round() -> None:
    boards = (result("1 2", "5 0", board=1), result("1 2", "-9 0", board=2))
    assert [of(entrant, Facts(boards)).beaten_count for entrant in (1, 2)] == [0, 1]
    by_board = Params(beaten_scope="board")
    assert [of(entrant, Facts(boards), by_board).beaten_count for entrant in (1, 2)] == [1, 1]
    told = explain(Facts(boards), by_board, 1).beaten
    assert [(term.board, term.own, term.theirs) for term in told] == [(1, 5, 0)]


def test_C4_1_beaten_in_two_rounds_counts_twice() -> None:
    rounds = (
        result("1 2", "5 0", in_round=1),
        result("1 2", "5 0", in_round=2),
        result("1 3", "5 0", in_round=3),
    )
    assert (of(1, Facts(rounds)).beaten_count, of(2, Facts(rounds)).beaten_count) == (3, 0)


def test_C4_1_partners_are_no_opponents() -> None:
    four = result("1 2 3 4", "9 5 7 1")
    assert [of(entrant, Facts((four,))).beaten_count for entrant in (1, 2, 3, 4)] == [2, 0, 2, 0]
    three = result("1 2 3", "9 5 7")
    assert [of(entrant, Facts((three,))).beaten_count for entrant in (1, 2, 3)] == [2, 0, 1]


def test_C1_7_house_players_are_neither_compared_nor_opponents() -> None:
    facts = Facts((result("1 - 3", "4 -8 4"), result("4 5 6", "0 0 0")))
    assert [each.entrant for each in standings(facts, Params())] == [1, 3, 5, 4, 6]
    assert (of(5, facts).tenths, of(1, facts).beaten_count) == (500, 0)


def test_C4_2_more_firsts_then_more_seconds() -> None:
    """Entrant 2 is second three times, entrants 1 and 3 first, second and third."""
    boards = (*alone({1: 9, 2: 5, 3: 1}, 1), *alone({1: 1, 2: 5, 3: 9}, 2), *alone({1: 4, 2: 4, 3: 4}, 3))
    assert [(each.entrant, each.rank_counts) for each in standings(Facts(boards), Params())] == [
        (1, (2, 0, 1)),
        (3, (2, 0, 1)),
        (2, (1, 2)),
    ]


def test_C4_2_one_more_third_beats_none() -> None:
    """Equal R of 50 %: the same first and last, and entrant 3 has one board more."""
    boards = (
        *alone({1: 2, 2: 0, 3: 2, 4: 0}, 1),
        *alone({1: 0, 2: 2, 3: 0, 4: 2}, 2),
        *alone({3: 1, 5: 2, 6: 0}, 3),
    )
    found = standings(Facts(boards), Params())
    ranks = {each.entrant: each.ranks for each in found}
    assert (ranks[1], ranks[3]) == ((1, 2), (1, 2, 2))
    places = {each.entrant: each.place for each in found}
    assert places[3] < places[1]


def test_C4_3_less_time_goes_first() -> None:
    assert order(result("1", "0", "9"), result("2", "0", "8")) == [2, 1]


def test_C4_3_time_of_plays_only() -> None:
    slow = replace(result("1", "0", "9"), play_micros=(1,))
    assert order(slow, result("2", "0", "8"), params=Params(thinking_time="plays")) == [1, 2]
    with pytest.raises(Rejected, match="RESULT_OF_WRONG_LENGTH"):
        order(replace(slow, play_micros=()), params=Params(thinking_time="plays"))


def test_C4_4_the_trimmed_mean_decides() -> None:
    times = {1: "10 20 30", 2: "10 15 35"}
    boards = [
        result(str(entrant), "0", seconds, board=board)
        for entrant, own in times.items()
        for board, seconds in enumerate(own.split(), 1)
    ]
    assert order(*boards) == [2, 1]
    assert of(2, Facts(tuple(boards))).trimmed == 15_000_000


def test_C4_4_is_skipped_for_all_if_one_has_fewer_than_three_boards() -> None:
    """Sessions of three boards and of two, all of them ties in 60 seconds."""
    times = {(1, 1): "30 30", (2, 2): "10 20 30", (3, 2): "10 15 35"}
    boards = [
        result(str(entrant), "0", seconds, in_round, board)
        for (entrant, in_round), own in times.items()
        for board, seconds in enumerate(own.split(), 1)
    ]
    session = Params(mp_unit="session", boards_per_session=3)
    assert play_offs(standings(Facts(tuple(boards)), session)) == [[1, 2, 3]]
    assert [each.rank for each in standings(Facts(tuple(boards[2:])), session)] == [1, 2]
    assert order(*boards[2:], params=session) == [3, 2]


def test_C4_4_skipped_shows_in_the_explanation() -> None:
    facts = Facts((result("1", "0", "20"), result("2", "0", "20")))
    assert play_offs(standings(facts, Params())) == [[1, 2]]
    assert explain(facts, Params(), 1).skipped == ("C4.1", "C4.4")
    decided = Facts((*facts.results, result("3", "1", "20")))
    assert explain(decided, Params(), 3).skipped == ("C4.1",)


def test_C4_5_the_lower_number_moves_first_and_the_rank_is_shared() -> None:
    facts = Facts((result("1 2 3", "4 -2 -2"), result("4 5 6", "-2 4 -2")))
    found = standings(facts, Params())
    assert [(each.entrant, each.place, each.rank, each.shared) for each in found] == [
        (1, 1, 1, True),
        (5, 2, 1, True),
        (3, 3, 3, True),
        (6, 4, 3, True),
        (2, 5, 5, True),
        (4, 6, 5, True),
    ]
    assert {each.decided_by for each in found} == {"C4.5"}
    assert play_offs(found) == [[1, 5], [3, 6], [2, 4]]


def test_C1_6_entrants_without_results_come_last_and_share_the_rank() -> None:
    facts = Facts((result("2 9", "0 -1"), result("7 3", "-5 0")), entrants=(1, 2, 9, 7, 3, 8))
    last = standings(facts, Params())[-2:]
    assert [(each.entrant, each.rank, each.shared, each.units, each.tenths) for each in last] == [
        (1, 5, True, 0, 0),
        (8, 5, True, 0, 0),
    ]
    assert of(7, facts).tenths == 0  # 0 % played is ahead of nothing played


def test_nobody_at_all() -> None:
    assert standings(Facts(()), Params()) == ()
    assert canonical(()) == b"[]"


@pytest.mark.parametrize(
    "wrong",
    [
        replace(result("1", "0"), scores=(1, 2)),
        replace(result("1", "0"), micros=()),
        replace(result("1", "0"), scores=(10**10,)),
        replace(result("1", "0"), scores=(10**30,)),
        replace(result("1", "0"), micros=(-1,)),
        replace(result("1", "0"), board=0),
        replace(result("1", "0"), seats=(1,) * 101, scores=(0,) * 101, micros=(0,) * 101),
    ],
)
def test_C2_1_results_that_cannot_be_are_refused(wrong: TableResult) -> None:
    with pytest.raises(Rejected):
        standings(Facts((wrong,)), Params())


def test_the_canonical_form_is_integers_only_and_fixed() -> None:
    assert json.loads(canonical(standings(C5, Params())))[1] == [
        *(2, 3, 2, 417, 5, 12, 0, 3, 0, 0),
        [1, 2, 2],
        *(3, 388_000_000, 131_000_000, 1),
    ]
    assert digest(standings(C5, Params())).hex() == (
        "6315692b8eb34aff90d3160e870b2a0e08d53d420105c6aaa2917ea932f23994"
    )
