"""The play desk: a person's seat in the browser. It is shown what the seat's own Play stream tells, and answers by a call."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from grpc import StatusCode
from grpc.aio import AioRpcError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from clients.boards import matches
from clients.boards.telling import Sentence
from clients.console import figures, refusals, tables
from clients.console.desk import Desk, Event, desk_of, event_of, seats, show
from clients.console.language import Language
from clients.console.page import language_of
from clients.console.roster import seated
from clients.console.session import Session, form_of, needed
from clients.console.streams import EXPIRED, signed_out, streamed
from clients.console.streams import event as sent
from clients.console.tables import Game
from clients.robot.seat import Away, Moment, Replaced, Seat, Seated, Told, Waiting
from fupan.table.v1 import service_pb2 as pb
from services.domain import Rejected
from services.games import registry
from services.games.shengji.result import side
from services.ledger.games import GAMES


async def seat(request: Request) -> Response:
    """The table as the visitor's own seat sees it; a script follows what happens."""
    session, event = needed(request), await event_of(request)
    game = _game(event)
    return show(
        request,
        "play.html",
        event=event,
        game=game,
        words=_words(language_of(request)),
        offices=event.offices(session.person),
        command_id=secrets.token_hex(12),
    )


async def stream(request: Request) -> Response:
    """Server-sent events: what the seat is told. It is the one stream of this person: another one takes the seat over."""
    session, desk, event = needed(request), desk_of(request), await event_of(request, part=False)
    return streamed(_events(desk, event, session, language_of(request)))


async def answer(request: Request) -> Response:
    """An answer to a question, or a bid that nobody asked for: `{}`, or why it was not taken."""
    session, desk, event = needed(request), desk_of(request), await event_of(request, part=False)
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
    session, desk, event = needed(request), desk_of(request), await event_of(request, part=False)
    form = await form_of(request)
    asked = pb.CallRefereeRequest(
        command_id=form.get("command_id", ""), championship=event.id, reason=form.get("reason", "")
    )
    return await _called(request, desk, session, desk.services.table.CallReferee, asked)


async def _people(desk: Desk, event: Event, told: Moment, language: Language) -> list[dict[str, str]]:
    """Who sits at the table, by seat; nobody is named where the pairings cannot be read."""
    try:
        entrants = await seats(desk, event.id, told.round, told.table)
    except AioRpcError:
        return []
    names = await desk.roster.of(event.id)
    return [{"name": seated(entrant, names, language)} for entrant in entrants]


async def _called(request: Request, desk: Desk, session: Session, rpc: Any, asked: Any) -> Response:
    """A refusal is an answer like any other: what the script does next is up to it."""
    try:
        await desk.services.ask(rpc, asked, session.token)
    except AioRpcError as error:
        refusal = refusals.read(error, language_of(request))
        told = f"{refusal.message} {refusal.cited}".strip()
        return JSONResponse({"refused": told or _words(language_of(request))["away"]})
    return JSONResponse({})


async def _events(desk: Desk, event: Event, session: Session, language: Language) -> AsyncGenerator[str]:
    sitting = Seat(desk.services.table, event.id, lambda: session.token)
    words = _words(language)
    name = desk.pages.macro(language, "parts/round.html", "name")
    end = "ended"
    table, people = "", [dict[str, str]()]
    before: Moment | None = None
    results: dict[int, str] = {}
    try:
        async with aclosing(sitting.moments()) as moments:
            async for told in moments:
                if isinstance(told, Away) and told.signed_out:
                    yield signed_out(language, f"/events/{event.id}/play")
                    return
                if isinstance(told, Moment) and told.table != table:
                    table, people = told.table, await _people(desk, event, told, language)
                    results = {}
                called = name(event.settings, told.round).strip() if isinstance(told, Moment | Seated) else ""
                if (message := _message(event, told, called, language)) is not None:
                    if isinstance(told, Moment):
                        message["news"] = _news(_game(event), before, told, language)
                        message["match"] = message["match"] or _boards(results, told, language)
                        before = told
                    yield sent({**message, "people": people})
    except Replaced:
        end = "replaced"
    except AioRpcError as error:
        if error.code() is StatusCode.UNAUTHENTICATED:
            yield signed_out(language, f"/events/{event.id}/play")
            return
        refusal = refusals.read(error, language)
        yield sent({"closed": f"{refusal.message} {refusal.reason}".strip() or words["away"]})
        return
    yield sent({"closed": words[end]})


def _message(event: Event, told: Told, called: str, language: Language) -> dict[str, Any] | None:
    """What the script is told: a status to say, or the whole of a moment; `called`: how its round is called (C4.5)."""
    words = _words(language)
    match told:
        case Waiting():
            return {"status": words["waiting"]}
        case Seated(table, _, number):
            return {
                "status": language.pick(
                    f"{called}: table {table}, seat {number}. Waiting for the others; who does not come is played "
                    "for by the clock.",
                    f"{called} {table} 桌 {number} 座，等待其他人；未到者由计时代打。",
                )
            }
        case Away(refused=True):
            return {"status": words["unseated"], "unseated": True}
        case Away():
            return {"status": words["away"]}
        case Moment():
            return _moment(_game(event), told, called, language)
    return None


def _moment(game: Game, told: Moment, called: str, language: Language) -> dict[str, Any]:
    """A moment as the script draws it; nothing in it is more than the seat's own view. `left_ms` is what is left of its clock."""
    view, asked = told.view, told.due or told.may_bid
    return {
        "place": _place(told, called, language),
        "match": _match(told, language),
        "seat": told.seat,
        "board": told.board,
        "ask": told.ask,
        "command_id": told.command_id,
        "due": told.due,
        "paused": told.paused,
        "left_ms": max(0, told.deadline_us // 1000 - time.time_ns() // 1_000_000) if told.due else None,
        "scene": game.table([view], language) if view is not None else None,
        "choices": game.choices(view, language) if asked and view is not None else [],
        "laying": game.laying(view) if told.due and view is not None else None,
        "standing": game.standing(view, language) if view is not None else None,
        "result": _result(told, language),
    }


def _news(game: Game, before: Moment | None, told: Moment, language: Language) -> list[Sentence]:
    """What is seen to have happened since, but what the seat itself did."""
    known = before is not None and (before.table, before.board) == (told.table, told.board)
    if before is None or not known or before.view is None or told.view is None:
        return []
    own = {f"{echo} {told.seat}" for echo in game.ECHOES.values()}
    happened = game.noticed(before.view, told.view)
    return [game.event(text, language) for text in happened if " ".join(text.split()[:2]) not in own]


def _place(told: Moment, called: str, language: Language) -> str:
    board = f"{told.board} / {told.boards}" if told.boards else f"{told.board}"
    return language.pick(
        f"{called}, table {told.table}, board {board}, seat {told.seat}",
        f"{called} {told.table} 桌 第 {board} 副 {told.seat} 座",
    )


def _match(told: Moment, language: Language) -> dict[str, Any] | None:
    """Where the match stands; None at a table that plays none."""
    match, own = told.match, side(told.seat)
    if match is None:
        return None
    return {
        "standing": matches.standing(match, own, language.pick) if match.levels else "",
        "deals": [matches.deal(one, language.pick) for one in match.played],
        "ended": matches.ended(match.ended, own, language.pick) if match.HasField("ended") else "",
    }


def _boards(results: dict[int, str], told: Moment, language: Language) -> dict[str, Any] | None:
    """How the table's boards ended so far, which are noted in `results`; shown as the deals of a match are."""
    if told.result is not None:
        called = language.pick(f"Board {told.board}", f"第 {told.board} 副")
        results[told.board] = f"{called} · {_figures(told.result, language)}"
    if not results:
        return None
    count = len(results)
    standing = language.pick(f"Boards that are over: {count}", f"已结束 {count} 副")
    return {"standing": standing, "deals": list(results.values()), "ended": ""}


def _figures(result: pb.BoardResult, language: Language) -> str:
    if result.unfinished:
        return language.pick("no result", "未完成")
    return " · ".join(map(figures.signed, result.scores))


def _result(told: Moment, language: Language) -> str:
    """How the board in view ended, and that it was the round's last here; empty while it is played."""
    if told.result is None:
        return ""
    last = language.pick(
        " It was this table's last of the round; what comes next is shown here.",
        "本桌本轮各副已打完，后续在此显示。",
    )
    more = last if told.board == told.boards else ""
    if told.result.unfinished:
        return language.pick("The board was closed without a result.", "本副未完成，不计成绩。") + more
    scores = _figures(told.result, language)
    return language.pick(f"The board is over: {scores}.", f"本副结束：{scores}。") + more


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
        "expired": pick(*EXPIRED),
        "unseated": pick(
            "You have no seat in this championship, or are not entered yet.",
            "您在本赛事没有座位，或尚未报名。",
        ),
        "left": pick("{0} s left", "剩余 {0} 秒"),
        "bury": pick("Lay down these cards", "扣下所选的牌"),
        "play": pick("Play these cards", "打出所选的牌"),
        "choose": pick("Choose cards in your hand.", "请在手牌中选牌。"),
        "several": pick("Choose {0} cards in your hand.", "请在手牌中选 {0} 张。"),
        "tap": pick("Tap a tile, and once more to play it.", "点选一张牌，再点一次打出。"),
        "overtaken": pick("Seat {0} bids over yours:", "您的翻级已被 {0} 座盖过："),
    }


def _whole(text: str) -> int:
    """A whole number of a form. Raises HTTPException."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise HTTPException(400)
    return int(text)
