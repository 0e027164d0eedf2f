"""Swiss pairing (瑞士移位) of pairs and teams: by rank neighbours meet, and nobody twice while that can be avoided.

| Clause | Here |
|---|---|
| C1.5 | an odd field: a bye, and no second one while somebody has had none |
| C7.1 | pairs, by their rank and published R; lines balanced over the rounds |
| C7.2 | teams, by match points |
| C8.1 | points format: the order drawn by lot in round 1, then by points |

Costs are compared in this order, each summed over the round: a bye to somebody who has had more than others; meetings of
entrants who have met; how often those have met; how much further apart lines would be than they may; the same, weighing more
the higher up it is; differences in score; their squares, so that two small ones go before a large one; lines apart by more than
one; squares of the differences in place; the same, weighing more the higher up they are. The bye is an opponent who stands
behind the last and has met everybody that should not have it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, floor, lcm

import numpy as np

from services.domain import Rejected
from services.games.championship.matching import Costs, every_pair, match
from services.games.championship.meetings import Round, field_of, opponents, round_of
from services.games.championship.rows import LARGEST
from services.games.championship.vectors import Flags, Ints

NEIGHBOURHOOD = 64
"""So many places are matched at once; more of them where many have met."""
MOST_TIMES = 15
"""Meetings of the same two, beyond those that all have had, from which on it does not matter how many there were."""

Lines = Mapping[int, Sequence[int]]
"""Entrant -> its lines so far, latest last: 1 for seats 0+2, −1 for seats 1+3, 0 in a round that it did not play."""


def pair(
    order: Sequence[int],
    scores: Mapping[int, int | Fraction],
    played: Sequence[Round] = (),
    neighbourhood: int = NEIGHBOURHOOD,
    apart: int | None = None,
    abreast: bool = False,
) -> Round:
    """The next round of the entrants in strict `order`, best first, after the rounds `played`.

    `scores` is what neighbours should be near in: published R in tenths, match points, points; nothing for round 1, where
    `order` is the draw by lot. Tables come best first, all play the set of boards of the round's number. A field above
    `neighbourhood`, a multiple of 4, is matched part by part, without a rematch whatever the history. `apart` is how much oftener
    than in the other anybody may then have been in one line; None: lines do not say who meets whom. `abreast`: where that is
    once, parts are made so that all can keep to it (`_abreast`), else of who stands next. Raises Rejected for an empty order, an
    entrant that stands in it twice or has no score, or scores out of range.
    """
    field = field_of(order)
    number = 1 + max((each.number for each in played), default=0)
    met = _met(order, played)
    # Dirac: where everybody has at least half of the others left to meet, a round without rematch exists.
    most_met = max(map(len, met.values()), default=0)
    lines = _lines(order, played, apart is not None)
    leaning = _leaning(order, lines)
    line = _abreast(leaning[: len(field)]) if abreast and apart == 1 else np.arange(len(field))
    costs = _costs(order, scores, met, leaning, apart)
    pairs = match(line, costs, max(neighbourhood, 4 * (most_met + 1)))
    return round_of(
        number,
        [
            (*_seated(field[upper], field[lower], table, lines), number)
            for table, (upper, lower) in enumerate(pairs)
        ],
    )


def _met(order: Sequence[int], played: Sequence[Round]) -> dict[int, dict[int, int]]:
    """Position in `order` -> position of those it met, and how often; the position behind the last stands for the bye."""
    place = {entrant: position for position, entrant in enumerate(order)}
    met: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for one, other in opponents(played):
        if one in place and other in place:
            met[place[one]][place[other]] += 1
    byes = Counter(each.bye for each in played)
    fewest = min(byes[entrant] for entrant in order)
    for entrant in order:
        if byes[entrant] > fewest:
            met[len(order)][place[entrant]] = byes[entrant] - fewest
    return met


def _costs(
    order: Sequence[int],
    scores: Mapping[int, int | Fraction],
    met: Mapping[int, Mapping[int, int]],
    leaning: Ints,
    most_apart: int | None,
) -> Costs:
    nobody = len(order)
    score = _whole(order, scores)

    def costs(near: Ints) -> Sequence[Ints]:
        upper, lower = every_pair(near.size)
        index = {place: at for at, place in enumerate(near.tolist())}
        times = np.zeros((near.size, near.size), np.int64)
        for place, at in index.items():
            for other, how_often in met.get(place, {}).items():
                if other in index:
                    times[at, index[other]] = times[index[other], at] = how_often
        again = times[upper, lower]
        bye = near[lower] == nobody
        # Events without a say of lines were paired without this, too.
        least = 0 if most_apart is None or bye.all() else again[~bye].min()
        apart = np.abs(score[near[upper]] - score[near[lower]])
        squares = (near[lower] - near[upper]) ** 2
        lines = leaning[near[upper]], leaning[near[lower]], bye
        uneven = () if most_apart is None else (_beyond(most_apart, *lines),)
        uneven_yet = (_beyond(1, *lines),) if most_apart is not None and most_apart > 1 else ()
        return (
            np.where(bye, np.minimum(again, MOST_TIMES), 0),
            np.where(bye, 0, again > 0).astype(np.int64),
            np.where(bye, 0, np.minimum(again - least, MOST_TIMES)),
            *uneven,
            *(one * (near[-1] - near[upper]) for one in uneven),
            apart,
            apart**2,
            *uneven_yet,
            squares,
            squares * (2 * near[-1] - near[upper] - near[lower]),
        )

    return costs


def _abreast(leaning: Ints) -> Ints:
    """Positions as they are taken where most have been once more in one line: the best of those who were in seats 0+2 beside the
    best of the others, the second beside the second, … Each pair stands in its middle, anybody else where it stands, the bye last.

    So no part has many more of them in one line than in the other, who would then have to meet each other.
    """
    ups, downs = np.flatnonzero(leaning == 1), np.flatnonzero(leaning == -1)
    middle = 2 * np.arange(leaning.size)
    if 2 * (ups.size + downs.size) > leaning.size:
        both = min(ups.size, downs.size)
        ups, downs = ups[:both], downs[:both]
        middle[ups] = middle[downs] = ups + downs
    return np.argsort(middle, kind="stable")


def _beyond(most: int, one: Ints, other: Ints, bye: Flags) -> Ints:
    """By how much those who meet would then have been in a line oftener than `most` times more, as `_seated` gives them lines."""
    more, less = np.maximum(one, other) - 1, np.minimum(one, other) + 1
    over: Ints = np.maximum(np.abs(np.where(bye, one, more)) - most, 0)
    over += np.maximum(np.abs(np.where(bye, 0, less)) - most, 0)
    return over


def _leaning(order: Sequence[int], lines: Lines) -> Ints:
    """How much oftener in seats 0+2 than in 1+3, by position."""
    return np.array([*(sum(lines[entrant]) for entrant in order), 0], np.int64)


def _whole(order: Sequence[int], scores: Mapping[int, int | Fraction]) -> Ints:
    """Scores by position as whole numbers in one unit, exact as far as LARGEST goes; whoever has the bye meets the lowest."""
    missing = [entrant for entrant in order if scores and entrant not in scores]
    if missing:
        raise Rejected("NO_SCORE", "C7.1", f"entrant {missing[0]} has no score to be paired by")
    exact = [Fraction(scores.get(entrant, 0)) for entrant in order]
    largest = ceil(max(map(abs, exact)))
    if largest > LARGEST:
        raise Rejected("OUT_OF_RANGE", "C7.1", f"a score is not within {-LARGEST} to {LARGEST}")
    unit = min(lcm(*(score.denominator for score in exact)), LARGEST // max(largest, 1))
    whole = [floor(score * unit) for score in exact]
    return np.array([*whole, min(whole)], np.int64)


def _lines(order: Sequence[int], played: Sequence[Round], absent: bool) -> Lines:
    """Lines of everybody, with rounds in which they were `absent` or without, as in events without a say of lines."""
    lines: dict[int, list[int]] = {entrant: [] for entrant in order}
    for each in sorted(played, key=lambda each: each.number):
        now = {meeting.first: 1 for meeting in each.meetings} | {one.second: -1 for one in each.meetings}
        for entrant in order:
            if absent or entrant in now:
                lines[entrant].append(now.get(entrant, 0))
    return lines


def _seated(upper: int | None, lower: int | None, table: int, lines: Lines) -> tuple[int | None, int | None]:
    """Who sits in seats 0+2 and who in seats 1+3: whoever has been less in a line goes there (C7.1).

    Equal: the line that one of them had when they last differed goes to the other, who had it longer ago; never: the better
    ranked sits in seats 0+2 at every other table, so that both lines are of the same strength.
    """
    if upper is None or lower is None:
        return upper, lower
    ups, lows = lines[upper], lines[lower]
    last = next(
        (one - other for one, other in zip(reversed(ups), reversed(lows), strict=False) if one != other), 0
    )
    lean = sum(ups) - sum(lows) or last or (table % 2)
    return (lower, upper) if lean > 0 else (upper, lower)
