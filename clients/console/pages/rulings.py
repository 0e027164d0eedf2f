"""What referees ruled at a table, and the form by which the chief referee overturns one after its round (C9.2, C9.3)."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from grpc.aio import AioRpcError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clients.console import refusals, verdicts
from clients.console.desk import HEADS, Desk, Event, desk_of, event_of, number, show
from clients.console.page import language_of
from clients.console.session import Session, form_of, needed
from fupan.pairing.v1 import service_pb2 as pb


async def table(request: Request) -> Response:
    """The rulings at a table that a visitor may know of."""
    session, desk, event = needed(request), desk_of(request), await event_of(request)
    return await _shown(request, desk, event, session)


async def act(request: Request) -> Response:
    """Overturn the ruling that the form names; refused, the page says why."""
    session, desk, event = needed(request), desk_of(request), await event_of(request)
    if request.path_params["act"] != "overturn":
        raise HTTPException(404)
    form = await form_of(request)
    asked = pb.OverturnRulingRequest(
        command_id=form.get("command_id", ""),
        championship=event.id,
        overturns=form.get("overturns", ""),
        text=form.get("text", ""),
        clause=form.get("clause", ""),
        reason=form.get("reason", ""),
    )
    try:
        await desk.services.ask(desk.services.pairing.OverturnRuling, asked, session.token)
    except AioRpcError as error:
        refusal = refusals.read(error, language_of(request))
        if refusal.status not in (404, 409):
            raise
        return await _shown(request, desk, event, session, refusal, form)
    return RedirectResponse(f"/events/{event.id}/rulings/{request.path_params['table']}?done=1", 303)


async def _shown(
    request: Request,
    desk: Desk,
    event: Event,
    session: Session,
    refusal: refusals.Refusal | None = None,
    sent: Mapping[str, str] | None = None,
) -> Response:
    named = request.path_params["table"]
    made = await verdicts.at(desk, session, event, named)
    heads = event.offices(session.person) & HEADS
    return show(
        request,
        "rulings.html",
        409 if refusal else 200,
        event=event,
        table=named,
        rulings=made,
        standing=[one for one in made if heads and not one.HasField("overturned")],
        refusal=refusal,
        sent=sent or {},
        done=number(request, "done"),
        command_id=secrets.token_hex(12),
    )
