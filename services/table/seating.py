"""Who sits where, and which tables a round has: read from the tables' own records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from services.table.model.state import Table


class Place(NamedTuple):
    """A seat of a table."""

    subject: str
    seat: int


_NOTHING: Mapping[str, int] = MappingProxyType({})


class Seating:
    """The newest seat of every person in every championship, of those that are confirmed.

    Tables lie in partitions that are read side by side, so what happened last need not arrive last: record times decide. They are
    those of several clocks, so a table that plays comes before one that does not.
    """

    def __init__(self, state: Callable[[str], Table | None]) -> None:
        """`state` tells how a table stands, by its subject."""
        self._state = state
        self._places: dict[tuple[str, str], tuple[int, Place, bool]] = {}
        """A person's newest seat: since when (µs since 1970), and whether it sits there still."""
        self._given: dict[tuple[str, str], dict[str, int]] = {}
        """By person and the table's subject, how often it was given a seat there; also where it has left again."""
        self._substituted: dict[tuple[str, str], frozenset[str]] = {}
        """Subjects of the tables where a person was given somebody else's seat."""
        self._opened: dict[tuple[str, str], tuple[str, ...]] = {}
        """Subjects of the tables that were opened for a person."""
        self._overheard: dict[str, set[tuple[str, str]]] = {}
        """By a table's subject, who was heard to substitute there on a board that is sealed to this replica."""
        self._rounds: dict[str, dict[int, list[str]]] = {}

    def place(self, championship: str, person: str) -> Place | None:
        """Where a person sits, at a table that plays if there is one; None after it left its last seat."""
        newest = self._places.get((championship, person))
        place = newest[1] if newest is not None and newest[2] else None
        if place is not None and self._plays(place.subject, person) is not None:
            return place
        subjects = (*self.opened(championship, person), *self.given(championship, person))
        return max(filter(None, (self._plays(one, person) for one in subjects)), default=place)

    def _plays(self, subject: str, person: str) -> Place | None:
        """A person's seat at a table that has something to play."""
        table = self._state(subject)
        if table is None or table.slot is None or person not in table.people:
            return None
        seat = table.people.index(person)
        return Place(subject, seat) if table.seated(seat) == person else None

    def given(self, championship: str, person: str) -> Mapping[str, int]:
        """Subjects of the tables where a person was given a seat, and how often; not counting those that went back."""
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
        """Take in that the people of a table changed at a time, or whose seats are confirmed; returns those who sit there from here
        on, or no more.

        `counted` False: who leaves a seat was given another one at once, which counts.
        """
        facts = after.facts
        if before.opened is None:
            self._open(subject, after)
        moved: list[str] = []
        for seat, person in enumerate(after.people):
            old, sat = (before.people[seat], before.seated(seat)) if before.people else ("", "")
            if old and old != person and not (counted and _counted(before, after, seat)):
                self._take_back((facts.championship, old), subject)
            if person and person != old:
                if person != facts.seats[seat].person_id:
                    self._give(facts.championship, person, subject)
                if before.opened is not None:
                    self._note_given((facts.championship, person), subject)
            place, sits = Place(subject, seat), after.seated(seat)
            if sat != sits:
                if sat:
                    self._leave((facts.championship, sat), place)
                if sits:
                    self._take((facts.championship, sits), place, time_us)
                moved += filter(None, (sat, sits))
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

    def _note_given(self, who: tuple[str, str], subject: str) -> None:
        often = self._given.setdefault(who, {})
        often[subject] = often.get(subject, 0) + 1

    def _take(self, who: tuple[str, str], place: Place, time_us: int) -> None:
        newest = self._places.get(who)
        if newest is None or newest[:2] < (time_us, place):
            self._places[who] = time_us, place, True

    def _leave(self, who: tuple[str, str], place: Place) -> None:
        newest = self._places.get(who)
        if newest is not None and newest[1] == place:
            self._places[who] = newest[0], place, False

    def _take_back(self, who: tuple[str, str], subject: str) -> None:
        """The last seat that a person was given at a table did not count; one that it had there before did."""
        given = self._given.get(who, {})
        if given.get(subject, 0) > 1:
            given[subject] -= 1
        else:
            given.pop(subject, None)
            self._substituted[who] = self.substituted(*who) - {subject}


def _counted(before: Table, after: Table, seat: int) -> bool:
    """Whether who is gone after a record had sat there: of a board that was not read its closing tells who left a seat."""
    left = after.result.left if after.result is not None and after.closed != before.closed else ()
    return after.closed == before.closed or not before.given_us[seat] or before.people[seat] in left


def _number(subject: str) -> tuple[int, str]:
    """What sorts `r1-t2` before `r1-t10`."""
    name = subject.rpartition(".")[2]
    return len(name), name
