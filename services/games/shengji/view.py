"""What a seat may know, field by field; see `sight` for how it comes out of a deal.

Public are bids, trumps, the trick on the table and the points so far. A seat sees besides its own hand as far as drawn, what it
is asked, and as declarer the bottom it has laid, up to the first lead. Finished tricks, and after the first lead the bottom,
are shown to nobody (S10); they come with the replay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from services.games.shengji import cards, choices
from services.games.shengji.actions import Action
from services.games.shengji.cards import Cards, Counts
from services.games.shengji.events import DealEnded
from services.games.shengji.order import Order, order_of
from services.games.shengji.questions import Question
from services.games.shengji.shape import demand


@dataclass(frozen=True, slots=True)
class Laid:
    """Cards on the table and the seat they lie in front of."""

    seat: int
    cards: Cards


@dataclass(frozen=True, slots=True)
class SeatView:
    """One seat's knowledge of a deal; a spectator's (`seat` None) has no hand, bottom or question."""

    seat: int | None
    level: str
    first_drawer: int
    declarer: int | None
    """None until trumps are set on the first deal of a match."""
    drawn: int
    """Cards drawn by all, 0-100."""
    hand: Cards
    """Own cards as far as drawn; 33 while the declarer lays the bottom."""
    hand_sizes: tuple[int, ...]
    """By seat."""
    standing: Laid | None
    """The bid that stands."""
    turned: Cards
    """Bottom cards turned up because nobody bid, in that order; none after the first lead."""
    trump: str
    """Trump suit; empty until set."""
    fallen: tuple[bool, ...]
    """By seat: whether its level cards rank at the bottom of the trumps (S4.6); empty until trumps are set."""
    bottom: Cards
    """The declarer's own: what it has laid down, up to the first lead."""
    turn: int | None
    """Seat that plays next."""
    trick: tuple[Laid, ...]
    """Plays on the table, the lead first; none once the trick is won."""
    thrown: Cards
    """Cards shown in a throw that failed, while its trick is on the table (S6.4)."""
    points: int
    """The defenders' total so far."""
    question: Question
    """What the viewer is asked, until it answers."""
    offers: tuple[Action, ...]
    """Bids open to the viewer, or its choice whether to revolt; what it may bury or play follows from its cards."""
    partial_tractor_follow: bool
    """How a tractor too long to be answered is followed (S7.2)."""
    over: bool
    ended: DealEnded | None
    """How the deal came out; None while it is open, and when it was voided."""
    voided_by: int | None
    """The defender that voided the deal (S4.8)."""

    @property
    def order(self) -> Order:
        """The order of the viewer's own cards, once trumps are set."""
        return order_of(self.level, self.trump, self.seat is not None and self.fallen[self.seat])

    @property
    def options(self) -> Sequence[Action]:
        """Legal answers to the question, in a fixed order, counted but not listed."""
        match self.question:
            case "bury":
                return choices.buries(cards.count(self.hand))
            case "lead":
                return choices.leads(self.order, cards.count(self.hand))
            case "follow":
                lead = self.trick[0]
                asked = demand(order_of(self.level, self.trump, self.fallen[lead.seat]), lead.cards)
                hand, partial = cards.count(self.hand), self.partial_tractor_follow
                return choices.follows(self.order, hand, asked, partial=partial)
            case _:
                return self.offers


@dataclass(frozen=True, slots=True)
class Remembering(SeatView):
    """The view of a seat that has watched the deal from its beginning: what house AI goes by. The rest is never sent."""

    played: Counts
    """Cards of finished tricks."""
    buried: Cards
    """The declarer's own: what it has laid down."""
    voids: tuple[int, ...]
    """By seat: effective suits it has failed to follow, bit n for suit n."""
