"""Who sits where, and which tables a round has: read from the tables' own records."""

from __future__ import annotations

from typing import NamedTuple

from services.table.model.state import Table


class Place(NamedTuple):
    """A seat of a table."""

    subject: str
    seat: int


class Seating:
    """The newest seat of every person in every championship."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, str], Place] = {}
        self._rounds: dict[str, dict[int, list[str]]] = {}

    def place(self, championship: str, person: str) -> Place | None:
        """Where a person sits, or sat last."""
        return self._places.get((championship, person))

    def tables(self, championship: str, round_: int = 0) -> list[str]:
        """Subjects of a round's tables in the order they were opened; round 0 is the newest that has any."""
        rounds = self._rounds.get(championship, {})
        return list(rounds.get(round_ or max(rounds, default=0), ()))

    def note(self, subject: str, before: Table, after: Table) -> tuple[str, ...]:
        """Take in that the people of a table changed; returns those who sit somewhere else from here on."""
        facts = after.facts
        if before.opened is None:
            self._rounds.setdefault(facts.championship, {}).setdefault(facts.round, []).append(subject)
        moved = []
        for seat, person in enumerate(after.people):
            old = before.people[seat] if before.people else ""
            if old == person:
                continue
            if old and self._places.get((facts.championship, old)) == (subject, seat):
                del self._places[facts.championship, old]
                moved.append(old)
            if person:
                self._places[facts.championship, person] = Place(subject, seat)
                moved.append(person)
        return tuple(moved)
