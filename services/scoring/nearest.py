"""The least that would change something: values searched from what stands outwards (C10.6). Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from fractions import Fraction
from math import ceil

from services.games.championship.standings import Standing

Holds = Callable[[int], bool]


def first(values: Sequence[int], marks: Collection[int], holds: Holds) -> int | None:
    """The nearest of `values`, given from near to far, for which something `holds`; None if not even for the farthest.

    Found by halving, among `marks` first, where it is most likely to begin to hold: what has come about is taken to stay.
    """
    if not values:
        return None
    if holds(values[0]):
        return values[0]
    last = len(values) - 1
    likely = [at for at in range(1, last) if values[at] in marks] if marks else []
    if not holds(values[last]):
        return None
    found = _halved([0, *likely, last], lambda at: holds(values[at]))
    return values[_halved(range(found[0], found[1] + 1), lambda at: holds(values[at]))[1]]


def _halved(places: Sequence[int], holds: Callable[[int], bool]) -> tuple[int, int]:
    """Two neighbours of `places` between which it begins to hold: not at the first place, and at the last."""
    low, high = 0, len(places) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(places[middle]) else (middle, high)
    return places[low], places[high]


def above(rows: Sequence[Standing], own: Standing, line: int) -> Iterator[int]:
    """Published results, ascending, of which an entrant needs one to rise: a rank (`line` 0), or to a rank that it is not on."""
    if line and own.rank <= line:
        return
    better = [row.tenths for row in rows if (row.rank <= line if line else row.rank < own.rank)]
    wanted = {own.tenths + 1} if not line else set()
    if better:
        wanted |= {better[-1], better[-1] + 1}
    yield from sorted(one for one in wanted if one > own.tenths or (line and one == own.tenths))


def below(rows: Sequence[Standing], own: Standing, line: int) -> Iterator[int]:
    """Likewise, descending, to fall a rank, or below a rank that it is on."""
    if line and own.rank > line:
        return
    worse = [row.tenths for row in rows if (row.rank > line if line else row.rank > own.rank)]
    wanted = {own.tenths - 1} if not line else set()
    if worse:
        wanted |= {worse[0], worse[0] - 1}
    yield from sorted((one for one in wanted if 0 <= one < own.tenths), reverse=True)


def reaching(own: Standing, now: int, boards: int, wanted: int) -> int:
    """The percentage, tenths from `now` on `boards` of an entrant's units, with which its result is published as `wanted`: the
    least if that is above what it is, else the most."""
    units = Fraction(1000 * own.units, boards)
    if wanted > own.tenths:
        return ceil(now + (Fraction(2 * wanted - 1, 2000) - own.exact) * units)
    return ceil(now + (Fraction(2 * wanted + 1, 2000) - own.exact) * units) - 1
