"""Score sheets of matches with real cards: entered, signed, disputed, confirmed, decided (C8.6, S9.2, S10)."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from grpc.aio import AioRpcError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clients.console import refusals, sheets, times
from clients.console.desk import Desk, Event, desk_of, event_of, number, show
from clients.console.page import language_of
from clients.console.remedies import whole
from clients.console.session import Session, form_of, needed
from clients.paper import sheet as paper
from clients.paper.page import TooMuch
from clients.paper.page import page as on_paper
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.table.v1 import sheet_pb2
from fupan.table.v1 import sheet_service_pb2 as pb
from services.games import registry

REFEREES = frozenset({"chief_referee", "deputy", "referee"})
HEADS = frozenset({"chief_referee", "deputy"})

_FIRST = ("disputed", "signed", "open", "empty", "verified", "closed")
"""States by who waits: the chief referee, a referee, the players."""


@dataclass(frozen=True, slots=True)
class _Acting:
    """Who fills in a form about which sheet."""

    desk: Desk
    who: Session
    event: Event
    table: str
    form: Mapping[str, str]

    def of(self, name: str) -> str:
        """A field of the form; empty where it is not there."""
        return self.form.get(name, "")

    @property
    def base(self) -> dict[str, Any]:
        """What every request says."""
        return {
            "command_id": self.of("command_id"),
            "championship": self.event.id,
            "table": self.table,
        }


async def overview(request: Request) -> Response:
    """The sheets of the newest round, or of `?round=`; what waits for somebody comes first."""
    session, desk, event = needed(request), desk_of(request), await event_of(request)
    asked = pb.ListSheetsRequest(championship=event.id, round=number(request, "round"))
    told = await desk.services.ask(desk.services.sheets.ListSheets, asked, session.token)
    return show(
        request,
        "sheets.html",
        event=event,
        sheets=sorted(told.sheets, key=lambda one: _FIRST.index(one.state)),
        shown=sheets.shown,
        names=await desk.roster.of(event.id),
    )


async def sheet(request: Request) -> Response:
    """One sheet, and the forms of what can be done about it."""
    session, desk, event = needed(request), desk_of(request), await event_of(request)
    return await _sheet(request, desk, event, session)


async def file(request: Request) -> Response:
    """The sheet with the names of its players as a file: one page of paper, or rows (C8.6)."""
    session, desk, event = needed(request), desk_of(request), await event_of(request)
    kind = request.path_params["kind"]
    if kind not in _FILES:
        raise HTTPException(404)
    services, named = desk.services, request.path_params["table"]
    asked = pb.GetSheetRequest(championship=event.id, table=named)
    told = await services.ask(services.sheets.GetSheet, asked, session.token)
    names = paper.Names(await _entrants(desk, event, session))
    made, media = _FILES[kind]
    record = paper.record(told.sheet, event.told, names, event.zone)
    try:
        content = await asyncio.to_thread(made, record)
    except TooMuch:
        language = language_of(request)
        why = language.pick("this sheet does not fit on a page; take the CSV", "此表一页放不下，请下载 CSV")
        return await _sheet(request, desk, event, session, refusals.Refusal(409, "", "C8.6", why))
    headers = {"Content-Disposition": f'attachment; filename="{event.id}-{told.sheet.table}.{kind}"'}
    return Response(content, media_type=media, headers=headers)


async def _entrants(desk: Desk, event: Event, who: Session) -> list[pairing.ListedEntrant]:
    """All entrants, with the names that somebody may know. Raises AioRpcError."""
    found: list[pairing.ListedEntrant] = []
    token = ""
    while True:
        asked = pairing.ListEntrantsRequest(championship=event.id, page_size=1000, page_token=token)
        page = await desk.services.ask(desk.services.pairing.ListEntrants, asked, who.token)
        found += page.entrants
        token = page.next_page_token
        if not token:
            return found


_FILES: Mapping[str, tuple[Callable[[dict[str, Any]], bytes], str]] = {
    "pdf": (on_paper, "application/pdf"),
    "csv": (paper.csv_of, "text/csv; charset=utf-8"),
}
"""By the ending of a file's name, what makes it, and what it is."""


async def act(request: Request) -> Response:
    """What a form of the sheet's page asks for; refused, the page says why."""
    session, desk, event = needed(request), desk_of(request), await event_of(request)
    form, table = await form_of(request), request.path_params["table"]
    acting = _ACTS.get(request.path_params["act"])
    if acting is None:
        raise HTTPException(404)
    language = language_of(request)
    try:
        await acting(_Acting(desk, session, event, table, form))
    except sheets.Unreadable as error:
        told = language.pick(
            f"line {error.line} is no deal: declarer, level, P, fines of either side, rises of either side",
            f"第 {error.line} 行不是一副：庄家、级、得分、双方罚分、双方升级",
        )
        return await _sheet(request, desk, event, session, refusals.Refusal(409, "", "C8.6", told), form)
    except AioRpcError as error:
        refusal = refusals.read(error, language)
        if refusal.status not in (404, 409):
            raise
        return await _sheet(request, desk, event, session, refusal, form)
    return RedirectResponse(f"/events/{event.id}/sheets/{table}?done=1", 303)


def _params(event: Event) -> Any:
    """The parameters of the rules that an event is played by."""
    return registry.find(event.settings.ruleset).resolve(json.loads(event.settings.params or "{}"))


async def _sheet(
    request: Request,
    desk: Desk,
    event: Event,
    session: Session,
    refusal: refusals.Refusal | None = None,
    filled: Mapping[str, str] | None = None,
) -> Response:
    asked = pb.GetSheetRequest(championship=event.id, table=request.path_params["table"])
    told = (await desk.services.ask(desk.services.sheets.GetSheet, asked, session.token)).sheet
    offices, players = event.offices(session.person), [one for side in told.sides for one in side.players]
    return show(
        request,
        "sheet.html",
        409 if refusal else 200,
        event=event,
        sheet=told,
        entered=_entered(told.figures, event),
        acting=request.path_params.get("act"),
        sent=filled or {},
        shown=sheets.shown,
        findings=sheets.findings(language_of(request), _params(event)),
        players=players,
        referee=bool(offices & REFEREES) and session.person not in players,
        head=bool(offices & HEADS) and session.person not in players,
        plays=session.person in players,
        names=await desk.roster.of(event.id),
        refusal=refusal,
        done=number(request, "done"),
        command_id=secrets.token_hex(12),
    )


def _entered(figures: sheet_pb2.SheetFigures, event: Event) -> dict[str, str]:
    """What was entered last, as the form holds it: who corrects one figure leaves the others as they are."""
    return {
        "deals": sheets.written(figures.deals),
        "place": figures.place,
        "began": times.local(figures.started_us, event.zone),
        "ended": times.local(figures.ended_us, event.zone),
        "last_deal": figures.last_deal,
    }


async def _infringe(form: _Acting) -> Any:
    code, _, finding = form.of("found").partition(" ")
    entered = sheet_pb2.EnterInfringement(
        deal=whole(form.of("deal")),
        seat=whole(form.of("seat")),
        act=whole(form.of("act") or "1"),
        code=code,
        finding=finding,
        cards=whole(form.of("cards") or "1"),
        amount=whole(form.of("amount")) if form.of("amount") else None,
        reason=form.of("reason"),
    )
    rpc, asked = form.desk.services.sheets, pb.EnterInfringementRequest(**form.base, infringement=entered)
    return await form.desk.services.ask(rpc.EnterInfringement, asked, form.who.token)


async def _lift(form: _Acting) -> Any:
    deal, seat, act = (whole(one) for one in [*form.of("which").split(), "", "", ""][:3])
    lifted = sheet_pb2.LiftInfringement(deal=deal, seat=seat, act=act, reason=form.of("reason"))
    rpc, asked = form.desk.services.sheets, pb.LiftInfringementRequest(**form.base, infringement=lifted)
    return await form.desk.services.ask(rpc.LiftInfringement, asked, form.who.token)


def _figures(form: _Acting) -> sheet_pb2.SheetFigures:
    """A match as a form has it, deal by deal. Raises Unreadable, HTTPException."""
    return sheet_pb2.SheetFigures(
        place=form.of("place"),
        started_us=times.micros(form.of("began"), form.event.zone),
        ended_us=times.micros(form.of("ended"), form.event.zone),
        deals=sheets.read(form.of("deals")),
        last_deal=form.of("last_deal"),
    )


async def _enter(form: _Acting) -> Any:
    asked = pb.EnterSheetRequest(**form.base, figures=_figures(form), reason=form.of("reason"))
    return await form.desk.services.ask(form.desk.services.sheets.EnterSheet, asked, form.who.token)


async def _sign(form: _Acting) -> Any:
    asked = pb.SignSheetRequest(**form.base, person=form.of("person"), capacity=form.of("capacity"))
    return await form.desk.services.ask(form.desk.services.sheets.SignSheet, asked, form.who.token)


async def _refuse(form: _Acting) -> Any:
    asked = pb.RefuseSignatureRequest(**form.base, person=form.of("person"), reason=form.of("reason"))
    return await form.desk.services.ask(form.desk.services.sheets.RefuseSignature, asked, form.who.token)


async def _dispute(form: _Acting) -> Any:
    asked = pb.DisputeSheetRequest(**form.base, person=form.of("person"), reason=form.of("reason"))
    return await form.desk.services.ask(form.desk.services.sheets.DisputeSheet, asked, form.who.token)


async def _confirm(form: _Acting) -> Any:
    asked = pb.ConfirmSheetRequest(**form.base)
    return await form.desk.services.ask(form.desk.services.sheets.ConfirmSheet, asked, form.who.token)


async def _decide(form: _Acting) -> Any:
    asked = pb.DecideSheetRequest(
        **form.base,
        figures=_figures(form) if form.of("other") else None,
        winner=whole(form.of("winner")) if form.of("winner") else None,
        clause=form.of("clause"),
        reason=form.of("reason"),
    )
    return await form.desk.services.ask(form.desk.services.sheets.DecideSheet, asked, form.who.token)


_ACTS: Mapping[str, Callable[[_Acting], Awaitable[Any]]] = {
    "infringe": _infringe,
    "lift": _lift,
    "enter": _enter,
    "sign": _sign,
    "refuse": _refuse,
    "dispute": _dispute,
    "confirm": _confirm,
    "decide": _decide,
}
"""By the last part of the address that a form is sent to."""
