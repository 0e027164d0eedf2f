"""Shengji tables for tests: duplicate boards and matches, four people."""

from __future__ import annotations

from typing import Any

from services.games import registry
from services.games.shengji.ruleset import Shengji
from services.table.model.events import BoardSlot, MatchTerms, Seat, TableOpened
from tests.table.given import facts

PEOPLE = ("anna", "bo", "chen", "dan")
SEATS = tuple(Seat(number + 1, person) for number, person in enumerate(PEOPLE))
PAIRS = tuple(Seat(number % 2 + 1, person) for number, person in enumerate(PEOPLE))


def rules(ruleset: str) -> Shengji:
    found = registry.find(ruleset)
    assert isinstance(found, Shengji)
    return found


DUPLICATE, XIAMEN = rules("shengji/duplicate-2017"), rules("shengji/xiamen-2015")

CLOCKS = {"play_clock_ms": 5_000, "claim_clock_ms": 6_000, "bid_clock_ms": 7_000, "bury_clock_ms": 10_000}


def boards(**changes: Any) -> TableOpened:
    """A table of two duplicate boards."""
    slots = (BoardSlot(1, 1), BoardSlot(2, 1))
    return facts(**{"ruleset": DUPLICATE.id, "seats": SEATS, "boards": slots, **CLOCKS, **changes})


def match(minutes: int = 90, deals: int = 0, **changes: Any) -> TableOpened:
    """A table of one match between two pairs."""
    terms = MatchTerms(minutes * 60_000, deals, False)
    return facts(**{"ruleset": XIAMEN.id, "seats": PAIRS, "boards": (), "match": terms, **CLOCKS, **changes})
