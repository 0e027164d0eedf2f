"""How cards rank once level and trumps are set (S1.2-S1.4), and which pairs are consecutive (S6.3, S4.6).

Every card belongs to one *effective suit*: 0 … 3 the plain suits in the order of `cards.SUITS`, 4 trumps. Inside it the card
has a *place*; places count from 0 without a gap, so that pairs at neighbouring places make a tractor: the level rank is
taken out of the plain suits by itself. The other level cards (副级) share one place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter

from services.games.shengji import cards
from services.games.shengji.cards import BIG_JOKER, RANKS, SMALL_JOKER, SUITS, Counts

TRUMPS = 4
EFFECTIVE_SUITS = range(5)
_BELOW = 2
"""Heights kept free below the trump suit, for level cards that have fallen there (S4.6)."""


@dataclass(frozen=True, eq=False)
class Order:
    """The order of one deal, or of one side of it where only its level cards fall (S4.6 `declaring_side_held`).

    Made by `order_of`, once for each level, trump suit and demotion, so that equal orders are the same object.
    """

    level: str
    trump: str
    demoted: bool
    """Level cards have fallen to the bottom of the trumps (S4.6)."""
    suits: tuple[int, ...]
    """Effective suit by kind code."""
    places: tuple[int, ...]
    """Place in the effective suit by kind code."""
    members: tuple[tuple[int, ...], ...]
    """Kinds of each effective suit, by place and code."""
    trump_heights: tuple[int, ...]
    """Height by place among the trumps: comparable between the two orders of a deal where a place is not."""
    strengths: tuple[tuple[int, ...], ...]
    """By led suit, what a single card is compared by, by kind code: trumps above the led suit, −1 what cannot win (S8.1)."""
    low_first: tuple[int, ...]
    """All kinds, plain ones by place before trumps by place."""
    others: tuple[tuple[int, ...], ...]
    """By effective suit, the kinds of all other suits, ordered as `low_first`."""
    _pick: tuple[Callable[[Counts], tuple[int, ...]], ...]
    _pick_others: tuple[Callable[[Counts], tuple[int, ...]], ...]

    def within(self, hand: Counts, suit: int) -> tuple[int, ...]:
        """Counts of the cards of an effective suit, aligned with `members[suit]`."""
        return self._pick[suit](hand)

    def by_suit(self, hand: Counts) -> list[tuple[int, ...]]:
        """`within` for each effective suit."""
        return [pick(hand) for pick in self._pick]

    def outside(self, hand: Counts, suit: int) -> tuple[int, ...]:
        """Counts of the cards of all other suits, aligned with `others[suit]`."""
        return self._pick_others[suit](hand)

    def size(self, hand: Counts, suit: int) -> int:
        """Number of cards of an effective suit in a hand."""
        return sum(self._pick[suit](hand))

    def height(self, suit: int, place: int) -> int:
        """What a card at `place` is compared by, within its suit, across both sides."""
        return self.trump_heights[place] if suit == TRUMPS else place

    def suit_of(self, played: tuple[int, ...]) -> int | None:
        """The effective suit that all cards share; None if they are of several, or there are none."""
        suit = self.suits[played[0]] if played else None
        for card in played:
            if self.suits[card] != suit:
                return None
        return suit


@cache
def order_of(level: str, trump: str, demoted: bool = False) -> Order:
    """The order of a deal: level `2` … `A`, trump suit `S` … `D`, level cards fallen or not (S4.6)."""
    plain = [rank for rank in RANKS if rank != level]
    deputies = [[cards.kind(suit, level) for suit in SUITS if suit != trump]]
    level_cards = [*deputies, [cards.kind(trump, level)]]
    trump_suit = [[cards.kind(trump, rank)] for rank in plain]
    low, high = (level_cards, []) if demoted else ([], level_cards)
    ladders = [[[cards.kind(suit, rank)] for rank in plain] if suit != trump else [] for suit in SUITS]
    ladders.append([*low, *trump_suit, *high, [SMALL_JOKER], [BIG_JOKER]])
    suits, places = [0] * (BIG_JOKER + 1), [0] * (BIG_JOKER + 1)
    for suit, ladder in enumerate(ladders):
        for place, kinds in enumerate(ladder):
            for kind in kinds:
                suits[kind], places[kind] = suit, place
    members = tuple(tuple(kind for kinds in ladder for kind in kinds) for ladder in ladders)
    heights = tuple(range(_BELOW, _BELOW + len(ladders[TRUMPS])))
    if demoted:
        heights = (*range(_BELOW + len(trump_suit)), *heights[-2:])
    strengths = tuple(_strengths(suits, places, heights, led) for led in EFFECTIVE_SUITS)
    plain_kinds = sorted(
        [kind for kinds in members[:TRUMPS] for kind in kinds], key=lambda kind: (places[kind], kind)
    )
    low_first = (*plain_kinds, *members[TRUMPS])
    others = tuple(tuple(kind for kind in low_first if suits[kind] != suit) for suit in EFFECTIVE_SUITS)
    return Order(
        level=level,
        trump=trump,
        demoted=demoted,
        suits=tuple(suits),
        places=tuple(places),
        members=members,
        trump_heights=heights,
        strengths=strengths,
        low_first=low_first,
        others=others,
        _pick=tuple(map(_picking, members)),
        _pick_others=tuple(map(_picking, others)),
    )


def _strengths(
    suits: Sequence[int], places: Sequence[int], heights: Sequence[int], led: int
) -> tuple[int, ...]:
    above = len(RANKS)
    return tuple(
        above + heights[place] if suit == TRUMPS else place if suit == led else -1
        for suit, place in zip(suits, places, strict=True)
    )


def _picking(kinds: tuple[int, ...]) -> Callable[[Counts], tuple[int, ...]]:
    return itemgetter(*kinds) if kinds else lambda _: ()
