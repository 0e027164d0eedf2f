"""Filing an appeal: what can be contested, and the form that contests it (C10.1)."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping, Sequence

from grpc.aio import AioRpcError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clients.appealing import board_of
from clients.console import appealed, asking, refusals, remedies, verdicts
from clients.console.desk import Desk, Event, desk_of, entered, event_of, seats, show
from clients.console.page import language_of
from clients.console.remedies import whole
from clients.console.session import Session, form_of, needed
from fupan.appeals.v1 import events_pb2 as events
from fupan.appeals.v1 import service_pb2 as pb
from fupan.scoring.v1 import service_pb2 as scoring
from fupan.table.v1 import service_pb2 as table


async def contest(request: Request) -> Response:
    """What an entrant may contest; or the form about `?contested=`, and what it sends."""
    session, desk, event = needed(request), desk_of(request), await event_of(request)
    if request.method == "GET":
        if "contested" in request.query_params:
            return await _form(request, desk, event, session, request.query_params)
        return await _choice(request, desk, event, session)
    form = await form_of(request)
    if "more" in form:
        return await _form(request, desk, event, session, form)
    try:
        asked = pb.FileAppealRequest(
            command_id=form.get("command_id", ""),
            championship=event.id,
            contested=_contested(form),
            grounds=form.get("grounds", "").strip(),
            sought=asking.asked(form),
        )
        filed = await desk.services.ask(desk.services.appeals.FileAppeal, asked, session.token)
    except remedies.Wrong as wrong:
        return await _form(request, desk, event, session, form, wrong)
    except AioRpcError as error:
        refusal = refusals.read(error, language_of(request))
        if refusal.status not in (404, 409):
            raise
        return await _form(request, desk, event, session, form, refusal)
    return RedirectResponse(f"/events/{event.id}/appeals/{filed.appeal}?done=1", 303)


async def _choice(request: Request, desk: Desk, event: Event, session: Session) -> Response:
    """One's own boards and matches, what was ruled there, the publications, the pairings."""
    mine = await entered(desk, event, session.person)
    told = scoring.ExplainScoreResponse()
    published = scoring.ListPublicationsResponse()
    ruled: Sequence[table.Ruling] = ()
    if mine:
        told, published = await asyncio.gather(
            desk.services.ask(
                desk.services.scoring.ExplainScore,
                scoring.ExplainScoreRequest(championship=event.id, entrant=mine),
            ),
            desk.services.ask(
                desk.services.scoring.ListPublications,
                scoring.ListPublicationsRequest(championship=event.id),
            ),
        )
        ruled = await verdicts.of_entrant(desk, session, event, told)
    return show(
        request,
        "contest.html",
        event=event,
        entrant=mine,
        ruled=ruled,
        told=told,
        publications=list(reversed(published.publications)),
    )


async def _form(
    request: Request,
    desk: Desk,
    event: Event,
    session: Session,
    filled: Mapping[str, str],
    refused: asking.Refused | None = None,
) -> Response:
    """The form with what was typed in it; refused, it says why beside the field that it is about."""
    contested = await verdicts.located(desk, session, event, _contested(filled))
    board, language = board_of(contested), language_of(request)
    rows, refusal = asking.marked(asking.rows(filled), refused, language, asking.WHERE if board else ())
    doubted = refusal.fields.get("grounds", "") if refusal else ""
    return show(
        request,
        "contest_form.html",
        409 if refused else 200,
        event=event,
        kind=contested.WhichOneof("kind"),
        contested=contested,
        about=appealed.contested(contested, language),
        board=board,
        seats=await seats(desk, event.id, board.round, board.table) if board else (),
        kinds=remedies.kinds(event, contested.HasField("pairing")),
        rows=rows,
        most=asking.MOST,
        names=await desk.roster.of(event.id),
        grounds=filled.get("grounds", ""),
        doubted=doubted,
        refusal=None if doubted else refusal,
        command_id=secrets.token_hex(12),
    )


def _contested(form: Mapping[str, str]) -> events.Contested:
    """What a form is about. Raises HTTPException."""
    match form.get("contested"):
        case "board":
            board = events.ContestedBoard(
                table=form.get("table", ""),
                round=whole(form.get("round")),
                board=whole(form.get("board")),
                attempt=whole(form.get("attempt") or "1"),
            )
            return events.Contested(board=board)
        case "ruling":
            return events.Contested(ruling=events.ContestedRuling(ruling=form.get("ruling", "")))
        case "publication":
            number = whole(form.get("publication"))
            return events.Contested(publication=events.ContestedPublication(publication=number))
        case "pairing":
            return events.Contested(pairing=events.ContestedPairing(round=whole(form.get("pairing"))))
    raise HTTPException(404)
