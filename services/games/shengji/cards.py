"""The 108 cards (S1): two packs of 52 and two jokers each.

A card is known by the code of its kind: 1-13 ♠ 2 … A, 14-26 ♥, 27-39 ♣, 40-52 ♦, 53 small joker, 54 big joker; 0 is a card
seen face down. Codes ascend in the order ♠ ♥ ♣ ♦ that settles what the rules leave equal (S6.4). Levels and ranks are one
character, `2` … `9`, `T`, `J`, `Q`, `K`, `A`; suits `S`, `H`, `C`, `D`. Cards in play are sorted tuples of codes, hands
*counts*: 55 bytes indexed by code.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from services.domain import Rejected

HIDDEN = 0
SUITS = "SHCD"
RANKS = "23456789TJQKA"
SMALL_JOKER, BIG_JOKER = 53, 54
KINDS = range(1, 55)
COPIES = 2
DECK: tuple[int, ...] = tuple(kind for kind in KINDS for _ in range(COPIES))

Cards = tuple[int, ...]
"""Cards by code, ascending."""
Counts = bytes
"""Number of cards by kind code, 55 entries of 0 to 2; entry 0 counts face-down cards."""

_NAMES = ("??", *(suit + rank for suit in SUITS for rank in RANKS), "jo", "JO")
_CODES = {name: code for code, name in enumerate(_NAMES) if code}
_WORTH = {"5": 5, "T": 10, "K": 10}
POINTS: tuple[int, ...] = tuple(_WORTH.get(name[1], 0) for name in _NAMES)
"""Points by kind code (S1.1); 200 in all."""


def kind(suit: str, rank: str) -> int:
    """Code of the card of `suit` and `rank`."""
    return SUITS.index(suit) * len(RANKS) + RANKS.index(rank) + 1


def suit_of(card: int) -> str:
    """The suit printed on a card; empty for a joker."""
    return _NAMES[card][0] if card < SMALL_JOKER else ""


def count(cards: Iterable[int]) -> Counts:
    """Counts of `cards`."""
    counts = bytearray(len(_NAMES))
    for card in cards:
        counts[card] += 1
    return bytes(counts)


@lru_cache(maxsize=1 << 12)
def expand(counts: Counts) -> Cards:
    """The cards behind `counts`, ascending. Every view asks it of four hands, of which three are as before."""
    return tuple([card for card, number in enumerate(counts) if number for _ in range(number)])


def without(counts: Counts, gone: Iterable[int]) -> Counts:
    """`counts` less the cards `gone`. Raises ValueError if one of them is not there."""
    left = bytearray(counts)
    for card in gone:
        left[card] -= 1
    return bytes(left)


def holds(counts: Counts, cards: Cards) -> bool:
    """Whether all of `cards` are among `counts`."""
    return not [card for card in cards if counts[card] < cards.count(card)]


def points(cards: Iterable[int]) -> int:
    """Points of `cards` (S1.1)."""
    return sum([POINTS[card] for card in cards])


def parse(text: Any) -> int:
    """Code of a card written `SA`, `ST`, `H7`, `jo`, `JO`. Raises Rejected("MALFORMED_CARD")."""
    code = _CODES.get(text) if isinstance(text, str) else None
    if code is None:
        raise Rejected("MALFORMED_CARD", "S1.1", f"{text!r} is not a card")
    return code


def show(card: int) -> str:
    """Text of a card, `??` for one seen face down."""
    return _NAMES[card]
