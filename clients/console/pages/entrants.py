"""An entrant's card: every term of its score."""

from __future__ import annotations

from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from clients.console import conduct, rulings, verdicts
from clients.console.desk import desk_of, event_of, number, show
from clients.console.session import session_of
from fupan.scoring.v1 import service_pb2 as scoring
from services.games.championship.conduct import CATALOGUE


async def card(request: Request) -> Response:
    """One entrant, live or as of a publication; on one's own card also what referees ruled at one's tables, and recorded of oneself
    (C10.1, C11.1)."""
    desk, event = desk_of(request), await event_of(request)
    publication = number(request, "publication")
    asked = scoring.ExplainScoreRequest(
        championship=event.id,
        entrant=request.path_params["entrant"],
        as_of=str(publication) if publication else "",
    )
    told = await desk.services.ask(desk.services.scoring.ExplainScore, asked)
    names, who = await desk.roster.of(event.id), session_of(request)
    own = who is not None and who.person in told.row.persons
    return show(
        request,
        "entrant.html",
        event=event,
        told=told,
        publication=publication,
        entrant=names.get(told.row.entrant),
        names=names,
        ruled=await verdicts.of_entrant(desk, who, event, told) if who and own else (),
        recorded=await conduct.recorded(desk, who, event.id) if who and own else (),
        rows=CATALOGUE,
        told_at=partial(rulings.address, event),
    )
