"""Cutting free tiles into runs, jiao and at most one pair, for the most huxi.

Free tiles are those no rule binds in a meld of one kind: at most three of a kind. They are packed into one
integer, three bits a kind, kinds ordered by point (一 壹 二 贰 …), so that taking the melds of the lowest
kind first leaves few different remainders and a bounded memo answers most questions. The right to one pair is
packed like a tile (`PAIR`): the pair uses it up, and a packing is cut whole only when nothing, not even that
right, is left (P8.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from services.games.paohuzi import melds, tiles
from services.games.paohuzi.melds import Meld

BITS = 3
"""Width of a kind's field."""


def place(kind: int) -> int:
    """Position of a kind in packing order, 0–19; that of `PAIR` is 20."""
    return 2 * (tiles.rank(kind) - 1) + tiles.is_big(kind)


UNIT: tuple[int, ...] = (0, *(1 << BITS * place(kind) for kind in tiles.KINDS))
"""One tile of a kind, packed; index 0 is unused."""

KIND_AT: tuple[int, ...] = tuple(sorted(tiles.KINDS, key=place))
"""Kinds in packing order."""

PAIR = 1 << BITS * len(tiles.KINDS)
"""The right, and duty, to cut one pair."""

IMPOSSIBLE = -1
"""Huxi of tiles that cannot be cut."""

GUARDS = sum(1 << BITS * at + BITS - 1 for at in range(len(tiles.KINDS) + 1))
"""The top bit of every field: set before a subtraction, it survives where the field was large enough."""


def _by_place() -> tuple[tuple[tuple[int, int, Meld], ...], ...]:
    found: list[list[tuple[int, int, Meld]]] = [[] for _ in range(len(tiles.KINDS) + 1)]
    for meld in melds.THREES:
        take = sum(UNIT[tile] for tile in meld.tiles)
        found[min(map(place, meld.tiles))].append((take, melds.huxi(meld), meld))
    for kind in tiles.KINDS:
        found[place(kind)].append((2 * UNIT[kind] + PAIR, 0, melds.alike("pair", kind)))
    return tuple(map(tuple, found))


_BY_PLACE = _by_place()
"""(what it takes, huxi, meld) by place of the lowest kind; nothing starts at the place of `PAIR`."""


def pack(counts: Sequence[int]) -> int:
    """Pack counts of at most three a kind."""
    return sum(number * UNIT[kind] for kind, number in enumerate(counts) if number)


@lru_cache(maxsize=1 << 16)
def most_huxi(free: int) -> int:
    """Most huxi that packed tiles can be cut for, or IMPOSSIBLE."""
    if not free:
        return 0
    guarded = free | GUARDS
    best = IMPOSSIBLE
    for take, huxi, _ in _starting(free):
        rest = guarded - take
        if rest & GUARDS == GUARDS:
            of_rest = most_huxi(rest ^ GUARDS)
            if of_rest >= 0 and of_rest + huxi > best:
                best = of_rest + huxi
    return best


def cut(free: int) -> tuple[Meld, ...]:
    """The melds of a cut worth `most_huxi(free)`, which must be possible; always the same one."""
    found: list[Meld] = []
    wanted = most_huxi(free)
    while free:
        for take, huxi, meld in _starting(free):
            rest = (free | GUARDS) - take
            if rest & GUARDS == GUARDS and most_huxi(rest ^ GUARDS) == wanted - huxi >= 0:
                found.append(meld)
                free, wanted = rest ^ GUARDS, wanted - huxi
                break
        else:
            raise ValueError("tiles that cannot be cut")
    return tuple(found)


def lowest(free: int) -> int:
    """Position of the lowest kind in a packing that is not empty."""
    return ((free & -free).bit_length() - 1) // BITS


def _starting(free: int) -> tuple[tuple[int, int, Meld], ...]:
    return _BY_PLACE[lowest(free)]
