"""Given events, when a command comes, then events follow or it is refused: a decider's behaviour in domain words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from services.domain import Meta, Rejected

NOON = 1_767_240_000_000_000
"""1 January 2026, 12:00 in Shanghai, in microseconds: the time of what is said without one."""


@dataclass(frozen=True)
class Fact:
    """An event of the past with its time and actor."""

    event: Any
    at: int = NOON
    by: str = "somebody"


class Specification:
    """Specifications of one decider."""

    def __init__(self, decider: Any, subject: str) -> None:
        self._decider = decider
        self._subject = subject

    def given(self, *events: Any) -> Given:
        """What has happened: events, or facts where time or actor matter; each a record of its own."""
        facts = (event if isinstance(event, Fact) else Fact(event) for event in events)
        return Given(self._decider, self._subject, tuple((fact,) for fact in facts))


@dataclass(frozen=True)
class Given:
    """A past, record by record."""

    decider: Any
    subject: str
    records: tuple[tuple[Fact, ...], ...]

    @property
    def events(self) -> tuple[Fact, ...]:
        """All that happened."""
        return tuple(fact for record in self.records for fact in record)

    @property
    def state(self) -> Any:
        """What the past comes to."""
        state = self.decider.initial(self.subject)
        for version, record in enumerate(self.records, 1):
            for fact in record:
                meta = Meta(self.subject, version, fact.at, fact.by, f"c{version}")
                state = self.decider.evolve(state, fact.event, meta)
        return state

    def when(self, command: Any, at: int = NOON, by: str = "somebody") -> When:
        """A command comes."""
        return When(self, command, Meta(self.subject, len(self.records) + 1, at, by, "command"))


@dataclass(frozen=True)
class When:
    """A command on a past."""

    given: Given
    command: Any
    meta: Meta

    def _decide(self) -> list[Any]:
        return list(self.given.decider.decide(self.given.state, self.command, self.meta))

    def then(self, *events: Any) -> Given:
        """It leads to these events, and no others; the past with them as one record."""
        decided = self._decide()
        assert decided == list(events)
        record = tuple(Fact(event, self.meta.time_us, self.meta.actor) for event in decided)
        return Given(self.given.decider, self.given.subject, (*self.given.records, record))

    def rejected(self, reason: str, clause: str = "") -> Rejected:
        """It is refused with this reason and clause."""
        with pytest.raises(Rejected) as refused:
            self._decide()
        assert (refused.value.reason, refused.value.clause) == (reason, clause)
        return refused.value
