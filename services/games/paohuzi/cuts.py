"""Cutting free tiles into runs, jiao and at most one pair, for the most huxi.

Free tiles are those no rule binds in a meld of one kind: at most three of a kind. They are packed into one
integer, three bits a kind, kinds ordered by point (一 壹 二 贰 …), so that taking the melds of the lowest
kind first leaves few different remainders and a bounded memo answers most questions. The right to one pair is
packed like a tile (`PAIR`): the pair uses it up, and a packing is cut whole only when nothing, not even that
right, is left (P8.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from services.games.paohuzi import melds, tiles
from services.games.paohuzi.melds import Meld

_BITS = 3


def _place(kind: int) -> int:
    return 2 * (tiles.rank(kind) - 1) + tiles.is_big(kind)


UNIT: tuple[int, ...] = (0, *(1 << _BITS * _place(kind) for kind in tiles.KINDS))
"""One tile of a kind, packed; index 0 is unused."""

PAIR = 1 << _BITS * len(tiles.KINDS)
"""The right, and duty, to cut one pair."""

IMPOSSIBLE = -1
"""Huxi of tiles that cannot be cut."""

_GUARDS = sum(1 << _BITS * place + _BITS - 1 for place in range(len(tiles.KINDS) + 1))
"""The top bit of every field: set before a subtraction, it survives where the field was large enough."""


def _melds_from(kind: int) -> Iterator[tuple[Meld, int]]:
    """Melds whose lowest kind in packing order is `kind`, with what each takes from a packing."""
    runs = [(kind, kind + 1, kind + 2), (kind, kind + 5, kind + 8)]
    found = [melds.of("run", run) for run in runs if run[2] in tiles.KINDS and melds.is_run(run)]
    if not tiles.is_big(kind):
        big = tiles.twin(kind)
        found += [melds.of("jiao", (kind, kind, big)), melds.of("jiao", (kind, big, big))]
    for meld in found:
        yield meld, sum(UNIT[tile] for tile in meld.tiles)
    yield melds.alike("pair", kind), 2 * UNIT[kind] + PAIR


_BY_PLACE: tuple[tuple[tuple[int, int, Meld], ...], ...] = (
    *(
        tuple((take, melds.huxi(meld), meld) for meld, take in _melds_from(kind))
        for kind in sorted(tiles.KINDS, key=_place)
    ),
    (),
)
"""(what it takes, huxi, meld) by place of the lowest kind; nothing starts at the place of `PAIR`."""


def pack(counts: Sequence[int]) -> int:
    """Pack counts of at most three a kind."""
    return sum(number * UNIT[kind] for kind, number in enumerate(counts) if number)


@lru_cache(maxsize=1 << 16)
def most_huxi(free: int) -> int:
    """Most huxi that packed tiles can be cut for, or IMPOSSIBLE."""
    if not free:
        return 0
    guarded = free | _GUARDS
    best = IMPOSSIBLE
    for take, huxi, _ in _starting(free):
        rest = guarded - take
        if rest & _GUARDS == _GUARDS:
            of_rest = most_huxi(rest ^ _GUARDS)
            if of_rest >= 0 and of_rest + huxi > best:
                best = of_rest + huxi
    return best


def cut(free: int) -> tuple[Meld, ...]:
    """The melds of a cut worth `most_huxi(free)`, which must be possible; always the same one."""
    found: list[Meld] = []
    wanted = most_huxi(free)
    while free:
        for take, huxi, meld in _starting(free):
            rest = (free | _GUARDS) - take
            if rest & _GUARDS == _GUARDS and most_huxi(rest ^ _GUARDS) == wanted - huxi >= 0:
                found.append(meld)
                free, wanted = rest ^ _GUARDS, wanted - huxi
                break
        else:
            raise ValueError("tiles that cannot be cut")
    return tuple(found)


def _starting(free: int) -> tuple[tuple[int, int, Meld], ...]:
    lowest_bit = (free & -free).bit_length() - 1
    return _BY_PLACE[lowest_bit // _BITS]
