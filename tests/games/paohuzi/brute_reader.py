"""A slow reader of winning hands, written from P4, P8 and P10 alone, to compare the fast one with.

It lays the tiles out in every possible way, the winning tile marked, and only then asks of each layout
whether the rules allow it. Shares nothing with the engine but the types of its inputs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import prod
from typing import Any

from services.games.paohuzi.melds import Meld
from services.games.paohuzi.params import Params

Tile = tuple[int, bool]
"""A kind, and whether this is the winning tile."""
Group = tuple[Tile, ...]

HUXI = {"ti": (9, 12), "pao": (6, 9), "wei": (3, 6), "chouwei": (3, 6), "kan": (3, 6), "peng": (1, 3)}


def best_value(
    params: Params,
    laid: tuple[Meld, ...],
    hand: list[int],
    tile: int | None,
    drawn: str,
    position: frozenset[str],
) -> tuple[int, int, int, tuple[str, ...]] | None:
    """(gain, huxi, fan, names) of the best allowed layout, or None."""
    if drawn == "discard":
        return None
    values = []
    for table, loose in _joined(laid, hand, tile):
        for groups in _layouts(loose):
            melds = [*table, *(_named(group, drawn) for group in groups)]
            if _allowed(melds, laid, hand, tile, drawn):
                values.append(_value(params, melds, tile, drawn, position))
    winning = [value for value in values if value[1] >= params.min_huxi]
    return max(winning, key=lambda value: value[:2], default=None)


def _joined(laid: tuple[Meld, ...], hand: list[int], tile: int | None) -> Iterator[tuple[list[Meld], Group]]:
    """The winning tile among the loose ones, or laid on a meld of three of its kind (`joined` as yet)."""
    loose = tuple(sorted((kind, False) for kind in hand))
    if tile is None:
        yield list(laid), loose
        return
    yield list(laid), tuple(sorted([*loose, (tile, True)]))
    for meld in laid:
        if meld.tiles == (tile,) * 3:
            others = list(laid)
            others.remove(meld)
            yield [*others, Meld(f"joined {meld.name}", (tile,) * 4)], loose


def _layouts(loose: Group) -> Iterator[list[Group]]:
    if not loose:
        yield []
        return
    first, others = loose[0], loose[1:]
    for group in sorted({(first, *more) for more in _mates(first, others)}):
        rest = list(others)
        for mate in group[1:]:
            rest.remove(mate)
        for groups in _layouts(tuple(rest)):
            yield [group, *groups]


def _mates(first: Tile, others: Group) -> Iterator[Group]:
    kind = first[0]
    for wanted in (
        [kind],
        [kind, kind],
        [kind, kind, kind],
        [kind + 1, kind + 2],
        [kind + 5, kind + 8],
        [kind, kind + 10],
        [kind + 10, kind + 10],
    ):
        if _shape([kind, *wanted]) is not None:
            yield from _picks(wanted, others)


def _picks(wanted: list[int], others: Group) -> Iterator[Group]:
    if not wanted:
        yield ()
        return
    for tile in sorted({tile for tile in others if tile[0] == wanted[0]}):
        rest = list(others)
        rest.remove(tile)
        for more in _picks(wanted[1:], tuple(rest)):
            yield (tile, *more)


def _shape(kinds: list[int]) -> str | None:
    points, sizes = [(kind - 1) % 10 + 1 for kind in kinds], [(kind - 1) // 10 for kind in kinds]
    if max(kinds) > 20:
        return None
    if len(set(kinds)) == 1:
        return {2: "two", 3: "three", 4: "four"}[len(kinds)]
    if len(kinds) == 3 and len(set(points)) == 1:
        return "jiao"
    if len(set(sizes)) == 1 and points in ([2, 7, 10], [points[0], points[0] + 1, points[0] + 2]):
        return "run"
    return None


def _named(group: Group, drawn: str) -> Meld:
    kinds = tuple(kind for kind, _ in group)
    with_winning_tile = any(mark for _, mark in group)
    own = drawn == "own"
    name = {
        "two": "pair",
        "three": ("wei" if own else "peng") if with_winning_tile else "kan",
        "four": ("ti" if own else "pao") if with_winning_tile else "ti",
    }
    shape = _shape(list(kinds)) or ""
    return Meld(name.get(shape, shape), kinds)


def _allowed(
    melds: list[Meld], laid: tuple[Meld, ...], hand: list[int], tile: int | None, drawn: str
) -> bool:
    in_hand = Counter(hand)
    whole = Counter(meld.tiles for meld in melds if len(set(meld.tiles)) == 1)
    held_together = all(
        whole[(kind,) * 4] or (number == 3 and whole[(kind,) * 3])
        for kind, number in in_hand.items()
        if number >= 3
    )
    fours = [meld for meld in melds if len(meld.tiles) == 4]
    pairs = [meld for meld in melds if meld.name == "pair"]
    if len(melds) != 7 or len(pairs) != bool(fours) or not held_together:
        return False
    if any(meld.name == "joined chouwei" for meld in melds):
        return False
    if tile is None or drawn != "own":
        return True
    if in_hand[tile] == 3 or Meld("wei", (tile,) * 3) in laid:
        return (tile,) * 4 in whole
    if in_hand[tile] == 2:
        return (tile,) * 3 in whole
    return True


def _value(
    params: Params, melds: list[Meld], tile: int | None, drawn: str, position: frozenset[str]
) -> tuple[int, int, int, tuple[str, ...]]:
    huxi = sum(_huxi(meld, drawn) for meld in melds)
    kinds = [kind for meld in melds for kind in meld.tiles]
    points = [(kind - 1) % 10 + 1 for kind in kinds]
    red = sum(point in (2, 7, 10) for point in points)
    on = dict(params.fan)
    heaven = tile is None
    has = {
        "red": red >= 10 and not (red >= 13 and "great_red" in on),
        "great_red": red >= 13,
        "one_red": red == 1,
        "black": red == 0,
        "all_triplets": not any(meld.name in ("run", "jiao") for meld in melds),
        "eighteen_big": sum(kind > 10 for kind in kinds) >= 18,
        "eighteen_small": sum(kind <= 10 for kind in kinds) >= 18,
        "heaven": heaven,
        "last_tile": "last_tile" in position,
        "untouched": ("untouched" in position or heaven) and not (heaven and "heaven" in on),
        "own_draw": drawn == "own",
    }
    names = sorted(code for code in on if has.get(code)) or sorted({"plain"} & on.keys())
    values = [on[code] + (params.red_step * (red - 10) if code == "red" else 0) for code in names]
    combine: Any = {"add": sum, "max": max, "multiply": prod}[params.fan_combine]
    fan = combine([value for value in values if value] or [1])
    tun = (huxi - params.min_huxi) // 3 + 1
    return tun * fan * 2, huxi, fan, tuple(names)


def _huxi(meld: Meld, drawn: str) -> int:
    big = meld.tiles[0] > 10
    if meld.name.startswith("joined"):
        name = "ti" if drawn == "own" and meld.name != "joined peng" else "pao"
        return HUXI[name][big]
    if meld.name == "run":
        low = (meld.tiles[0] - 1) % 10 + 1
        scoring = low == 1 or (low == 2 and meld.tiles[1] - meld.tiles[0] == 5)
        return (3, 6)[big] if scoring else 0
    return HUXI.get(meld.name, (0, 0))[big]
