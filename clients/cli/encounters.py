"""`fupan score matches`: what the matches of teams and of the points format came to (C7.2, C8.2)."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from clients.cli import standings
from clients.cli.connection import Fupan, championship_of, run
from clients.cli.options import LINK, SHOW, Link, Show
from clients.cli.output import Column, rows
from fupan.scoring.v1 import service_pb2 as pb

_MATCHES = (
    Column("round", "Round", "轮", right=True),
    Column("table", "Table", "桌"),
    Column("entrants", "Entrants", "双方", lambda both: " : ".join(map(str, both))),
    Column("points", "Points", "积分", lambda both: " : ".join(map(str, both))),
    Column("net", "Net", "净胜", lambda value: f"{value:+d}", right=True),
    Column("levels", "Levels", "级数", " : ".join),
    Column("deals", "Deals", "副数", lambda number: str(number or ""), right=True),
    Column("clause", "Clause", "依据"),
)


def matches(
    *,
    round_: Annotated[int, Parameter(name="--round", help="round; default all")] = 0,
    as_of: standings.AsOf = "",
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """List the matches of teams or of the points format that count; net is what the first of the two gains."""

    async def work(fupan: Fupan) -> pb.ListMatchesResponse:
        championship = await championship_of(fupan, link)
        request = pb.ListMatchesRequest(championship=championship, round=round_, as_of=as_of)
        return await fupan.scoring.ListMatches(request)

    rows([_record(one) for one in run(link, work).matches], _MATCHES, show.form)


def _record(one: pb.MatchResult) -> dict[str, Any]:
    return {
        "round": one.round,
        "table": one.table,
        "entrants": list(one.entrants),
        "points": list(one.points),
        "net": one.net,
        "levels": list(one.levels),
        "deals": one.deals,
        "clause": one.clause,
        "swings": [{"board": swing.board, "difference": swing.difference} for swing in one.swings],
    }
