"""Who the entrants are: their names, read in the background so that no page waits long for them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from grpc.aio import AioRpcError

from clients.console.language import Language
from clients.console.services import Services
from fupan.pairing.v1 import service_pb2 as pb
from fupan.pairing.v1.events_pb2 import SeatedTable

FRESH_SECONDS = 60.0
"""Age at which names are read again: so long may somebody who was erased still be named."""

WAIT_SECONDS = 0.3
"""How long a page waits for names; it shows person ids instead, and the names the next time."""

WHOLE_SECONDS = 10.0
"""How long somebody waits who can: a page that is there already and will be told."""

_PAGE = 1000
_NOBODY: Mapping[int, Entrant] = MappingProxyType({})
_KEPT = 32
"""Championships whose names are kept."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """One entrant: a line to show, the units it plays for, and its persons."""

    name: str
    units: str
    persons: tuple[str, ...] = ()

    def at(self, seat: int, table: SeatedTable) -> str:
        """Who of it sits in a seat of a table."""
        place = member(table, seat)
        return self.persons[place] if place < len(self.persons) else self.name


@dataclass(slots=True)
class _Known:
    entrants: Mapping[int, Entrant] = field(default_factory=dict)
    read_at: float = float("-inf")
    reading: asyncio.Task[None] | None = None


def member(table: SeatedTable, seat: int) -> int:
    """Which person of an entrant sits in a seat of a table, from 0."""
    return table.members[seat] if table.members else 0


def seated(entrant: int, names: Mapping[int, Entrant], language: Language) -> str:
    """Who sits somewhere, by the entrant's number; 0 is house AI."""
    if not entrant:
        return language.pick("house AI", "机器人")
    known = names.get(entrant)
    return known.name if known else language.pick(f"Entrant {entrant}", f"{entrant} 号")


class Roster:
    """Entrants by number, championship by championship. Without a token it knows nobody."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._known: dict[str, _Known] = {}

    async def of(self, championship: str, wait: float = WAIT_SECONDS) -> Mapping[int, Entrant]:
        """The entrants that are known by now; where none are yet, after `wait` seconds at most."""
        if not self._services.knows_names:
            return _NOBODY
        known = self._known.pop(championship, None) or _Known()
        self._known[championship] = known
        while len(self._known) > _KEPT:
            del self._known[next(iter(self._known))]
        if known.reading is None and asyncio.get_running_loop().time() - known.read_at > FRESH_SECONDS:
            known.reading = asyncio.create_task(self._read(championship, known))
        if known.reading is not None and not known.entrants:
            await asyncio.wait({known.reading}, timeout=wait)
        return known.entrants

    async def _read(self, championship: str, known: _Known) -> None:
        """Read all names. A service that is away, or a token that is no longer good, leaves persons unnamed."""
        found: dict[int, Entrant] = {}
        token = ""
        try:
            while True:
                request = pb.ListEntrantsRequest(championship=championship, page_size=_PAGE, page_token=token)
                page = await self._services.ask_named(self._services.pairing.ListEntrants, request)
                found |= {one.entrant.number: _entrant(one) for one in page.entrants}
                token = page.next_page_token
                if not token:
                    break
        except (AioRpcError, OSError):
            found = {}
        known.entrants, known.reading = found, None
        known.read_at = asyncio.get_running_loop().time()


def _entrant(listed: pb.ListedEntrant) -> Entrant:
    members = listed.entrant.members
    names = [name or member.person_id for name, member in zip(listed.names, members, strict=True)]
    units = dict.fromkeys(member.unit_id for member in members if member.unit_id)
    return Entrant(" / ".join(names), " / ".join(units), tuple(names))
