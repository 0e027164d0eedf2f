"""The case file of an appeal, and its board played over again as the file has it (C10.2)."""

from __future__ import annotations

import asyncio

from google.protobuf.message import DecodeError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clients.appealing import board_of, findings
from clients.boards import replays
from clients.console import appealed, conduct, replaying
from clients.console.clauses import clauses, parameters
from clients.console.desk import Desk, desk_of, event_of, show
from clients.console.page import language_of
from clients.console.session import Session, needed
from fupan.appeals.v1 import case_pb2
from fupan.appeals.v1 import service_pb2 as pb
from fupan.pairing.v1 import service_pb2 as pairing
from services.games.championship.conduct import CATALOGUE


async def case(request: Request) -> Response:
    """The case file, whose opening is logged; `?opening=` is drawn with the form, so that reading a page again opens nothing."""
    if not (opening := request.query_params.get("opening", "")):
        return _to_the_form(request)
    desk, event = desk_of(request), await event_of(request)
    answer, file = await _opened(request, opening)
    return show(
        request,
        "case.html",
        event=event,
        answer=answer,
        file=file,
        opening=opening,
        findings=findings(answer, file),
        at=board_of(file.contested),
        clauses=clauses(file.clauses),
        parameters=parameters(file.settings),
        rows=CATALOGUE,
        conduct=await _conduct(desk, needed(request), file) if file.conduct else (),
        contested=appealed.contested(file.contested, language_of(request)),
        names=await desk.roster.of(event.id),
    )


async def replay(request: Request) -> Response:
    """The frozen steps of the contested board, for whoever opened the case file; `?seat=` as that seat knew it."""
    if not (opening := request.query_params.get("opening", "")):
        return _to_the_form(request)
    event, seat = await event_of(request), replaying.seat_of(request)
    _, file = await _opened(request, opening)
    if (at := board_of(file.contested)) is None or not file.board.steps:
        raise HTTPException(404)
    played = await asyncio.to_thread(replays.of_case, file, at)
    if seat is not None:
        if seat >= len(played.steps[0].views):
            raise HTTPException(404)
        played = await asyncio.to_thread(replays.known_to, played, seat)
    if (listed := await replaying.choices(request, played)) is not None:
        return listed
    entrants = [one.entrant for one in file.board.opened.seats]
    query = {"opening": opening}
    return await replaying.page(request, event, played, at.round, entrants, query, case=file)


async def _conduct(desk: Desk, session: Session, file: case_pb2.CaseFile) -> list[pairing.Conduct]:
    """Conduct of the file, with the reasons that its reader may know, which no file holds. Raises AioRpcError."""
    told = await conduct.recorded(desk, session, file.championship)
    by_digest = {one.recorded.reason_digest: one.reason for one in told}
    found = []
    for one in file.conduct:
        reason = one.recorded.reason or by_digest.get(one.recorded.reason_digest, "")
        found.append(
            pairing.Conduct(recorded=one.recorded, referee=one.referee, time_us=one.time_us, reason=reason)
        )
    return found


async def _opened(request: Request, opening: str) -> tuple[pb.GetCaseResponse, case_pb2.CaseFile]:
    """The file, opened by the command that `opening` names. Raises AioRpcError, HTTPException."""
    desk, at = desk_of(request), request.path_params
    asked = pb.GetCaseRequest(command_id=opening, championship=at["championship"], appeal=at["appeal"])
    answer = await desk.services.ask(desk.services.appeals.GetCase, asked, needed(request).token)
    try:
        return answer, case_pb2.CaseFile.FromString(answer.case_file)
    except DecodeError:
        raise HTTPException(502) from None


def _to_the_form(request: Request) -> Response:
    """To where the file is opened from: an address without the form's part opens nothing."""
    needed(request)
    at = request.path_params
    return RedirectResponse(f"/events/{at['championship']}/appeals/{at['appeal']}", 303)
