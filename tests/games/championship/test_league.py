"""Tables of matches: C8.5, and byes in points (C1.5)."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.domain import Rejected
from services.games.championship import league
from services.games.championship.league import Outcome, Placing, rank
from tests.games.championship.rounds import history, next_round

WIN = 3


def won(*results: str) -> list[Outcome]:
    """Outcomes from words: `1>2+6` is 1's win by 6 net levels."""
    outcomes = []
    for word in results:
        pairing, _, net = word.partition("+")
        first, second = pairing.split(">")
        outcomes.append(Outcome(1, int(first), int(second), (3, 0), int(net or 0)))
    return outcomes


def order(placings: tuple[Placing, ...]) -> list[int]:
    assert [placing.place for placing in placings] == list(range(1, len(placings) + 1))
    return [placing.entrant for placing in placings]


def decided(placings: tuple[Placing, ...]) -> dict[int, str]:
    return {placing.entrant: placing.decided_by for placing in placings}


def test_C8_5_points_then_net_levels() -> None:
    placings = rank(range(1, 5), won("4>1+2", "2>3+5"), [], WIN)
    assert order(placings) == [2, 4, 1, 3]
    assert [[each.points, each.net] for each in placings] == [[3, 5], [3, 2], [0, -2], [0, -5]]
    assert set(decided(placings).values()) == {league.NET}
    assert decided(rank([1, 2], won("2>1"), [], WIN)) == {2: league.POINTS, 1: league.POINTS}


def test_C8_5_head_to_head_then_entrant_number() -> None:
    """All have won once by the same; 3 has beaten 2, who has beaten 1, who has beaten 4."""
    placings = rank([1, 2, 3], won("3>2+1", "2>1+1", "1>3+1"), [], WIN)
    assert order(placings) == [1, 2, 3]
    assert set(decided(placings).values()) == {league.NUMBER}
    placings = rank([1, 2, 3, 4], won("2>1+1", "1>3+1", "4>2+1"), [], WIN)
    assert [[each.points, each.net] for each in placings] == [[3, 1], [3, 0], [3, 0], [0, -1]]
    assert order(placings) == [4, 2, 1, 3]
    assert decided(placings) == {
        4: league.NET,
        2: league.HEAD_TO_HEAD,
        1: league.HEAD_TO_HEAD,
        3: league.POINTS,
    }
    assert [each.head_to_head for each in placings] == [0, 1, -1, 0]


def test_C8_5_who_has_met_none_of_the_tied_stands_between() -> None:
    """5 beats 1 and loses to 6; 3 wins and loses elsewhere; 1 beats 6: three of 3 points and net 0."""
    outcomes = won("5>1+1", "8>5+1", "1>6+1", "3>7+1", "8>3+1")
    placings = rank(range(1, 9), outcomes, [], WIN)
    tied = [each for each in placings if [each.points, each.net] == [3, 0]]
    assert [each.entrant for each in tied] == [5, 3, 1]
    assert [each.head_to_head for each in tied] == [1, 0, -1]


def test_C8_5_head_to_head_is_looked_at_again_among_those_it_leaves_equal() -> None:
    """Of four tied, 1 and 2 have a balance of +1, 3 and 4 of −1; 2 beat 1, and 4 beat 3."""
    outcomes = won("2>1", "1>3", "1>4", "3>2", "2>4", "4>3", "3>9", "4>9")
    placings = rank([1, 2, 3, 4, 9], outcomes, [], WIN)
    assert [each.points for each in placings] == [6, 6, 6, 6, 0]
    assert [each.head_to_head for each in placings] == [1, 1, -1, -1, 0]
    assert order(placings) == [2, 1, 4, 3, 9]
    assert decided(placings) == {**dict.fromkeys([1, 2, 3, 4], league.HEAD_TO_HEAD), 9: league.POINTS}


def test_C1_5_a_bye_is_worth_the_mean_of_the_other_matches_and_at_least_half_a_win() -> None:
    outcomes = won("1>2+4", "1>3+4", "4>1+1", "2>3")
    placings = {each.entrant: each for each in rank(range(1, 6), outcomes, [1, 3, 5, 5], WIN)}
    assert {entrant: [each.points, each.bye_points] for entrant, each in placings.items()} == {
        1: [8, 2],
        2: [3, 0],
        3: [Fraction(3, 2), Fraction(3, 2)],
        4: [3, 0],
        5: [3, 3],
    }
    assert (placings[1].byes, placings[5].byes) == (1, 2)
    assert [placings[1].won, placings[1].drawn, placings[1].lost, placings[1].net] == [2, 0, 1, 7]


def test_everybody_is_in_the_table_and_nobody_else() -> None:
    assert order(rank([3, 1, 2], [], [], WIN)) == [1, 2, 3]
    assert rank([], [], [], WIN) == ()
    with pytest.raises(Rejected, match="NO_SUCH_ENTRANT"):
        rank([1], won("1>2"), [], WIN)
    with pytest.raises(Rejected, match="NO_SUCH_ENTRANT"):
        rank([1], [], [2], WIN)


outcomes_of_eight = st.lists(
    st.tuples(
        st.permutations(range(1, 9)), st.sampled_from([(3, 0), (0, 3), (1, 1)]), st.integers(-2, 2)
    ).map(lambda given: Outcome(1, given[0][0], given[0][1], given[1], given[2])),
    max_size=12,
)


@given(outcomes_of_eight, st.lists(st.integers(1, 8), max_size=3), st.randoms(use_true_random=False))
def test_the_order_of_outcomes_does_not_matter(
    outcomes: list[Outcome], byes: list[int], chance: Random
) -> None:
    """C8.5; points and net add up, and the order is that of points and net."""
    placings = rank(range(1, 9), outcomes, byes, WIN)
    swapped = [
        Outcome(each.round, each.second, each.first, (each.points[1], each.points[0]), -each.net)
        for each in chance.sample(outcomes, len(outcomes))
    ]
    assert rank(range(8, 0, -1), swapped, byes[::-1], WIN) == placings
    assert sum(each.net for each in placings) == 0
    assert sum(each.points - each.bye_points for each in placings) == sum(
        sum(each.points) for each in outcomes
    )
    keys = [(-each.points, -each.net) for each in placings]
    assert keys == sorted(keys)


def test_C8_1_strong_meets_strong_by_points_without_a_rematch() -> None:
    """1 and 2 have three points each but have met; so have 3 and 4."""
    played = history("1-2 3-4")
    placings = rank([1, 2, 3, 4], won("1>2+5", "3>4+1"), [], WIN)
    assert order(placings) == [1, 3, 4, 2]
    pairings = {(each.first, each.second) for each in next_round(placings, played).meetings}
    assert pairings in ({(3, 1), (4, 2)}, {(1, 3), (2, 4)}, {(3, 1), (2, 4)}, {(1, 3), (4, 2)})
    one = next_round(placings, played, withdrawn={3})
    assert {entrant for each in one.meetings for entrant in (each.first, each.second)} | {one.bye} == {
        1,
        2,
        4,
    }
