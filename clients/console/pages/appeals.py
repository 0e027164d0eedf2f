"""The arbitration desk: cases by deadline, what a ruling would change, sealed votes, what a ruling did (C10)."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from grpc.aio import AioRpcError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clients.appealing import BEYOND_CALENDAR, board_of, deadline_us, left_to_do, uneven, unsettled
from clients.console import appealed, asking, effects, refusals, remedies
from clients.console.desk import Desk, Event, desk_of, entered, event_of, number, show
from clients.console.effects import Effect
from clients.console.page import language_of
from clients.console.paging import page
from clients.console.session import Session, form_of, needed, session_of
from clients.console.times import micros
from fupan.appeals.v1 import service_pb2 as pb
from fupan.scoring.v1 import service_pb2 as scoring

SHOWN = 100
"""Entrants that a comparison of two standings lists."""

JUDGES = frozenset({"organiser", "chief_referee", "deputy", "arbitrator"})
"""Offices that are told what rulings would change."""


async def overview(request: Request) -> Response:
    """The appeals, those that wait for somebody first."""
    desk, event, session = desk_of(request), await event_of(request), session_of(request)
    asked = pb.ListAppealsRequest(championship=event.id)
    told = await desk.services.ask(desk.services.appeals.ListAppeals, asked, session.token if session else "")
    language, person = language_of(request), session.person if session else ""
    ordered = sorted(told.appeals, key=appealed.urgency)
    offices = event.offices(person)
    waiting = [(one, appealed.reminder(one, person, offices, language, event.zone)) for one in ordered]
    return show(
        request,
        "appeals.html",
        event=event,
        page=page(ordered, number(request, "page", 1)),
        waiting=[(one, reminder) for one, reminder in waiting if reminder and reminder.mine],
        committee=[one.person_id for one in event.told.officials if one.role == "arbitrator"],
        uneven=uneven(event.told),
        unresolved_appeals=[one for one in told.appeals if unsettled(one)],
        left_to_do=left_to_do,
        unsettled=unsettled,
        names=await desk.roster.of(event.id),
        about=appealed,
        deadline_us=deadline_us,
        speaks=language,
    )


async def appeal(request: Request) -> Response:
    """One appeal, what it would change or has changed, and the forms of what can be done about it."""
    desk, event = desk_of(request), await event_of(request)
    return await _appeal(request, desk, event, session_of(request))


async def act(request: Request) -> Response:
    """What a form of the appeal's page asks for; refused, the page says why."""
    session, desk, event = needed(request), desk_of(request), await event_of(request)
    form = await form_of(request)
    acting = _ACTS.get(request.path_params["act"])
    if acting is None:
        raise HTTPException(404)
    named = request.path_params["appeal"]
    try:
        await acting(desk, session, event, named, form)
    except AioRpcError as error:
        refusal = refusals.read(error, language_of(request))
        if refusal.status not in (404, 409):
            raise
        return await _appeal(request, desk, event, session, refusal, form)
    return RedirectResponse(f"/events/{event.id}/appeals/{named}?done=1", 303)


async def _appeal(
    request: Request,
    desk: Desk,
    event: Event,
    session: Session | None,
    refusal: refusals.Refusal | None = None,
    sent: Mapping[str, str] | None = None,
) -> Response:
    told = await _read(desk, session, event.id, request.path_params["appeal"])
    settling = appealed.settling(told)
    judged = Judged()
    person = session.person if session else ""
    offices, mine = event.offices(person), await entered(desk, event, person) if person else 0
    weighed = bool(offices & JUDGES) and told.phase in appealed.OPEN and not settling
    if session and weighed:
        judged = await _judged(request, desk, session, event, told)
    elif session and told.phase == "upheld":
        judged = Judged(await effects.has_changed(desk, session, event.id, told))
    language = language_of(request)
    return show(
        request,
        "appeal.html",
        409 if refusal else 200,
        event=event,
        appeal=told,
        left_to_do=left_to_do,
        unsettled=unsettled,
        beyond_calendar=BEYOND_CALENDAR,
        uneven=uneven(event.told),
        contested=appealed.contested(told.filed.contested, language),
        board=board_of(told.filed.contested),
        sought=[appealed.remedy(one, language) for one in told.filed.sought],
        ruled=[appealed.remedy(one, language) for one in told.decision.remedies],
        due=deadline_us(told),
        reminder=appealed.reminder(told, person, offices, language, event.zone),
        reminders=[appealed.asked(one, language, event.zone) for one in told.reminders],
        settling=settling,
        judged=judged,
        weighed=weighed,
        tried=[(appealed.rulings(one, language), one) for one in judged.tried or ()],
        shown=SHOWN,
        kinds=remedies.kinds(event, told.filed.contested.HasField("pairing")),
        most=asking.MOST,
        acting=request.path_params.get("act"),
        sent=sent or {},
        acts=_possible(told, person, offices, bool(mine) and told.filed.entrant == mine),
        names=await desk.roster.of(event.id),
        refusal=refusal,
        done=number(request, "done"),
        command_id=secrets.token_hex(12),
    )


@dataclass(frozen=True, slots=True)
class Judged:
    """What is known of a case's effects. `tried`: the smallest ruling of each kind that matters, None where that takes a while and
    nobody asked; `doubt`: why something asked for cannot be ruled; `rows`: what the visitor tries instead."""

    effects: Sequence[Effect] = ()
    tried: Sequence[scoring.Tried] | None = ()
    doubt: refusals.Refusal | None = None
    rows: Sequence[asking.Row] = ()


async def _judged(request: Request, desk: Desk, who: Session, event: Event, told: pb.Appeal) -> Judged:
    """What is sought would change, what the visitor tries instead by `?remedy=`, and whether any ruling could matter."""
    found: list[Effect] = []
    doubt, tried, language, query = None, None, language_of(request), request.query_params
    refused: asking.Refused | None = None
    wanted = {"sought": list(told.filed.sought)}
    try:
        # A form to which another remedy is added asks for nothing yet.
        wanted = {"tried": [] if "more" in query else asking.asked(query), **wanted}
    except remedies.Wrong as wrong:
        refused = wrong
    for cause, asked in wanted.items():
        try:
            if asked:
                found.append(await effects.would_change(desk, who, event.id, cause, asked))
        except AioRpcError as error:
            refusal = refusals.read(error, language)
            doubt, refused = (doubt, refusal) if cause == "tried" else (refusal, refused)
    if event.told.entrants <= effects.MATERIAL_ENTRANTS or number(request, "material"):
        try:
            tried = await effects.materiality(desk, who, event, told)
        except AioRpcError as error:
            doubt = refusals.read(error, language)
    hidden = asking.WHERE if board_of(told.filed.contested) else ()
    rows, left = asking.marked(asking.rows(query), refused, language, hidden)
    return Judged(found, tried, left or doubt, rows)


def _possible(told: pb.Appeal, person: str, offices: frozenset[str], own: bool) -> frozenset[str]:
    """Forms that make sense now; whether somebody may, the service judges. `own`: the appeal is one's own."""
    found = set()
    if told.phase in ("filed", "received"):
        found |= {"withdraw"} if own else set()
        found |= {"conflict"} if "arbitrator" in offices else set()
    if unsettled(told) and offices & {"chief_referee", "deputy"}:
        found.add("settle")
    if told.phase == "filed" and "organiser" in offices:
        found.add("fee")
    if told.phase == "received" and offices & {"organiser", "arbitrator"}:
        found.add("panel")
    if told.phase == "voting" and person not in told.voted:
        if person in told.members:
            found |= {"vote", "conflict"}
        elif person in {one.person_id for one in told.panel.reserves}:
            found.add("conflict")
    return frozenset(found)


async def _read(desk: Desk, session: Session | None, championship: str, named: str) -> pb.Appeal:
    asked, token = (
        pb.GetAppealRequest(championship=championship, appeal=named),
        session.token if session else "",
    )
    return (await desk.services.ask(desk.services.appeals.GetAppeal, asked, token)).appeal


Act = Callable[[Desk, Session, Event, str, Mapping[str, str]], Awaitable[Any]]


async def _vote(desk: Desk, who: Session, event: Event, named: str, form: Mapping[str, str]) -> Any:
    asked = pb.CastVoteRequest(
        command_id=form.get("command_id", ""),
        championship=event.id,
        appeal=named,
        commitment=_bytes(form.get("commitment", "")),
        sealed_opening=_bytes(form.get("sealed_opening", "")),
        member=form.get("member", ""),
        ballot_key=_bytes(form.get("ballot_key", "")),
    )
    return await desk.services.ask(desk.services.appeals.CastVote, asked, who.token)


async def _conflict(desk: Desk, who: Session, event: Event, named: str, form: Mapping[str, str]) -> Any:
    asked = pb.DeclareConflictRequest(
        command_id=form.get("command_id", ""),
        championship=event.id,
        appeal=named,
        reason=form.get("reason", ""),
    )
    return await desk.services.ask(desk.services.appeals.DeclareConflict, asked, who.token)


async def _panel(desk: Desk, who: Session, event: Event, named: str, form: Mapping[str, str]) -> Any:
    asked = pb.AppointPanelRequest(
        command_id=form.get("command_id", ""),
        championship=event.id,
        appeal=named,
        members=form.get("members", "").split(),
        reserves=form.get("reserves", "").split(),
        voting_deadline_us=micros(form.get("until", ""), event.zone),
    )
    return await desk.services.ask(desk.services.appeals.AppointPanel, asked, who.token)


async def _fee(desk: Desk, who: Session, event: Event, named: str, form: Mapping[str, str]) -> Any:
    asked = pb.RecordFeeRequest(
        command_id=form.get("command_id", ""),
        championship=event.id,
        appeal=named,
        amount=_hundredths(form.get("amount", "")),
        currency=form.get("currency", ""),
        reference=form.get("reference", ""),
    )
    return await desk.services.ask(desk.services.appeals.RecordFee, asked, who.token)


async def _withdraw(desk: Desk, who: Session, event: Event, named: str, form: Mapping[str, str]) -> Any:
    asked = pb.WithdrawAppealRequest(
        command_id=form.get("command_id", ""), championship=event.id, appeal=named
    )
    return await desk.services.ask(desk.services.appeals.WithdrawAppeal, asked, who.token)


async def _settle(desk: Desk, who: Session, event: Event, named: str, form: Mapping[str, str]) -> Any:
    seen = form.get("refused_us", "")
    if not (seen.isascii() and seen.isdigit() and len(seen) < 19):
        raise HTTPException(400)
    asked = pb.SettleRulingRequest(
        command_id=form.get("command_id", ""),
        championship=event.id,
        appeal=named,
        text=form.get("text", ""),
        refused_us=int(seen),
    )
    return await desk.services.ask(desk.services.appeals.SettleRuling, asked, who.token)


_ACTS: Mapping[str, Act] = {
    "vote": _vote,
    "conflict": _conflict,
    "panel": _panel,
    "fee": _fee,
    "withdraw": _withdraw,
    "settle": _settle,
}
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
    except ArithmeticError:  # no number, or one beyond all bounds
        raise HTTPException(400) from None
    if not (amount.is_finite() and 0 < amount < 10**12 and amount == int(amount)):
        raise HTTPException(400)
    return int(amount)
