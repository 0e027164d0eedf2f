"""What every page is made with: the services, live standings, names, templates; and the championship it is about."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any

from grpc.aio import AioRpcError
from starlette.requests import Request
from starlette.responses import HTMLResponse

from clients.console import figures
from clients.console.fields import Fields
from clients.console.live import Live
from clients.console.page import Pages
from clients.console.roster import Roster
from clients.console.rows import Rows
from clients.console.services import Services
from clients.console.session import session_of
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.table.v1 import service_pb2 as table_pb


class Desk:
    """One console's."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.pages = Pages()
        self.roster = Roster(services)
        self.live = Live(services)
        self.rows = Rows(self.pages)
        self.fields = Fields(services)

    async def close(self) -> None:
        """End what runs."""
        await self.live.close()
        await self.services.close()


PART_SECONDS = 1.0
"""How long a page waits to be told what its visitor is."""

HEADS = frozenset({"chief_referee", "deputy"})
REFEREES = HEADS | {"referee"}
"""Offices whose holders order what changes results, and act at tables (C9.2, C9.3)."""


@dataclass(frozen=True, slots=True)
class Event:
    """A championship as pages know it."""

    id: str
    told: pairing.GetChampionshipResponse
    zone: tzinfo
    part: table_pb.GetRolesResponse = field(default_factory=table_pb.GetRolesResponse)
    """What the visitor is in it, as the table service says: pages offer nobody what would be refused."""

    @property
    def settings(self) -> Any:
        """Its settings."""
        return self.told.settings

    @property
    def by_points(self) -> bool:
        """Whether its order goes by points of matches (C7.2, C8.5), not by percentages."""
        return self.settings.format in ("teams", "points")

    @property
    def compares(self) -> bool:
        """Whether all tables of a round play the same boards; else every match has deals of its own (C8.2)."""
        return bool(self.settings.boards_per_round)

    @property
    def watched(self) -> bool:
        """Whether spectators may see its tables while they play: matches whose deals nobody else plays, dealt here."""
        return not self.compares and not self.settings.real_cards

    def offices(self, person: str) -> frozenset[str]:
        """The offices that somebody holds in it (C9.1); what follows from them every service judges by itself."""
        held = {one.role for one in self.told.officials if one.person_id == person}
        return frozenset(held | ({"organiser"} if self.told.organiser == person else set()))

    @property
    def plays(self) -> bool:
        """Whether the visitor plays in it, for itself or in an entrant's place (C1.6)."""
        return "player" in self.part.roles

    @property
    def game(self) -> str:
        """The name of the game it plays."""
        return str(self.settings.ruleset).partition("/")[0]


def desk_of(request: Request) -> Desk:
    """The desk of the console that a request came to."""
    desk: Desk = request.app.state.desk
    return desk


async def event_of(request: Request, part: bool = True) -> Event:
    """The championship that a request's address names, for its visitor; with the visitor's `part`, which takes a moment, where
    something is to be offered. Raises AioRpcError."""
    championship, session = request.path_params["championship"], session_of(request) if part else None
    services = desk_of(request).services
    told, roles = await asyncio.gather(
        services.ask(
            services.pairing.GetChampionship, pairing.GetChampionshipRequest(championship=championship)
        ),
        _part(services, championship, session.token if session else ""),
    )
    return Event(championship, told, figures.zone(told.settings.time_zone), roles)


async def _part(services: Services, championship: str, token: str) -> table_pb.GetRolesResponse:
    """What the holder of a token is in a championship; nothing where nobody says."""
    if not token:
        return table_pb.GetRolesResponse()
    asked = table_pb.GetRolesRequest(championship=championship)
    try:
        return await services.ask(services.table.GetRoles, asked, token, seconds=PART_SECONDS)
    except AioRpcError:
        return table_pb.GetRolesResponse()


async def entered(desk: Desk, event: Event, person: str) -> int:
    """The number of the entrant that somebody is a member of; 0 where that is nobody's. Raises AioRpcError."""
    rows = (await desk.live.standings(event.id).now()).rows
    return next((row.entrant for row in rows if person in row.persons), 0)


async def seats(desk: Desk, championship: str, round_: int, table: str) -> Sequence[int]:
    """Who sits at a table of a round, entrants by seat; nobody where the round has no table of that name. Raises AioRpcError."""
    asked = pairing.GetRoundRequest(championship=championship, round=round_)
    told = await desk.services.ask(desk.services.pairing.GetRound, asked)
    return next((one.table.entrants for one in told.tables if one.table.table == table), ())


def show(request: Request, template: str, status: int = 200, **context: Any) -> HTMLResponse:
    """A page."""
    return desk_of(request).pages.show(request, template, context, status)


def number(request: Request, name: str, default: int = 0) -> int:
    """A whole number of an address's query, below a million; what is none counts as the default."""
    text = request.query_params.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else default
