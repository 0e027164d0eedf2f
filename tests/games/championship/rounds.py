"""Rounds of pairs and teams: played out at random, looked at, and paired by trying everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from random import Random

from services.games.championship.league import Outcome, Placing, rank
from services.games.championship.meetings import Meeting, Round
from services.games.championship.swiss import NEIGHBOURHOOD, pair

Scores = Mapping[int, int | Fraction]


def met(played: Sequence[Round]) -> Counter[frozenset[int]]:
    """How often two entrants met."""
    return Counter(frozenset((each.first, each.second)) for one in played for each in one.meetings)


def byes(played: Sequence[Round]) -> Counter[int]:
    return Counter(one.bye for one in played if one.bye is not None)


def lines(played: Sequence[Round]) -> dict[int, list[int]]:
    """Line by entrant and round: 0 for seats 0+2, 1 for seats 1+3."""
    held: dict[int, list[int]] = {}
    for one in played:
        for each in one.meetings:
            held.setdefault(each.first, []).append(0)
            held.setdefault(each.second, []).append(1)
    return held


def leaning(played: Sequence[Round]) -> dict[int, int]:
    """How much oftener than in seats 1+3 everybody has sat in seats 0+2."""
    return {entrant: len(own) - 2 * sum(own) for entrant, own in lines(played).items()}


def balance(played: Sequence[Round]) -> int:
    """By how much somebody has sat more in one line than in the other, at worst."""
    return max(map(abs, leaning(played).values()))


def beyond(most: int, after: Sequence[int]) -> int:
    return sum(max(abs(one) - most, 0) for one in after)


def evenest(one: int, other: int | None) -> list[int]:
    """Of the two ways to sit the one after which lines are nearer to even; `other` is None for a bye."""
    if other is None:
        return [one]
    return min([one + 1, other - 1], [one - 1, other + 1], key=lambda after: sum(line**2 for line in after))


def placed(
    entrants: Collection[int], played: Sequence[Round], outcomes: Sequence[Outcome], win: int
) -> tuple[Placing, ...]:
    """The table of an event by points, byes those of the rounds."""
    return rank(entrants, outcomes, [one.bye for one in played if one.bye is not None], win)


def next_round(
    placings: Sequence[Placing], played: Sequence[Round], withdrawn: Collection[int] = ()
) -> Round:
    """Strong against strong of those who stay (C7.2, C8.1)."""
    staying = {one.entrant: one.points for one in placings if one.entrant not in withdrawn}
    return pair(list(staying), staying, played)


def everybody_once(one: Round, entrants: Sequence[int]) -> bool:
    seated = [entrant for each in one.meetings for entrant in (each.first, each.second)]
    return sorted([*seated, *([] if one.bye is None else [one.bye])]) == sorted(entrants)


def swiss(
    entrants: int,
    rounds: int,
    seed: int,
    neighbourhood: int = NEIGHBOURHOOD,
    apart: tuple[int, int] | None = None,
) -> Iterator[tuple[list[int], dict[int, int], list[Round]]]:
    """A Swiss event of percentages: order, scores and rounds so far, after each round; the last one is the newest.

    Lines may be `apart` by so much before the last round and in it.
    """
    chance = Random(seed)
    strength = {entrant: chance.randrange(400) for entrant in range(1, entrants + 1)}
    total = dict.fromkeys(strength, 0)
    order, played = chance.sample(sorted(strength), entrants), list[Round]()
    for number in range(1, rounds + 1):
        scores = {entrant: total[entrant] // max(number - 1, 1) for entrant in total}
        most = apart[number == rounds] if apart else None
        played.append(pair(order, scores, played, neighbourhood, most))
        yield order, scores, list(played)
        for each in played[-1].meetings:
            gained = 500 + strength[each.first] - strength[each.second] + chance.randrange(-100, 101)
            total[each.first] += gained
            total[each.second] += 1000 - gained
        if (free := played[-1].bye) is not None:
            total[free] += 500
        order = sorted(total, key=lambda entrant: (-total[entrant], entrant))


Cost = tuple[Fraction, ...]


def cost(
    pairs: Sequence[tuple[int, int]],
    order: Sequence[int],
    scores: Scores,
    played: Sequence[Round],
    apart: int | None = None,
) -> Cost:
    """What C1.5 and C7.1 ask of a round, most important first; `pairs` are places, that behind the last has the bye."""
    had, times, lean = byes(played), met(played), leaning(played)
    fewest = min(had[entrant] for entrant in order)
    lowest = min(Fraction(scores[entrant]) for entrant in order)
    last = len(order) - 1 + len(order) % 2
    totals = [Fraction(0)] * 10
    for upper, lower in (sorted(each) for each in pairs):
        gap = lower - upper
        entrant = order[upper]
        if lower == len(order):
            below = lowest
            totals[0] += had[entrant] - fewest
        else:
            below = Fraction(scores[order[lower]])
            often = times[frozenset((entrant, order[lower]))]
            totals[1] += often > 0
            totals[2] += often
        if apart is not None:
            opponent = None if lower == len(order) else lean.get(order[lower], 0)
            after = evenest(lean.get(entrant, 0), opponent)
            totals[3] += beyond(apart, after)
            totals[4] += beyond(apart, after) * (last - upper)
            totals[7] += beyond(1, after)
        totals[5] += abs(scores[entrant] - below)
        totals[6] += (scores[entrant] - below) ** 2
        totals[8] += gap**2
        totals[9] -= gap**2 * (upper + lower)
    return tuple(totals)


def matchings(places: Sequence[int]) -> Iterator[list[tuple[int, int]]]:
    """Every way to put `places`, of even number, in pairs."""
    if not places:
        yield []
        return
    first, *others = places
    for other in others:
        for rest in matchings([place for place in others if place != other]):
            yield [(first, other), *rest]


def places(one: Round, order: Sequence[int]) -> list[tuple[int, int]]:
    """A round as pairs of places in `order`."""
    at = {entrant: place for place, entrant in enumerate(order)}
    pairs = [(at[each.first], at[each.second]) for each in one.meetings]
    return pairs if one.bye is None else [*pairs, (at[one.bye], len(order))]


def history(*rounds: str) -> list[Round]:
    """Rounds from words: `1-2 3-4 5` (5 has the bye)."""
    played = []
    for number, words in enumerate(rounds, 1):
        parts = [tuple(map(int, word.split("-"))) for word in words.split()]
        meetings = tuple(Meeting(*part, number) for part in parts if len(part) == 2)
        free = [part[0] for part in parts if len(part) == 1]
        played.append(Round(number, meetings, free[0] if free else None))
    return played
