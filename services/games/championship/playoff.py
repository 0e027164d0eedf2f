"""Play-offs (加赛): who plays one, at which tables, and what it decides (C4.5).

The entrants left with one rank play the boards of a round more, each at a table of its own in the same seat, house AI in the
others: so any number of them, two or forty, compare by C3 on the same cards against the same opponents. Whoever makes more of them
goes first, among those who played it and nowhere else; who still has as much keeps sharing the rank.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from services.domain import Rejected
from services.games.championship.params import Params
from services.games.championship.ranking import Ranking, Stage, rank
from services.games.championship.results import Facts, settle
from services.games.championship.standings import PLAY_OFF
from services.games.championship.tables import MACHINE, PAIRS, Plan, Table, Tables, seat_ranked
from services.games.championship.vectors import Ints, split

MOST = 1_000
"""Entrants of one play-off at most."""

ABSENT = Fraction(-1)
"""Comes behind whatever anybody makes who plays."""


def sharing(order: Iterable[Any], place: int) -> tuple[int, ...]:
    """The entrants who share rank `place`, ascending; `order` are rows that have `entrant`, `rank` and `shared`."""
    return tuple(sorted(row.entrant for row in order if row.shared and row.rank == place))


def tied(order: Iterable[Any], place: int) -> tuple[int, ...]:
    """Those `sharing` a rank that is to be played off. Raises Rejected for nobody, and for more than a play-off takes."""
    found = sharing(order, place)
    if not found:
        raise Rejected("RANK_NOT_SHARED", "C4.5", f"nobody shares rank {place}")
    if len(found) > MOST:
        raise Rejected("PLAYOFF_TOO_LARGE", "C4.5", f"{len(found)} share the rank, a play-off takes {MOST}")
    return found


def seated(plan: Plan, entrants: Sequence[int]) -> Tables:
    """A table for each of `entrants`, all of them in the same seat or line."""
    if plan.format == PAIRS:
        return Tables(
            tuple(
                Table(f"t{number}", 1, (one, 0, one, 0), (0, 0, 1, 0))
                for number, one in enumerate(entrants, 1)
            )
        )
    return seat_ranked(replace(plan, format=MACHINE, groups=1), entrants)


def won(facts: Facts, params: Params) -> Mapping[int, Fraction]:
    """What everybody in a play-off's `facts` made of it: the sum of r over its units (C3.3), less than nothing without any."""
    ranking = rank(settle(facts), facts.entrants, params)
    terms = ranking.terms
    columns = (ranking.numbers, terms.total, terms.share, terms.count)
    return {
        entrant: Fraction(total, share) * count if count else ABSENT
        for entrant, total, share, count in zip(*(column.tolist() for column in columns), strict=True)
    }


def ranked(facts: Facts, params: Params, played: Sequence[Facts] = ()) -> Ranking:
    """A field in order (C3, C4), and what is then left with one rank by the play-offs `played`, one after the other.

    A play-off's facts are its boards, all of them, and its entrants. It orders those left with one rank if all of them were in it:
    nobody is put behind others without having played them. Raises Rejected as `rank`.
    """
    ranking = rank(settle(facts), facts.entrants, params)
    if not played:
        return ranking
    ahead = ranking.stages[-1].ahead
    for one in played:
        ahead = split(ahead, _behind(ranking.numbers, ahead, won(one, params)))
    stages = (*ranking.stages, Stage(PLAY_OFF, ahead))
    return replace(ranking, order=np.argsort(ahead, kind="stable"), stages=stages)


def _behind(numbers: Ints, ahead: Ints, sums: Mapping[int, Fraction]) -> Ints:
    """By entrant, how many different sums are above its own; 0 for all of a rank that somebody outside the play-off shares."""
    place = {value: behind for behind, value in enumerate(sorted(set(sums.values()), reverse=True))}
    behind = np.zeros_like(ahead)
    inside = np.flatnonzero(np.isin(numbers, list(sums)))
    for shared in set(ahead[inside].tolist()):
        sharers = np.flatnonzero(ahead == shared)
        if np.isin(sharers, inside).all():
            behind[sharers] = [place[sums[number]] for number in numbers[sharers].tolist()]
    return behind
