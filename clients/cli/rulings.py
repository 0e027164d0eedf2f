"""`fupan table rulings`: what referees ruled at a table, each with the id by which it is contested (C9.3, C10.1)."""

from __future__ import annotations

from dataclasses import replace
from datetime import tzinfo
from typing import Any

from grpc import StatusCode
from grpc.aio import AioRpcError

from clients.cli.connection import Fupan, championship_of, run
from clients.cli.options import LINK, SHOW, Link, Show
from clients.cli.output import FAILED, Column, Problem, rows, say
from clients.cli.remedies import ContestedOptions
from clients.cli.times import moment, zone_of
from clients.cli.words import pick
from fupan.table.v1 import service_pb2 as pb

_RULINGS = (
    Column("ruling", "Ruling", "判罚"),
    Column("round", "Round", "轮", right=True),
    Column("board", "Board", "副", right=True),
    Column("text", "What was ruled", "内容"),
    Column("clause", "Clause", "条款"),
    Column("referee", "Referee", "裁判"),
    Column("made", "Made", "时间"),
    Column("overturns", "Overturns", "更改判罚"),
    Column("reason", "Reason", "理由"),
    Column("overturned", "Overturned by", "已被更改", lambda by: by["ruling"]),
)


def rulings(table: str, /, *, link: Link = LINK, show: Show = SHOW) -> None:
    """Show what referees ruled at a table: where you sit or have sat, or once its boards are closed everywhere.

    Parameters
    ----------
    table
        Table id.
    """

    async def work(fupan: Fupan) -> tuple[list[dict[str, Any]], bool]:
        championship = await championship_of(fupan, link)
        told = await fupan.table.ListRulings(pb.ListRulingsRequest(championship=championship, table=table))
        zone = await zone_of(fupan, championship)
        found = [
            {
                "ruling": one.ruling,
                "round": one.round,
                "board": one.board,
                "attempt": one.attempt,
                "text": one.text,
                "clause": one.clause,
                "referee": one.referee,
                "made": moment(one.made_us, zone),
                "overturns": one.overturns,
                "reason": one.reason,
                "overturned": _overturned(one, zone),
            }
            for one in told.rulings
        ]
        return found, bool(found) and await overturns(fupan, championship)

    found, heads = run(link, work)
    rows(found, _RULINGS, show.form)
    if heads:
        say(
            pick(
                f"a ruling is overturned with fupan table rule {table} TEXT --overturns RULING --reason WHY",
                f"更改判罚：fupan table rule {table} 内容 --overturns 判罚编号 --reason 理由",
            )
        )
    elif found:
        say(
            pick(
                "a ruling is contested with fupan appeal file --ruling ID",
                "对判罚提出申诉：fupan appeal file --ruling 判罚编号",
            )
        )


async def overturns(fupan: Fupan, championship: str) -> bool:
    """Whether the caller may overturn rulings: the chief referee and deputies who do not play (C9.2). Raises AioRpcError."""
    if not fupan.person:
        return False
    told = await fupan.table.GetRoles(pb.GetRolesRequest(championship=championship))
    return told.watches and not {"chief_referee", "deputy"}.isdisjoint(told.roles)


def _overturned(one: pb.Ruling, zone: tzinfo) -> dict[str, Any] | None:
    by = one.overturned
    if not by.ruling:
        return None
    return {
        "ruling": by.ruling,
        "text": by.text,
        "reason": by.reason,
        "referee": by.referee,
        "made": moment(by.made_us, zone),
    }


async def located(fupan: Fupan, championship: str, contested: ContestedOptions) -> ContestedOptions:
    """What remedies are about: of a contested ruling the board on which it was made. Raises Problem, AioRpcError."""
    if not contested.ruling:
        return contested
    table, _, _ = contested.ruling.rpartition(".")
    try:
        told = await fupan.table.ListRulings(pb.ListRulingsRequest(championship=championship, table=table))
    except AioRpcError as error:
        if error.code() not in (StatusCode.NOT_FOUND, StatusCode.INVALID_ARGUMENT):
            raise
        told = pb.ListRulingsResponse()
    for one in told.rulings:
        if one.ruling == contested.ruling:
            return replace(contested, table=table, round_=one.round, board=one.board, attempt=one.attempt)
    raise Problem(
        pick(
            f"you know of no ruling {contested.ruling}: fupan table rulings TABLE lists them",
            f"没有您可知的判罚 {contested.ruling}：请用 fupan table rulings 桌号 查看",
        ),
        FAILED,
    )
