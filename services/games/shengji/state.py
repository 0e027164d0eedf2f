"""The state of a deal: hands, bottom, bids, trumps, the trick on the table, points.

A named tuple: a changed copy costs a third of a frozen dataclass's, and a deal is over a hundred of them.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from services.games.shengji import bids, cards
from services.games.shengji.bids import DRAWN, Bid, Setting, Trumps
from services.games.shengji.cards import Cards, Counts
from services.games.shengji.events import DealEnded, DealVoided, Event
from services.games.shengji.order import Order, order_of
from services.games.shengji.params import Params
from services.games.shengji.result import SEATS, side
from services.games.shengji.shape import Demand

Phase = Literal["drawing", "call", "ask", "bury", "play", "over"]
"""What the table waits for.

`drawing`: cards are drawn, and may be bid on meanwhile (S4.1). `call`: all are drawn, nobody has bid, all seats may. `ask`: a
single bid stands, all seats may overcall or consolidate (S4.5). `bury`: the declarer buries, defenders may revolt. `play`.
`over`. In the first three trumps may already be decided; they are then set by themselves.
"""

Answer = Literal["pass"] | Cards
"""A seat's answer when trumps are bid: level cards shown, or none."""
FourAnswers = tuple[Answer | None, Answer | None, Answer | None, Answer | None]
UNANSWERED: FourAnswers = (None, None, None, None)
Four = tuple[int, int, int, int]
FourHands = tuple[Counts, Counts, Counts, Counts]


class Memo:
    """What a decision has worked out already of the states it leads to, so that folding its events costs nothing.

    Shared by all states of a deal, and never part of a comparison: every memo equals every other.
    """

    __slots__ = ("ahead",)

    def __init__(self) -> None:
        self.ahead: list[tuple[State, Event, State]] = []
        """State, event, and the state after it, of the decision made last."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Memo)

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "Memo()"


class State(NamedTuple):
    """A deal. Change it only by `evolve`. What every card played changes comes last, from `hands` on."""

    params: Params
    setting: Setting
    deal: Cards
    """The 108 cards as dealt: 100 in drawing order, then the bottom from the top (S3.1)."""
    drawn: int
    """Cards drawn by all."""
    phase: Phase
    answers: FourAnswers
    """Bids and passes given that are not decided yet, by seat."""
    standing: Bid | None
    """The bid that stands."""
    turned: Cards
    """Bottom cards turned up because nobody bid (S4.6)."""
    trumps: Trumps | None
    orders: tuple[Order, ...]
    """By seat, once trumps are set; of one side another only where its level cards alone have fallen (S4.6)."""
    bottom: Cards
    """The eight cards face down; none while the declarer has them in its hand."""
    buried: bool
    """The bottom is the declarer's (S5.1)."""
    undecided: tuple[bool, bool, bool, bool]
    """Defenders who have not said whether they revolt (S4.8)."""
    result: DealEnded | DealVoided | None
    memo: Memo
    hands: FourHands
    """All 25 cards from the start, drawn or not."""
    turn: int
    """The seat that plays next."""
    trick: tuple[Cards, ...]
    """Plays on the table, from the leader on."""
    demand: Demand | None
    """What the lead asks."""
    thrown: Cards
    """Cards shown in a throw that failed, while its trick lasts (S6.4)."""
    points: int
    """The defenders' total so far, fines included (S8.4, S9.2)."""
    played: Counts
    """Cards of finished tricks."""
    voids: Four
    """Effective suits in which each seat has failed to follow, bit n for suit n."""

    @property
    def leader(self) -> int:
        """The seat that leads, or has led, the trick."""
        return (self.turn - len(self.trick)) % 4

    @property
    def declarer(self) -> int | None:
        """The declarer, once known."""
        return self.trumps.declarer if self.trumps else self.setting.declarer

    def defends(self, seat: int) -> bool:
        """Whether a seat is on the other side than the declarer, who is known."""
        return self.declarer is not None and side(seat) != side(self.declarer)


_FIXED = State._fields.index("hands")


def in_play(
    state: State,
    hands: FourHands,
    turn: int,
    trick: tuple[Cards, ...],
    demand: Demand | None,
    thrown: Cards,
    points: int,
    played: Counts,
    voids: Four,
) -> State:
    """The state with all that cards change made new. There is one such copy a card, and `_replace` takes three times as long."""
    return tuple.__new__(State, (*state[:_FIXED], hands, turn, trick, demand, thrown, points, played, voids))


def start(params: Params, setting: Setting, deal: Cards) -> State:
    """The deal before the first card is drawn; `deal` is a permutation of the deck."""
    first = setting.first_drawer
    one, two, three, four = (cards.count(deal[(seat - first) % 4 : DRAWN : 4]) for seat in SEATS)
    return State(
        params=params,
        setting=setting,
        deal=deal,
        drawn=0,
        phase="drawing",
        answers=UNANSWERED,
        standing=None,
        turned=(),
        trumps=None,
        orders=(),
        hands=(one, two, three, four),
        bottom=deal[DRAWN:],
        buried=False,
        undecided=(False, False, False, False),
        turn=first,
        trick=(),
        demand=None,
        thrown=(),
        points=0,
        played=cards.count(()),
        voids=(0, 0, 0, 0),
        result=None,
        memo=Memo(),
    )


def drawn_cards(state: State, seat: int) -> Counts:
    """What `seat` has drawn so far; its whole hand once all is dealt."""
    if state.drawn == DRAWN:
        return state.hands[seat]
    first = state.setting.first_drawer
    number = bids.drawn_by(first, seat, state.drawn)
    return cards.count(state.deal[(seat - first) % 4 : DRAWN : 4][:number])


def orders(state: State, trumps: Trumps) -> tuple[Order, ...]:
    """The order by seat once trumps are set (S1.3, S4.6)."""
    level = state.setting.level
    upright, fallen = order_of(level, trumps.suit), order_of(level, trumps.suit, True)
    if not trumps.demoted:
        return (upright,) * 4
    if state.params.demote == "all_eight":
        return (fallen,) * 4
    return tuple(fallen if side(seat) == side(trumps.declarer) else upright for seat in SEATS)
