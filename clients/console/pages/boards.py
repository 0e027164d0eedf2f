"""A board that is closed everywhere: its traveller, and the play at one table step by step."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from clients.console import tables
from clients.console.desk import Desk, Event, desk_of, event_of, number, show
from clients.console.page import language_of
from clients.console.paging import page
from clients.console.session import session_of
from fupan.pairing.v1.service_pb2 import GetRoundRequest
from fupan.scoring.v1 import service_pb2 as scoring
from fupan.table.v1 import service_pb2 as table

TABLES = 40
"""Tables that a page of a traveller has."""


async def traveller(request: Request) -> Response:
    """All tables' results on a board."""
    desk, event = desk_of(request), await event_of(request)
    results = await _results(desk, event, request)
    return show(
        request,
        "board.html",
        event=event,
        round=request.path_params["round"],
        board=request.path_params["board"],
        page=page(results, number(request, "page", 1), size=TABLES),
        names=await desk.roster.of(event.id),
    )


async def replay(request: Request) -> Response:
    """The board at one table; `?seat=` as that seat knew it, else with all hands; `?attempt=` where it was replayed by a ruling."""
    desk, event = desk_of(request), await event_of(request)
    attempt, seat = number(request, "attempt", 1), request.query_params.get("seat", "")
    if seat and not (seat.isascii() and seat.isdigit() and len(seat) == 1):
        raise HTTPException(404)
    asked = table.ReplayBoardRequest(
        championship=event.id,
        table=request.path_params["table"],
        board=request.path_params["board"],
        attempt=attempt,
        all=not seat,
        seat=int(seat or 0),
    )
    # A board that is not revealed is shown to the panel that judges it, and to nobody else: the service sees to it.
    session = session_of(request)
    replaying = desk.services.follow(
        desk.services.table.ReplayBoard, asked, 30, session.token if session else ""
    )
    steps = [one async for one in replaying]
    if not steps or (game := tables.of(steps)) is None:
        raise HTTPException(404)
    told = tables.steps(game, steps, language_of(request))
    return show(
        request,
        "replay.html",
        event=event,
        round=request.path_params["round"],
        board=request.path_params["board"],
        table=request.path_params["table"],
        attempt=attempt,
        seat=int(seat) if seat else None,
        entrants=await _entrants(desk, event, request),
        names=await desk.roster.of(event.id),
        game=game,
        steps=told,
        data=[one.drawn() for one in told],
    )


async def _results(desk: Desk, event: Event, request: Request) -> Sequence[scoring.BoardResult]:
    asked = scoring.GetBoardRequest(
        championship=event.id, round=request.path_params["round"], board=request.path_params["board"]
    )
    told = await desk.services.ask(desk.services.scoring.GetBoard, asked)
    return told.results


async def _entrants(desk: Desk, event: Event, request: Request) -> Sequence[int]:
    """Who sat at the table, by seat; nobody where the table stands in none of the round's pairings."""
    pairing = desk.services.pairing
    asked = GetRoundRequest(championship=event.id, round=request.path_params["round"])
    told = await desk.services.ask(pairing.GetRound, asked)
    tables = {one.table.table: one.table.entrants for one in told.tables}
    return tables.get(request.path_params["table"], ())
