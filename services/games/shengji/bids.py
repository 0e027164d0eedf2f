"""Setting trumps (翻级): which bids count, who comes first, and what happens when nobody bids (S4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from services.domain import Rejected
from services.games.shengji import cards
from services.games.shengji.cards import SMALL_JOKER, Cards, Counts
from services.games.shengji.params import Params
from services.games.shengji.result import SEATS

DRAWN = 100
"""Cards drawn by all when the deal is complete (S3.1)."""
REVOLUTION = 15
"""Points of a hand up to which a defender may void the deal (S4.8)."""
THIRD = 2
"""Index in the bottom of the card that sets trumps when nobody bids (S4.6)."""


class Setting(NamedTuple):
    """What a deal is played under, beside its cards."""

    level: str
    """The level in force: the declaring side's (S2.2)."""
    declarer: int | None
    """None on the first deal of a match: whoever sets trumps (S4.7)."""
    first_drawer: int
    """S3.2."""


class Bid(NamedTuple):
    """The bid that stands."""

    seat: int
    cards: Cards
    """The level cards on show: one, or two alike once it is consolidated (巩固)."""

    @property
    def suit(self) -> str:
        """The suit it makes trumps."""
        return cards.suit_of(self.cards[0])

    @property
    def consolidated(self) -> bool:
        """Whether it is a pair, after which nobody may bid (S4.2)."""
        return len(self.cards) == 2


class Trumps(NamedTuple):
    """What bidding has decided."""

    suit: str
    declarer: int
    demoted: bool
    """Nobody bid, and level cards fall to the bottom of the trumps (S4.6)."""


def made(
    params: Params, level: str, standing: Bid | None, seat: int, shown: Cards, drawn: Counts, at: int
) -> Bid:
    """The bid that stands once `seat`, having `drawn` these cards, shows `shown` beside what it shows already.

    `at`: cards drawn so far by all, 1-100. Raises Rejected with the clause that says no; the bid before then stands.
    """
    if said := objection(params, level, standing, seat, shown, drawn, at):
        reason, clause, detail = said
        text = " ".join(map(cards.show, shown)) or "nothing"
        raise Rejected(reason, clause, f"seat {seat}, {text}: {detail}")
    consolidates = standing is not None and standing.seat == seat
    return Bid(seat, shown * 2 if consolidates else shown)


def objection(
    params: Params, level: str, standing: Bid | None, seat: int, shown: Cards, drawn: Counts, at: int
) -> tuple[str, str, str] | None:
    """What stands against a bid, as for `made`: reason, clause and detail; None if it counts."""
    if params.bid_phase == "after_deal" and at < DRAWN:
        return "TOO_EARLY", "S4.1", "trumps are bid after dealing"
    if any(card >= SMALL_JOKER for card in shown):
        return "JOKER_BID", "S4.3", "jokers cannot bid"
    if len(shown) not in (1, 2) or shown[0] != shown[-1] or cards.show(shown[0])[1] != level:
        return "NOT_A_LEVEL_CARD", "S4.1", f"a bid is a card of level {level}, or two alike"
    if not cards.holds(drawn, shown):
        return "CARD_NOT_DRAWN", "S4.1", "not among the cards drawn"
    if standing is None:
        return None
    if standing.consolidated:
        return "PAIR_STANDS", "S4.2", "after a pair nobody may bid"
    if standing.seat != seat:  # a pair is of another suit: the pair of the suit shown is not in one hand
        return None if len(shown) == 2 else ("SINGLE_STANDS", "S4.2", "a single is overcalled by a pair only")
    if shown != standing.cards:
        return "OWN_BID", "S4.2", "a bidder may only show the second card of its bid"
    if drawn[shown[0]] < 2:
        return "CARD_NOT_DRAWN", "S4.2", "the second card is not drawn yet"
    return None


class Offer(NamedTuple):
    """A bid given and not decided yet."""

    seat: int
    shown: Cards
    drawn: Counts
    """Cards the seat had drawn then."""


def decided(
    params: Params,
    setting: Setting,
    standing: Bid | None,
    offers: Sequence[Offer],
    at: int,
) -> list[tuple[int, Bid]]:
    """The bids that count among those offered while `at` cards were drawn, by index and as they then stand, in turn.

    While nobody has bid, the nearest seat after the drawer comes first, the drawer before all (S4.4); once all is dealt and a
    bid stands, the seats come in the order in which they are asked (S4.5). Of one seat's offers the first comes first.
    """
    waiting, found = list(range(len(offers))), []
    while waiting:
        turn = asked(standing, setting.declarer) if at == DRAWN else ()
        turn = turn or from_seat(drawer(setting.first_drawer, at))
        index = min(waiting, key=lambda each: turn.index(offers[each].seat))
        waiting.remove(index)
        offer = offers[index]
        try:
            standing = made(params, setting.level, standing, offer.seat, offer.shown, offer.drawn, at)
        except Rejected:
            continue
        found.append((index, standing))
    return found


def drawer(first_drawer: int, at: int) -> int:
    """The seat that drew card number `at`, 1-100 (S3.1)."""
    return (first_drawer + at - 1) % 4


def drawn_by(first_drawer: int, seat: int, at: int) -> int:
    """How many cards `seat` has drawn once `at` are drawn by all."""
    return (at + 3 - (seat - first_drawer) % 4) // 4


def from_seat(first: int) -> tuple[int, ...]:
    """The seats clockwise from `first`. With the drawer: who has it of two that bid at the same draw (S4.4)."""
    return tuple([(first + distance) % 4 for distance in SEATS])


def asked(standing: Bid | None, declarer: int | None) -> tuple[int, ...]:
    """Seats asked before the bottom is taken, in this order (S4.5); none unless a single bid stands.

    The declarer, on a first deal (None) the bidder, comes last; the bidder is asked whether it consolidates.
    """
    if standing is None or standing.consolidated:
        return ()
    last = standing.seat if declarer is None else declarer
    return from_seat(last + 1)


def settled(params: Params, setting: Setting, standing: Bid | None, bottom: Cards) -> Trumps:
    """Trumps and declarer (S4.6, S4.7); `bottom` from the top."""
    declarer = setting.declarer
    if standing:
        return Trumps(standing.suit, standing.seat if declarer is None else declarer, False)
    suit = cards.suit_of(turned(bottom)[-1])
    return Trumps(suit, setting.first_drawer if declarer is None else declarer, params.demote != "none")


def turned(bottom: Cards) -> Cards:
    """The bottom cards turned from the top when nobody bids: to the third, and on while that is a joker (S4.6)."""
    number = next(at for at, card in enumerate(bottom[THIRD:], THIRD + 1) if card < SMALL_JOKER)
    return bottom[:number]


def may_revolt(params: Params, hand: Iterable[int]) -> bool:
    """Whether a defender with these 25 cards may void the deal (S4.8)."""
    return params.revolution and cards.points(hand) <= REVOLUTION
