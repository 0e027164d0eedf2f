"""What referees record at no table: of players after play, of officials, of spectators (C11.1)."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from grpc.aio import AioRpcError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clients.console import conduct, refusals
from clients.console.desk import REFEREES, Desk, Event, desk_of, event_of, number, show
from clients.console.page import language_of
from clients.console.session import Session, form_of, needed
from fupan.pairing.v1 import service_pb2 as pb
from services.games.championship.conduct import CATALOGUE, OUTCOMES


async def overview(request: Request) -> Response:
    """What was recorded, and the form to record more."""
    session, desk, event = needed(request), desk_of(request), await event_of(request)
    if not event.offices(session.person):  # who reads on its own card what concerns it
        raise HTTPException(403)
    return await _shown(request, desk, event, session)


async def act(request: Request) -> Response:
    """Record what the form says; refused, the page says why."""
    session, desk, event = needed(request), desk_of(request), await event_of(request)
    if request.path_params["act"] != "record":
        raise HTTPException(404)
    form = await form_of(request)
    asked = pb.RecordConductRequest(
        command_id=form.get("command_id", ""),
        championship=event.id,
        code=form.get("code", ""),
        outcome=form.get("outcome", ""),
        reason=form.get("reason", ""),
        entrant=_number(form, "entrant"),
        person_id=form.get("person", ""),
        round=_number(form, "round"),
    )
    try:
        await desk.services.ask(desk.services.pairing.RecordConduct, asked, session.token)
    except AioRpcError as error:
        refusal = refusals.read(error, language_of(request))
        if refusal.status not in (404, 409):
            raise
        return await _shown(request, desk, event, session, refusal, form)
    return RedirectResponse(f"/events/{event.id}/conduct?done=1", 303)


async def _shown(
    request: Request,
    desk: Desk,
    event: Event,
    session: Session,
    refusal: refusals.Refusal | None = None,
    sent: Mapping[str, str] | None = None,
) -> Response:
    return show(
        request,
        "conduct.html",
        409 if refusal else 200,
        event=event,
        recorded=await conduct.recorded(desk, session, event.id),
        may_act=bool(event.offices(session.person) & REFEREES),
        rows=CATALOGUE,
        names=await desk.roster.of(event.id),
        catalogue=conduct.everybody(language_of(request)),
        outcomes=OUTCOMES,
        refusal=refusal,
        sent=sent or {},
        done=number(request, "done"),
        command_id=secrets.token_hex(12),
    )


def _number(form: Mapping[str, str], name: str) -> int:
    """A whole number of a form, 0 where nothing was typed. Raises HTTPException."""
    text = form.get(name, "").strip() or "0"
    if not (text.isascii() and text.isdigit() and len(text) < 7):
        raise HTTPException(400)
    return int(text)
