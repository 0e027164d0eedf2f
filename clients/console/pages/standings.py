"""Standings: live, following what happens, or as published; a page at a time, or whole for print."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clients.console.desk import Desk, Event, desk_of, event_of, number, show
from clients.console.language import Language
from clients.console.page import language_of
from clients.console.paging import page, page_of
from clients.console.roster import WHOLE_SECONDS
from clients.console.streams import following, streamed
from fupan.scoring.v1 import service_pb2 as scoring


async def standings(request: Request) -> Response:
    """The table; `?publication=` as published, `?find=` the page with an entrant, `?whole=1` everything."""
    desk, event = desk_of(request), await event_of(request)
    publication = number(request, "publication")
    told = await _told(desk, event.id, publication)
    if sought := number(request, "find"):
        return _found(request, told, sought)
    return show(
        request,
        "standings.html",
        event=event,
        told=told,
        publication=publication,
        page=page(told.rows, number(request, "page", 1), bool(number(request, "whole"))),
        names=await desk.roster.of(event.id),
        sought=number(request, "entrant"),
    )


async def stream(request: Request) -> Response:
    """Server-sent events: the rows of one page, all at first and then those that have changed."""
    desk, event = desk_of(request), await event_of(request)
    watch = desk.live.standings(event.id)
    await watch.now()
    return streamed(_events(desk, event, language_of(request), number(request, "page", 1)))


async def _told(desk: Desk, championship: str, publication: int) -> scoring.GetStandingsResponse:
    if not publication:
        return await desk.live.standings(championship).now()
    asked = scoring.GetStandingsRequest(championship=championship, as_of=str(publication))
    return await desk.services.ask(desk.services.scoring.GetStandings, asked)


def _found(request: Request, told: scoring.GetStandingsResponse, sought: int) -> Response:
    """To the page with an entrant's row; to the first where there is no such entrant."""
    index = next((at for at, row in enumerate(told.rows) if row.entrant == sought), None)
    if index is None:
        there = request.url.remove_query_params(["find", "page"]).include_query_params(entrant=sought)
        return RedirectResponse(f"{there.path}?{there.query}", 303)
    there = request.url.remove_query_params("find").include_query_params(page=page_of(index), entrant=sought)
    return RedirectResponse(f"{there.path}?{there.query}#entrant-{sought}", 303)


def _events(desk: Desk, event: Event, language: Language, wanted: int) -> AsyncGenerator[str]:
    shown: Sequence[str] = ()

    async def changed(told: scoring.GetStandingsResponse) -> dict[str, Any]:
        """How many rows there are, and by index those that are not as before."""
        nonlocal shown
        names = await desk.roster.of(event.id, WHOLE_SECONDS)
        before, shown = shown, desk.rows.of(event, language, told, names, wanted)
        rows = {at: row for at, row in enumerate(shown) if at >= len(before) or before[at] != row}
        return {"count": len(shown), "rows": rows}

    return following(desk.live.standings(event.id).changes(), changed)
