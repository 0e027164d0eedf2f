"""The state of a board: three seats, the stock, and what the table waits for.

Both are named tuples: a changed copy costs a third of a frozen dataclass's, and a board is thousands of them.
Sets of kinds are bit masks, bit k for kind code k.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from services.games.paohuzi import tiles
from services.games.paohuzi.actions import Action
from services.games.paohuzi.events import BoardDrawn, Event, Won
from services.games.paohuzi.melds import Meld
from services.games.paohuzi.params import Params

if TYPE_CHECKING:
    from services.games.paohuzi.questions import Questions
    from services.games.paohuzi.view import Front

SEATS = (0, 1, 2)
DEALT = 20
"""Tiles of a hand before the bright tile (P3)."""

Phase = Literal["opening", "bright", "turn", "played", "drawn", "due", "over"]
"""What the table waits for.

`opening`: a dealt ti is still in a hand (P5.1). `bright`: wins on the bright tile (P8.3). `turn`: `actor` wins,
plays, or neither. `played`, `drawn`: claims on `tile` (P6). `due`: the seat after `actor` draws. `over`.
"""


class Seat(NamedTuple):
    """One seat: what it holds and what it may still do."""

    hand: bytes
    """Number of tiles by kind code, 21 entries."""
    melds: tuple[Meld, ...] = ()
    """On the table, in the order laid; a pao or ti takes the place of what it grew from."""
    discards: tuple[int, ...] = ()
    """Dead tiles in front of the seat, played or drawn (P5.2)."""
    holds: int = DEALT
    """Tiles in hand and melds."""
    fours: int = 0
    """Number of ti and pao."""
    no_eat: int = 0
    """Kinds it may eat no more (P7.1, P7.3)."""
    no_peng: int = 0
    """Kinds it may peng no more (P7.1-P7.3)."""
    peng_passed: int = 0
    """Kinds it passed a peng of: a wei of them is a 臭偎 (P4)."""
    played: int = 0
    """Kinds it has played."""
    touched: bool = False
    """It has eaten or ponged."""
    dead: bool = False
    """Dead hand (P5.7)."""

    def owes(self, more: int = 0) -> bool:
        """Whether the seat, holding `more` tiles, must play one (P5.4); a dead hand owes nothing (P5.7)."""
        return not self.dead and self.holds + more > DEALT + max(0, self.fours - 1)

    def can_play(self) -> bool:
        """Whether a tile of the hand may be played: kan and four alike stay (P5.6)."""
        return 1 in self.hand or 2 in self.hand

    def playable(self) -> tuple[int, ...]:
        """Kinds that may be played, ascending (P5.6)."""
        return tuple([kind for kind in tiles.KINDS if 0 < self.hand[kind] < 3])


class Memo:
    """What has been worked out from a state already, so that asking again costs nothing.

    Never part of a comparison: every memo equals every other. `questions` and `asked`: see `questions`.
    `fronts`: what lay in front of the seats when they were `fronts_of`, see `view`. `ahead`: the event that a
    decision has just applied to the state and what came of it, see `evolve`.
    """

    __slots__ = ("ahead", "asked", "fronts", "fronts_of", "questions")

    def __init__(self, before: Memo | None = None, questions: Questions | None = None) -> None:
        self.questions = questions
        self.asked: tuple[int, ...] | None = None
        self.fronts: tuple[Front, ...] = before.fronts if before else ()
        self.fronts_of: tuple[Seat, ...] = before.fronts_of if before else ()
        self.ahead: tuple[Event, State] | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Memo)

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "Memo()"


class State(NamedTuple):
    """A board. Change it only by `evolve`."""

    params: Params
    dealer: int
    bright: int
    stock: tuple[int, ...]
    """As dealt, next tile first; the first `drawn` are gone."""
    drawn: int
    seats: tuple[Seat, Seat, Seat]
    phase: Phase
    actor: int
    """Seat that last played, drew or took a tile; the seat after it draws next (P5.2)."""
    tile: int
    """The tile on offer; in a `turn` the tile one may win with before playing (P8.4); 0 if none.

    Once the board is won the tile it was won with, if it had been on offer.
    """
    answers: tuple[Action | None, Action | None, Action | None]
    """Claims and passes given on the tile on offer, by seat."""
    result: Won | BoardDrawn | None
    memo: Memo

    @property
    def stock_left(self) -> int:
        """Tiles nobody has drawn yet."""
        return len(self.stock) - self.drawn


UNANSWERED: tuple[None, None, None] = (None, None, None)


def start(
    params: Params, dealer: int, hands: Sequence[Sequence[int]], bright: int, stock: Sequence[int]
) -> State:
    """The dealt board: `hands` by seat, 20 tiles each, the bright tile not yet in the dealer's (P3)."""
    counts = [bytearray(tiles.count(hand)) for hand in hands]
    counts[dealer][bright] += 1
    first, second, third = (Seat(bytes(counts[seat]), holds=DEALT + (seat == dealer)) for seat in SEATS)
    seats = (first, second, third)
    return State(
        params=params,
        dealer=dealer,
        bright=bright,
        stock=tuple(stock),
        drawn=0,
        seats=seats,
        phase=after_opening(params, seats),
        actor=dealer,
        tile=bright,
        answers=UNANSWERED,
        result=None,
        memo=Memo(),
    )


def after_opening(params: Params, seats: tuple[Seat, Seat, Seat]) -> Phase:
    """The phase an opening is in: dealt ti first, then wins on the bright tile, then the dealer (P5.1, P8.3)."""
    if any(4 in seat.hand for seat in seats):
        return "opening"
    return "bright" if params.dihu_on_bright_tile else "turn"


def owes(state: State) -> int | None:
    """The seat that owes a tile now (P5.4), if any."""
    waiting = state.phase in ("turn", "bright") and state.seats[state.actor].owes()
    return state.actor if waiting else None


def next_draw(state: State) -> int | None:
    """The seat that draws next if nobody takes anything more; None when nobody will."""
    return None if state.phase == "over" or not state.stock_left else (state.actor + 1) % 3
