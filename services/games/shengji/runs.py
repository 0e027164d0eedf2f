"""Pairs at neighbouring places: which tractors they hold, and how far they answer what is asked (S6.3, S7.2, S8.1).

Pairs of one suit are known by how many stand at each place; only the place of the other level cards (副级) can hold more than
one. A *segment* is a stretch of places without a gap, and `Segments` are all of them, each in the greater of its two
directions, the greatest first: what cannot be told apart by its answers is the same value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

Segment = tuple[int, ...]
"""Number of pairs at consecutive places, each at least one."""
Segments = tuple[Segment, ...]
Answer = tuple[tuple[int, int], ...]
"""For each component asked: pairs in its tractor, and pairs in all; compared from the first component on."""

_CACHE = 1 << 16


def segments(pairs: Sequence[int]) -> Segments:
    """The segments of `pairs`, the number of pairs by place."""
    found: list[Segment] = []
    start = 0
    for place, number in enumerate(pairs):
        if not number:
            if start < place:
                found.append(tuple(pairs[start:place]))
            start = place + 1
    if start < len(pairs):
        found.append(tuple(pairs[start:]))
    return arranged(found)


def arranged(found: Iterable[Segment]) -> Segments:
    """`found` in the one way they are written."""
    return tuple(sorted([max(each, each[::-1]) for each in found], reverse=True))


def longest(held: Segments) -> int:
    """Pairs of the longest tractor; 1 if there are only unconnected pairs, 0 if there are none."""
    return max(map(len, held), default=0)


def total(held: Segments) -> int:
    """Number of pairs."""
    return sum(map(sum, held))


def tractor(reach: int, want: int, partial: bool) -> int:
    """Pairs of the tractor that answers one of `want` pairs, where the longest one held has `reach` (S7.2)."""
    return want if reach >= want else reach if partial else 0


@lru_cache(maxsize=_CACHE)
def best_answer(held: Segments, asked: tuple[int, ...], partial: bool) -> Answer:
    """How well `held` can answer tractors and pairs of `asked` pairs, longest first (S7.2).

    A tractor too long to be answered takes the longest one held and further pairs, or just pairs if not `partial`
    (`partial_tractor_follow`).
    """
    if not asked:
        return ()
    want, later = asked[0], asked[1:]
    whole, number = tractor(longest(held), want, partial), min(total(held), want)
    head = (whole, number)
    if not later:
        return (head,)
    if later[0] == 1:
        left = total(held) - number
        return (head, *((1, 1) if each < left else (0, 0) for each in range(len(later))))
    taken = whole if whole > 1 else 0
    rests = _without_runs(held, taken) if taken else {held}
    for _ in range(number - taken):
        rests = {less for rest in rests for less in _without_runs(rest, 1)}
    return (head, *max(best_answer(rest, later, partial) for rest in rests))


@lru_cache(maxsize=_CACHE)
def fits(held: Segments, asked: tuple[int, ...]) -> bool:
    """Whether `held` can be cut up into the tractors and pairs `asked`, longest first, and any pairs beside (S8.1)."""
    return best_answer(held, asked, True) == tuple((want, want) for want in asked)


def _without_runs(held: Segments, length: int) -> set[Segments]:
    """What may be left of `held` once a tractor of `length` pairs (1: a pair) is taken out."""
    left = set()
    for index, segment in enumerate(held):
        others = held[:index] + held[index + 1 :]
        for at in range(len(segment) - length + 1):
            thinner = (
                *segment[:at],
                *(each - 1 for each in segment[at : at + length]),
                *segment[at + length :],
            )
            left.add(arranged([*others, *segments(thinner)]))
    return left
