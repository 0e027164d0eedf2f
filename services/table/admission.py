"""A seat that was given after its table was opened is taken once no other table can have given its person one, whichever replicas
gave them (C1.6, C6.4).

A seat is given in one record and sat down on in another, and nothing is shown there before the second. Between the two all that
the tables' streams hold is read: of two seats that were given at once, whoever lets somebody in at the second finds the first. The
one where its person has sat down stands, else the first by record time; the other is given back, in the log.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from typing import Literal

from services.domain import Rejected
from services.runtime.log import Applied, Envelope
from services.runtime.streams import parse
from services.runtime.worklist import Worklist
from services.table.decider.play import SERVICE
from services.table.framing import path_of
from services.table.hall import Hall
from services.table.model import commands as c
from services.table.model.events import Event
from services.table.model.state import Table
from services.table.seating import Given, Place

Why = Literal["boards", "plays"]


def elsewhere(hall: Hall, subject: str, person: str) -> Iterator[tuple[str, Why]]:
    """The other tables that keep a person from a seat at this one: it has, or had, one where the same boards are played (C6.4), or
    sits where others still are.

    Of this round, and of any round where it was given a seat: boards of several may be played again at once.
    """
    table, seating = hall.table(subject), hall.seating
    championship = table.facts.championship
    given = seating.substituted(championship, person) | seating.given(championship, person).keys()
    for other in given.union(seating.opened(championship, person)) - {subject}:
        there = hall.table(other)
        if other not in given and there.facts.round != table.facts.round:
            continue
        if _boards(table) & _boards(there):
            yield other, "boards"
        elif person in there.people and there.slot is not None:
            yield other, "plays"


def _boards(table: Table) -> set[str]:
    return {path_of(table.facts, slot) for slot in table.slots}


class Admission:
    """Lets people into the seats that they were given. `refresh` returns when everything that is in the tables' streams now is
    folded, and open to this replica."""

    def __init__(self, hall: Hall, refresh: Callable[[], Awaitable[None]]) -> None:
        self.seats = Worklist("seat that was given", self._step)
        """Every replica looks at every one, so that none depends on the replica that gave it."""
        self._hall = hall
        self._refresh = refresh
        hall.on_given = self.seats.add
        hall.log.listen(self._applied)

    def _applied(self, applied: Applied[Table, Event]) -> None:
        subject, before, after = applied.stored.subject, applied.before, applied.after
        if before.opened is not None and before.people is not after.people:
            for seat in range(len(after.people)):
                if after.people[seat] not in ("", before.people[seat]):
                    self.seats.add(Place(subject, seat))

    async def counts(self, place: Place, person: str) -> bool:
        """Whether a seat that a person was given counts, as all tables tell by now; one that does not is given back.

        Raises Unavailable, and what `Log.handle` raises but Rejected.
        """
        while True:
            await self._refresh()
            table, given = self._hall.table(place.subject), self._given(place.subject, person)
            if place.subject not in given:
                return False
            if table.people[place.seat] != person or table.joined[place.seat]:
                return True
            others = (
                other
                for other, why in elsewhere(self._hall, place.subject, person)
                # Where pairing seats it later than a referee did is for pairing to know.
                if why == "boards" or (other in given and table.slot is not None)
            )
            # One at a time: with each record things may stand otherwise.
            other = next(others, "")
            if not other:
                return True
            first = self._comes_first(place.subject, other, person)
            if not first or not await self._give_back(other, person, place.subject):
                await self._give_back(place.subject, person, other)
                return False

    async def enter(self, place: Place, person: str) -> bool:
        """Let a person into a seat, where it waits for that; whether it may see it. Raises as `counts`."""
        if not self._hall.waits(place, person):
            return True
        if not await self.counts(place, person):
            return False
        since_us = self._given(place.subject, person)[place.subject].time_us
        envelope = Envelope(person, f"join {place.seat} {person} {since_us}")
        with suppress(Rejected):  # it was given to somebody else meanwhile
            await self._hall.log.handle(place.subject, c.JoinSeat(place.seat), envelope)
        return not self._hall.waits(place, person)

    async def _step(self, place: Place) -> None:
        person = self._hall.table(place.subject).people[place.seat]
        if person and self._hall.waits(place, person):
            act = self.enter if self._hall.attached(place.subject, person) else self.counts
            await act(place, person)

    def _given(self, subject: str, person: str) -> Mapping[str, Given]:
        return self._hall.seating.given(parse(subject).championship, person)

    def _comes_first(self, subject: str, other: str, person: str) -> bool:
        """Whether a seat that a person was given stands against one at another table, where it has not sat down."""
        given, there = self._given(subject, person), self._hall.table(other)
        theirs = given.get(other)
        if theirs is None or there.people[theirs.seat] != person or there.joined[theirs.seat]:
            return False
        return (given[subject].time_us, subject) < (theirs.time_us, other)

    async def _give_back(self, subject: str, person: str, sits_at: str) -> bool:
        """Give a seat back to who had it before; whether the person has it no more."""
        given = self._given(subject, person).get(subject)
        if given is not None:
            command = c.GiveSeatBack(given.seat, person, given.instead, parse(sits_at).item)
            with suppress(Rejected):  # the table is sealed, or its log not whole
                await self._hall.log.handle(subject, command, Envelope(SERVICE, f"back {given.time_us}"))
        return subject not in self._given(subject, person)
