"""Who sits where, and which tables a round has: read from the tables' own records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from services.table.model.state import Table


class Place(NamedTuple):
    """A seat of a table."""

    subject: str
    seat: int


class Given(NamedTuple):
    """A seat that somebody was given after its table was opened: since when (µs since 1970), and `instead` of whom.

    That is who had it before, and gets it back where this one does not count; nobody, where that one's own did not.
    """

    time_us: int
    seat: int
    instead: str
    before: Given | None = None
    """An earlier seat of the person's at that table."""


_NOTHING: Mapping[str, Given] = MappingProxyType({})


class Seating:
    """The newest seat of every person in every championship.

    Tables lie in partitions that are read side by side, so what happened last need not arrive last: record times decide.
    """

    def __init__(self) -> None:
        self._places: dict[tuple[str, str], tuple[int, Place | None]] = {}
        """Where a person sits since when (µs since 1970), None after it left its last seat."""
        self._given: dict[tuple[str, str], dict[str, Given]] = {}
        """By person, the last seat that it was given at each table, by the table's subject; also where it has left again."""
        self._held: dict[tuple[str, str], dict[str, tuple[int, Place | None]]] = {}
        """Of people who were given a seat: where else they sit, or have left, by the table's subject."""
        self._substituted: dict[tuple[str, str], frozenset[str]] = {}
        """Subjects of the tables where a person was given somebody else's seat."""
        self._opened: dict[tuple[str, str], tuple[str, ...]] = {}
        """Subjects of the tables that were opened for a person."""
        self._overheard: dict[str, set[tuple[str, str]]] = {}
        """By a table's subject, who was heard to substitute there on a board that is sealed to this replica."""
        self._rounds: dict[str, dict[int, list[str]]] = {}

    def place(self, championship: str, person: str) -> Place | None:
        """Where a person sits, or sat last."""
        return self._places.get((championship, person), (0, None))[1]

    def given(self, championship: str, person: str) -> Mapping[str, Given]:
        """The seats that a person was given, by the tables' subjects; none that did not count."""
        return self._given.get((championship, person), _NOTHING)

    def substituted(self, championship: str, person: str) -> frozenset[str]:
        """Subjects of the tables where a person sat in place of whom the table was opened for."""
        return self._substituted.get((championship, person), frozenset())

    def opened(self, championship: str, person: str) -> tuple[str, ...]:
        """Subjects of the tables that were opened with a person in a seat, of all rounds."""
        return self._opened.get((championship, person), ())

    def tables(self, championship: str, round_: int = 0) -> list[str]:
        """Subjects of a round's tables by their number; round 0 is the newest that has any."""
        rounds = self._rounds.get(championship, {})
        return sorted(rounds.get(round_ or max(rounds, default=0), ()), key=_number)

    def note(
        self, subject: str, before: Table, after: Table, time_us: int, counted: bool = True
    ) -> tuple[str, ...]:
        """Take in that the people of a table changed at a time; returns those who sit somewhere else from here on.

        `counted` False: who leaves a seat was given another one at once, which counts.
        """
        facts = after.facts
        if before.opened is None:
            self._open(subject, after)
        moved = []
        for seat, person in enumerate(after.people):
            old = before.people[seat] if before.people else ""
            if old == person:
                continue
            place = Place(subject, seat)
            if old and self._leave((facts.championship, old), place, time_us, counted):
                moved.append(old)
            if person and person != facts.seats[seat].person_id:
                self._give(facts.championship, person, subject)
            if person and before.opened is not None:
                given = Given(after.given_us[seat] or time_us, seat, old if counted else "")
                self._note_given((facts.championship, person), subject, given)
            if person and self._take((facts.championship, person), place, time_us):
                moved.append(person)
        if after.result is not None and after.closed != before.closed:
            # Of a sealed board that was not read: who came and left within it, and no more who was heard to and did not count.
            for who in self._overheard.pop(subject, ()):
                if who[1] not in after.people and subject not in self._given.get(who, {}):
                    self._substituted[who] = self.substituted(*who) - {subject}
            for person in set(after.result.left).difference(seat.person_id for seat in facts.seats):
                self._give(facts.championship, person, subject)
        return tuple(moved)

    def overheard(self, subject: str, table: Table, people: Sequence[str]) -> None:
        """Take in that people sit at a table, the rest of whose records is sealed to this replica."""
        for person, seat in zip(people, table.facts.seats, strict=True):
            who = table.facts.championship, person
            if person not in ("", seat.person_id) and subject not in self.substituted(*who):
                self._overheard.setdefault(subject, set()).add(who)
                self._give(*who, subject)

    def _open(self, subject: str, table: Table) -> None:
        facts = table.facts
        self._rounds.setdefault(facts.championship, {}).setdefault(facts.round, []).append(subject)
        for seat in facts.seats:
            if seat.person_id:
                who = facts.championship, seat.person_id
                self._opened[who] = (*self.opened(*who), subject)

    def _give(self, championship: str, person: str, subject: str) -> None:
        self._substituted[championship, person] = self.substituted(championship, person) | {subject}

    def _note_given(self, who: tuple[str, str], subject: str, given: Given) -> None:
        at_tables = self._given.setdefault(who, {})
        at_tables[subject] = given._replace(before=at_tables.get(subject))
        if who not in self._held:
            now = self._places.get(who, (0, None))
            self._held[who] = {} if now[1] is None else {now[1].subject: now}

    def _take(self, who: tuple[str, str], place: Place, time_us: int) -> bool:
        """A person has a seat since a time; whether that is its newest."""
        if who in self._held:
            self._held[who][place.subject] = time_us, place
        if self._places.get(who, (0, None))[0] > time_us:
            return False
        self._places[who] = time_us, place
        return True

    def _leave(self, who: tuple[str, str], place: Place, time_us: int, counted: bool) -> bool:
        """A person has a seat no more; whether that was its newest. It never had one that did not count."""
        if who in self._held:
            self._held[who][place.subject] = time_us, None
        if not counted:
            self._take_back(who, place.subject)
        if self.place(*who) != place:
            return False
        left = time_us, None
        self._places[who] = left if counted else _newest(self._held.get(who, {}))
        return True

    def _take_back(self, who: tuple[str, str], subject: str) -> None:
        """The last seat that a person was given at a table did not count; one that it had there before did."""
        given = self._given.get(who, {})
        last = given.pop(subject, None)
        self._held.get(who, {}).pop(subject, None)
        if last is not None and last.before is not None:
            given[subject] = last.before
        else:
            self._substituted[who] = self.substituted(*who) - {subject}


def _newest(held: Mapping[str, tuple[int, Place | None]]) -> tuple[int, Place | None]:
    return max(held.values(), key=lambda one: one[0], default=(0, None))


def _number(subject: str) -> tuple[int, str]:
    """What sorts `r1-t2` before `r1-t10`."""
    name = subject.rpartition(".")[2]
    return len(name), name
