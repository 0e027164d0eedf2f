"""What a seat can work out of its view: cards not seen yet, who may beat a play, who has run out of what."""

from __future__ import annotations

from collections.abc import Sequence

from services.games.shengji import cards, runs, trick
from services.games.shengji.bottom import SIZE
from services.games.shengji.cards import COPIES, KINDS, Cards
from services.games.shengji.order import TRUMPS, order_of
from services.games.shengji.params import XIAMEN, resolve
from services.games.shengji.result import partner, side
from services.games.shengji.shape import Shape, demand, split
from services.games.shengji.view import Remembering, SeatView

_RULES = resolve(XIAMEN, {"tractor_over_pairs": False})
"""Winners are guessed by the plain rules, whatever an event changes in them."""


class Knowledge:
    """One seat's view once trumps are set, and what follows from it."""

    def __init__(self, view: SeatView) -> None:
        if view.seat is None or view.declarer is None:
            raise ValueError("only a seat that plays knows anything")
        self.view = view
        self.seat = view.seat
        self.order = view.order
        self.hand = cards.count(view.hand)
        self.declaring = side(self.seat) == side(view.declarer)
        played = view.played if isinstance(view, Remembering) else bytes(len(self.hand))
        self.voids = view.voids if isinstance(view, Remembering) else (0, 0, 0, 0)
        own = view.buried if isinstance(view, Remembering) else view.bottom
        gone = bytearray(played)
        for card in (*own, *(card for laid in view.trick for card in laid.cards)):
            gone[card] += 1
        self.unseen = bytes([0, *(max(COPIES - gone[card] - self.hand[card], 0) for card in KINDS)])
        """Cards in the other hands, and in the bottom unless it is the viewer's own."""
        elsewhere = sum(view.hand_sizes) - len(view.hand)
        hidden = elsewhere if own else elsewhere + SIZE
        self._share = [size / hidden if hidden else 0.0 for size in view.hand_sizes]
        highest = _highest(self, TRUMPS, 0)
        trumps = self.order.members[TRUMPS]
        self.sure_trumps = [card for card in trumps if self.hand[card] and self.order.places[card] >= highest]
        """Trumps of the hand that no unseen card beats."""

    @property
    def partner(self) -> int:
        """The seat opposite."""
        return partner(self.seat)

    def opponents(self, seats: Sequence[int]) -> list[int]:
        """Those of `seats` on the other side."""
        return [seat for seat in seats if side(seat) != side(self.seat)]

    def winning(self, plays: Sequence[Cards], leader: int) -> int:
        """The seat that wins the trick so far."""
        orders = [
            order_of(self.view.level, self.view.trump, self.view.fallen[(leader + at) % 4])
            for at in range(len(plays))
        ]
        return (leader + trick.winner(_RULES, orders, plays)) % 4

    def void(self, seat: int, suit: int) -> bool:
        """Whether a seat is known to have nothing of an effective suit."""
        return bool(self.voids[seat] >> suit & 1) or not self.order.size(self.unseen, suit)

    def overtaken(self, seat: int, led: int, shape: Shape, suit: int) -> float:
        """Chance that `seat`, still to play, can beat a play of `shape` in `suit`, `led` having been led."""
        share = self._share[seat]
        if not share:
            return 0.0
        outside = 1.0 if self.void(seat, led) else (1 - share) ** self.order.size(self.unseen, led)
        ruff = (
            0.0
            if self.void(seat, TRUMPS)
            else outside * self._higher(seat, TRUMPS, shape, -1 if suit != TRUMPS else None)
        )
        if suit != led:
            return ruff
        follow = 0.0 if self.void(seat, led) else (1 - outside) * self._higher(seat, led, shape, None)
        return min(follow + (ruff if led != TRUMPS else 0.0), 1.0)

    def _higher(self, seat: int, suit: int, shape: Shape, floor: int | None) -> float:
        """Chance that a seat holds the greatest component of `shape` in `suit` above its own place, or above `floor`."""
        greatest = shape[0]
        above = greatest.place if floor is None else floor
        copies = 1 if not greatest.pairs else COPIES
        order, share = self.order, self._share[seat]
        held = [0] * 16
        for card in order.members[suit]:
            if self.unseen[card] >= copies:
                held[order.places[card]] += self.unseen[card] if copies == 1 else 1
        if greatest.pairs > 1:
            low = max(above - greatest.pairs + 2, 0)
            if runs.longest(runs.segments(held[low:])) < greatest.pairs:
                return 0.0
            return float(share ** (1.5 * greatest.pairs))
        number = sum(held[above + 1 :])
        chance = share if copies == 1 else share**1.6
        return float((1 - (1 - chance) ** number) ** len(shape))


def safe_components(knowledge: Knowledge, suit: int) -> Cards:
    """All cards of a suit in components that no unseen card can beat, as one throw."""
    order, hand = knowledge.order, knowledge.hand
    own = tuple(sorted(card for card in order.members[suit] for _ in range(hand[card])))
    if not own:
        return ()
    best = [_highest(knowledge, suit, pairs) for pairs in (0, 1)]
    safe: list[int] = []
    for component in split(order, own):
        reach = best[min(component.pairs, 1)]
        if component.place >= reach:
            safe += component.cards
    return tuple(sorted(safe))


def _highest(knowledge: Knowledge, suit: int, pairs: int) -> int:
    order, copies = knowledge.order, COPIES if pairs else 1
    return max(
        (order.places[card] for card in order.members[suit] if knowledge.unseen[card] >= copies), default=-1
    )


def asked_by(knowledge: Knowledge) -> tuple[int, int]:
    """Effective suit and size of the lead on the table."""
    lead = knowledge.view.trick[0]
    asked = demand(
        order_of(knowledge.view.level, knowledge.view.trump, knowledge.view.fallen[lead.seat]), lead.cards
    )
    return asked.suit, asked.size
