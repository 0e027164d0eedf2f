"""What a seat may know (P13), field by field; see `sight` for how it comes out of a board.

Public are what hands count, the bright tile, played and drawn tiles, the number of tiles anywhere, open melds and the shown
tile of closed ones, and which kinds a seat has played. A seat sees besides its own hand, its own melds,
which kinds are dead for it, and what it is asked.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from services.games.paohuzi.actions import Action
from services.games.paohuzi.events import Won
from services.games.paohuzi.melds import Meld
from services.games.paohuzi.params import DEFAULT, Params


class Front(NamedTuple):
    """What lies in front of a seat, as the viewer sees it."""

    melds: tuple[Meld, ...]
    """Face-down tiles are 0: all of another's wei, two of a 臭偎, three of a ti."""
    discards: tuple[int, ...]
    """Played or drawn tiles that nobody took, oldest first."""
    hand_size: int
    played: tuple[int, ...]
    """Kinds the seat has played, ascending."""


class NamedHand(NamedTuple):
    """A named hand that is on, and its fan."""

    code: str
    fan: int


class Fans(NamedTuple):
    """What named hands count on a board (P10)."""

    hands: tuple[NamedHand, ...]
    red_step: int
    """What red gains per red tile above ten."""
    combine: str


class SeatView(NamedTuple):
    """One seat's knowledge of a board; a spectator's (`seat` None) has no hand, options or dead kinds."""

    seat: int | None
    dealer: int
    bright: int
    stock_left: int
    hand: tuple[int, ...]
    """Own tiles by kind code, 21 entries; empty for a spectator."""
    fronts: tuple[Front, ...]
    """By seat."""
    current: int
    """The tile on offer, 0 if none; once the board is won the winning tile, if it had been on offer."""
    current_from: int | None
    """Seat that played or drew it."""
    current_drawn: bool
    owes: int | None
    """Seat that owes a tile (P5.4)."""
    options: tuple[Action, ...]
    """Own question in canonical order, until answered or settled; empty when there is none."""
    dead_eat: tuple[int, ...]
    """Kinds the viewer eats no more (P7.1, P7.3)."""
    dead_peng: tuple[int, ...]
    """Kinds the viewer pengs no more (P7.1-P7.3)."""
    dead_hand: bool
    """The viewer's hand is dead (P5.7)."""
    min_huxi: int
    """What a win takes (P8.2)."""
    over: bool
    won: Won | None
    """How the board was won; None while it is open and when nobody won."""
    fans: Fans | None
    """What named hands count; None where it is as in the profile `competitive-2017`."""

    @property
    def params(self) -> Params:
        """The parameters that say which hand wins and what it gains."""
        return _params(self.min_huxi, self.fans)

    @property
    def melds(self) -> tuple[tuple[Meld, ...], ...]:
        """Melds by seat, as the viewer sees them."""
        return tuple(front.melds for front in self.fronts)

    @property
    def discards(self) -> tuple[tuple[int, ...], ...]:
        """Dead tiles by seat."""
        return tuple(front.discards for front in self.fronts)

    @property
    def hand_sizes(self) -> tuple[int, ...]:
        """Number of tiles in the hand, by seat."""
        return tuple(front.hand_size for front in self.fronts)

    @property
    def played_kinds(self) -> tuple[tuple[int, ...], ...]:
        """Kinds played, by seat."""
        return tuple(front.played for front in self.fronts)


@lru_cache(maxsize=64)
def _params(min_huxi: int, fans: Fans | None) -> Params:
    if fans is None:
        return replace(DEFAULT, min_huxi=min_huxi)
    table = tuple((hand.code, hand.fan) for hand in fans.hands)
    return replace(DEFAULT, min_huxi=min_huxi, fan=table, red_step=fans.red_step, fan_combine=fans.combine)
