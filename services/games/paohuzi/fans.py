"""Hands with a name (名堂, P10): which names a winning hand has and the fan they come to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from services.games.paohuzi import tiles
from services.games.paohuzi.melds import ALIKE, Meld
from services.games.paohuzi.params import Params

_COMBINE: dict[str, Callable[[list[int]], int]] = {"add": sum, "max": max, "multiply": prod}
_MANY = 18
_RED_HAND = 10
_GREAT_RED_HAND = 13


@dataclass(frozen=True, slots=True)
class WonHand:
    """A winning hand, its seven melds (winning tile and pair included), and the circumstances of the win."""

    melds: tuple[Meld, ...]
    heaven: bool = False
    earth: bool = False
    last_tile: bool = False
    untouched: bool = False
    """No eat or peng before the win; melds made with the winning tile do not count."""
    own_draw: bool = False


def names(params: Params, hand: WonHand) -> tuple[str, ...]:
    """Sorted codes of the names the hand has among those that are on; `plain` only if it has no other (P10).

    A name that is off neither counts nor stands in another's way: great red replaces red where great red is
    on, and heaven includes untouched where heaven is on.
    """
    return _standing(params, _conditions(hand))


def _standing(params: Params, conditions: Mapping[str, bool]) -> tuple[str, ...]:
    on = dict(params.fan)
    found = {code for code, holds in conditions.items() if holds and code in on}
    if "great_red" in found:
        found.discard("red")
    if "heaven" in found:
        found.discard("untouched")
    if not found and "plain" in on:
        found.add("plain")
    return tuple(sorted(found))


def fan(params: Params, hand: WonHand, codes: Sequence[str]) -> int:
    """Fan of a hand with the names `codes`, by `fan_combine`; at least 1, what no name counts (P10).

    A name whose fan is 0 is shown and counts nothing, whichever way fans combine.
    """
    return _counted(params, codes, _red_tiles(hand))


def of_colours(params: Params, red: int) -> int:
    """Fan of a hand with `red` red tiles to which no other name is due than its colours give it (P10)."""
    return _counted(params, _standing(params, _colours(red)), red)


def _counted(params: Params, codes: Sequence[str], red: int) -> int:
    on = dict(params.fan)
    if "red" in codes:
        on["red"] += params.red_step * (red - _RED_HAND)
    counting = [on[code] for code in codes if on[code]] or [1]
    return _COMBINE[params.fan_combine](counting)


def _red_tiles(hand: WonHand) -> int:
    return sum(tile in tiles.RED for meld in hand.melds for tile in meld.tiles)


def _conditions(hand: WonHand) -> dict[str, bool]:
    size = sum(len(meld.tiles) for meld in hand.melds)
    big = sum(tiles.is_big(tile) for meld in hand.melds for tile in meld.tiles)
    return _colours(_red_tiles(hand)) | {
        "all_triplets": all(meld.name in ALIKE for meld in hand.melds),
        "eighteen_big": big >= _MANY,
        "eighteen_small": size - big >= _MANY,
        "heaven": hand.heaven,
        "earth": hand.earth,
        "last_tile": hand.last_tile,
        "untouched": hand.untouched,
        "own_draw": hand.own_draw,
    }


def _colours(red: int) -> dict[str, bool]:
    return {
        "red": red >= _RED_HAND,
        "great_red": red >= _GREAT_RED_HAND,
        "one_red": red == 1,
        "black": red == 0,
    }
