"""A seat that was given after its table was opened counts once no other table can have given its person one, whichever replicas
gave them (C1.6, C6.4).

A seat is given in one record and confirmed in another; nothing is shown there before the second, nor is a referee told that it is
given. Between the two all that the tables' streams hold is read: of two seats that were given at once, whoever would confirm the
second finds the first. One that is confirmed stands, else the first by record time; the other is given back, in the log.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import Literal

from services.domain import Rejected
from services.runtime.catchup import within
from services.runtime.log import Answer, Envelope
from services.runtime.streams import parse
from services.runtime.worklist import Worklist
from services.table.decider.play import SERVICE
from services.table.fate import counted
from services.table.framing import path_of
from services.table.hall import Hall
from services.table.leaves import Leaves
from services.table.model import commands as c
from services.table.model.events import Event
from services.table.model.state import Table
from services.table.seating import Place

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
    """Confirms the seats that people were given. `read_on` returns when all that is in the tables' streams now is folded."""

    def __init__(self, hall: Hall, leaves: Leaves, read_on: Callable[[], Awaitable[None]]) -> None:
        self.seats = Worklist("seat that was given", self._step)
        """Every replica looks at every one, so that none depends on the replica that gave it."""
        self._hall = hall
        self._leaves = leaves
        self._read_on = read_on
        hall.on_given = self.seats.add

    async def counts(self, place: Place, given: Answer[Event]) -> bool:
        """Whether a seat counts that a record has `given`, as its table's log tells from then on: confirmed, or given back.

        Raises Unavailable, and what `Log.handle` raises.
        """
        await self.settle(place)
        return await counted(self._hall.log, self._leaves, place, given)

    async def patiently(self, place: Place, order: Callable[[], Awaitable[Answer[Event]]]) -> Answer[Event]:
        """The answer to an order for a seat; one that waits is settled first. Raises as `counts`, and what the order raises."""
        while True:
            try:
                return await order()
            except Rejected as refusal:
                if refusal.reason != "SEAT_NOT_CONFIRMED":
                    raise
            await self.settle(place)

    async def settled(self, championship: str, person: str) -> None:
        """Return when every seat that a person was given counts, or went back. Raises as `counts`."""
        while (place := self._hall.waiting(championship, person)) is not None:
            await self.settle(place)

    async def settle(self, place: Place) -> None:
        """Confirm a seat that waits for that, or give it back. Raises as `counts`."""
        while True:
            await self._read(place)
            if not self._hall.waits(place):
                return
            table = self._hall.table(place.subject)
            person, given_us = table.people[place.seat], table.given_us[place.seat]
            given = self._hall.seating.given(table.facts.championship, person)
            others = (
                other
                for other, why in elsewhere(self._hall, place.subject, person)
                # Where pairing seats it later than a referee did is for pairing to know.
                if why == "boards" or (other in given and table.slot is not None)
            )
            # One at a time: with each record things may stand otherwise.
            other = next(others, "")
            if not other:
                command = c.ConfirmSeat(place.seat, person, given_us)
                await self._decide(place.subject, command, f"confirm {place.seat} {given_us}")
            elif not await self._stands(place, other, person):
                await self._give_back(place, other)

    async def _read(self, place: Place) -> None:
        """All that is in the tables' streams now is folded, and open to this replica where that championship is played."""
        await self._read_on()
        async with within():
            await self._hall.unlock(parse(place.subject).championship)

    async def _step(self, place: Place) -> None:
        if self._hall.waits(place):
            await self.settle(place)

    async def _stands(self, place: Place, other: str, person: str) -> bool:
        """Whether a seat that a person was given stands against one at another table: that one waits, too, and came later. It is
        decided then."""
        table, there = self._hall.table(place.subject), self._hall.table(other)
        theirs = Place(other, there.people.index(person) if person in there.people else 0)
        if there.people[theirs.seat] != person or not self._hall.waits(theirs):
            return False
        if (there.given_us[theirs.seat], other) < (table.given_us[place.seat], place.subject):
            return False
        try:
            await self._give_back(theirs, place.subject)
        except Rejected:  # its log is not whole
            return False
        return True

    async def _give_back(self, place: Place, sits_at: str) -> None:
        """Give a seat back to who had it before, unless it is confirmed by then."""
        table = self._hall.table(place.subject)
        person, given_us = table.people[place.seat], table.given_us[place.seat]
        command = c.GiveSeatBack(place.seat, person, parse(sits_at).item, given_us)
        await self._decide(place.subject, command, f"back {place.seat} {given_us}")

    async def _decide(self, subject: str, command: c.ConfirmSeat | c.GiveSeatBack, command_id: str) -> None:
        try:
            await self._hall.log.handle(subject, command, Envelope(SERVICE, command_id))
        except Rejected as refusal:
            # Another replica has decided it in other words, or nobody plays there any more.
            if refusal.reason not in ("COMMAND_ID_REUSED", "TABLE_SEALED"):
                raise
