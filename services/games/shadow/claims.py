"""What may be claimed of a tile on offer, and which claim comes first (P6, P7.5), for the shadow referee."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from services.games.shadow import hands as shadow
from services.games.shadow.hands import Tile, without

if TYPE_CHECKING:
    from services.games.shadow.paohuzi import Board

Rank = tuple[int, int]
"""Order of claims (P6.1), the better the lower: win, then pao and peng, then eat; among equals by place."""

_WIN, _TAKE, _EAT = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Offer:
    """A tile that seats may claim: `played` or `drawn` by `seat`, or the `bright` tile of the dealer."""

    how: str
    seat: int
    tile: Tile

    def rank(self, seat: int, claim: str) -> Rank:
        """P6.1; between two of a sort the drawer or dealer comes first, then in turn order."""
        place = (seat - self.seat) % 3
        if claim == "win":
            return (_WIN, place)
        return (_TAKE, 0) if claim in ("pao", "peng") else (_EAT, place)


@lru_cache(maxsize=1 << 12)
def tidy(do: str) -> str:
    """An act in one spelling: the tiles of an eat in order, melds laid along in order."""
    if not do.startswith("eat "):
        return do
    using, *along = [" ".join(shadow.in_order(group.split())) for group in do[4:].split("+")]
    return " + ".join(["eat " + using, *sorted(along)])


def claims(board: Board, offer: Offer, seat: int) -> list[str]:
    """All that a seat could claim of the tile on offer, outranked or not."""
    if board.dead[seat]:  # P5.7
        return []
    win = ["win"] if board.win_on_offer(seat) else []
    if board.pao == seat:  # compulsory: nothing else can be done with the tile but win on it
        return win
    return [*win, *_pengs(board, offer, seat), *_eats(board, offer, seat)]


def pao(board: Board, offer: Offer) -> int | None:
    """The seat whose compulsory pao takes the tile on offer (P4)."""
    tile = offer.tile
    if offer.how == "bright":  # P5.1: it triggers no pao
        return None
    for seat in range(3):
        kan = board.hands[seat].count(tile) == 3 and seat != offer.seat
        peng = ("peng", tile) in board.melds[seat] and offer.how == "drawn"
        wei = ("wei", tile) in board.melds[seat] and seat != offer.seat
        if kan or peng or wei:
            return seat
    return None


def _pengs(board: Board, offer: Offer, seat: int) -> list[str]:
    tile = offer.tile
    if offer.how == "bright" or seat == offer.seat or board.hands[seat].count(tile) != 2:
        return []
    if tile in board.no_peng[seat]:  # P7
        return []
    return ["peng"] if _can_go_on(board, seat, [tile] * 2) else []


def _eats(board: Board, offer: Offer, seat: int) -> list[str]:
    """P6.2: the player's next seat; P6.3: the drawer and the drawer's next seat."""
    tile, after = offer.tile, (offer.seat + 1) % 3
    eaters = {"played": [after], "drawn": [offer.seat, after], "bright": []}[offer.how]
    if seat not in eaters or tile in board.no_eat[seat]:
        return []
    hand = board.hands[seat]
    held, near = Counter(hand), shadow.near(tile)
    free = [each for each in hand if each in near and held[each] < 3]  # P4: no kan is broken
    return sorted({eat for eat, used in _ways(tile, tuple(sorted(free))) if _can_go_on(board, seat, used)})


@lru_cache(maxsize=1 << 12)
def _ways(tile: Tile, free: tuple[Tile, ...]) -> list[tuple[str, list[Tile]]]:
    """Every eat of a tile with some of the `free` ones, and all of the hand that it takes (P7.5). Remembered: few tiles of a hand
    are near any one, and these recur."""
    found = []
    for using in shadow.partners(tile):
        if shadow.two_in(free, using):
            for along in shadow.layings(tile, without(free, using)):
                groups = [" ".join(using), *(" ".join(meld[1:]) for meld in along)]
                used = [*using, *(each for meld in along for each in meld[1:])]
                found.append((tidy("eat " + " + ".join(groups)), used))
    return found


def _can_go_on(board: Board, seat: int, used: Sequence[Tile]) -> bool:
    """P5.7: not where taking the tile with `used` would leave a tile owed and none playable."""
    left = without(board.hands[seat], used)
    return any(left.count(tile) < 3 for tile in left) or not board.owes_tile(seat, more=1)
