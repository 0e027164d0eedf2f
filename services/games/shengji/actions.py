"""What a seat may do: bid, pass, revolt, bury, play; with its canonical text.

Cards are drawn, and the bottom is taken, by themselves and are not actions.
"""

from __future__ import annotations

from dataclasses import dataclass

from services.domain import Rejected
from services.games.shengji import cards
from services.games.shengji.cards import Cards


@dataclass(frozen=True, slots=True)
class Bid:
    """Show a level card or two alike; of one's own single bid only the second card (翻级, 巩固, S4.1, S4.2)."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class Revolt:
    """Void the deal (革命, S4.8)."""


@dataclass(frozen=True, slots=True)
class Pass:
    """Do not bid, or do not revolt."""


@dataclass(frozen=True, slots=True)
class Bury:
    """Lay eight cards face down as the bottom (扣底牌, S5.1)."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class Play:
    """Lead, throw or follow (S6, S7)."""

    cards: Cards


Action = Bid | Revolt | Pass | Bury | Play
WITH_CARDS = (Bid, Bury, Play)
WITHOUT_CARDS = (Revolt, Pass)

PASS, REVOLT = Pass(), Revolt()

_WITH_CARDS: dict[str, type[Bid] | type[Bury] | type[Play]] = {"bid": Bid, "bury": Bury, "play": Play}
_WITHOUT: dict[str, Action] = {"pass": PASS, "revolt": REVOLT}


def canonical(action: Action) -> Action:
    """The same action in the one way the engine writes it: its cards ascending."""
    if isinstance(action, WITHOUT_CARDS) or len(action.cards) < 2:
        return action
    ascending = tuple(sorted(action.cards))
    return action if action.cards == ascending else type(action)(ascending)


def parse(text: str) -> Action:
    """An action from its text: `bid D2`, `play CA CA CK`, `bury S3 …`, `revolt`, `pass`; the order of cards is free.

    Whether the cards may be played is left to the engine. Raises Rejected("MALFORMED_ACTION").
    """
    words = text.split() if isinstance(text, str) else []
    if len(words) == 1 and words[0] in _WITHOUT:
        return _WITHOUT[words[0]]
    if len(words) > 1 and words[0] in _WITH_CARDS:
        try:
            return canonical(_WITH_CARDS[words[0]](tuple(map(cards.parse, words[1:]))))
        except Rejected as refusal:
            raise Rejected("MALFORMED_ACTION", detail=refusal.detail) from None
    raise Rejected("MALFORMED_ACTION", detail=f"{text!r} is not an action")


def show(action: Action) -> str:
    """The canonical text of an action; `parse(show(a)) == a` for canonical ones."""
    match action:
        case Bid(held):
            return " ".join(["bid", *map(cards.show, held)])
        case Bury(held):
            return " ".join(["bury", *map(cards.show, held)])
        case Play(held):
            return " ".join(["play", *map(cards.show, held)])
        case Revolt():
            return "revolt"
        case Pass():
            return "pass"
