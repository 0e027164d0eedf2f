"""What a hand can eat a tile with, and what must be laid along (P4, P7.5).

Works on the *free* part of a hand, in which kinds of three (kan, never broken) count as absent.
"""

from __future__ import annotations

from collections.abc import Iterator

from services.games.paohuzi import melds, tiles
from services.games.paohuzi.actions import Eat
from services.games.paohuzi.melds import Meld

_FREE = bytes((0, 1, 2, *([0] * 253)))
"""Translation of counts that leaves out kan."""


def _pairs(tile: int) -> Iterator[tuple[int, int]]:
    """Every two kinds, ascending, that make a run or jiao with `tile`."""
    twin = tiles.twin(tile)
    for first in tiles.KINDS:
        for second in range(first, 21):
            members = sorted((tile, first, second))
            if melds.is_run(members) or ({first, second} <= {tile, twin} and melds.is_jiao(members)):
                yield first, second


PARTNERS: tuple[tuple[tuple[int, int], ...], ...] = ((), *(tuple(_pairs(tile)) for tile in tiles.KINDS))
"""By tile: every two kinds, ascending, that make a run or jiao with it."""

_EATS: tuple[tuple[tuple[int, int, Eat], ...], ...] = (
    (),
    *(tuple((a, b, Eat((a, b))) for a, b in PARTNERS[tile]) for tile in tiles.KINDS),
)
"""By tile: two kinds it may be eaten with, and the eat that lays nothing along."""

_SINGLE: tuple[tuple[tuple[int, int, Meld], ...], ...] = (
    (),
    *(
        tuple(
            sorted(
                (
                    (a, b, melds.of("run" if melds.is_run(sorted((tile, a, b))) else "jiao", (tile, a, b)))
                    for a, b in PARTNERS[tile]
                    if tile not in (a, b)
                ),
                key=lambda entry: (entry[2].name, entry[2].tiles),
            )
        )
        for tile in tiles.KINDS
    ),
)
"""By tile: melds that lay one copy of it along, and the two tiles they take besides."""

_DOUBLE: tuple[Meld, ...] = (
    Meld("jiao", ()),
    *(melds.of("jiao", (tile, tile, tiles.twin(tile))) for tile in tiles.KINDS),
)
"""By tile: the jiao that lays two copies of it along."""


def free(hand: bytes) -> bytearray:
    """The counts of a hand without its kan."""
    return bytearray(hand.translate(_FREE))


def choices(hand: bytes, tile: int) -> Iterator[tuple[Eat, bool]]:
    """Every way to eat `tile`, in canonical order, and whether a tile that may be played is left after it."""
    have = free(hand)
    for a, b, plain in _EATS[tile]:
        if not have[a] or not have[b] or (a == b and have[a] < 2):
            continue
        have[a] -= 1
        have[b] -= 1
        if have[tile]:
            for along, left in _along(have, tile):
                yield Eat(plain.using, along), left
        else:
            yield plain, any(have)
        have[a] += 1
        have[b] += 1


def _along(have: bytearray, tile: int) -> Iterator[tuple[tuple[Meld, ...], bool]]:
    """Every way to lay all copies of `tile` that `have` holds, each in a run or jiao of its own (P7.5)."""
    if have[tile] == 1:
        for single in _fitting(have, tile):
            left = _less(have, single)
            yield (single,), any(left)
        return
    if have[tiles.twin(tile)]:
        double = _DOUBLE[tile]
        yield (double,), any(_less(have, double))
    for first in _fitting(have, tile):
        rest = _less(have, first)
        for second in _fitting(rest, tile):
            if (first.name, first.tiles) <= (second.name, second.tiles):
                yield (first, second), any(_less(rest, second))


def _fitting(have: bytearray, tile: int) -> list[Meld]:
    return [meld for a, b, meld in _SINGLE[tile] if have[a] and have[b] and (a != b or have[a] == 2)]


def _less(have: bytearray, meld: Meld) -> bytearray:
    left = have[:]
    for member in meld.tiles:
        left[member] -= 1
    return left
