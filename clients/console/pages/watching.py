"""A match as anybody sees it while it is played, late and without a hidden card; boards that others play too are not seen so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import tzinfo
from typing import Any

from grpc.aio import AioRpcError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from clients import boards
from clients.boards import matches
from clients.boards.shengji import rank
from clients.boards.telling import Pick
from clients.console import figures, refusals, tables
from clients.console.desk import Desk, Event, desk_of, event_of, seats, show
from clients.console.language import Language
from clients.console.page import language_of
from clients.console.roster import seated
from clients.console.streams import following, streamed
from fupan.table.v1 import service_pb2 as pb


async def match(request: Request) -> Response:
    """The match at one table; where nothing can be watched, why not and what there is to see instead."""
    desk, event, language = desk_of(request), await event_of(request), language_of(request)
    people = await _people(desk, event, request)
    late_us, refusal, status = 0, None, 200
    if event.watched:
        try:
            late_us = (await desk.live.match(event.id, request.path_params["table"]).now()).late_us
        except AioRpcError as error:
            refusal = refusals.read(error, language)
            status = refusal.status
    return show(
        request,
        "watch.html",
        status,
        event=event,
        round=request.path_params["round"],
        table=request.path_params["table"],
        game=tables.named(event.game) if event.watched and not refusal else None,
        refusal=refusal,
        late=_duration(late_us, language),
        people=people,
    )


async def stream(request: Request) -> Response:
    """Server-sent events: what lies on the table and where the match stands, whenever that changes."""
    desk, event, language = desk_of(request), await event_of(request), language_of(request)
    people = await _people(desk, event, request)
    if not event.watched:
        raise HTTPException(404)
    at = request.path_params
    replays = f"/events/{event.id}/boards/{at['round']}/{{deal}}/{at['table']}"

    async def told(seen: pb.WatchMatchResponse) -> dict[str, Any]:
        return shown(event, seen.update, people, replays, language)

    return streamed(following(desk.live.match(event.id, at["table"]).changes(), told))


def shown(
    event: Event, update: pb.Update, people: Sequence[str], replays: str, language: Language
) -> dict[str, Any]:
    """What the script draws of `update`.

    `people` sit at the table, by seat; `replays` is the address of a deal's replay with `{deal}` for its number. `scene` is None
    before the first deal; `ended` empty before the match is over.
    """
    pick, game, view = language.pick, tables.named(event.game), boards.decoded(update.view)
    told = update.match
    return {
        "scene": game.table([view], language) if game is not None and view is not None else None,
        # Sides sit crosswise: the first two seats are one of each.
        "sides": [
            {"who": who, "level": rank(level)} for who, level in zip(people, told.levels, strict=False)
        ],
        "news": " · ".join(_news(update, event.zone, pick)),
        "deals": [
            {"said": matches.deal(one, pick), "replay": replays.format(deal=one.deal)} for one in told.played
        ],
        "ended": matches.ended(told.ended, None, pick, people) if told.HasField("ended") else "",
    }


def _news(update: pb.Update, zone: tzinfo, pick: Pick) -> Iterator[str]:
    """Which deal is played of how many, and until when; nothing that changes while a deal is played."""
    match = update.match
    if update.board:
        yield pick(f"Deal {update.board}", f"第 {update.board} 副")
    if match.most_deals:
        played = sum(not one.voided for one in match.played)
        yield pick(f"{played} of {match.most_deals} are over", f"已打 {played} / {match.most_deals} 副")
    if match.ends_us:
        ends = figures.moment(match.ends_us, zone)
        yield pick(f"time until {ends}", f"限时至 {ends}")
    if update.paused:
        yield pick("paused by the referee", "裁判暂停")


async def _people(desk: Desk, event: Event, request: Request) -> list[str]:
    """Who sits at the table that an address names, by seat. Raises HTTPException where the round has none of that name."""
    at = request.path_params
    entrants = await seats(desk, event.id, at["round"], at["table"])
    if not entrants:
        raise HTTPException(404)
    names, language = await desk.roster.of(event.id), language_of(request)
    return [seated(entrant, names, language) for entrant in entrants]


def _duration(microseconds: int, language: Language) -> str:
    """Whole minutes, else seconds; empty for none."""
    seconds = microseconds // 1_000_000
    if not seconds:
        return ""
    number, rest = divmod(seconds, 60)
    if rest:
        return language.pick(f"{seconds} second{'s' * (seconds > 1)}", f"{seconds} 秒")
    return language.pick(f"{number} minute{'s' * (number > 1)}", f"{number} 分钟")
