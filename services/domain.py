"""The functional core's three words: a decider decides, a fold evolves, a command may be rejected.

Everything pure in Fupan stands on this module and on nothing else: no I/O, no clock, no randomness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

S = TypeVar("S")
E = TypeVar("E")


class Rejected(Exception):
    """A command that should not have come; nothing was changed.

    `reason` is a stable UPPER_SNAKE code for programs (`MUST_LEAVE_KAN`), `clause` the rule that says no (`P5.6`, may be
    empty), `detail` one English sentence for people, `facts` short strings that help to repair the request (a deadline,
    a limit).
    """

    def __init__(self, reason: str, clause: str = "", detail: str = "", **facts: str) -> None:
        super().__init__(f"{reason} ({clause}): {detail}" if clause else f"{reason}: {detail}")
        self.reason = reason
        self.clause = clause
        self.detail = detail
        self.facts = facts


def fold(evolve: Callable[[S, E], S], state: S, events: Iterable[E]) -> S:
    """Apply `events` to `state` in order."""
    for event in events:
        state = evolve(state, event)
    return state
