"""`fupan score explain`: every term of an entrant's result, by boards (C3, C4) or by matches (C7.2, C8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from cyclopts import Parameter

from clients.cli import standings
from clients.cli.connection import Fupan, championship_of, run
from clients.cli.options import LINK, SHOW, Link, Show
from clients.cli.output import Column, exact_seconds, fields, rows, say, seconds
from clients.cli.words import pick, word
from fupan.scoring.v1 import service_pb2 as pb

_UNITS = (
    Column("round", "Round", "轮", right=True),
    Column("board", "Board", "副", right=True),
    Column("table", "Table", "桌"),
    Column("seat", "Seat", "座", right=True),
    Column("score", "Score", "得分", lambda score: f"{score:+d}", right=True),
    Column("group_size", "Compared", "比较数", right=True),
    Column("worse", "Worse", "低于", right=True),
    Column("equal", "Equal", "相同", right=True),
    Column("mp", "MP", "MP", right=True),
    Column("top", "Top", "满分", right=True),
    Column("percent", "r %", "r %", lambda value: f"{value:.1f}", right=True),
    Column("rank", "Rank", "名次", right=True),
    Column("dense_rank", "Dense", "紧凑名次", right=True),
    Column("thinking_us", "Thinking s", "用时（秒）", seconds, right=True),
    Column("assigned", "", "", lambda yes: pick("assigned", "裁定") if yes else ""),
    Column("rulings", "Decided", "裁决", lambda rulings: "; ".join(map(decided, rulings))),
)
_MATCHES = (
    Column("round", "Round", "轮", right=True),
    Column("table", "Table", "桌"),
    Column("opponent", "Opponent", "对手", right=True),
    Column("points", "Points", "积分", right=True),
    Column("net", "Net", "净胜", lambda value: f"{value:+d}", right=True),
    Column("levels", "Levels", "级数", ":".join),
    Column("deals", "Deals", "副数", lambda number: str(number or ""), right=True),
    Column("clause", "Clause", "依据"),
    Column(
        "swings",
        "By board",
        "各副差",
        lambda swings: "  ".join(f"{one['board']}: {one['difference']:+d}" for one in swings),
    ),
    Column("rulings", "Decided", "裁决", lambda rulings: "; ".join(map(decided, rulings))),
)


def explain(
    entrant: Annotated[int, Parameter(help="entrant number")],
    /,
    *,
    as_of: standings.AsOf = "",
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Show every term of an entrant's result."""

    async def work(fupan: Fupan) -> pb.ExplainScoreResponse:
        request = pb.ExplainScoreRequest(
            championship=await championship_of(fupan, link), entrant=entrant, as_of=as_of
        )
        return await fupan.scoring.ExplainScore(request)

    told = run(link, work)
    if show.form == "json":
        fields(_record(told), (), "json")
    elif told.row.points:
        _by_matches(told, show)
    else:
        _by_boards(told, show)


def _by_boards(told: pb.ExplainScoreResponse, show: Show) -> None:
    rows([_unit(one) for one in told.units], _UNITS, show.form)
    if show.form == "csv":
        return
    if told.play_offs:
        say(pick("play-off (C4.5), among those who shared the rank:", "加赛（C4.5），仅在并列者之间比较："))
        rows([_unit(one) for one in told.play_offs], _UNITS, show.form)
    rows(standings.records([told.row]), standings.COLUMNS, show.form)
    say(pick(f"R exactly: {told.exact}", f"R 的准确值：{told.exact}"))
    opponents = [f"{one.percent_tenths / 10:.1f} ({one.entrant}, r{one.round})" for one in told.beaten]
    say(pick("opponents beaten (C4.1): ", "胜过的对手（C4.1）：") + (" + ".join(opponents) or "—"))
    if told.trimmed_mean:
        say(
            pick("mean without slowest and fastest (C4.4), s: ", "去头尾平均用时（C4.4，秒）：")
            + exact_seconds(told.trimmed_mean)
        )
    _say_byes(told)


def _by_matches(told: pb.ExplainScoreResponse, show: Show) -> None:
    rows([_match(one) for one in told.matches], _MATCHES, show.form)
    if show.form == "csv":
        return
    rows(standings.records([told.row]), standings.BY_POINTS, show.form)
    _say_byes(told)


def _say_byes(told: pb.ExplainScoreResponse) -> None:
    """Rounds without an opponent, and what they are worth together (C1.5)."""
    if not told.byes:
        return
    rounds = ", ".join(map(str, told.byes))
    worth = pick(f", {told.bye_points} points", f"，计 {told.bye_points} 分") if told.bye_points else ""
    say(pick(f"byes (C1.5) in round {rounds}{worth}", f"轮空（C1.5）：第 {rounds} 轮{worth}"))


def _record(told: pb.ExplainScoreResponse) -> dict[str, Any]:
    """All terms as JSON has them."""
    (standing,) = standings.records([told.row])
    beaten = [
        {"round": one.round, "entrant": one.entrant, "percent": one.percent_tenths / 10}
        for one in told.beaten
    ]
    return standing | {
        "units": [_unit(one) for one in told.units],
        "beaten": beaten,
        "exact": told.exact,
        "trimmed_mean": told.trimmed_mean,
        "matches_played": [_match(one) for one in told.matches],
        "bye_rounds": list(told.byes),
        "bye_points": told.bye_points,
        "play_offs": [_unit(one) for one in told.play_offs],
    }


def _unit(one: pb.ExplainedUnit) -> dict[str, Any]:
    names = (
        *("round", "board", "table", "seat", "score", "group_size", "worse", "equal"),
        *("mp", "top", "rank", "dense_rank", "thinking_us", "assigned"),
    )
    told = {name: getattr(one, name) for name in names} | {"percent": one.percent_tenths / 10}
    return told | {"rulings": rulings_of(one.rulings)}


def _match(one: pb.ExplainedMatch) -> dict[str, Any]:
    names = ("round", "table", "opponent", "points", "net", "deals", "clause")
    swings = [{"board": swing.board, "difference": swing.difference} for swing in one.swings]
    told = {name: getattr(one, name) for name in names} | {"levels": list(one.levels), "swings": swings}
    return told | {"rulings": rulings_of(one.rulings)}


def rulings_of(rulings: Iterable[pb.BoardRuling]) -> list[dict[str, Any]]:
    """Decisions as JSON has them."""
    names = ("kind", "by", "appeal", "publication")
    return [{name: getattr(one, name) for name in names} for one in rulings]


_KINDS = {"corrected": "更正", "voided": "作废", "replayed": "重打", "assigned": "裁定得分率"}


def decided(one: Mapping[str, Any]) -> str:
    """What was decided, and where that is told: in an appeal, or since a publication (C9.2, C10.6)."""
    kind, by = pick(one["kind"], _KINDS.get(one["kind"], one["kind"])), word(one["by"])
    if one["appeal"]:
        return f"{kind}, {pick('appeal', '申诉')} {one['appeal']}"
    since = pick(f"since publication {one['publication']}", f"第 {one['publication']} 次公布之后")
    return f"{kind}, {by}" + (f", {since}" if one["publication"] else "")
