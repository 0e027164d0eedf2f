"""Laws: the vector code agrees with the slow reference, order of facts does not matter, matchpoints add up."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from services.games.championship import matchpoints as mp
from services.games.championship.explain import explain, traveller
from services.games.championship.params import Params
from services.games.championship.ranking import rank
from services.games.championship.results import Facts, TableResult, in_order, settle
from services.games.championship.standings import canonical, play_offs, standings
from tests.games.championship import reference
from tests.games.championship.fields import all_params, fields

scores = st.lists(st.integers(-5, 5), min_size=1, max_size=30)


def same_as_reference(facts: Facts, params: Params) -> None:
    cards = reference.cards(settle(facts), facts.entrants, params)
    groups = reference.order(cards, params)
    found = standings(facts, params)
    assert [standing.entrant for standing in found] == [
        card.entrant for group in groups for card in sorted(group, key=lambda card: card.entrant)
    ]
    assert [standing.place for standing in found] == list(range(1, len(found) + 1))
    assert play_offs(found) == [sorted(card.entrant for card in group) for group in groups if len(group) > 1]
    ranks: dict[int, int] = {}
    for group in groups:
        ranks.update(dict.fromkeys((card.entrant for card in group), len(ranks) + 1))
    for standing in found:
        card = cards[standing.entrant]
        assert standing.rank == ranks[standing.entrant]
        assert (standing.exact, standing.tenths, standing.units) == (
            card.result,
            card.tenths,
            len(card.ratios),
        )
        assert (standing.beaten_sum, standing.beaten_count) == (sum(card.beaten), len(card.beaten))
        assert standing.ranks == tuple(sorted(card.ranks))
        assert standing.rank_counts == tuple(
            card.ranks.count(rank) for rank in range(1, max(card.ranks, default=0) + 1)
        )
        assert (standing.boards, standing.micros, standing.trimmed) == (
            len(card.times),
            sum(card.times),
            card.trimmed,
        )


@settings(max_examples=200, deadline=None)
@given(fields(), all_params)
def test_the_vector_code_agrees_with_the_reference(facts: Facts, params: Params) -> None:
    """C2.2, C3, C4: every value of every entrant, and the order."""
    same_as_reference(facts, params)


@settings(max_examples=40, deadline=None)
@given(fields(), all_params, st.randoms(use_true_random=False))
def test_the_order_of_facts_changes_no_byte(facts: Facts, params: Params, chance: Random) -> None:
    shuffled = Facts(
        tuple(chance.sample(facts.results, len(facts.results))),
        tuple(chance.sample(facts.rulings, len(facts.rulings))),
        tuple(chance.sample(facts.entrants, len(facts.entrants))),
    )
    assert canonical(standings(shuffled, params)) == canonical(standings(facts, params))
    assert in_order(shuffled.results) == in_order(facts.results)
    for standing in standings(facts, params):
        assert explain(shuffled, params, standing.entrant) == explain(facts, params, standing.entrant)


@settings(max_examples=40, deadline=None)
@given(fields(), all_params)
def test_an_explanation_adds_up_to_the_standing(facts: Facts, params: Params) -> None:
    seen = {}
    for standing in standings(facts, params):
        told = explain(facts, params, standing.entrant)
        assert told.standing == standing
        mean = sum((unit.r for unit in told.units), Fraction(0)) / max(len(told.units), 1)
        assert standing.exact == max(mean - Fraction(standing.penalty, 1000), Fraction(0)) or not told.units
        assert all(unit.assigned or unit.r == mp.ratio(unit.mp, unit.size) for unit in told.units)
        assert tuple(sorted(unit.dense_rank for unit in told.units if not unit.assigned)) == standing.ranks
        assert sum(term.tenths for term in told.beaten) == standing.beaten_sum
        assert all(term.own > term.theirs for term in told.beaten)
        assert sum(term.micros for term in told.times) == standing.micros
        sizes = [size for _, size in told.ties]
        assert sizes == sorted(sizes, reverse=True)
        assert (sizes[-1] > 1) == standing.shared
        assert standing.decided_by == next((clause for clause, size in told.ties if size == 1), "C4.5")
        seen.update({(unit.entrant, unit.round, unit.number): unit for unit in told.units})
    boards = {(in_round, number) for _, in_round, number in seen}
    listed = [unit for in_round, number in boards for unit in traveller(facts, params, in_round, number)]
    assert {(unit.entrant, unit.round, unit.number): unit for unit in listed} == seen
    assert len(listed) == len(seen)


@given(scores)
def test_matchpoints_of_a_group_add_up(group: list[int]) -> None:
    """C3.2, C3.3: the sum is N(N − 1), nobody above the top."""
    points = mp.matchpoints(group)
    assert sum(points) == len(group) * (len(group) - 1)
    assert 0 <= min(points) <= max(points) <= mp.top(len(group))


@given(scores)
def test_matchpoints_count_worse_and_equal_results(group: list[int]) -> None:
    """C3.2 as it is worded; ranks of C3.4 and C4.2 by counting."""
    for index, own in enumerate(group):
        others = group[:index] + group[index + 1 :]
        assert mp.matchpoints(group)[index] == sum(2 * (other < own) + (other == own) for other in others)
        assert mp.ranks(group)[index] == 1 + sum(other > own for other in others)
        assert mp.dense_ranks(group)[index] == 1 + len({other for other in others if other > own})


@given(st.fractions(0, 1))
def test_publishing_is_half_up_to_a_tenth_of_a_percent(result: Fraction) -> None:
    """C3.5."""
    assert Fraction(mp.published(result), 1000) - result <= Fraction(1, 2000)
    assert result - Fraction(mp.published(result), 1000) < Fraction(1, 2000)


@given(fields(), all_params)
@settings(max_examples=40, deadline=None)
def test_a_ranking_is_strict_and_best_first(facts: Facts, params: Params) -> None:
    """C4: published R never rises down the list, entrants without units last, equal only if shared."""
    found = standings(facts, params)
    keys = [(standing.units == 0, -standing.tenths) for standing in found]
    assert keys == sorted(keys)
    for one, other in pairwise(found):
        assert one.rank < other.rank or (one.rank == other.rank and one.entrant < other.entrant)
    assert {standing.rank for standing in found if standing.shared} == {
        one.rank for one, other in pairwise(found) if one.rank == other.rank
    }


def test_means_stay_exact_where_int64_would_overflow() -> None:
    """C3.5: 40 boards with comparison groups of 2 to 41 have a common denominator of 35 digits."""
    results = tuple(
        TableResult(1, 1, board, f"t{entrant}", (entrant,), (entrant * board % 7,), (entrant,))
        for board in range(1, 41)
        for entrant in range(1, board + 2)
    )
    for params in (Params(), Params(tie_on="exact")):
        same_as_reference(Facts(results), params)
    assert rank(settle(Facts(results)), (), Params()).terms.total.dtype == object


def test_thinking_times_stay_exact_where_int64_would_overflow() -> None:
    """C4.4: equal totals over 99 boards, trimmed means that differ by 1/97 of a microsecond in three years."""
    years = 10**14
    times = {
        1: [years, years + 3, years] + [years + 1] * 96,
        2: [years, years + 2] + [years + 1] * 97,
        3: [years + 1] * 99,
    }
    facts = Facts(
        tuple(
            TableResult(1, 1, board, f"t{entrant}", (entrant,), (0,), (micros,))
            for entrant, own in times.items()
            for board, micros in enumerate(own, 1)
        )
    )
    assert [each.entrant for each in standings(facts, Params())] == [1, 2, 3]
    assert play_offs(standings(facts, Params())) == [[2, 3]]
    same_as_reference(facts, Params())
