"""An entrant's card: every term of its score."""

from __future__ import annotations

from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from clients.console import rulings
from clients.console.desk import desk_of, event_of, number, show
from fupan.scoring.v1 import service_pb2 as scoring


async def card(request: Request) -> Response:
    """One entrant, live or as of a publication."""
    desk, event = desk_of(request), await event_of(request)
    publication = number(request, "publication")
    asked = scoring.ExplainScoreRequest(
        championship=event.id,
        entrant=request.path_params["entrant"],
        as_of=str(publication) if publication else "",
    )
    told = await desk.services.ask(desk.services.scoring.ExplainScore, asked)
    names = await desk.roster.of(event.id)
    return show(
        request,
        "entrant.html",
        event=event,
        told=told,
        publication=publication,
        entrant=names.get(told.row.entrant),
        names=names,
        told_at=partial(rulings.address, event),
    )
