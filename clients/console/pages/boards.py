"""A board that is closed everywhere: its traveller, and the play at one table step by step."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from grpc import StatusCode
from grpc.aio import AioRpcError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from clients.console import proofs, rulings, tables
from clients.console.desk import Desk, Event, desk_of, event_of, number, seats, show
from clients.console.fields import fetched
from clients.console.language import Language
from clients.console.page import language_of
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
    attempt, seat = number(request, "attempt", 1), request.query_params.get("seat", "")
    if seat and not (seat.isascii() and seat.isdigit() and len(seat) == 1):
        raise HTTPException(404)
    asked = table.ReplayBoardRequest(
        championship=event.id,
        table=request.path_params["table"],
        board=request.path_params["board"],
        attempt=attempt,
        all=not seat,
        seat=int(seat or 0),
    )
    # A board that is not revealed is shown to the panel that judges it, and to nobody else: the service sees to it.
    session = session_of(request)
    played = await fetched(desk.services, asked, session.token if session else "")
    if not played.steps or (game := tables.named(played.head.game)) is None:
        raise HTTPException(404)
    told = await asyncio.to_thread(tables.steps, game, played, language_of(request))
    path = dealer.BoardPath(
        round=request.path_params["round"],
        board=asked.board,
        attempt=attempt,
        match="" if event.compares else asked.table,
    )
    return show(
        request,
        "replay.html",
        event=event,
        round=request.path_params["round"],
        board=request.path_params["board"],
        table=request.path_params["table"],
        attempt=attempt,
        seat=int(seat) if seat else None,
        proof=await proofs.dealt(desk.services, event.id, path, played, event.settings),
        entrants=await seats(desk, event.id, path.round, asked.table),
        names=await desk.roster.of(event.id),
        game=game,
        steps=told,
        data=[one.drawn() for one in told],
        compared=event.compares and await _revealed(desk, event, request),
        words=_words(language_of(request)),
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


def _words(language: Language) -> dict[str, str]:
    """The words of the script."""
    pick = language.pick
    return {
        "seat": pick("Seat {0}:", "{0} 座："),
        "dealt": pick("The deal.", "发牌。"),
        "unseen": pick("Somebody answered; this seat did not see it.", "有人作答，本座未见。"),
        "took": pick("{0} s", "{0} 秒"),
        "automatic": pick("by the clock or house AI", "超时或机器人代打"),
        "could": pick("It could choose among:", "可选："),
        "passed": pick("It passed; it could have chosen:", "过牌；放弃的选择："),
        "only": pick("There was nothing else to choose.", "别无选择。"),
        "many": pick("{0} actions were legal.", "合法选择 {0} 种。"),
        "taken": pick("chosen", "所选"),
        "tried": pick("Seat {0} tried", "{0} 座欲"),
        "refused": pick("refused by {0}", "依 {0} 不准"),
        "unproven": pick("unproven", "未经证明"),
        "field": pick("The same board across the field", "各桌同副对比"),
        "came": pick("{0} of {1} tables came to this decision.", "{1} 桌中有 {0} 桌走到此决策。"),
        "first": pick("Compared are the first {0} of {1}.", "只比较 {1} 桌中的前 {0} 桌。"),
        "alone": pick("No other table came to this decision.", "没有其他桌走到此决策。"),
        "away": pick("The other tables cannot be read now.", "暂时无法读取其他桌。"),
        "choice": pick("Choice", "选择"),
        "count": pick("Tables", "桌数"),
        "mean": pick("Mean score as played", "实际平均得分"),
        "led": pick("Led to", "各桌结果"),
        "now": pick("(now {0})", "（现计 {0}）"),
        "copied": pick("Copied.", "已复制。"),
    }
