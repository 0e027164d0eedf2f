"""A seat that was given after its table was opened counts once no other table can have given its person one, whichever replicas
gave them (C1.6, C6.4).

A seat is given in one record and confirmed in another; nothing is shown there before the second, nor is a referee told that it is
given. Between the two all that the tables' streams hold is read: of two seats that were given at once, whoever would confirm the
second finds the first. One that is confirmed stands, else the first by record time; the other is given back, in the log.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from typing import Literal

from services.domain import Rejected
from services.runtime.even import evenly
from services.runtime.log import Envelope
from services.runtime.streams import parse
from services.runtime.worklist import Worklist
from services.table.decider.play import SERVICE
from services.table.framing import path_of
from services.table.hall import Hall
from services.table.model import commands as c
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
    """Confirms the seats that people were given. `read_on` returns when all that is in the tables' streams now is folded, and open
    to this replica."""

    def __init__(self, hall: Hall, read_on: Callable[[], Awaitable[None]]) -> None:
        self.seats = Worklist("seat that was given", self._step)
        """Every replica looks at every one, so that none depends on the replica that gave it."""
        self._hall = hall
        self._read_on = read_on
        hall.on_given = self.seats.add

    async def counts(self, place: Place, person: str) -> bool:
        """Whether a seat that a person was given counts: as its table's log tells from then on, which confirms it or gives it back.

        Raises Unavailable, and what `Log.handle` raises.
        """
        while True:
            await self._read_on()
            table, given = self._hall.table(place.subject), self._given(place.subject, person)
            if place.subject not in given:
                return False
            if table.people[place.seat] != person or not self._hall.waits(place):
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
                await self._confirm(place, person, table.given_us[place.seat])
            elif not await self._stands(place.subject, other, person):
                await self._give_back(place.subject, person, other)

    async def lets_in(self, place: Place, person: str) -> bool:
        """Whether who sits there may see its seat; where that is yet to be found out, at an even time. Raises as `counts`."""
        return not self._hall.waits(place) or await evenly(self.counts(place, person))

    async def _step(self, place: Place) -> None:
        person = self._hall.table(place.subject).people[place.seat]
        if self._hall.waits(place):
            await self.counts(place, person)

    def _given(self, subject: str, person: str) -> Mapping[str, Given]:
        return self._hall.seating.given(parse(subject).championship, person)

    async def _stands(self, subject: str, other: str, person: str) -> bool:
        """Whether a seat that a person was given is to stand against one at another table, and that one was given back."""
        if not self._comes_first(subject, other, person):
            return False
        with suppress(Rejected):  # its log is not whole
            await self._give_back(other, person, subject)
        return other not in self._given(subject, person)

    def _comes_first(self, subject: str, other: str, person: str) -> bool:
        """Whether a seat that a person was given stands against one at another table, which is not confirmed."""
        given, there = self._given(subject, person), self._hall.table(other)
        theirs = given.get(other)
        if theirs is None or there.people[theirs.seat] != person or not there.given_us[theirs.seat]:
            return False
        return (given[subject].time_us, subject) < (theirs.time_us, other)

    async def _confirm(self, place: Place, person: str, given_us: int) -> None:
        command = c.ConfirmSeat(place.seat, person, given_us)
        await self._decide(place.subject, command, f"confirm {place.seat} {given_us}")

    async def _give_back(self, subject: str, person: str, sits_at: str) -> None:
        """Give a seat back to who had it before, unless it is confirmed by then."""
        given = self._given(subject, person).get(subject)
        if given is not None:
            command = c.GiveSeatBack(given.seat, person, given.instead, parse(sits_at).item, given.time_us)
            await self._decide(subject, command, f"back {given.seat} {given.time_us}")

    async def _decide(self, subject: str, command: c.ConfirmSeat | c.GiveSeatBack, command_id: str) -> None:
        try:
            await self._hall.log.handle(subject, command, Envelope(SERVICE, command_id))
        except Rejected as refusal:
            # Another replica has decided it in other words, or nobody plays there any more.
            if refusal.reason not in ("COMMAND_ID_REUSED", "TABLE_SEALED"):
                raise
