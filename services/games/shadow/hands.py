"""Paohuzi hands for the shadow referee: tiles, melds, huxi, every reading of a hand, named hands, score.

Readings are found by trying everything; nothing is pruned but what P4 forbids, and tiles too many or too few for seven melds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations_with_replacement
from typing import Any

Tile = str
"""`s1` … `s10`, `b1` … `b10` (P1.1)."""

Meld = tuple[str, ...]
"""Name and tiles; a meld of one kind names it once: `("peng", "b5")`."""

KINDS: tuple[Tile, ...] = tuple(size + str(point) for size in "sb" for point in range(1, 11))
DECK: tuple[Tile, ...] = tuple(kind for kind in KINDS for _ in range(4))
_PLACE = {kind: place for place, kind in enumerate(KINDS)}
SIZES = {"peng": 3, "wei": 3, "chouwei": 3, "kan": 3, "ti": 4, "pao": 4, "pair": 2}
"""Melds of one kind and how many tiles they are (P4)."""


def point(tile: Tile) -> int:
    """牌点, which ignores size (P1.2)."""
    return int(tile[1:])


def size(tile: Tile) -> str:
    """`s` or `b`."""
    return tile[0]


def is_red(tile: Tile) -> bool:
    """二 七 十 and 贰 柒 拾 (P1.1)."""
    return point(tile) in (2, 7, 10)


def in_order(tiles: Sequence[Tile]) -> list[Tile]:
    """Small before big, each by point."""
    return sorted(tiles, key=_PLACE.__getitem__)


def is_run(three: Sequence[Tile]) -> bool:
    """Three consecutive points of one size, or 2-7-10 of one size (P4)."""
    low, middle, high = sorted(point(tile) for tile in three)
    one_size = len({size(tile) for tile in three}) == 1
    return one_size and ((middle == low + 1 and high == low + 2) or (low, middle, high) == (2, 7, 10))


def is_jiao(three: Sequence[Tile]) -> bool:
    """Three of one point in mixed size (P4)."""
    return len({point(tile) for tile in three}) == 1 and len({size(tile) for tile in three}) == 2


def three_meld(three: Sequence[Tile]) -> Meld | None:
    """The run or jiao that three tiles are, or None."""
    return _three_meld(*three)


@cache
def _three_meld(*three: Tile) -> Meld | None:
    if is_run(three):
        return ("run", *in_order(three))
    if is_jiao(three):
        return ("jiao", *in_order(three))
    return None


@cache
def partners(tile: Tile) -> dict[tuple[Tile, Tile], Meld]:
    """Every two kinds that are a run or jiao with a tile, and which: any two are tried, once."""
    found = {two: three_meld([tile, *two]) for two in combinations_with_replacement(KINDS, 2)}
    return {two: meld for two, meld in found.items() if meld}


@cache
def begun(tile: Tile) -> list[tuple[Tile, Tile, Meld]]:
    """The runs and jiao of which a tile comes first in order: the other two tiles, and the meld."""
    return [(*two, meld) for two, meld in partners(tile).items() if meld[1] == tile]


@cache
def near(tile: Tile) -> frozenset[Tile]:
    """All kinds that can lie in a run or jiao with a tile."""
    return frozenset(kind for two in partners(tile) for kind in two)


def two_in(tiles: Sequence[Tile], two: tuple[Tile, Tile]) -> bool:
    """Whether both of two tiles are among some."""
    one, other = two
    return one in tiles and (tiles.count(one) > 1 if one == other else other in tiles)


def tiles_of(meld: Meld) -> list[Tile]:
    """Every tile of a meld."""
    name, *members = meld
    return [members[0]] * SIZES[name] if name in SIZES else members


def is_legal(words: Sequence[str]) -> bool:
    """Whether words such as `["run", "s1", "s2", "s3"]` are a meld of P4."""
    name, *members = words
    if not members or any(tile not in KINDS for tile in members):
        return False
    if name in SIZES:
        return len(set(members)) == 1 and len(members) in (1, SIZES[name])
    return name in ("run", "jiao") and len(members) == 3 and (is_run if name == "run" else is_jiao)(members)


@cache
def huxi(meld: Meld) -> int:
    """The table of P9."""
    name, first = meld[0], meld[1]
    big = size(first) == "b"
    if name == "ti":
        return 12 if big else 9
    if name == "pao":
        return 9 if big else 6
    if name in ("wei", "chouwei", "kan"):
        return 6 if big else 3
    if name == "peng":
        return 3 if big else 1
    if name == "run" and sorted(point(tile) for tile in meld[1:]) in ([1, 2, 3], [2, 7, 10]):
        return 6 if big else 3
    return 0


Reading = tuple[Meld, ...]
"""Seven melds, or some of them."""


def without(tiles: Sequence[Tile], gone: Sequence[Tile]) -> list[Tile]:
    """`tiles` less `gone`, copy by copy. Raises ValueError where one is missing."""
    rest = list(tiles)
    for tile in gone:
        rest.remove(tile)
    return rest


def fours_in(hand: Sequence[Tile]) -> list[Tile]:
    """Kinds held four times (P4 ti 1)."""
    return [kind for kind in KINDS if hand.count(kind) == 4]


def splits(tiles: Sequence[Tile], pairs: int) -> frozenset[Reading]:
    """Every way to lay all `tiles` out in runs, jiao and so many pairs."""
    return _splits(tuple(in_order(tiles)), pairs)


@lru_cache(maxsize=1 << 16)
def _splits(tiles: tuple[Tile, ...], pairs: int) -> frozenset[Reading]:
    if not tiles:
        return frozenset() if pairs else frozenset({()})
    first, rest = tiles[0], tiles[1:]
    found: set[Reading] = set()
    if pairs and first in rest:
        for others in _splits(tuple(without(rest, [first])), pairs - 1):
            found.add(tuple(sorted([("pair", first), *others])))
    for one, other, meld in begun(first):
        if one in rest and other in rest and (one != other or rest.count(one) > 1):
            for others in _splits(tuple(without(rest, [one, other])), pairs):
                found.add(tuple(sorted([meld, *others])))
    return frozenset(found)


def sevens(table: Sequence[Meld], hand: Sequence[Tile], loose: Sequence[Tile] = ()) -> Iterator[Reading]:
    """Every reading as seven melds (P8.1): what is laid, ti and kan of the hand, the rest in combinations.

    `loose`: a tile that is not of the hand, so that it makes neither kan nor ti with it.
    """
    whole, rest = _parts(tuple(hand))
    fixed = (*table, *whole)
    pairs = 1 if any(meld[0] in ("ti", "pao") for meld in fixed) else 0
    if len(rest) + len(loose) == 3 * (7 - len(fixed)) - pairs:
        for split in splits([*rest, *loose], pairs):
            yield fixed + split


@lru_cache(maxsize=1 << 12)
def _parts(hand: tuple[Tile, ...]) -> tuple[Reading, list[Tile]]:
    """Ti and kan of a hand, and its other tiles. Remembered: of a hand it is asked with one tile after the other."""
    held = Counter(hand)
    alike = [
        *(("ti", kind) for kind in fours_in(hand)),
        *(("kan", kind) for kind in KINDS if held[kind] == 3),
    ]
    return tuple(alike), [tile for tile in hand if held[tile] < 3]


def grown(table: Sequence[Meld], old: Meld, name: str) -> list[Meld]:
    """The table with one of its melds grown by the fourth tile."""
    return [(name, old[1]) if meld == old else meld for meld in table]


def own_draw(table: Sequence[Meld], hand: Sequence[Tile], tile: Tile) -> Iterator[Reading]:
    """Readings of a hand that drew `tile` itself (P8.4): ti and wei come first and bind the tile."""
    copies = hand.count(tile)
    if copies == 3:
        yield from sevens([*table, ("ti", tile)], without(hand, [tile] * 3))
    elif ("wei", tile) in table:
        yield from sevens(grown(table, ("wei", tile), "ti"), hand)
    elif copies == 2:
        yield from sevens([*table, ("wei", tile)], without(hand, [tile] * 2))
    else:
        if ("peng", tile) in table:
            yield from sevens(grown(table, ("peng", tile), "pao"), hand)
        yield from sevens(table, hand, [tile])


def others_draw(table: Sequence[Meld], hand: Sequence[Tile], tile: Tile) -> Iterator[Reading]:
    """Readings of a hand that wins on a stock tile it did not draw (P8.5)."""
    copies = hand.count(tile)
    if copies == 3:
        yield from sevens([*table, ("pao", tile)], without(hand, [tile] * 3))
    if copies == 2:
        yield from sevens([*table, ("peng", tile)], without(hand, [tile] * 2))
    for name in ("peng", "wei"):
        if (name, tile) in table:
            yield from sevens(grown(table, (name, tile), "pao"), hand)
    yield from sevens(table, hand, [tile])


def layings(tile: Tile, rest: Sequence[Tile]) -> set[tuple[Meld, ...]]:
    """P7.5: every way to lay each copy of `tile` in `rest` in runs or jiao of its own; `{()}` if there is none."""
    if tile not in rest:
        return {()}
    others, found = without(rest, [tile]), set()
    for two, meld in partners(tile).items():
        if two_in(others, two):
            for more in layings(tile, without(others, two)):
                found.add(tuple(sorted([meld, *more])))
    return found


COMPETITIVE = {"plain": 1, "red": 2, "great_red": 4, "one_red": 3, "black": 5}
DUOHONGDUI = {
    "plain": 1,
    "red": 2,
    "one_red": 4,
    "black": 6,
    "all_triplets": 6,
    "heaven": 4,
    "earth": 4,
    "last_tile": 4,
    "untouched": 4,
}


@dataclass(frozen=True, slots=True)
class Rules:
    """Parameters of a board. `fan`: named hands that are on (P10)."""

    fan: Mapping[str, int]
    red_step: int = 0
    fan_combine: str = "add"
    min_huxi: int = 15
    dihu_on_bright_tile: bool = False


def rules(overrides: Mapping[str, Any]) -> Rules:
    """The parameters of valid `overrides` in the words of the cases: `fan` changes the codes it names."""
    duohongdui = overrides.get("profile") == "duohongdui"
    table: dict[str, int | None] = {**(DUOHONGDUI if duohongdui else COMPETITIVE), **overrides.get("fan", {})}
    return Rules(
        fan={code: fan for code, fan in table.items() if fan is not None},
        red_step=overrides.get("red_step", 1 if duohongdui else 0),
        fan_combine=overrides.get("fan_combine", "add"),
        min_huxi=overrides.get("min_huxi", 15),
        dihu_on_bright_tile=overrides.get("dihu_on_bright_tile", False),
    )


@dataclass(frozen=True, slots=True)
class Moment:
    """How a win comes about, as far as P10 asks."""

    by: str
    """`dealt` (the dealer's 21), `bright` (another on the bright tile), `own` or `other` (a drawn tile)."""
    last_tile: bool = False
    untouched: bool = False


def names(rules: Rules, reading: Reading, moment: Moment) -> list[str]:
    """Codes of the named hands that are on, sorted (P10)."""
    tiles = [tile for meld in reading for tile in tiles_of(meld)]
    red = sum(is_red(tile) for tile in tiles)
    big = sum(size(tile) == "b" for tile in tiles)
    great_red = "great_red" in rules.fan and red >= 13
    conditions = {
        "red": red >= 10 and not great_red,  # 10 to 12, and on from there where no great red replaces it
        "great_red": great_red,
        "one_red": red == 1,
        "black": red == 0,
        "all_triplets": not any(meld[0] in ("run", "jiao") for meld in reading),
        "eighteen_big": big >= 18,
        "eighteen_small": len(tiles) - big >= 18,
        "heaven": moment.by == "dealt",
        "earth": moment.by == "bright",
        "last_tile": moment.last_tile,
        "untouched": moment.untouched and not (moment.by == "dealt" and "heaven" in rules.fan),
        "own_draw": moment.by == "own",
    }
    found = [code for code, holds in conditions.items() if holds and code in rules.fan]
    if not found and "plain" in rules.fan:
        found = ["plain"]
    return sorted(found)


def fan(rules: Rules, codes: Sequence[str], reading: Reading) -> int:
    """The fan of a hand with these names; without a name, or with none that counts anything, 1 (P10)."""
    red = sum(is_red(tile) for meld in reading for tile in tiles_of(meld))
    values = [rules.fan[code] + (rules.red_step * (red - 10) if code == "red" else 0) for code in codes]
    values = [value for value in values if value > 0]
    if not values:
        return 1
    if rules.fan_combine == "max":
        return max(values)
    if rules.fan_combine == "multiply":
        product = 1
        for value in values:
            product *= value
        return product
    return sum(values)


@dataclass(frozen=True, slots=True)
class Win:
    """A reading that wins, and what each loser pays."""

    reading: Reading
    huxi: int
    names: list[str]
    fan: int
    pay: int


def wins(rules: Rules, readings: Iterator[Reading], moment: Moment) -> list[Win]:
    """Every reading with enough huxi (P8.2), valued by P11.1: tun · fan from each loser."""
    found = []
    for reading in readings:
        total = sum(huxi(meld) for meld in reading)
        if total >= rules.min_huxi:
            codes = names(rules, reading, moment)
            value = fan(rules, codes, reading)
            tun = (total - rules.min_huxi) // 3 + 1
            found.append(Win(reading, total, codes, value, tun * value))
    return found


def best(found: Sequence[Win]) -> Win | None:
    """The win that scores most; of those the one with the most huxi (P8.6)."""
    return max(found, key=lambda win: (win.pay, win.huxi), default=None)


def scores(winner: int, pay: int) -> list[int]:
    """Winner + 2 · tun · fan, the others − tun · fan each, by seat (P11.1)."""
    return [2 * pay if seat == winner else -pay for seat in range(3)]
