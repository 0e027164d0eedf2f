"""A round: its tables, who sits where, and the boards that are closed everywhere; live while it is played."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

from grpc.aio import AioRpcError
from starlette.requests import Request
from starlette.responses import Response

from clients.console.desk import Desk, Event, desk_of, event_of, number, show
from clients.console.language import Language
from clients.console.live import Away
from clients.console.page import language_of
from clients.console.paging import page
from clients.console.roster import member
from clients.console.session import session_of
from clients.console.streams import following, streamed
from fupan.pairing.v1 import service_pb2 as pairing


async def overview(request: Request) -> Response:
    """One round."""
    desk, event, who = desk_of(request), await event_of(request), session_of(request)
    told = await _told(desk, event, request.path_params["round"])
    return show(
        request,
        "round.html",
        event=event,
        own=await _own(desk, event, told, who.person) if who and event.plays else None,
        **await _shown(desk, event, told, number(request, "page", 1)),
    )


async def progress(request: Request) -> Response:
    """Server-sent events: how far the newest round is; with `?round=` the tables of that one, a page of them."""
    desk, event, language = desk_of(request), await event_of(request), language_of(request)
    watch = desk.live.rounds(event.id)
    await watch.now()
    round_, wanted = number(request, "round"), number(request, "page", 1)
    make = _tables(desk, event, language, round_, wanted) if round_ else _progress(desk, event, language)
    return streamed(make)


def _progress(desk: Desk, event: Event, language: Language) -> AsyncGenerator[str]:
    async def told(newest: pairing.WatchRoundResponse) -> dict[str, str]:
        context = {"event": event, "progress": newest if newest.round else None}
        return {"html": desk.pages.text(language, "parts/progress.html", context)}

    return following(desk.live.rounds(event.id).changes(), told)


def _tables(desk: Desk, event: Event, language: Language, round_: int, wanted: int) -> AsyncGenerator[str]:
    async def told(newest: pairing.WatchRoundResponse) -> dict[str, str]:
        # As it is now: an answer from before the change would stay until the next one.
        now = await _told(desk, event, round_, newest.SerializeToString())
        context = {"event": event, **await _shown(desk, event, now, wanted)}
        return {"html": desk.pages.text(language, "parts/tables.html", context)}

    return following(desk.live.rounds(event.id).changes(), told)


async def _told(desk: Desk, event: Event, round_: int, moment: bytes = b"") -> pairing.GetRoundResponse:
    asked = pairing.GetRoundRequest(championship=event.id, round=round_)
    return await desk.services.ask(desk.services.pairing.GetRound, asked, moment=moment)


async def _shown(desk: Desk, event: Event, told: pairing.GetRoundResponse, wanted: int) -> dict[str, Any]:
    """What a page of a round shows of it."""
    return {
        "told": told,
        "page": page(told.tables, wanted),
        "names": await desk.roster.of(event.id),
        # Told to the public is nothing but what all tables have closed: the least is the same at each.
        "closed": min((one.boards_closed for one in told.tables), default=0),
        "boards": max((one.boards for one in told.tables), default=0),
    }


async def _own(
    desk: Desk, event: Event, told: pairing.GetRoundResponse, person: str
) -> tuple[str, int] | None:
    """The table and seat that somebody has in a round; None where it has none, or nobody says of which entrant it is."""
    try:
        rows = (await desk.live.standings(event.id).now()).rows
    except (AioRpcError, Away):
        return None
    sits = [(row.entrant, at) for row in rows for at, one in enumerate(row.persons) if one == person]
    for one in told.tables:
        for seat, entrant in enumerate(one.table.entrants):
            if (entrant, member(one.table, seat)) in sits:
                return one.table.table, seat
    return None
