"""Who plays: members of entrants, and substitutes, whom a referee gave an entrant's seat (C1.6) and whom only the tables know."""

from __future__ import annotations

import asyncio

from services.directory import PLAYER, Directory
from services.domain import Rejected
from services.runtime.errors import Malformed, Unavailable
from services.runtime.identity import Caller
from services.runtime.streams import ID
from services.table.hall import Hall

PATIENCE = 5.0
"""Seconds that a caller without a role waits until all tables are read."""


class Players:
    """`services.access.Roles` of the table service: a substitute is a player of its championship."""

    def __init__(self, directory: Directory, hall: Hall) -> None:
        self._directory = directory
        self._hall = hall

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

    async def refresh(self) -> None:
        """See Roles. A board that is sealed to this replica may hold who sits at its table."""
        await self._directory.refresh()
        try:
            async with asyncio.timeout(PATIENCE):
                await self._hall.unlock()
        except TimeoutError:
            raise Unavailable("POSITION_NOT_REACHED") from None

    async def check_substitute(self, subject: str, seat: int, person: str) -> None:
        """Whether a person may be given a seat: a member of its entrant, or somebody who cannot know the round's boards.

        Raises Rejected, Malformed; a seat that does not exist is for the decider to refuse.
        """
        if not ID.fullmatch(person):
            raise Malformed("person_id", "must be a person's id")
        await self.refresh()
        facts = self._hall.table(subject).facts
        entrant = self._directory.get(facts.championship).entrant_of.get(person)
        if seat >= len(facts.seats) or (entrant is not None and entrant == facts.seats[seat].entrant):
            return
        if entrant is not None:
            raise _unfit(f"{person} plays this event as entrant {entrant}")
        if self._directory.roles(facts.championship, person):
            raise _unfit(f"{person} holds an office, and may have seen these boards")
        tables = self._hall.seating.substituted(facts.championship, person) - {subject}
        if any(self._hall.table(other).facts.round == facts.round for other in tables):
            raise _unfit(f"{person} sat at another table of this round, which plays the same boards")


def _unfit(why: str) -> Rejected:
    return Rejected("CANNOT_SUBSTITUTE", "C1.6", why)
