"""The arbitration desk: cases by deadline, the case file, what a ruling would change, sealed votes, what a ruling did (C10)."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from google.protobuf.message import DecodeError
from grpc import StatusCode
from grpc.aio import AioRpcError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clients.appealing import findings
from clients.console import appealed, refusals
from clients.console.comparing import Change, changes
from clients.console.desk import Desk, Event, desk_of, event_of, number, show
from clients.console.page import language_of
from clients.console.paging import page
from clients.console.session import Session, form_of, needed
from fupan.appeals.v1 import case_pb2
from fupan.appeals.v1 import service_pb2 as pb
from fupan.scoring.v1 import events_pb2 as ruled
from fupan.scoring.v1 import service_pb2 as scoring

SHOWN = 100
"""Entrants that a comparison of two standings lists."""


@dataclass(frozen=True, slots=True)
class Effect:
    """Two standings compared. `cause`: `sought`, what the remedies asked for would change; `ruling`; or the `replay` it ordered.
    `material`: whether any ruling of the contested board that may be made changes a rank; None where that was not asked."""

    cause: str
    changes: list[Change]
    material: bool | None = None


async def overview(request: Request) -> Response:
    """The appeals, those that wait for somebody first."""
    session, desk, event = needed(request), desk_of(request), await event_of(request)
    asked = pb.ListAppealsRequest(championship=event.id)
    told = await desk.services.ask(desk.services.appeals.ListAppeals, asked, session.token)
    return show(
        request,
        "appeals.html",
        event=event,
        page=page(sorted(told.appeals, key=appealed.urgency), number(request, "page", 1)),
        names=await desk.roster.of(event.id),
        about=appealed,
        speaks=language_of(request),
    )


async def appeal(request: Request) -> Response:
    """One appeal, what it would change or has changed, and the forms of what can be done about it."""
    session, desk, event = needed(request), desk_of(request), await event_of(request)
    return await _appeal(request, desk, event, session)


async def act(request: Request) -> Response:
    """What a form of the appeal's page asks for; refused, the page says why."""
    session, desk, event = needed(request), desk_of(request), await event_of(request)
    form = await form_of(request)
    acting = _ACTS.get(request.path_params["act"])
    if acting is None:
        raise HTTPException(404)
    named = request.path_params["appeal"]
    try:
        await acting(desk, session, event.id, named, form)
    except AioRpcError as error:
        refusal = refusals.read(error, language_of(request))
        if refusal.status not in (404, 409):
            raise
        return await _appeal(request, desk, event, session, refusal)
    return RedirectResponse(f"/events/{event.id}/appeals/{named}?done=1", 303)


async def case(request: Request) -> Response:
    """The case file, whose opening is logged; `?opening=` is drawn with the form, so that reading a page again opens nothing."""
    session, desk, event = needed(request), desk_of(request), await event_of(request)
    opening, named = request.query_params.get("opening", ""), request.path_params["appeal"]
    if not opening:
        return RedirectResponse(f"/events/{event.id}/appeals/{named}", 303)
    asked = pb.GetCaseRequest(command_id=opening, championship=event.id, appeal=named)
    answer = await desk.services.ask(desk.services.appeals.GetCase, asked, session.token)
    try:
        file = case_pb2.CaseFile.FromString(answer.case_file)
    except DecodeError:
        raise HTTPException(502) from None
    return show(
        request,
        "case.html",
        event=event,
        answer=answer,
        file=file,
        findings=findings(answer, file),
        contested=appealed.contested(file.contested, language_of(request)),
        names=await desk.roster.of(event.id),
    )


async def _appeal(
    request: Request, desk: Desk, event: Event, session: Session, refusal: refusals.Refusal | None = None
) -> Response:
    told = await _read(desk, session, event.id, request.path_params["appeal"])
    settling = appealed.settling(told)
    effects: list[Effect] = []
    official, doubt = False, None
    if told.phase in appealed.OPEN and not settling:
        try:
            effects, official = [await _would_change(desk, session, event.id, told)], True
        except AioRpcError as error:
            official = error.code() is not StatusCode.PERMISSION_DENIED
            doubt = refusals.read(error, language_of(request)) if official else None
    elif told.phase == "upheld":
        effects = await _has_changed(desk, session, event.id, told)
    language = language_of(request)
    return show(
        request,
        "appeal.html",
        409 if refusal else 200,
        event=event,
        appeal=told,
        contested=appealed.contested(told.filed.contested, language),
        sought=[appealed.remedy(one, language) for one in told.filed.sought],
        ruled=[appealed.remedy(one, language) for one in told.decision.remedies],
        due=appealed.deadline_us(told),
        settling=settling,
        effects=effects,
        shown=SHOWN,
        doubt=doubt,
        official=official,
        acts=_possible(told, session.person, official),
        names=await desk.roster.of(event.id),
        refusal=refusal,
        done=number(request, "done"),
        command_id=secrets.token_hex(12),
    )


def _possible(told: pb.Appeal, person: str, official: bool) -> frozenset[str]:
    """Forms that make sense now; whether somebody may, the service judges."""
    found = set()
    if told.phase == "filed" and official:
        found = {"fee", "conflict"}
    elif told.phase == "received" and official:
        found = {"panel", "conflict"}
    elif told.phase == "voting" and person not in told.voted:
        if person in told.members:
            found = {"vote", "conflict"}
        elif person in {one.person_id for one in told.panel.reserves}:
            found = {"conflict"}
    return frozenset(found)


async def _read(desk: Desk, session: Session, championship: str, named: str) -> pb.Appeal:
    asked = pb.GetAppealRequest(championship=championship, appeal=named)
    return (await desk.services.ask(desk.services.appeals.GetAppeal, asked, session.token)).appeal


async def _would_change(desk: Desk, session: Session, championship: str, told: pb.Appeal) -> Effect:
    """What the remedies asked for would change, and whether any ruling could. Raises AioRpcError."""
    rpc = desk.services.scoring
    asked = scoring.WhatIfRequest(championship=championship, remedies=told.filed.sought, only_changes=True)
    answer = await desk.services.ask(rpc.WhatIf, asked, session.token)
    material = None
    if told.filed.contested.HasField("board"):
        board = told.filed.contested.board
        about = scoring.MaterialityRequest(
            championship=championship,
            round=board.round,
            table=board.table,
            board=board.board,
            attempt=board.attempt,
        )
        material = (await desk.services.ask(rpc.Materiality, about, session.token)).material
    return Effect("sought", changes(answer.before, answer.after), material)


async def _has_changed(desk: Desk, session: Session, championship: str, told: pb.Appeal) -> list[Effect]:
    """What its ruling has changed of the standings published last before it was filed, and what the replay it ordered has; nothing
    where none were published by then. Raises AioRpcError."""
    filed = datetime.fromtimestamp(told.filed_us / 1_000_000, UTC).isoformat()
    asked = scoring.CompareStandingsRequest(championship=championship, since=filed)
    try:
        answer = await desk.services.ask(desk.services.scoring.CompareStandings, asked, session.token)
    except AioRpcError as error:
        if error.code() in (StatusCode.NOT_FOUND, StatusCode.FAILED_PRECONDITION):
            return []
        raise
    found: list[Effect] = []
    own = False
    for step in answer.steps:
        # A board that was played again follows the ruling that ordered it.
        own = own if step.cause == "replay" else any(_ruled_in(one) == told.appeal for one in step.events)
        if own:
            found.append(Effect(step.cause, changes(step.before, step.after)))
    return found


def _ruled_in(event: ruled.Event) -> str:
    """The appeal whose ruling an event is; empty for any other."""
    decided = getattr(event, event.WhichOneof("kind") or "", None)
    return str(getattr(getattr(decided, "authority", None), "appeal", ""))


Act = Callable[[Desk, Session, str, str, Mapping[str, str]], Awaitable[Any]]


async def _vote(desk: Desk, who: Session, championship: str, named: str, form: Mapping[str, str]) -> Any:
    asked = pb.CastVoteRequest(
        command_id=form.get("command_id", ""),
        championship=championship,
        appeal=named,
        commitment=_bytes(form.get("commitment", "")),
        sealed_opening=_bytes(form.get("sealed_opening", "")),
    )
    return await desk.services.ask(desk.services.appeals.CastVote, asked, who.token)


async def _conflict(desk: Desk, who: Session, championship: str, named: str, form: Mapping[str, str]) -> Any:
    asked = pb.DeclareConflictRequest(
        command_id=form.get("command_id", ""),
        championship=championship,
        appeal=named,
        reason=form.get("reason", ""),
    )
    return await desk.services.ask(desk.services.appeals.DeclareConflict, asked, who.token)


async def _panel(desk: Desk, who: Session, championship: str, named: str, form: Mapping[str, str]) -> Any:
    asked = pb.AppointPanelRequest(
        command_id=form.get("command_id", ""),
        championship=championship,
        appeal=named,
        members=form.get("members", "").split(),
        reserves=form.get("reserves", "").split(),
    )
    return await desk.services.ask(desk.services.appeals.AppointPanel, asked, who.token)


async def _fee(desk: Desk, who: Session, championship: str, named: str, form: Mapping[str, str]) -> Any:
    asked = pb.RecordFeeRequest(
        command_id=form.get("command_id", ""),
        championship=championship,
        appeal=named,
        amount=_hundredths(form.get("amount", "")),
        currency=form.get("currency", ""),
        reference=form.get("reference", ""),
    )
    return await desk.services.ask(desk.services.appeals.RecordFee, asked, who.token)


_ACTS: Mapping[str, Act] = {"vote": _vote, "conflict": _conflict, "panel": _panel, "fee": _fee}
"""By the last part of the address that a form is sent to."""


def _bytes(digits: str) -> bytes:
    """Bytes of a form in hexadecimal. Raises HTTPException."""
    try:
        return bytes.fromhex(digits)
    except ValueError:
        raise HTTPException(400) from None


def _hundredths(text: str) -> int:
    """An amount of a form in hundredths. Raises HTTPException."""
    try:
        amount = Decimal(text) * 100
    except InvalidOperation:
        raise HTTPException(400) from None
    if not (amount.is_finite() and 0 < amount < 10**12 and amount == int(amount)):
        raise HTTPException(400)
    return int(amount)
