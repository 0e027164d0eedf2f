"""The functional core's three words: a decider decides, a fold evolves, a command may be rejected.

Everything pure in Fupan stands on this module and on nothing else: no I/O, no clock, no randomness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple, Protocol, TypeVar, cast

S = TypeVar("S")
C = TypeVar("C")
E = TypeVar("E")
C_contra = TypeVar("C_contra", contravariant=True)


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


@dataclass(frozen=True, slots=True)
class Cause:
    """The record that a reaction reacts to."""

    subject: str
    version: int


class Meta(NamedTuple):
    """What is known of a command beside itself, and is recorded with it.

    `time_us` is the record's time (microseconds since 1970, later than the record before), `actor` a person id or
    `service:<name>`, `authority` the event that gave it its right (`subject@version`), `version` the record's.
    """

    subject: str
    version: int
    time_us: int
    actor: str
    command_id: str
    on_behalf_of: str = ""
    authority: str = ""
    cause: Cause | None = None


class Decider(Protocol[S, C_contra, E]):
    """The pure heart of a service: what a command leads to, and what an event makes of a state.

    One that has `evolve_record(state, events, meta)` folds all events of a record by that, where it costs less than one by one.
    """

    def initial(self, subject: str) -> S:
        """The state of a subject without records."""

    def decide(self, state: S, command: C_contra, meta: Meta) -> Sequence[E]:
        """Events of an accepted command; empty when it changes nothing. Raises Rejected."""

    def evolve(self, state: S, event: E, meta: Meta) -> S:
        """The state after one event of the record that `meta` describes. Never raises for a recorded fact."""


def fold(evolve: Callable[[S, E], S], state: S, events: Iterable[E]) -> S:
    """Apply `events` to `state` in order."""
    for event in events:
        state = evolve(state, event)
    return state


def changer(kind: type[S], *fields: str) -> Callable[..., S]:
    """`kind._replace` for `fields`, whose new values follow the tuple in this order, at a third of its price.

    For named tuples that a fold makes by the thousand. Raises ValueError for a field that `kind` has not.
    """
    names: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]
    if not set(fields) <= set(names):
        raise ValueError(f"{kind.__name__} has no {', '.join(set(fields) - set(names))}")
    kept, make = len(names), cast("Any", tuple.__new__)
    pick = itemgetter(*[kept + fields.index(name) if name in fields else at for at, name in enumerate(names)])

    def change(old: Any, *new: Any) -> S:
        return make(kind, pick(old + new))  # type: ignore[no-any-return]

    return change
