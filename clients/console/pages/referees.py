"""The referees' desk: tables that need help first, one table live, and what a referee does there (C9.3, C11)."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any
from urllib.parse import urlencode

from grpc import StatusCode
from grpc.aio import AioRpcError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clients import boards
from clients.console import conduct, figures, refusals, remedies, tables
from clients.console.desk import HEADS, REFEREES, Desk, Event, desk_of, event_of, number, show
from clients.console.language import Language
from clients.console.page import language_of
from clients.console.paging import page
from clients.console.session import Session, form_of, needed
from clients.console.streams import following, streamed
from clients.console.tables import Game
from fupan.table.v1 import events_pb2 as table_pb
from fupan.table.v1 import service_pb2 as pb
from services.games.championship.conduct import OUTCOMES

_FIRST_SECONDS = 5.0
"""How long a page waits for the first sight of a table."""


async def overview(request: Request) -> Response:
    """The newest round's tables, or those of `?round=`."""
    session, desk, event = needed(request), desk_of(request), await event_of(request)
    asked = pb.ListTablesRequest(championship=event.id, round=number(request, "round"))
    told = await desk.services.ask(desk.services.table.ListTables, asked, session.token)
    ordered = sorted(told.tables, key=_urgency)
    return show(
        request,
        "desk.html",
        event=event,
        page=page(ordered, number(request, "page", 1)),
        over=request.query_params.get("over", ""),
        scores=request.query_params.get("scores", ""),
        names=await desk.roster.of(event.id),
    )


async def table(request: Request) -> Response:
    """One table, live, and the forms of what can be done there."""
    session, desk, event = needed(request), desk_of(request), await event_of(request)
    try:
        return await _table(request, desk, event, session)
    except AioRpcError as error:
        if refusals.read(error, language_of(request)).reason != "TABLE_SEALED":
            raise
    # Nothing is done there any more; what its last board scored is told before the others.
    told = urlencode({"over": request.path_params["table"], "scores": request.query_params.get("scores", "")})
    return RedirectResponse(f"/events/{event.id}/desk?{told}", 303)


async def stream(request: Request) -> Response:
    """Server-sent events: the table as an official sees it, whenever that changes."""
    session, desk, event = needed(request), desk_of(request), await event_of(request)
    return streamed(_events(desk, event, request.path_params["table"], session, language_of(request)))


async def act(request: Request) -> Response:
    """What a form of the table's page asks for; refused, the page says why."""
    session, desk, event = needed(request), desk_of(request), await event_of(request)
    form = await form_of(request)
    acting = _ACTS.get(request.path_params["act"])
    if acting is None:
        raise HTTPException(404)
    try:
        answer = await acting(desk, session, event.id, request.path_params["table"], form)
    except AioRpcError as error:
        refusal = refusals.read(error, language_of(request))
        if refusal.status not in (404, 409):
            raise
        return await _table(request, desk, event, session, refusal, form)
    ruling = answer.ruling if isinstance(answer, pb.MakeRulingResponse) else ""
    scores = " ".join(map(figures.signed, answer.scores)) if isinstance(answer, pb.EnterBoardResponse) else ""
    told = urlencode({"done": 1, "ruling": ruling, "scores": scores})
    return RedirectResponse(f"/events/{event.id}/desk/{request.path_params['table']}?{told}", 303)


async def _table(
    request: Request,
    desk: Desk,
    event: Event,
    session: Session,
    refusal: refusals.Refusal | None = None,
    sent: Mapping[str, str] | None = None,
) -> Response:
    named = request.path_params["table"]
    seen = await _first(desk, event.id, named, session)
    acts = await _so_far(desk, event, named, session)
    language = language_of(request)
    game = tables.named(event.game)
    scene = _scene(game, seen, language)
    offices = event.offices(session.person)
    beside = _BESIDE.get(refusal.reason, "") if refusal else ""
    return show(
        request,
        "desk_table.html",
        409 if refusal else 200,
        event=event,
        table=named,
        seen=seen,
        stands=_stands(seen.status),
        acts=acts,
        may_act=bool(offices & REFEREES),
        standing=_standing(acts or ()) if offices & HEADS else (),
        game=game if scene else None,
        scene=scene,
        names=await desk.roster.of(event.id),
        refusal=refusal,
        done=number(request, "done"),
        outcomes=OUTCOMES,
        catalogue=conduct.rows(event.game, language, event.compares and event.settings.real_cards),
        ruling=request.query_params.get("ruling", ""),
        scores=request.query_params.get("scores", ""),
        acting=request.path_params.get("act"),
        sent=sent or {},
        beside=beside,
        command_id=secrets.token_hex(12),
    )


async def _so_far(desk: Desk, event: Event, named: str, session: Session) -> Sequence[pb.RefereeAct] | None:
    """What was done at the table beside the play; None while nobody can say. Raises AioRpcError."""
    asked = pb.ListRefereeActsRequest(championship=event.id, table=named)
    try:
        told = await desk.services.ask(desk.services.table.ListRefereeActs, asked, session.token)
    except AioRpcError as error:
        if error.code() in (StatusCode.UNAVAILABLE, StatusCode.DEADLINE_EXCEEDED):
            return None
        raise
    return told.acts


def _standing(acts: Sequence[pb.RefereeAct]) -> Sequence[table_pb.RulingMade]:
    """The rulings so far that are not overturned."""
    made = [act.ruling_made for act in acts if act.HasField("ruling_made")]
    fell = {one.overturns for one in made}
    return [one for one in made if one.ruling not in fell]


async def _first(desk: Desk, championship: str, named: str, session: Session) -> pb.WatchTableResponse:
    asked = pb.WatchTableRequest(championship=championship, table=named)
    watching = desk.services.follow(desk.services.table.WatchTable, asked, _FIRST_SECONDS, session.token)
    async with aclosing(watching):
        async for seen in watching:
            return seen
    raise HTTPException(404)


def _events(
    desk: Desk, event: Event, named: str, session: Session, language: Language
) -> AsyncGenerator[str]:
    game = tables.named(event.game)

    async def told(seen: pb.WatchTableResponse) -> dict[str, Any]:
        return {"scene": _scene(game, seen, language), "stands": _stands(seen.status)}

    return following(_changes(desk, event, named, session), told)


async def _changes(
    desk: Desk, event: Event, named: str, session: Session
) -> AsyncGenerator[pb.WatchTableResponse]:
    """What an official sees, until the service ends it: the browser asks again; the page it came from says what is wrong."""
    asked = pb.WatchTableRequest(championship=event.id, table=named)
    watching = desk.services.follow(desk.services.table.WatchTable, asked, token=session.token)
    try:
        async with aclosing(watching):
            async for seen in watching:
                yield seen
    except AioRpcError as error:
        if error.code() is StatusCode.INTERNAL:
            raise


def _scene(game: Game | None, seen: pb.WatchTableResponse, language: Language) -> dict[str, Any] | None:
    """What lies on the table; None before its first board."""
    view = boards.decoded(seen.update.view)
    return game.table([view], language) if game is not None and view is not None else None


def _urgency(one: pb.TableStatus) -> tuple[Any, ...]:
    """Who needs help first: called, paused, absent, a board that the second referee reads otherwise, then by deadline; other
    finished tables last."""
    waiting = one.deadline_us or float("inf")
    absent = any(not there for there, seat in zip(one.connected, one.seats, strict=False) if seat.person_id)
    over, doubted = one.finished and not one.doubted, bool(one.doubted)
    return over, not one.referee_called, not one.paused, not absent, not doubted, waiting, one.table


def _stands(one: pb.TableStatus) -> dict[str, Any]:
    """Where a table stands; a page that says something else is read anew."""
    return {
        "board": one.board,
        "boards_closed": one.boards_closed,
        "boards": one.boards,
        "paused": one.paused,
        "called": one.referee_called,
        "finished": one.finished,
        "doubted": list(one.doubted),
    }


Act = Callable[[Desk, Session, str, str, Mapping[str, str]], Awaitable[Any]]


async def _pause(desk: Desk, who: Session, championship: str, named: str, form: Mapping[str, str]) -> Any:
    asked = pb.PauseTableRequest(
        command_id=form.get("command_id", ""),
        championship=championship,
        table=named,
        reason=form.get("reason", ""),
    )
    return await desk.services.ask(desk.services.table.PauseTable, asked, who.token)


async def _resume(desk: Desk, who: Session, championship: str, named: str, form: Mapping[str, str]) -> Any:
    asked = pb.ResumeTableRequest(
        command_id=form.get("command_id", ""),
        championship=championship,
        table=named,
        reason=form.get("reason", ""),
    )
    return await desk.services.ask(desk.services.table.ResumeTable, asked, who.token)


async def _infringement(
    desk: Desk, who: Session, championship: str, named: str, form: Mapping[str, str]
) -> Any:
    asked = pb.RecordInfringementRequest(
        command_id=form.get("command_id", ""),
        championship=championship,
        table=named,
        seat=_small(form.get("seat", "")),
        code=form.get("code", ""),
        outcome=form.get("outcome", ""),
        reason=form.get("reason", ""),
        fine=_small(form.get("fine") or "0"),
    )
    return await desk.services.ask(desk.services.table.RecordInfringement, asked, who.token)


async def _ruling(desk: Desk, who: Session, championship: str, named: str, form: Mapping[str, str]) -> Any:
    asked = pb.MakeRulingRequest(
        command_id=form.get("command_id", ""),
        championship=championship,
        table=named,
        text=form.get("text", ""),
        clause=form.get("clause", ""),
        overturns=form.get("overturns", ""),
        reason=form.get("reason", ""),
    )
    return await desk.services.ask(desk.services.table.MakeRuling, asked, who.token)


async def _board(desk: Desk, who: Session, championship: str, named: str, form: Mapping[str, str]) -> Any:
    asked = pb.EnterBoardRequest(
        command_id=form.get("command_id", ""),
        championship=championship,
        table=named,
        board=_small(form.get("board", "")),
        points=remedies.signed(form.get("points", "")),
        agreed=[person for name, person in form.items() if name.startswith("agreed-")],
        reason=form.get("reason", ""),
    )
    return await desk.services.ask(desk.services.table.EnterBoard, asked, who.token)


_BESIDE: Mapping[str, str] = {
    "POINTS_OUT_OF_RANGE": "points",
    "NOT_THE_NEXT_BOARD": "board",
    "SIDE_NOT_AGREED": "agreed",
    "NOT_AT_THIS_TABLE": "agreed",
}
"""The field of a board's form that a refusal is about."""

_ACTS: Mapping[str, Act] = {
    "board": _board,
    "pause": _pause,
    "resume": _resume,
    "infringement": _infringement,
    "ruling": _ruling,
}
"""By the last part of the address that a form is sent to."""


def _small(text: str) -> int:
    """A whole number of a form. Raises HTTPException."""
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise HTTPException(400)
    return int(text)
