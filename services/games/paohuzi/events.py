"""What happens on a board. Events are facts: folding them needs neither the rules nor a choice of anybody.

Field names and types map one to one onto `PaohuziEvent` (protos/fupan/table/v1/paohuzi.proto). `seat` is
0–2, a `tile` the code of its kind.
"""

from __future__ import annotations

from dataclasses import dataclass

from services.games.paohuzi.melds import Meld


@dataclass(frozen=True, slots=True)
class TiDealt:
    """A seat laid four alike that it was dealt, the bright tile included (P4 ti 1, P5.1)."""

    seat: int
    tile: int


@dataclass(frozen=True, slots=True)
class BrightTilePassed:
    """Nobody won on the bright tile where the others may (P8.3 `dihu_on_bright_tile`); the dealer's turn."""


@dataclass(frozen=True, slots=True)
class TilePlayed:
    """A tile of the hand was played and is on offer (P6.2)."""

    seat: int
    tile: int


@dataclass(frozen=True, slots=True)
class TileDrawn:
    """A stock tile was drawn, shown to all, and is on offer (P5.3, P6.3)."""

    seat: int
    tile: int


@dataclass(frozen=True, slots=True)
class WeiLaid:
    """A drawn tile went unseen into a wei with a pair from the hand (P4).

    `stale`: it is a 臭偎, the seat having passed on a peng of the kind; one of its tiles is shown.
    """

    seat: int
    tile: int
    stale: bool


@dataclass(frozen=True, slots=True)
class TiLaid:
    """A drawn tile went into a ti with a kan in the hand or the seat's own wei (P4 ti 2, 3)."""

    seat: int
    tile: int


@dataclass(frozen=True, slots=True)
class Passed:
    """A seat answered that it takes nothing. Hidden from the others."""

    seat: int


@dataclass(frozen=True, slots=True)
class WinClaimed:
    """A seat answered that it wins on the tile on offer. Hidden until awarded (P6.4)."""

    seat: int


@dataclass(frozen=True, slots=True)
class PengClaimed:
    """A seat answered that it pengs the tile on offer. Hidden until awarded (P6.4)."""

    seat: int


@dataclass(frozen=True, slots=True)
class EatClaimed:
    """A seat answered that it eats the tile on offer. Hidden until awarded (P6.4)."""

    seat: int
    using: tuple[int, ...]
    along: tuple[Meld, ...]


@dataclass(frozen=True, slots=True)
class TileDied:
    """Nobody took the tile on offer; it lies dead in front of the seat that played or drew it (P5.2)."""

    seat: int
    tile: int


@dataclass(frozen=True, slots=True)
class PaoLaid:
    """The tile on offer made a pao with a kan in the hand, or the seat's own peng or wei (P4)."""

    seat: int
    tile: int


@dataclass(frozen=True, slots=True)
class Ponged:
    """The tile on offer was ponged."""

    seat: int
    tile: int


@dataclass(frozen=True, slots=True)
class Eaten:
    """The tile on offer was eaten with `using` of the hand, `along` laid with it (P7.5)."""

    seat: int
    tile: int
    using: tuple[int, ...]
    along: tuple[Meld, ...]


@dataclass(frozen=True, slots=True)
class KindPassed:
    """A pass counted: the seat pongs this kind no more, nor eats it if `eat` (P7.1), else P7.2. Only it knows.

    `peng`: it could have ponged, so that a wei of the kind will be a 臭偎 (P4).
    """

    seat: int
    tile: int
    eat: bool
    peng: bool


@dataclass(frozen=True, slots=True)
class HandDied:
    """A compulsory meld left a tile owed and none to play; the seat only lays ti and pao from here on (P5.7)."""

    seat: int


@dataclass(frozen=True, slots=True)
class Won:
    """The board is won: the seven `melds` of the best reading, and what it comes to (P8.6, P10, P11)."""

    seat: int
    tile: int
    melds: tuple[Meld, ...]
    huxi: int
    names: tuple[str, ...]
    fan: int
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BoardDrawn:
    """A draw was due and the stock empty (荒庄, P5.5)."""


Event = (
    TiDealt
    | BrightTilePassed
    | TilePlayed
    | TileDrawn
    | WeiLaid
    | TiLaid
    | Passed
    | WinClaimed
    | PengClaimed
    | EatClaimed
    | TileDied
    | PaoLaid
    | Ponged
    | Eaten
    | KindPassed
    | HandDied
    | Won
    | BoardDrawn
)

BEATS = (TilePlayed, TileDrawn)
"""Events that put a tile on offer; a table paces its display by them (see `isinstance(event, BEATS)`)."""
