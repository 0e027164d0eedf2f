"""What happens in a deal. Events are facts: folding them needs neither the rules nor a choice of anybody.

Field names and types map one to one onto `ShengjiEvent` (protos/fupan/table/v1/shengji.proto). `seat` is 0-3, cards are
codes, ascending unless said otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

from services.games.shengji.cards import Cards


@dataclass(frozen=True, slots=True)
class CardsDrawn:
    """So many cards are drawn by all, 1-100 (S3.1)."""

    number: int


@dataclass(frozen=True, slots=True)
class BidOffered:
    """A seat shows level cards. Hidden until it is decided which of simultaneous bids counts (S4.4)."""

    seat: int
    cards: Cards


@dataclass(frozen=True, slots=True)
class BidPassed:
    """A seat that was asked does not bid. Hidden (S4.5)."""

    seat: int


@dataclass(frozen=True, slots=True)
class BidMade:
    """The bid that stands from now on, with all level cards its seat shows: one, or two alike (S4.2)."""

    seat: int
    cards: Cards


@dataclass(frozen=True, slots=True)
class BottomTurned:
    """Nobody bid: the bottom is turned from the top as far as the card that sets trumps (S4.6); in the order turned."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class TrumpsSet:
    """Trumps, declarer, and whether level cards have fallen (S4.6, S4.7)."""

    suit: str
    declarer: int
    demoted: bool


@dataclass(frozen=True, slots=True)
class BottomTaken:
    """The declarer took the bottom into its hand (S5.1)."""

    seat: int


@dataclass(frozen=True, slots=True)
class RevoltPassed:
    """A defender does not void the deal. Hidden."""

    seat: int


@dataclass(frozen=True, slots=True)
class DealVoided:
    """A defender voided the deal (S4.8); it is dealt again, unscored."""

    seat: int


@dataclass(frozen=True, slots=True)
class Buried:
    """The declarer laid eight cards face down (S5.1). Only it knows which."""

    seat: int
    cards: Cards


@dataclass(frozen=True, slots=True)
class ThrowFailed:
    """A throw did not stand: `cards` were shown, `fine` points go to the other side (S6.4)."""

    seat: int
    cards: Cards
    fine: int


@dataclass(frozen=True, slots=True)
class CardsPlayed:
    """A lead or a follow."""

    seat: int
    cards: Cards


@dataclass(frozen=True, slots=True)
class TrickWon:
    """The trick, worth `points`, goes to a seat, which leads next (S8)."""

    seat: int
    points: int


@dataclass(frozen=True, slots=True)
class Penalised:
    """A referee's finding under a row of the catalogue; `points` the defenders' total after it (S9.2, S10)."""

    seat: int
    code: str
    finding: str
    points: int


@dataclass(frozen=True, slots=True)
class DealEnded:
    """The deal is over: `points` the defenders' total, of which `bonus` for the bottom; raw scores by seat (S9.1, S9.6)."""

    points: int
    bonus: int
    scores: tuple[int, ...]


Event = (
    CardsDrawn
    | BidOffered
    | BidPassed
    | BidMade
    | BottomTurned
    | TrumpsSet
    | BottomTaken
    | RevoltPassed
    | DealVoided
    | Buried
    | ThrowFailed
    | CardsPlayed
    | TrickWon
    | Penalised
    | DealEnded
)

BEATS = (CardsPlayed,)
"""Events that show everybody a play; a table paces its display by them (see `isinstance(event, BEATS)`)."""
