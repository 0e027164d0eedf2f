"""The play desk: a person's seat in the browser. It is shown what the seat's own Play stream tells, and answers by a call."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from grpc.aio import AioRpcError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from clients.console import figures, refusals, tables
from clients.console.desk import Desk, Event, desk_of, event_of, show
from clients.console.language import Language
from clients.console.page import language_of
from clients.console.session import Session, form_of, needed
from clients.console.tables import Game
from clients.robot.seat import Away, Moment, Replaced, Seat, Seated, Told, Waiting
from fupan.table.v1 import service_pb2 as pb
from services.domain import Rejected
from services.games import registry
from services.ledger.games import GAMES


async def seat(request: Request) -> Response:
    """The table as the visitor's own seat sees it; a script follows what happens."""
    needed(request)
    event = await event_of(request)
    game = _game(event)
    return show(
        request,
        "play.html",
        event=event,
        game=game,
        words=_words(language_of(request)),
        command_id=secrets.token_hex(12),
    )


async def stream(request: Request) -> Response:
    """Server-sent events: what the seat is told. It is the one stream of this person: another one takes the seat over."""
    session, desk, event = needed(request), desk_of(request), await event_of(request)
    return StreamingResponse(
        _events(desk, event, session, language_of(request)),
        media_type="text/event-stream",
        headers={"X-Accel-Buffering": "no"},
    )


async def answer(request: Request) -> Response:
    """An answer to a question, or a bid that nobody asked for: `{}`, or why it was not taken."""
    session, desk, event = needed(request), desk_of(request), await event_of(request)
    form = await form_of(request)
    ruleset = registry.find(event.settings.ruleset)
    game, ask = GAMES[ruleset.game], _whole(form.get("ask", ""))
    try:
        action = ruleset.parse(form.get("action", ""))
    except Rejected:
        raise HTTPException(400) from None
    # Of bids that nobody asks for there may be several.
    command_id = form.get("command_id", "") + ("" if ask else f".{secrets.token_hex(4)}")
    given = pb.Answer(
        command_id=command_id,
        board=_whole(form.get("board", "")),
        ask=ask,
        **{game.field: game.actions.to_proto(action)},
    )
    return await _called(
        request,
        desk,
        session,
        desk.services.table.Act,
        pb.ActRequest(championship=event.id, answer=given),
    )


async def referee(request: Request) -> Response:
    """Ask for a referee (C9.3): `{}`, or why not."""
    session, desk, event = needed(request), desk_of(request), await event_of(request)
    form = await form_of(request)
    asked = pb.CallRefereeRequest(
        command_id=form.get("command_id", ""), championship=event.id, reason=form.get("reason", "")
    )
    return await _called(request, desk, session, desk.services.table.CallReferee, asked)


async def _called(request: Request, desk: Desk, session: Session, rpc: Any, asked: Any) -> Response:
    """A refusal is an answer like any other: what the script does next is up to it."""
    try:
        await desk.services.ask(rpc, asked, session.token)
    except AioRpcError as error:
        refusal = refusals.read(error, language_of(request))
        told = f"{refusal.message} {refusal.reason} {refusal.clause}".strip()
        return JSONResponse({"refused": told or _words(language_of(request))["away"]})
    return JSONResponse({})


async def _events(desk: Desk, event: Event, session: Session, language: Language) -> AsyncGenerator[str]:
    sitting = Seat(desk.services.table, event.id, lambda: session.token)
    words = _words(language)
    end = "ended"
    try:
        async with aclosing(sitting.moments()) as moments:
            async for told in moments:
                if (message := _message(event, told, language)) is not None:
                    yield _event(message)
    except Replaced:
        end = "replaced"
    except AioRpcError as error:
        refusal = refusals.read(error, language)
        yield _event({"closed": f"{refusal.message} {refusal.reason}".strip() or words["away"]})
        return
    yield _event({"closed": words[end]})


def _event(message: dict[str, Any]) -> str:
    return f"data: {json.dumps(message, ensure_ascii=False)}\n\n"


def _message(event: Event, told: Told, language: Language) -> dict[str, Any] | None:
    """What the script is told: a status to say, or the whole of a moment."""
    words = _words(language)
    match told:
        case Waiting():
            return {"status": words["waiting"]}
        case Seated(table, round_, number):
            return {
                "status": language.pick(
                    f"Round {round_}: table {table}, seat {number}. Waiting for the board.",
                    f"第 {round_} 轮 {table} 桌 {number} 座，等待开始。",
                )
            }
        case Away():
            return {"status": words["away"]}
        case Moment():
            return _moment(_game(event), told, language)
    return None


def _moment(game: Game, told: Moment, language: Language) -> dict[str, Any]:
    """A moment as the script draws it; nothing in it is more than the seat's own view. `left_ms` is what is left of its clock."""
    view, asked = told.view, told.due or told.may_bid
    return {
        "place": _place(told, language),
        "seat": told.seat,
        "board": told.board,
        "ask": told.ask,
        "command_id": told.command_id,
        "due": told.due,
        "paused": told.paused,
        "left_ms": max(0, told.deadline_us // 1000 - time.time_ns() // 1_000_000) if told.due else None,
        "scene": game.table([view], language) if view is not None else None,
        "choices": game.choices(view, language) if asked and view is not None else [],
        "laying": game.laying(view) if told.due and view is not None else "",
        "result": _result(told, language),
    }


def _place(told: Moment, language: Language) -> str:
    board = f"{told.board} / {told.boards}" if told.boards else f"{told.board}"
    levels = " : ".join(told.match.levels) if told.match is not None else ""
    return language.pick(
        f"Round {told.round}, table {told.table}, board {board}, seat {told.seat}"
        + (f", levels {levels}" if levels else ""),
        f"第 {told.round} 轮 {told.table} 桌 第 {board} 副 {told.seat} 座"
        + (f" 级数 {levels}" if levels else ""),
    )


def _result(told: Moment, language: Language) -> str:
    """How the board in view ended; empty while it is played."""
    if told.result is None:
        return ""
    if told.result.unfinished:
        return language.pick("The board was closed without a result.", "本副未完成，不计成绩。")
    scores = " · ".join(map(figures.signed, told.result.scores))
    return language.pick(f"The board is over: {scores}", f"本副结束：{scores}")


def _game(event: Event) -> Game:
    """What shows the event's game. Raises HTTPException where nothing does."""
    game = tables.named(event.game)
    if game is None:
        raise HTTPException(404)
    return game


def _words(language: Language) -> dict[str, str]:
    """The words of the script, and of what it is told."""
    pick = language.pick
    return {
        "waiting": pick("Waiting for a table.", "等待入座。"),
        "away": pick("No connection; trying again.", "连接中断，正在重试。"),
        "ended": pick("The championship has ended.", "赛事已结束。"),
        "replaced": pick(
            "You sat down somewhere else; this page follows no more.", "您已在别处入座，此页不再更新。"
        ),
        "yours": pick("Your turn.", "轮到您了。"),
        "others": pick("The others think.", "等待其他人。"),
        "paused": pick("Paused by the referee.", "裁判暂停。"),
        "sent": pick("Sent.", "已提交。"),
        "called": pick("The referee is called.", "已呼叫裁判。"),
        "left": pick("{0} s left", "剩余 {0} 秒"),
        "bury": pick("Lay down these cards", "扣下所选的牌"),
        "play": pick("Play these cards", "打出所选的牌"),
        "choose": pick("Choose cards in your hand.", "请在手牌中选牌。"),
    }


def _whole(text: str) -> int:
    """A whole number of a form. Raises HTTPException."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise HTTPException(400)
    return int(text)
