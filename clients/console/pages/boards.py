"""A board that is closed everywhere: its traveller, and the play at one table step by step."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from grpc import StatusCode
from grpc.aio import AioRpcError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from clients.console import proofs, replaying, rulings
from clients.console.desk import Desk, Event, desk_of, event_of, number, seats, show
from clients.console.fields import fetched
from clients.console.paging import page
from clients.console.session import session_of
from fupan.dealer.v1 import events_pb2 as dealer
from fupan.scoring.v1 import service_pb2 as scoring
from fupan.table.v1 import service_pb2 as table

TABLES = 40
"""Tables that a page of a traveller has."""


async def traveller(request: Request) -> Response:
    """All tables' results on a board."""
    desk, event = desk_of(request), await event_of(request)
    results = await results_of(desk, event, request)
    path = dealer.BoardPath(round=request.path_params["round"], board=request.path_params["board"], attempt=1)
    return show(
        request,
        "board.html",
        proof=await proofs.dealt(desk.services, event.id, path),
        event=event,
        round=request.path_params["round"],
        board=request.path_params["board"],
        page=page(results, number(request, "page", 1), size=TABLES),
        told_at=partial(rulings.address, event),
        names=await desk.roster.of(event.id),
    )


async def replay(request: Request) -> Response:
    """The board at one table; `?seat=` as that seat knew it, else with all hands; `?attempt=` where it was replayed by a ruling."""
    desk, event = desk_of(request), await event_of(request)
    attempt, seat = number(request, "attempt", 1), replaying.seat_of(request)
    asked = table.ReplayBoardRequest(
        championship=event.id,
        table=request.path_params["table"],
        board=request.path_params["board"],
        attempt=attempt,
        all=seat is None,
        seat=seat or 0,
    )
    # A board that is not revealed is shown to the panel that judges it, and to nobody else: the service sees to it.
    session = session_of(request)
    played = await fetched(desk.services, asked, session.token if session else "")
    if not played.steps:
        raise HTTPException(404)
    if (listed := await replaying.choices(request, played)) is not None:
        return listed
    path = dealer.BoardPath(
        round=request.path_params["round"],
        board=asked.board,
        attempt=attempt,
        match="" if event.compares else asked.table,
    )
    return await replaying.page(
        request,
        event,
        played,
        path.round,
        await seats(desk, event.id, path.round, asked.table),
        {"attempt": attempt} if attempt > 1 else {},
        proof=await proofs.dealt(desk.services, event.id, path, played, event.settings),
        compared=event.compares and await _revealed(desk, event, request),
    )


async def results_of(desk: Desk, event: Event, request: Request) -> Sequence[scoring.BoardResult]:
    """The results of all tables on the board that an address names. Raises AioRpcError."""
    asked = scoring.GetBoardRequest(
        championship=event.id, round=request.path_params["round"], board=request.path_params["board"]
    )
    told = await desk.services.ask(desk.services.scoring.GetBoard, asked)
    return told.results


async def _revealed(desk: Desk, event: Event, request: Request) -> bool:
    """Whether anybody may see the board at every table; a panel may see one before."""
    try:
        await results_of(desk, event, request)
    except AioRpcError as error:
        if error.code() is not StatusCode.FAILED_PRECONDITION:
            raise
        return False
    return True
