"""`fupan standings`: the order, live or as of a publication, a time or a cut (C3, C4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import tzinfo
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from clients.cli import changes, remedies
from clients.cli.changes import Lines
from clients.cli.connection import Fupan, championship_of, run
from clients.cli.options import LINK, SHOW, Link, Show
from clients.cli.output import USAGE, Column, Problem, fields, rows, say, seconds, written
from clients.cli.times import moment, zone_of
from clients.cli.words import pick, word
from fupan.scoring.v1 import service_pb2 as pb

COLUMNS = (
    Column("rank", "Rank", "名次", right=True),
    Column("entrant", "Entrant", "编号", right=True),
    Column("persons", "Persons", "人员", ", ".join),
    Column("percent", "R %", "得分率 %", lambda value: f"{value:.1f}", right=True),
    Column("units", "Units", "局数", right=True),
    Column("beaten_mean", "Beaten %", "对手 %", lambda value: f"{value:.2f}", right=True),
    Column("rank_counts", "1st 2nd …", "一、二…", lambda counts: " ".join(map(str, counts[:5]))),
    Column("thinking_us", "Time s", "用时 s", seconds, right=True),
    Column("penalty", "Penalty", "罚分", lambda value: f"−{value:.1f}" if value else "", right=True),
    Column("byes", "Byes", "轮空", lambda number: str(number or ""), right=True),
    Column("note", "", ""),
)
"""Of formats that are scored in percent."""

BY_POINTS = (
    Column("rank", "Rank", "名次", right=True),
    Column("entrant", "Entrant", "编号", right=True),
    Column("persons", "Persons", "人员", ", ".join),
    Column("points", "Points", "积分", right=True),
    Column("net", "Net", "净胜", lambda value: f"{value:+d}", right=True),
    Column("head_to_head", "Direct", "相互", lambda value: f"{value:+d}" if value else "", right=True),
    Column("matches", "W D L", "胜平负", lambda counts: " ".join(map(str, counts)), right=True),
    Column("byes", "Byes", "轮空", lambda number: str(number or ""), right=True),
    Column("note", "", ""),
)
"""Of teams and the points format (C7.2, C8.5)."""

AsOf = Annotated[
    str,
    Parameter(
        help="publication number, RFC 3339 time, or cut (STREAM@SEQUENCE,…; `score publications --json` has them);"
        " default live",
    ),
]


def standings(
    *,
    as_of: AsOf = "",
    since: Annotated[
        str,
        Parameter(
            help="publication number or RFC 3339 time: what changed in that publication since, and by what",
        ),
    ] = "",
    lines: Lines = "",
    from_: Annotated[Path | None, Parameter(name="--from", help="audit file: no service asked")] = None,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Show the standings of boards that are closed everywhere."""
    if ((as_of or from_) and since) or (lines and not since):
        raise Problem(
            pick(
                "--as-of and --from do not go with --since, and --lines goes with --since alone",
                "--as-of、--from 不能与 --since 同用；--lines 只与 --since 同用",
            ),
            USAGE,
        )
    if since:
        _revised(since, changes.ranks(lines), link, show)
        return

    async def work(fupan: Fupan) -> tuple[pb.GetStandingsResponse, tzinfo]:
        championship = await championship_of(fupan, link)
        request = pb.GetStandingsRequest(championship=championship, as_of=as_of)
        return await fupan.scoring.GetStandings(request), await zone_of(fupan, championship)

    told, zone = run(link, work) if from_ is None else _kept(from_, as_of)
    found = records(told.rows)
    rows(found, columns(found), show.form)
    say(_source(told, as_of, zone))


def _kept(path: Path, as_of: str) -> tuple[pb.GetStandingsResponse, tzinfo]:
    # What works standings out takes a while to load, and a service does that elsewhere.
    from clients.cli import publishedfile

    return publishedfile.read(path, as_of)


def columns(found: Iterable[Mapping[str, Any]]) -> Sequence[Column]:
    """The columns that suit what the order goes by."""
    return BY_POINTS if any(one["points"] for one in found) else COLUMNS


def records(found: Iterable[pb.StandingRow]) -> list[dict[str, Any]]:
    """Rows of the order as JSON has them, best first. Percentages are numbers with one decimal; of teams and the points format
    `points` are exact (`7`, `22/3`), `net` levels or differences, `matches` won, drawn and lost; empty and 0 in others."""
    return [
        {
            "rank": one.rank,
            "place": one.place,
            "shared": one.shared,
            "entrant": one.entrant,
            "persons": list(one.persons),
            "percent": one.percent_tenths / 10,
            "units": one.units,
            "beaten_mean": one.beaten_sum / one.beaten_count / 10 if one.beaten_count else 0.0,
            "beaten_sum": one.beaten_sum,
            "beaten_count": one.beaten_count,
            "rank_counts": list(one.rank_counts),
            "thinking_us": one.thinking_us,
            "penalty": one.penalty_tenths / 10,
            "points": one.points,
            "net": one.net,
            "head_to_head": one.head_to_head,
            "matches": [one.won, one.drawn, one.lost],
            "byes": one.byes,
            "decided_by": one.decided_by,
            "withdrawn": one.withdrawn,
            "note": _note(one),
        }
        for one in found
    ]


def _note(one: pb.StandingRow) -> str:
    counted = one.units or one.won or one.drawn or one.lost
    notes = [pick("play-off", "待加赛")] if one.shared and counted else []
    if one.decided_by == "C4.5" and not one.shared:
        notes = [pick("by play-off", "加赛决定")]
    return ", ".join(notes + ([pick("withdrawn", "退赛")] if one.withdrawn else []))


def _source(told: pb.GetStandingsResponse, as_of: str, zone: tzinfo) -> str:
    """Which standings these are."""
    if as_of and not told.publication:
        return pick("as of the cut given", "按所给日志位置计算")
    if not told.publication:
        return pick("live: boards closed everywhere; provisional", "实时：仅计全场已完成的副；尚未定案")
    published = written(moment(told.published_us, zone))
    state = pick("provisional", "尚未定案") if told.provisional else pick("final", "已定案")
    return pick(
        f"publication {told.publication} of {published}, after round {told.after_round}"
        f" ({told.cause}); {state}; digest {told.digest.hex()}",
        f"第 {told.publication} 次公布，{published}，第 {told.after_round} 轮后"
        f"（{word(told.cause)}）；{state}；摘要 {told.digest.hex()}",
    )


_BY = Column("by", "By", "起因", lambda numbers: " ".join(map(str, numbers)))


def _revised(since: str, lines: list[int], link: Link, show: Show) -> None:
    """What changed since a publication, and the records that changed it, numbered from 1."""

    async def work(fupan: Fupan) -> tuple[pb.CompareStandingsResponse, tzinfo]:
        championship = await championship_of(fupan, link)
        request = pb.CompareStandingsRequest(championship=championship, since=since, lines=lines)
        return await fupan.scoring.CompareStandings(request), await zone_of(fupan, championship)

    told, zone = run(link, work)
    before, after = records(told.before), records(told.after)
    steps = [_step(number, one, zone) for number, one in enumerate(told.steps, 1)]
    published = moment(told.published_us, zone)
    if show.form == "json":
        found = {
            "publication": told.publication,
            "published": published,
            "after_round": told.after_round,
            "before": before,
            "after": after,
            "lines": changes.crossed(told.lines),
            "steps": steps,
        }
        fields(found, (), "json")
        return
    touched = [(step["step"], {one["entrant"] for one in step["after"]}) for step in steps]
    compared = [
        {**one, "by": [number for number, entrants in touched if one["entrant"] in entrants]}
        for one in changes.side_by_side(before, after)
    ]
    if compared or show.form == "csv":
        rows(compared, (*changes.columns(compared), _BY), show.form)
    elif not steps:
        say(pick("nothing has changed", "没有变化"))
    changes.say_crossed(told.lines)
    for step in steps:
        what = "; ".join(map(remedies.text, step["ruled"]))
        if step["working"]:
            what += f" = {', '.join(step['working'])} ({step['appeal']})"
        say(f"{step['step']}  {word(step['cause'])}  {written(step['time'])}  {what}  {step['record']}")
    say(
        pick(
            f"beside publication {told.publication} of {written(published)}, after round {told.after_round}",
            f"与 {written(published)} 的第 {told.publication} 次公布（第 {told.after_round} 轮后）相比",
        )
    )


def _step(number: int, one: pb.StandingsStep, zone: tzinfo) -> dict[str, Any]:
    """A step as JSON has it: what was ruled, or the board that was played again; `record` is the ruling's, subject@version.

    `working` is how the figures of a committee's ruling in `appeal` were worked out anew.
    """
    again = {"round": one.round, "board": one.board, "attempt": one.attempt}
    replays = [{"remedy": "replay_board", "table": table, **again} for table in one.tables]
    return {
        "step": number,
        "cause": one.cause,
        "record": f"{one.record.subject}@{one.record.version}" if one.HasField("record") else "",
        "time": moment(one.time_us, zone) if one.time_us else None,
        "ruled": remedies.decided(one.events) or replays,
        "working": list(one.recalculated.working),
        "appeal": one.recalculated.authority.appeal,
        "before": records(one.before),
        "after": records(one.after),
    }
