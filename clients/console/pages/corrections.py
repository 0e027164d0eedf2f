"""The chief referee's desk: results corrected, boards and shared ranks played again, standings published (C9.2)."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from grpc.aio import AioRpcError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clients.appealing import left_to_do, unsettled
from clients.console import appealed, asking, effects, refusals, remedies
from clients.console.desk import HEADS, Desk, Event, desk_of, event_of, number, show
from clients.console.page import language_of
from clients.console.session import Session, form_of, needed
from fupan.appeals.v1 import service_pb2 as cases
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import events_pb2 as scoring
from fupan.scoring.v1 import service_pb2 as pb

SHOWN = 100
"""Entrants that a comparison of two standings lists."""


async def overview(request: Request) -> Response:
    """The forms; with `?remedy=` what that would change, before it is ordered."""
    session, desk, event = needed(request), desk_of(request), await event_of(request)
    return await _page(request, desk, event, session)


async def act(request: Request) -> Response:
    """What a form of the page orders; refused, the page says why."""
    session, desk, event = needed(request), desk_of(request), await event_of(request)
    form = await form_of(request)
    acting = _ACTS.get(request.path_params["act"])
    if acting is None:
        raise HTTPException(404)
    try:
        await acting(desk, session, event.id, form)
    except remedies.Wrong as wrong:
        return await _page(request, desk, event, session, form, wrong)
    except AioRpcError as error:
        refusal = refusals.read(error, language_of(request))
        if refusal.status not in (404, 409):
            raise
        return await _page(request, desk, event, session, form, refusal)
    return RedirectResponse(f"/events/{event.id}/corrections?done=1", 303)


async def _page(
    request: Request,
    desk: Desk,
    event: Event,
    session: Session,
    sent: Mapping[str, str] | None = None,
    refused: asking.Refused | None = None,
) -> Response:
    """The forms, and what stood in the one that was refused."""
    language, acting = language_of(request), request.path_params.get("act")
    filled = sent if sent is not None and acting == "correct" else request.query_params
    wanted, effect = None, None
    try:
        if refused is None and (wanted := remedies.read(filled)) is not None:
            effect = await effects.would_change(desk, session, event.id, "tried", [wanted])
    except remedies.Wrong as wrong:
        refused = wrong
    except AioRpcError as error:
        refused = refusals.read(error, language)
        if refused.status not in (404, 409):
            raise
    appeals = await desk.services.ask(
        desk.services.appeals.ListAppeals, cases.ListAppealsRequest(championship=event.id), session.token
    )
    offices = event.offices(session.person)
    rows, refusal = asking.marked(asking.rows(filled)[:1], refused, language)
    return show(
        request,
        "corrections.html",
        409 if refused else 200,
        event=event,
        # What a board that is played again comes to nobody knows.
        kinds=tuple(one for one in remedies.kinds(event) if one != "replay"),
        unresolved_appeals=[one for one in appeals.appeals if unsettled(one)],
        left_to_do=left_to_do,
        unsettled=unsettled,
        wanted=appealed.remedy(wanted, language) if wanted is not None else "",
        asked=dict(request.query_params),
        rows=rows,
        acting=acting,
        sent=sent or {},
        effect=effect,
        shown=SHOWN,
        offices=offices,
        heads=bool(offices & HEADS),
        names=await desk.roster.of(event.id),
        refusal=refusal,
        done=number(request, "done"),
        command_id=secrets.token_hex(12),
    )


Act = Callable[[Desk, Session, str, Mapping[str, str]], Awaitable[Any]]

_REQUESTS: Mapping[str, tuple[str, Any]] = {
    "correct_result": ("CorrectResult", pb.CorrectResultRequest),
    "void_board": ("VoidBoard", pb.VoidBoardRequest),
    "assign_percent": ("AssignPercent", pb.AssignPercentRequest),
    "set_penalty": ("SetPenalty", pb.SetPenaltyRequest),
    "correct_match": ("CorrectMatch", pb.CorrectMatchRequest),
}
"""By kind of remedy the call that orders it, whose request has the remedy's own fields."""


async def _correct(desk: Desk, who: Session, championship: str, form: Mapping[str, str]) -> Any:
    wanted = remedies.read(form)
    kind = (wanted or scoring.Remedy()).WhichOneof("kind") or ""
    if kind not in _REQUESTS:
        raise HTTPException(400)
    rpc, request = _REQUESTS[kind]
    asked = request(
        command_id=form.get("command_id", ""), championship=championship, reason=form.get("reason", "")
    )
    remedies.copy_fields(getattr(wanted, kind), asked)
    return await desk.services.ask(getattr(desk.services.scoring, rpc), asked, who.token)


async def _replay(desk: Desk, who: Session, championship: str, form: Mapping[str, str]) -> Any:
    asked = pb.OrderReplayRequest(
        command_id=form.get("command_id", ""),
        championship=championship,
        round=remedies.whole(form.get("round")),
        board=remedies.whole(form.get("board")),
        tables=form.get("tables", "").split(),
        reason=form.get("reason", ""),
    )
    return await desk.services.ask(desk.services.scoring.OrderReplay, asked, who.token)


async def _recalculate(desk: Desk, who: Session, championship: str, form: Mapping[str, str]) -> Any:
    asked = pb.RecalculateRulingRequest(
        command_id=form.get("command_id", ""),
        championship=championship,
        appeal=form.get("appeal", ""),
        remedy=remedies.whole(form.get("which") or "1"),
        working=[one.strip() for one in form.get("working", "").split(";") if one.strip()],
        reason=form.get("reason", ""),
    )
    return await desk.services.ask(desk.services.scoring.RecalculateRuling, asked, who.token)


async def _playoff(desk: Desk, who: Session, championship: str, form: Mapping[str, str]) -> Any:
    asked = pairing.OrderPlayoffRequest(
        command_id=form.get("command_id", ""),
        championship=championship,
        rank=remedies.whole(form.get("rank")),
        reason=form.get("reason", ""),
    )
    return await desk.services.ask(desk.services.pairing.OrderPlayoff, asked, who.token)


async def _publish(desk: Desk, who: Session, championship: str, form: Mapping[str, str]) -> Any:
    asked = pb.PublishStandingsRequest(
        command_id=form.get("command_id", ""), championship=championship, cause="operator"
    )
    return await desk.services.ask(desk.services.scoring.PublishStandings, asked, who.token)


async def _suspend(desk: Desk, who: Session, championship: str, form: Mapping[str, str]) -> Any:
    role, _, person = form.get("official", "").partition(" ")
    asked = pairing.SuspendOfficialRequest(
        command_id=form.get("command_id", ""),
        championship=championship,
        person_id=person,
        role=role,
        reason=form.get("reason", ""),
    )
    return await desk.services.ask(desk.services.pairing.SuspendOfficial, asked, who.token)


_ACTS: Mapping[str, Act] = {
    "correct": _correct,
    "replay": _replay,
    "recalculate": _recalculate,
    "playoff": _playoff,
    "publish": _publish,
    "suspend": _suspend,
}
"""By the last part of the address that a form is sent to."""
