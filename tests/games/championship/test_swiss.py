"""Swiss pairing: C7.1, and the byes of C1.5."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.domain import Rejected
from services.games.championship.meetings import Round
from services.games.championship.swiss import pair
from tests.games.championship.rounds import (
    balance,
    beyond,
    byes,
    cost,
    everybody_once,
    history,
    leaning,
    lines,
    matchings,
    met,
    places,
    swiss,
)

SIZES = range(4, 61)
ROUNDS = 9


def words(one: Round) -> str:
    """Meetings as `upper-lower` whatever the lines, by table; then the bye."""
    pairs = [f"{min(each.first, each.second)}-{max(each.first, each.second)}" for each in one.meetings]
    return " ".join([*pairs, *([] if one.bye is None else [str(one.bye)])])


def paired(order: str, scores: str = "", *rounds: str) -> str:
    entrants = [int(word) for word in order.split()]
    given_scores = dict(zip(entrants, map(int, scores.split()), strict=False))
    return words(pair(entrants, given_scores, history(*rounds)))


def test_C8_1_round_1_is_the_lot_in_pairs() -> None:
    """C7.1, C8.1: who was drawn one after the other meets, at tables in that order."""
    assert paired("5 2 6 1 4 3") == "2-5 1-6 3-4"


def test_C7_1_neighbours_meet() -> None:
    assert paired("3 1 4 2", "700 600 550 500", "1-2 3-4") == "1-3 2-4"


def test_C7_1_who_has_met_does_not_meet_again() -> None:
    assert paired("1 2 3 4 5 6", "60 50 40 30 20 10", "1-2 3-5 4-6") == "1-3 2-4 5-6"


def test_C7_1_scores_count_before_places() -> None:
    """1 has met 2; 3 and 4 are nearer to each other than to anybody else."""
    assert paired("1 2 3 4 5 6", "90 90 50 50 49 10", "1-2 3-5 4-6") == "1-3 2-4 5-6"
    assert paired("1 2 3 4 5 6", "90 90 50 50 10 10", "1-2 3-4 5-6") == "1-3 2-5 4-6"


def test_C7_1_of_two_equal_gaps_the_lower_one_is_taken() -> None:
    """3 and 4 have met: either 1 or 6 gives its neighbour away."""
    assert paired("1 2 3 4 5 6", "60 50 40 30 20 10", "3-4 1-6 2-5") == "1-2 3-5 4-6"


def test_C7_1_a_rematch_that_cannot_be_avoided_is_one_of_those_who_met_least() -> None:
    """Four pairs have all met after three rounds, and 1-2 3-4 twice after four."""
    thrice = ("1-2 3-4", "1-3 2-4", "1-4 2-3")
    assert paired("1 2 3 4", "40 30 20 10", *thrice) == "1-2 3-4"
    assert paired("1 2 3 4", "40 30 20 10", *thrice, "1-2 3-4") == "1-3 2-4"


def test_C7_1_however_often_all_have_met_those_who_met_least_meet_again() -> None:
    """Four pairs, a hundred rounds: everybody meets everybody 33 times, and some once more."""
    order, played = [1, 2, 3, 4], list[Round]()
    for _ in range(100):
        played.append(pair(order, {1: 40, 2: 30, 3: 20, 4: 10}, played, apart=2))
    assert set(met(played).values()) == {33, 34}


def test_scores_of_many_denominators_are_near_to_one_another() -> None:
    """C1.5: means of byes, each of another number of matches; exact they would be too long to reckon with."""
    scores = {one: Fraction(100 + one, prime) for one, prime in enumerate((97, 89, 83, 79, 73, 71), 1)}
    order = sorted(scores, key=lambda one: -scores[one])
    assert [frozenset((each.first, each.second)) for each in pair(order, scores).meetings] == [
        frozenset(order[:2]),
        frozenset(order[2:4]),
        frozenset(order[4:]),
    ]


def test_C7_1_one_rematch_rather_than_two() -> None:
    """1 has met everybody; all others have met their neighbours too, but can meet somebody else."""
    played = ("1-2 3-4 5-6", "1-3", "1-4", "1-5", "1-6", "2-3 4-5")
    one = pair([1, 2, 3, 4, 5, 6], dict.fromkeys(range(1, 7), 0), history(*played))
    assert words(one) == "1-2 3-5 4-6"
    assert sum(met(history(*played))[pairing] > 0 for pairing in met([one])) == 1


def test_C1_5_the_last_without_a_bye_has_it() -> None:
    assert paired("1 2 3 4 5", "50 40 30 20 10") == "1-2 3-4 5"
    assert paired("1 2 3 4 5", "50 40 30 20 10", "1-3 2-4 5") == "1-2 3-5 4"


def test_C1_5_no_second_bye_even_where_a_rematch_is_the_price() -> None:
    """1 and 2 have not met, but 3 has had a bye and they have not."""
    assert paired("1 2 3", "30 20 10", "1-3", "2-3", "3") == "1-3 2"


def test_C1_5_a_late_entrant_may_have_the_first_bye() -> None:
    """Everybody else has had one."""
    assert paired("4 1 2 3 5", "9 8 7 6 0", "1-2 3", "2-3 1", "1-3 2", "1-2 3-5 4") == "1-4 2-3 5"


def test_C1_6_withdrawn_entrants_are_not_paired() -> None:
    assert paired("1 2 5 6", "50 40 30 20", "1-3 2-4 5-6") == "1-5 2-6"


@pytest.mark.parametrize("entrants", SIZES)
def test_every_size_in_every_round(entrants: int) -> None:
    """C7.1, C1.5: all play, the promised boards, no avoidable rematch, byes fair, lines balanced.

    Half of the field is left to meet after n / 2 rounds (Dirac: a round without rematch exists), so none may occur.
    """
    for number, (order, scores, played) in enumerate(swiss(entrants, ROUNDS, seed=entrants), 1):
        one = played[-1]
        assert one.number == number
        assert {each.boards for each in one.meetings} == {number}
        assert everybody_once(one, order)
        assert (one.bye is None) == (entrants % 2 == 0)
        had = byes(played)
        assert max(had[entrant] for entrant in order) - min(had[entrant] for entrant in order) <= 1
        if number <= (entrants + entrants % 2) // 2:
            assert max(met(played).values()) == 1
        assert balance(played) <= 3
        assert set(scores) == set(order)


@pytest.mark.parametrize("entrants", range(4, 9))
def test_rematches_are_as_few_as_can_be_in_every_round_of_a_long_event(entrants: int) -> None:
    """C7.1: beyond the rounds in which everybody can meet somebody new; all matchings tried."""
    for order, scores, played in swiss(entrants, 12, seed=entrants):
        before = played[:-1]
        ways = list(matchings(range(entrants + entrants % 2)))
        assert cost(places(played[-1], order), order, scores, before) == min(
            cost(way, order, scores, before) for way in ways
        )


@st.composite
def events(draw: st.DrawFn) -> tuple[list[int], dict[int, Fraction], list[Round]]:
    """A field of up to 8 with any history of meetings and byes, and few different scores."""
    entrants = draw(st.permutations(range(1, draw(st.integers(2, 8)) + 1)))
    points = st.fractions(0, 6, max_denominator=4)
    scores = dict(zip(entrants, sorted((draw(points) for _ in entrants), reverse=True), strict=True))
    rounds = []
    for _ in range(draw(st.integers(0, 5))):
        seated = draw(st.permutations(entrants))
        pairs = [f"{one}-{other}" for one, other in zip(seated[::2], seated[1::2], strict=False)]
        some = draw(st.integers(0, len(pairs)))
        rounds.append(" ".join([*pairs[:some], *([str(seated[-1])] if len(entrants) % 2 else [])]))
    return list(entrants), scores, history(*rounds)


@settings(max_examples=300, deadline=None)
@given(events(), st.sampled_from([None, 1, 2]))
def test_no_round_costs_less(
    event: tuple[list[int], dict[int, Fraction], list[Round]], apart: int | None
) -> None:
    """C1.5, C7.1: byes, rematches, lines, then nearness in score and in rank; compared with all matchings."""
    order, scores, played = event
    one = pair(order, scores, played, apart=apart)
    assert everybody_once(one, order)
    ways = matchings(range(len(order) + len(order) % 2))
    best = min(cost(way, order, scores, played, apart) for way in ways)
    assert cost(places(one, order), order, scores, played, apart) == best


@settings(max_examples=300, deadline=None)
@given(events(), st.sampled_from([1, 2]))
def test_lines_are_no_further_apart_than_any_pairing_leaves_them(
    event: tuple[list[int], dict[int, Fraction], list[Round]], apart: int
) -> None:
    """C7.1: all matchings with as few second byes and rematches, and both ways to sit at every table of them."""
    order, scores, played = event
    size = len(order) + len(order) % 2
    fewest = min(cost(way, order, scores, played)[:3] for way in matchings(range(size)))
    lean = leaning(played)
    least = min(
        sum(
            _least(apart, [lean.get(order[place], 0) for place in each if place < len(order)]) for each in way
        )
        for way in matchings(range(size))
        if cost(way, order, scores, played)[:3] == fewest
    )
    after = leaning([*played, pair(order, scores, played, apart=apart)])
    assert beyond(apart, [after.get(entrant, 0) for entrant in order]) == least


def _least(apart: int, lean: list[int]) -> int:
    if len(lean) == 1:
        return beyond(apart, lean)
    return min(beyond(apart, [lean[0] + one, lean[1] - one]) for one in (1, -1))


@pytest.mark.parametrize("rounds", [4, 5, 6, 9])
@pytest.mark.parametrize("entrants", [14, 19, 40, 150])
def test_C7_1_nobody_leaves_with_lines_more_than_one_apart(entrants: int, rounds: int) -> None:
    """3:0 or 4:1 nowhere, and at the end 2:2, or 3:2 of an odd number, with no rematch for it."""
    for seed in range(4):
        events = list(swiss(entrants, rounds, seed, apart=(2, 1)))
        assert all(balance(played) <= 2 for _, _, played in events)
        assert balance(events[-1][2]) <= 1
        assert max(met(events[-1][2]).values()) == 1


def test_C7_1_who_would_be_too_often_in_a_line_meets_the_next() -> None:
    """1 and 2, and 3 and 4, have sat in seats 0+2 alone, and 5 to 8 in seats 1+3: neighbours, but both of one line."""
    order, scores = list(range(1, 9)), dict(zip(range(1, 9), range(80, 0, -10), strict=True))
    played = history("1-5 2-6 3-7 4-8", "1-6 2-5 3-8 4-7")
    assert words(pair(order, scores, played)) == "1-2 3-4 5-6 7-8"
    assert words(pair(order, scores, played, apart=2)) == "1-7 2-8 3-5 4-6"
    assert words(pair(order, scores, played[:1], apart=2)) == "1-2 3-4 5-6 7-8"
    assert words(pair(order, scores, played[:1], apart=1)) == "1-6 2-5 3-8 4-7"


def test_C7_1_lines_come_after_points_but_before_places() -> None:
    """All have sat in one line once, 1 and 2, 3 and 4 in the same: with equal points others meet, with unequal ones they do."""
    order, played = [1, 2, 5, 6], history("1-5 2-6")
    assert words(pair(order, dict.fromkeys(order, 3), played, apart=2)) == "1-6 2-5"
    assert words(pair(order, {1: 3, 2: 3, 5: 0, 6: 0}, played, apart=2)) == "1-2 5-6"


@pytest.mark.parametrize("neighbourhood", [4, 8, 16])
def test_a_field_matched_part_by_part(neighbourhood: int) -> None:
    """C7.1: no rematch however long the history, and hardly worse than the whole at once."""
    parts, whole = Fraction(0), Fraction(0)
    for order, scores, played in swiss(90, 12, 3, neighbourhood):
        assert everybody_once(played[-1], order)
        assert max(met(played).values()) == 1
        at_once = pair(order, scores, played[:-1], 92)
        parts += cost(places(played[-1], order), order, scores, played[:-1])[5]
        whole += cost(places(at_once, order), order, scores, played[:-1])[5]
    assert whole <= parts <= 1.02 * whole


def test_C7_1_lines_of_a_field_matched_part_by_part_are_even_at_the_end() -> None:
    """1 to 40 have sat in seats 0+2 and stand before the others, so that parts of who stands next have to leave them apart."""
    order = list(range(1, 81))
    scores = {entrant: 1000 - entrant for entrant in order}
    played = history(" ".join(f"{one}-{one + 40}" for one in range(1, 41)))

    def worst(abreast: bool, order: list[int] = order) -> list[int]:
        one = pair(order, scores, played, neighbourhood=8, apart=1, abreast=abreast)
        assert everybody_once(one, order)
        assert max(met([*played, one]).values()) == 1
        after = leaning([*played, one])
        return sorted(entrant for entrant in order if abs(after[entrant]) > 1)

    assert len(worst(abreast=False)) == 36
    assert worst(abreast=True) == []
    assert worst(abreast=True, order=order[:-1]) == []  # the bye is for one of those who are more
    assert (
        len(worst(abreast=True, order=order[:-4])) == 2
    )  # four more in one line: two of them meet the others


def test_C7_1_parts_are_of_who_stands_next_where_few_have_been_in_one_line_oftener() -> None:
    """After an even number of rounds; nobody has to go far for those who missed one."""
    *_, (order, scores, played) = swiss(150, 4, seed=3, apart=(2, 1))
    played = [*played[:-1], replace(played[-1], meetings=played[-1].meetings[5:])]
    once = pair(order, scores, played, neighbourhood=8, apart=1)
    assert [one for one in map(abs, leaning(played).values()) if one == 1]
    assert pair(order, scores, played, neighbourhood=8, apart=1, abreast=True) == once


@pytest.mark.parametrize("entrants", [9, 40, 63])
def test_C7_1_a_field_matched_as_a_whole_is_paired_the_same(entrants: int) -> None:
    for order, scores, played in swiss(entrants, 6, seed=2, apart=(2, 1)):
        before = played[:-1]
        assert pair(order, scores, before, apart=1, abreast=True) == pair(order, scores, before, apart=1)


def test_byes_of_a_field_matched_part_by_part() -> None:
    """C1.5: the last part of the field is never left with those alone who have had one."""
    *_, (_, _, played) = swiss(41, 30, 5, neighbourhood=4)
    assert set(byes(played).values()) == {1}
    assert len(byes(played)) == 30


def test_C7_1_lines_are_balanced() -> None:
    """Round by round everybody sits now in one line, now in the other, wherever the opponent allows."""
    one = pair([1, 2, 3, 4], {})
    assert [(each.first, each.second) for each in one.meetings] == [(1, 2), (4, 3)]
    assert one.meetings[0].seats == (1, 2, 1, 2)
    two = pair([1, 3, 4, 2], {1: 9, 3: 8, 4: 7, 2: 6}, [one])
    assert lines([one, two]) == {1: [0, 1], 2: [1, 0], 3: [1, 0], 4: [0, 1]}


def test_C7_1_the_line_that_one_had_last_goes_to_the_other() -> None:
    """1 and 5 have both sat once in each line, 1 in seats 0+2 last."""
    played = history("2-1 5-6", "1-3 4-5")
    assert [(each.first, each.second) for each in pair([1, 5], {}, played).meetings] == [(5, 1)]


def test_C7_1_a_line_goes_to_who_had_it_longer_ago_whoever_had_a_bye_since() -> None:
    """1 sat in seats 0+2 in round 2 and had a bye then, 5 sat there in round 3 alone; 5 had a bye first."""
    for one, other in ((1, 5), (5, 1)):
        order, played = [one, other], history("6-1 2-3", "1-7 2-5", "5-8 2-3")
        assert [(each.first, each.second) for each in pair(order, {}, played, apart=2).meetings] == [(1, 5)]


def test_the_same_event_is_paired_the_same_everywhere() -> None:
    """Seats depend on the event alone: recorded from the first version on."""
    *_, (_, _, played) = swiss(151, 7, seed=7)
    text = ";".join(f"{each.first}-{each.second}" for one in played for each in one.meetings)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "231923131195dd1f"


def test_one_entrant_alone_has_the_bye() -> None:
    assert pair([3], {}) == Round(1, (), 3)


def test_what_cannot_be_paired_is_refused() -> None:
    refused: list[tuple[list[int], dict[int, int | Fraction], str]] = [
        ([], {}, "EMPTY_FIELD"),
        ([1, 2, 1], {}, "SEATED_TWICE"),
        ([1, 2], {1: 3}, "NO_SCORE"),
        ([1, 2], {1: 10**9 + 1, 2: 0}, "OUT_OF_RANGE"),
    ]
    for order, scores, reason in refused:
        with pytest.raises(Rejected, match=reason):
            pair(order, scores)
