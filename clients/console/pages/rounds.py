"""A round: its tables, who sits where, and the boards that are closed everywhere."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from clients.console.desk import desk_of, event_of, number, show
from clients.console.paging import page
from fupan.pairing.v1 import service_pb2 as pairing


async def overview(request: Request) -> Response:
    """One round."""
    desk, event = desk_of(request), await event_of(request)
    asked = pairing.GetRoundRequest(championship=event.id, round=request.path_params["round"])
    told = await desk.services.ask(desk.services.pairing.GetRound, asked)
    # Told to the public is nothing but what all tables have closed: the least is the same at each.
    closed = min((one.boards_closed for one in told.tables), default=0)
    return show(
        request,
        "round.html",
        event=event,
        told=told,
        page=page(told.tables, number(request, "page", 1)),
        names=await desk.roster.of(event.id),
        closed=closed,
        boards=max((one.boards for one in told.tables), default=0),
    )
