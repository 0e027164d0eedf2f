"""Standings: live, following what happens, or as published; a page at a time, or whole for print."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from clients.console.desk import Desk, Event, desk_of, event_of, number, show
from clients.console.language import Language
from clients.console.page import language_of
from clients.console.paging import page, page_of
from clients.console.roster import WHOLE_SECONDS
from fupan.scoring.v1 import service_pb2 as scoring

PING_SECONDS = 15.0
"""A silent stream says so often that it is still there."""


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
    watch = desk.live.of(event.id)
    await watch.now()
    return StreamingResponse(
        _events(desk, event, language_of(request), number(request, "page", 1)),
        media_type="text/event-stream",
        headers={"X-Accel-Buffering": "no"},
    )


async def _told(desk: Desk, championship: str, publication: int) -> scoring.GetStandingsResponse:
    if not publication:
        return await desk.live.of(championship).now()
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


async def _events(desk: Desk, event: Event, language: Language, wanted: int) -> AsyncGenerator[str]:
    shown: Sequence[str] = ()
    async with aclosing(desk.live.of(event.id).changes()) as changes:
        coming = asyncio.ensure_future(anext(changes))
        try:
            while True:
                await asyncio.wait({coming}, timeout=PING_SECONDS)
                if not coming.done():
                    yield ": still here\n\n"
                    continue
                told = coming.result()
                names = await desk.roster.of(event.id, WHOLE_SECONDS)
                rows = desk.rows.of(event, language, told, names, wanted)
                yield _event(rows, shown)
                shown = rows
                coming = asyncio.ensure_future(anext(changes))
        except StopAsyncIteration:
            return
        finally:
            coming.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration):
                await coming


def _event(rows: Sequence[str], before: Sequence[str]) -> str:
    """One event: how many rows there are, and by index those that are not as before."""
    changed = {at: row for at, row in enumerate(rows) if at >= len(before) or before[at] != row}
    return f"data: {json.dumps({'count': len(rows), 'rows': changed}, ensure_ascii=False)}\n\n"
