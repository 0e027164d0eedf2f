"""Melds (门子, P4) and what each is worth in huxi (胡息, P9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations_with_replacement
from typing import NamedTuple

from services.domain import Rejected
from services.games.paohuzi import tiles

CHINESE = {
    "run": "顺",
    "jiao": "绞",
    "peng": "碰",
    "wei": "偎",
    "chouwei": "臭偎",
    "ti": "提",
    "pao": "跑",
    "kan": "坎",
    "pair": "将",
}
"""Names of the melds in their canonical order, with the Chinese term."""

ALIKE = {"peng": 3, "wei": 3, "chouwei": 3, "ti": 4, "pao": 4, "kan": 3, "pair": 2}
"""Melds of one kind, with their number of tiles."""

FOURS = frozenset({"ti", "pao"})
"""The melds that oblige a winning hand to hold exactly one pair (P8.1)."""

SEVENS = frozenset({(2, 7, 10), (12, 17, 20)})
"""二七十 and 贰柒拾, runs by their own right (P4)."""

_SCORING_RUNS = frozenset({(1, 2, 3), (11, 12, 13)}) | SEVENS
_HUXI = {"ti": (9, 12), "pao": (6, 9), "wei": (3, 6), "chouwei": (3, 6), "kan": (3, 6), "peng": (1, 3)}
_SCORING_RUN_HUXI = (3, 6)


class Meld(NamedTuple):
    """One meld: `name` a key of `CHINESE`, `tiles` kind codes ascending (0 = face down, as others see it)."""

    name: str
    tiles: tuple[int, ...]


def of(name: str, members: Iterable[int]) -> Meld:
    """A meld of `members` in canonical order; legality is not checked (see `legal`)."""
    return Meld(name, tuple(sorted(members)))


def alike(name: str, kind: int) -> Meld:
    """A meld of one kind, with as many tiles as `name` takes. Raises KeyError for run and jiao."""
    return Meld(name, (kind,) * ALIKE[name])


def is_run(members: Sequence[int]) -> bool:
    """Whether three ascending kinds are a run: consecutive points of one size, or 2-7-10 of one size."""
    if len(members) != 3:
        return False
    low, middle, high = members
    consecutive = middle == low + 1 and high == low + 2 and tiles.is_big(low) == tiles.is_big(high)
    return low > 0 and (consecutive or tuple(members) in SEVENS)


def is_jiao(members: Sequence[int]) -> bool:
    """Whether three kinds are a jiao: one point, two tiles of one size and one of the other."""
    return (
        len(members) == 3
        and min(members) > 0
        and len({tiles.rank(kind) for kind in members}) == 1
        and len(set(members)) == 2
    )


THREES: tuple[Meld, ...] = tuple(
    Meld(name, three)
    for name, fits in (("run", is_run), ("jiao", is_jiao))
    for three in combinations_with_replacement(tiles.KINDS, 3)
    if fits(three)
)
"""Every run, then every jiao, ascending."""


def legal(meld: Meld) -> bool:
    """Whether a meld is one that P4 knows, all its tiles seen."""
    if meld.name == "run":
        return is_run(meld.tiles)
    if meld.name == "jiao":
        return is_jiao(meld.tiles)
    return (
        len(meld.tiles) == ALIKE.get(meld.name)
        and len(set(meld.tiles)) == 1
        and meld.tiles[0] != tiles.HIDDEN
    )


def huxi(meld: Meld) -> int:
    """Huxi of a legal meld (P9); of one partly face down by its shown tile, of one wholly so the least."""
    big = tiles.is_big(meld.tiles[-1])
    if meld.name == "run":
        return _SCORING_RUN_HUXI[big] if meld.tiles in _SCORING_RUNS else 0
    return _HUXI[meld.name][big] if meld.name in _HUXI else 0


def parse(words: Sequence[str]) -> Meld:
    """A meld from its text: `["run", "s1", "s2", "s3"]`; melds of one kind name it once: `["peng", "b5"]`.

    Tile order does not matter; the tiles of a meld of one kind may also be spelt out. Whether the meld is
    legal is left to `legal`. Raises Rejected("MALFORMED_MELD" or "MALFORMED_TILE").
    """
    if isinstance(words, str) or len(words) < 2 or words[0] not in CHINESE:
        raise Rejected("MALFORMED_MELD", "P4", f"{words!r} is not a meld")
    name, members = words[0], [tiles.parse(word) for word in words[1:]]
    return alike(name, members[0]) if name in ALIKE and len(members) == 1 else of(name, members)


def show(meld: Meld) -> list[str]:
    """The text form of a meld, `parse(show(m)) == m` where no tile is face down."""
    members = meld.tiles[-1:] if meld.name in ALIKE else meld.tiles
    return [meld.name, *(tiles.show(kind) for kind in members)]
