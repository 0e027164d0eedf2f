"""Whether all were asked who had a choice, and nobody else: what the rules put to seats after every record (P6.1, P6.4, S4.5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from services.games.rules import Ruleset
from services.ledger.audit.evidence import Event


class Put(Protocol):
    """A question that was put to a seat."""

    @property
    def ask(self) -> int:
        """Its number among those of its seat."""

    @property
    def kind(self) -> str:
        """`play`, `claim`, `bid` or `bury`."""


def misasked(
    rules: Ruleset, state: Any, before: Mapping[int, Put], now: Mapping[int, Put], events: Iterable[Event]
) -> tuple[str, str] | None:
    """What is wrong with the questions open `now` in a game's `state`: a code and a sentence.

    `before` are those that were open and that the record did not answer, `events` its own: a card that others may answer to closes
    what was open.
    """
    asked = rules.asked(state)
    kept = _kept(rules, state, before, events) if before else ()
    if kept or tuple(now) != asked:
        for seat in (*asked, *kept):
            if seat not in now:
                return "QUESTION_MISSING", f"seat {seat} had a choice and was not asked, or no longer (P6.4)"
        for seat in now:
            if seat not in asked and seat not in kept:
                return "OTHER_QUESTION", f"seat {seat} was asked and had no choice (P6.4)"
    for seat, one in now.items():
        same = seat in before and before[seat].ask == one.ask
        if one.kind != rules.question(state, seat) or same != (seat in kept):
            return "OTHER_QUESTION", f"seat {seat} was asked another question than was due (P6.4)"
    return None


def _kept(rules: Ruleset, state: Any, before: Mapping[int, Put], events: Iterable[Event]) -> tuple[int, ...]:
    """Seats whose question goes on."""
    if any(rules.is_beat(one.message) for one in events):
        return ()
    return tuple(
        seat
        for seat, one in before.items()
        if rules.put(state, seat) and rules.question(state, seat) == one.kind
    )
