"""Who plays: members of entrants, and substitutes, whom a referee gave an entrant's seat (C1.6) and whom only the tables know."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from services.directory import PLAYER, Directory
from services.domain import Rejected
from services.runtime.catchup import Shared, within
from services.runtime.errors import Denied, Malformed
from services.runtime.even import evenly
from services.runtime.identity import Caller
from services.runtime.streams import ID
from services.table.admission import elsewhere
from services.table.hall import Hall


class Players:
    """`services.access.Roles` of the table service: a substitute is a player of its championship."""

    def __init__(self, directory: Directory, hall: Hall, catch_up: Callable[[], Awaitable[None]]) -> None:
        """`catch_up` returns when everything that is in the tables' streams now is folded here."""
        self._directory = directory
        self._hall = hall
        self._catch_up = catch_up
        self.read_on = Shared(self._read_on)
        """Returns when all that is in the tables' streams now is folded."""
        self._read_all = Shared(self._open)

    def known(self, championship: str) -> bool:
        """See Roles."""
        return self._directory.known(championship)

    def roles(self, championship: str, person: str) -> frozenset[str]:
        """See Roles."""
        roles = self._directory.roles(championship, person)
        return roles | {PLAYER} if self._hall.seating.substituted(championship, person) else roles

    def plays(self, championship: str, person: str) -> bool:
        """See Roles."""
        return PLAYER in self.roles(championship, person)

    def watches(self, championship: str, who: Caller) -> bool:
        """Whether a caller may know what happens at open tables: services, officials who do not play and have not (P13, C9.3)."""
        known = self._directory.watches(championship, who)
        return known and not self._hall.seating.substituted(championship, who.person)

    async def watches_now(self, championship: str, who: Caller) -> bool:
        """`watches`, after all that was written up to now. Raises Unavailable."""
        if self.watches(championship, who) and not who.service:
            await self.read_on()
        return self.watches(championship, who)

    def check_watches(self, championship: str, who: Caller) -> None:
        """Whether a caller who watches a table may go on: who has come to play, or is no official any more, sees nothing more.

        Raises Denied.
        """
        if not self.watches(championship, who):
            raise Denied("PLAYS_THE_EVENT" if self.plays(championship, who.person) else "NOT_IN_ROLE")

    async def refresh(self) -> None:
        """See Roles. Once for all who ask: a round's players may come back at once. At an even time: whoever has no role may ask as
        often as it likes, and streams are read the slower while a table writes."""
        await evenly(self._read_all())

    async def _read_on(self) -> None:
        await self._directory.refresh()
        async with within():
            await self._catch_up()

    async def _open(self) -> None:
        """A board that is sealed to this replica may hold who sits at its table, in records of older versions."""
        await self.read_on()
        async with within():
            await self._hall.unlock()

    async def check_substitute(self, subject: str, seat: int, person: str) -> None:
        """Whether a person may be given a seat: a member of its entrant, or somebody who plays for nobody and never held an office;
        neither may have sat where the same boards are played (C6.4), nor sit at another table.

        Raises Rejected, Malformed; a seat that does not exist is for the decider to refuse, and who has one keeps it.
        """
        if not ID.fullmatch(person):
            raise Malformed("person_id", "must be a person's id")
        await self.refresh()
        table = self._hall.table(subject)
        facts, known = table.facts, self._directory.get(table.facts.championship)
        entrant = known.entrant_of.get(person)
        if seat >= len(facts.seats) or table.people[seat] == person:
            return
        if entrant not in (None, facts.seats[seat].entrant):
            raise unfit(f"{person} plays this event as entrant {entrant}")
        if entrant is None and (person in known.former or known.roles(person)):
            raise unfit(f"{person} holds an office, or has, and may have seen these boards")
        for _, why in elsewhere(self._hall, subject, person):
            if why == "boards":
                raise unfit(f"{person} sat at another table, which plays the same boards")
            raise unfit(f"{person} sits at another table, which still plays")


def unfit(why: str) -> Rejected:
    """Somebody may not be given a seat (C1.6)."""
    return Rejected("CANNOT_SUBSTITUTE", "C1.6", why)
