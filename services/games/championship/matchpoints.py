"""Matchpoints of one comparison group (MP 计分法), and how a result is published: C3.2 to C3.5.

Ratios are fractions from 0 to 1; a published result is an integer, tenths of a percent from 0 to 1000.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

from services.domain import Rejected


def matchpoints(scores: Sequence[int]) -> list[int]:
    """MP of each raw score of one comparison group, in the order given (C3.2).

    2 for every worse score of the group, 1 for every equal one: MP(si) = 2·(n(i+1) + … + nk) + ni − 1.
    """
    held = Counter(scores)
    values = sorted(held)
    worse = dict(zip(values, accumulate((held[value] for value in values), initial=0), strict=False))
    return [2 * worse[score] + held[score] - 1 for score in scores]


def top(entrants: int) -> int:
    """The most MP that a group of `entrants` ≥ 1 allows: 2·(N − 1) (C3.3)."""
    if entrants < 1:
        raise Rejected("EMPTY_GROUP", "C3.3", "a comparison group has at least one entrant")
    return 2 * (entrants - 1)


def ratio(mp: int, entrants: int) -> Fraction:
    """r = MP / top; one half for an entrant that has nobody to be compared with (C3.3)."""
    return Fraction(mp, top(entrants)) if entrants > 1 else Fraction(1, 2)


def ranks(scores: Sequence[int]) -> list[int]:
    """Competition ranks on one board: equal results share, the following ranks are skipped: 1, 2, 2, 4 (C3.4)."""
    held = Counter(scores)
    values = sorted(held, reverse=True)
    better = dict(zip(values, accumulate((held[value] for value in values), initial=1), strict=False))
    return [better[score] for score in scores]


def dense_ranks(scores: Sequence[int]) -> list[int]:
    """Dense ranks on one board, no rank skipped: 1, 2, 2, 3 (C4.2)."""
    rank = {value: place for place, value in enumerate(sorted(set(scores), reverse=True), 1)}
    return [rank[score] for score in scores]


def published(result: Fraction) -> int:
    """A result as it is published: tenths of a percent, half up (C3.5). 15/16 is 938, for 93.8 %."""
    return (2000 * result.numerator + result.denominator) // (2 * result.denominator)
