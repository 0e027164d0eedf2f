"""Plans for a hand: its free tiles parted into whole melds, groups that wait for one tile, and loose tiles.

No tile ever enters a hand after the deal, so a meld that is not whole yet grows from two tiles held and one
claimed. A plan is the best parting for a *taste*: what each group is worth to a player. Tiles are packed as
in `cuts`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from services.games.paohuzi import cuts, melds, tiles


class Wait(NamedTuple):
    """A kind that completes a group, the claim that takes it (`eat`, `peng`, `win`), huxi of the run or jiao."""

    kind: int
    claim: str
    huxi: int


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Tiles of a hand that are a meld, if they wait for nothing, or one tile short of it; one object each."""

    tiles: tuple[int, ...]
    waits: tuple[Wait, ...]
    huxi: int
    """Of a whole meld."""
    pair: bool
    """Stands for the pair of a hand with a four, whole or still a single tile (see `cuts.PAIR`)."""
    take: int
    """What it takes from a packing."""


def _group(held: tuple[int, ...], waits: Iterable[Wait] = (), huxi: int = 0, pair: bool = False) -> Group:
    take = sum(cuts.UNIT[tile] for tile in held) + cuts.PAIR * pair
    return Group(held, tuple(sorted(waits)), huxi, pair, take)


def _by_place() -> tuple[tuple[Group, ...], ...]:
    waits: dict[tuple[int, ...], set[Wait]] = {(kind, kind): {Wait(kind, "peng", 0)} for kind in tiles.KINDS}
    for meld in melds.THREES:
        for index, kind in enumerate(meld.tiles):
            held = meld.tiles[:index] + meld.tiles[index + 1 :]
            waits.setdefault(held, set()).add(Wait(kind, "eat", melds.huxi(meld)))
    whole = [_group(meld.tiles, huxi=melds.huxi(meld)) for meld in melds.THREES]
    waiting = [_group(held, kinds) for held, kinds in sorted(waits.items())]
    pairs = [_group((kind, kind), pair=True) for kind in tiles.KINDS]
    singles = [_group((kind,), [Wait(kind, "win", 0)], pair=True) for kind in tiles.KINDS]
    found: list[list[Group]] = [[] for _ in range(len(tiles.KINDS) + 1)]
    for group in (*whole, *waiting, *pairs, *singles):
        found[cuts.lowest(group.take)].append(group)
    return tuple(map(tuple, found))


GROUPS = _by_place()
"""Every group there can be, by place of its lowest kind."""


def groups_in(free: int) -> Iterator[Group]:
    """Every group that packed tiles hold, by place of its lowest kind."""
    guarded = free | cuts.GUARDS
    for row in GROUPS:
        for group in row:
            if (guarded - group.take) & cuts.GUARDS == cuts.GUARDS:
                yield group


class Planner:
    """Finds the plan of the greatest worth; what it has worked out serves for every part of the same hand."""

    def __init__(self, worths: Iterable[tuple[Group, float]]) -> None:
        """`worths`: the groups a plan may use and what each is worth, above 0; a loose tile is worth 0."""
        self._rows: list[list[tuple[int, float, Group]]] = [[] for _ in GROUPS]
        for group, worth in worths:
            self._rows[cuts.lowest(group.take)].append((group.take, worth, group))
        nothing = (0.0, 0, None)
        self._found: dict[int, tuple[float, int, Group | None]] = {0: nothing, cuts.PAIR: nothing}

    def plan(self, free: int) -> tuple[list[Group], list[int]]:
        """The groups of the best plan for packed tiles, and the kinds left loose."""
        groups, loose = [], []
        self._best(free)
        while free and free != cuts.PAIR:
            _, take, group = self._found[free]
            if group:
                groups.append(group)
            else:
                loose.append(cuts.KIND_AT[cuts.lowest(take)])
            free -= take
        return groups, loose

    def _best(self, free: int) -> float:
        found = self._found.get(free)
        if found:
            return found[0]
        place = cuts.lowest(free)
        taken, chosen = 1 << cuts.BITS * place, None
        best = self._best(free - taken)
        guarded = free | cuts.GUARDS
        for take, worth, group in self._rows[place]:
            rest = guarded - take
            if rest & cuts.GUARDS == cuts.GUARDS:
                total = worth + self._best(rest ^ cuts.GUARDS)
                if total > best:
                    best, taken, chosen = total, take, group
        self._found[free] = best, taken, chosen
        return best
