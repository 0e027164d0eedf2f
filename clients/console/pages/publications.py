"""Standings as published beside the same boards as now known, each change with what caused it (C9.2, C10.6, C10.8)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grpc import StatusCode
from grpc.aio import AioRpcError
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clients.console import appealed, remedies
from clients.console.desk import Desk, Event, desk_of, event_of, number, show
from clients.console.effects import authority
from clients.console.language import Language
from clients.console.page import language_of
from clients.console.paging import page
from clients.console.session import session_of
from fupan.appeals.v1 import service_pb2 as appeals
from fupan.scoring.v1 import events_pb2 as scoring
from fupan.scoring.v1 import service_pb2 as pb


@dataclass(frozen=True, slots=True)
class Step:
    """What changed a publication: what was decided or played again, by whom, in which appeal, why; the record that says so."""

    number: int
    told: pb.StandingsStep
    what: Sequence[str]
    by: scoring.Authority

    @property
    def entrants(self) -> frozenset[int]:
        """Whose rows it changed."""
        return frozenset(row.entrant for row in self.told.after)


async def newest(request: Request) -> Response:
    """To the newest publication; that there is none yet."""
    desk, event = desk_of(request), await event_of(request)
    published = await _published(desk, event)
    if published:
        return RedirectResponse(f"/events/{event.id}/publications/{published[0].published.number}", 303)
    return show(request, "publication.html", event=event, published=published, told=None)


async def publication(request: Request) -> Response:
    """One publication."""
    desk, event = desk_of(request), await event_of(request)
    wanted = request.path_params["publication"]
    published, told, compared, filed = await asyncio.gather(
        _published(desk, event),
        desk.services.ask(
            desk.services.scoring.GetStandings,
            pb.GetStandingsRequest(championship=event.id, as_of=str(wanted)),
        ),
        _compared(request, desk, event, wanted),
        desk.services.ask(
            desk.services.appeals.ListAppeals, appeals.ListAppealsRequest(championship=event.id)
        ),
    )
    steps = _steps(compared, language_of(request)) if compared else []
    return show(
        request,
        "publication.html",
        event=event,
        published=published,
        told=told,
        page=page(told.rows, number(request, "page", 1)),
        now=_now(compared),
        known=compared is not None,
        lines=compared.lines if compared else (),
        steps=steps,
        pending=sum(one.phase in appealed.OPEN for one in filed.appeals),
        names=await desk.roster.of(event.id),
    )


async def _published(desk: Desk, event: Event) -> Sequence[pb.Publication]:
    """The publications, newest first."""
    asked = pb.ListPublicationsRequest(championship=event.id)
    told = await desk.services.ask(desk.services.scoring.ListPublications, asked)
    return list(reversed(told.publications))


async def _compared(
    request: Request, desk: Desk, event: Event, publication: int
) -> pb.CompareStandingsResponse | None:
    """What became of it, as whoever has a token is told: the visitor, else the console. None where neither has one that is good."""
    asked = pb.CompareStandingsRequest(championship=event.id, since=str(publication))
    session = session_of(request)
    try:
        if session:
            return await desk.services.ask(desk.services.scoring.CompareStandings, asked, session.token)
        if desk.services.knows_names:
            rpc = desk.services.scoring.CompareStandings
            return await desk.services.ask_named(rpc, asked, shared=True)
    except AioRpcError as error:
        if error.code() not in (StatusCode.UNAUTHENTICATED, StatusCode.PERMISSION_DENIED):
            raise
    except OSError:
        pass  # the console's token cannot be read: it is nobody
    return None


def _now(compared: pb.CompareStandingsResponse | None) -> Mapping[int, pb.StandingRow]:
    """The rows that have changed, by entrant."""
    return {row.entrant: row for row in compared.after} if compared else {}


def _steps(compared: pb.CompareStandingsResponse, language: Language) -> list[Step]:
    steps = []
    for index, one in enumerate(compared.steps, 1):
        decided = [remedy for event in one.events if (remedy := remedies.carried_out(event))]
        for table in one.tables if not one.events else ():
            again = scoring.ReplayBoard(table=table, round=one.round, board=one.board, attempt=one.attempt)
            decided.append(scoring.Remedy(replay_board=again))
        what = [appealed.remedy(remedy, language) for remedy in decided]
        steps.append(Step(index, one, what, _authority(one)))
    return steps


def _authority(step: pb.StandingsStep) -> scoring.Authority:
    """By whose authority it came; of a replay nobody's, since it follows what ordered it."""
    if step.HasField("recalculated"):
        return step.recalculated.authority
    return authority(step.events[0]) if step.events else scoring.Authority()
