"""The page on which a board is played over again, whoever tells its steps: a table, or a case file."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from clients import boards
from clients.boards.replays import LISTED, Replay
from clients.console import tables
from clients.console.desk import Event, desk_of, number, show
from clients.console.language import Language
from clients.console.page import language_of
from clients.console.proofs import Dealt
from fupan.appeals.v1 import case_pb2


def seat_of(request: Request) -> int | None:
    """The seat of `?seat=`, whose knowledge is asked for; None: all hands. Raises HTTPException for what is no seat."""
    seat = request.query_params.get("seat", "")
    if seat and not (seat.isascii() and seat.isdigit() and len(seat) == 1):
        raise HTTPException(404)
    return int(seat) if seat else None


async def page(
    request: Request,
    event: Event,
    played: Replay,
    round_: int,
    entrants: Sequence[int],
    query: Mapping[str, Any],
    proof: Dealt | None = None,
    compared: bool = False,
    case: case_pb2.CaseFile | None = None,
) -> Response:
    """The page of `played`, at the address that was asked for; `query` belongs to it whatever seat is looked at. `compared`: the
    field can be asked what it did; `case`: the file that has these steps."""
    if not played.steps or (game := tables.named(played.head.game)) is None:
        raise HTTPException(404)
    desk, language, head = desk_of(request), language_of(request), played.head
    steps = await asyncio.to_thread(tables.steps, game, played, language)

    def seen_by(seat: int | None) -> str:
        asked = urlencode({**({} if seat is None else {"seat": seat}), **query})
        return f"{request.url.path}?{asked}" if asked else request.url.path

    return show(
        request,
        "replay.html",
        event=event,
        round=round_,
        board=head.board,
        table=head.table,
        attempt=head.attempt,
        seat=head.seat,
        seen_by=seen_by,
        entrants=entrants,
        names=await desk.roster.of(event.id),
        game=game,
        steps=steps,
        data=[one.drawn() for one in steps],
        words=_words(language),
        query=query,
        proof=proof,
        compared=compared,
        case=case,
    )


async def choices(request: Request, played: Replay) -> Response | None:
    """What could be chosen at step `?choices=`, of that page `?page=` (counted from 0), as JSON `{first, listed, chosen}`; None
    where the whole replay is asked for."""
    if "choices" not in request.query_params:
        return None
    at, first = number(request, "choices"), number(request, "page") * LISTED
    legal, action = next(((one.legal, one.action) for one in played.steps if one.number == at), (None, ""))
    if legal is None or first >= len(legal.every):
        raise HTTPException(404)
    shown = legal.every[first : first + LISTED]
    say, pick = boards.BY_GAME[played.head.game].action, language_of(request).pick
    return JSONResponse(
        {
            "first": first,
            "listed": [say(one, pick) for one in shown],
            "chosen": shown.index(action) if action in shown else None,
        }
    )


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
        "range": pick("{0} to {1}", "第 {0} 至 {1} 种"),
        "fewer": pick("Those before", "前一页"),
        "more": pick("More of them", "后一页"),
        "unread": pick("They cannot be read now.", "暂时无法读取。"),
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
