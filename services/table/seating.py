"""Who sits where, and which tables a round has: read from the tables' own records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from services.table.model.state import Table


class Place(NamedTuple):
    """A seat of a table."""

    subject: str
    seat: int


class Seating:
    """The newest seat of every person in every championship.

    Tables lie in partitions that are read side by side, so what happened last need not arrive last: record times decide.
    """

    def __init__(self) -> None:
        self._places: dict[tuple[str, str], tuple[int, Place | None]] = {}
        """Where a person sits since when (µs since 1970), None after it left its last seat."""
        self._substituted: dict[tuple[str, str], frozenset[str]] = {}
        """Subjects of the tables where a person was given somebody else's seat."""
        self._rounds: dict[str, dict[int, list[str]]] = {}

    def place(self, championship: str, person: str) -> Place | None:
        """Where a person sits, or sat last."""
        return self._places.get((championship, person), (0, None))[1]

    def substituted(self, championship: str, person: str) -> frozenset[str]:
        """Subjects of the tables where a person sat in place of whom the table was opened for."""
        return self._substituted.get((championship, person), frozenset())

    def tables(self, championship: str, round_: int = 0) -> list[str]:
        """Subjects of a round's tables by their number; round 0 is the newest that has any."""
        rounds = self._rounds.get(championship, {})
        return sorted(rounds.get(round_ or max(rounds, default=0), ()), key=_number)

    def note(self, subject: str, before: Table, after: Table, time_us: int) -> tuple[str, ...]:
        """Take in that the people of a table changed at a time; returns those who sit somewhere else from here on."""
        facts = after.facts
        if before.opened is None:
            self._rounds.setdefault(facts.championship, {}).setdefault(facts.round, []).append(subject)
        moved = []
        for seat, person in enumerate(after.people):
            old = before.people[seat] if before.people else ""
            if old == person:
                continue
            if person and person != facts.seats[seat].person_id:
                self._given(facts.championship, person, subject)
            place = Place(subject, seat)
            if old and self.place(facts.championship, old) == place:
                self._places[facts.championship, old] = time_us, None
                moved.append(old)
            if person and self._places.get((facts.championship, person), (0, None))[0] <= time_us:
                self._places[facts.championship, person] = time_us, place
                moved.append(person)
        if after.result is not None and after.closed != before.closed:
            # Of a sealed board that was not read: who came and left within it.
            for person in set(after.result.left).difference(seat.person_id for seat in facts.seats):
                self._given(facts.championship, person, subject)
        return tuple(moved)

    def overheard(self, subject: str, table: Table, people: Sequence[str]) -> None:
        """Take in that people sit at a table, the rest of whose records is sealed to this replica."""
        for person, seat in zip(people, table.facts.seats, strict=True):
            if person not in ("", seat.person_id):
                self._given(table.facts.championship, person, subject)

    def _given(self, championship: str, person: str, subject: str) -> None:
        self._substituted[championship, person] = self.substituted(championship, person) | {subject}


def _number(subject: str) -> tuple[int, str]:
    """What sorts `r1-t2` before `r1-t10`."""
    name = subject.rpartition(".")[2]
    return len(name), name
