"""Reading a hand as a win (P8): seven melds, enough huxi, and of all readings the one that scores most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.games.paohuzi import cuts, fans, melds, score, tiles
from services.games.paohuzi.melds import Meld
from services.games.paohuzi.params import Params

LAST_TILE = "last_tile"
UNTOUCHED = "untouched"

Standing = tuple[Meld, ...]
"""Melds that are settled; what is left of the hand is cut into runs, jiao and pair (see `cuts`)."""

_NOWHERE: frozenset[str] = frozenset()
_ALIKE = {name: (Meld(name, ()), *(melds.alike(name, kind) for kind in tiles.KINDS)) for name in melds.ALIKE}
_GROWING = frozenset({"kan", "wei", "peng"})
"""Melds a fourth tile may join; a 臭偎 never grows (P4)."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A winning reading: seven melds, their huxi, sorted codes of its names, its fan, the winner's gain."""

    melds: tuple[Meld, ...]
    huxi: int
    names: tuple[str, ...]
    fan: int
    gain: int

    @property
    def scores(self) -> tuple[int, int, int]:
        """Winner, loser, loser (P11.1)."""
        return score.by_seat(0, self.gain)


def best(
    params: Params,
    laid: Standing,
    counts: Sequence[int],
    tile: int | None,
    drawn: str,
    position: frozenset[str] = _NOWHERE,
) -> Reading | None:
    """The reading that scores most, then has most huxi (P8.6); None if the hand does not win.

    `laid` are the seat's own melds, all tiles known; `counts` its hand without the winning `tile`. `drawn`
    says where the tile comes from: `own` draw, `other`'s draw, `discard` (a played tile, never wins, P8.3) or
    `dealt`, the bright tile. Without a `tile` every tile is in `laid` and `counts` already: with `dealt` it
    is the dealer's hand (天胡; a dealt ti may be laid or in hand), with `own` a draw that went into a
    compulsory meld of `laid`. `position` holds any of LAST_TILE, UNTOUCHED.
    """
    if drawn == "discard" or (drawn == "dealt" and tile is not None and not params.dihu_on_bright_tile):
        return None
    size = sum(counts) + sum(len(meld.tiles) for meld in laid) + (tile is not None)
    readings: list[Reading] = []
    for standing, free in _placements(laid, counts, tile, own=drawn == "own"):
        fours = sum(meld.name in melds.FOURS for meld in standing)
        if size != 20 + max(1, fours):  # the tiles of seven melds, one of them a pair if there are fours
            continue
        to_cut = free | cuts.PAIR if fours else free
        huxi = cuts.most_huxi(to_cut)
        if huxi == cuts.IMPOSSIBLE:
            continue
        huxi += sum(melds.huxi(meld) for meld in standing)
        if huxi >= params.min_huxi:
            hand = _won_hand(standing + cuts.cut(to_cut), tile, drawn, position)
            readings.append(_named(params, hand, huxi))
    return max(readings, key=lambda reading: (reading.gain, reading.huxi), default=None)


def _placements(
    laid: Standing, counts: Sequence[int], tile: int | None, *, own: bool
) -> Iterator[tuple[Standing, int]]:
    """Every way to settle the bound tiles: melds that stand, packed tiles left free.

    Three and four alike in hand are bound (P4). An own draw must go into kan, wei or pair (P8.4), while a
    table peng leaves it the choice; another's draw may join any of them or be free (P8.5).
    """
    bound: list[Meld] = []
    free = 0
    for kind in tiles.KINDS:
        number = counts[kind]
        if number >= 3:
            bound.append(_ALIKE["kan" if number == 3 else "ti"][kind])
        elif number:
            free += number * cuts.UNIT[kind]
    standing = (*laid, *bound)
    if tile is None:
        yield standing, free
        return
    for index, meld in enumerate(standing):
        if meld.name in _GROWING and meld.tiles[0] == tile:
            compulsory = own and meld.name != "peng"
            grown = _ALIKE["ti" if compulsory else "pao"][tile]
            yield (*standing[:index], grown, *standing[index + 1 :]), free
            if compulsory:
                return
    if counts[tile] == 2:
        yield (*standing, _ALIKE["wei" if own else "peng"][tile]), free - 2 * cuts.UNIT[tile]
        if own:
            return
    yield standing, free + cuts.UNIT[tile]


def _won_hand(seven: Standing, tile: int | None, drawn: str, position: frozenset[str]) -> fans.WonHand:
    """The hand with the circumstances of its win; a dealt hand is untouched by nature."""
    heaven = drawn == "dealt" and tile is None
    return fans.WonHand(
        seven,
        heaven=heaven,
        earth=drawn == "dealt" and not heaven,
        last_tile=LAST_TILE in position,
        untouched=heaven or UNTOUCHED in position,
        own_draw=drawn == "own",
    )


def _named(params: Params, hand: fans.WonHand, huxi: int) -> Reading:
    names = fans.names(params, hand)
    fan = fans.fan(params, hand, names)
    return Reading(hand.melds, huxi, names, fan, score.gain(params, huxi, fan))
