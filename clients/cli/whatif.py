"""`fupan appeal whatif`: what rulings would change; nothing is written (C10.6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from cyclopts import Parameter

from clients.cli import changes, standings
from clients.cli.changes import Lines
from clients.cli.connection import Fupan, championship_of, run
from clients.cli.options import LINK, SHOW, Link, Show
from clients.cli.output import USAGE, Column, Problem, fields, rows, say
from clients.cli.remedies import CONTESTED, REMEDIES, ContestedOptions, RemedyOptions
from clients.cli.rulings import located
from clients.cli.words import pick
from fupan.appeals.v1 import service_pb2 as appeals
from fupan.scoring.v1 import events_pb2 as scoring
from fupan.scoring.v1 import service_pb2 as pb


def whatif(
    *,
    appeal: Annotated[str, Parameter(help="what is sought in an appeal, in place of remedies")] = "",
    contested: ContestedOptions = CONTESTED,
    sought: RemedyOptions = REMEDIES,
    lines: Lines = "",
    everybody: Annotated[
        bool,
        Parameter(name="--all", negative=(), help="those too for whom nothing changes"),
    ] = False,
    seating: Annotated[
        bool,
        Parameter(help="how the next round would be seated otherwise", negative=()),
    ] = False,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Show what a ruling would change in the standings; nothing is written."""

    async def work(fupan: Fupan) -> pb.WhatIfResponse:
        championship = await championship_of(fupan, link)
        request = pb.WhatIfRequest(
            championship=championship,
            remedies=await _sought(fupan, championship, appeal, contested, sought),
            only_changes=not everybody,
            lines=changes.ranks(lines),
            seating=seating,
        )
        return await fupan.scoring.WhatIf(request)

    told = run(link, work)
    before, after = standings.records(told.before), standings.records(told.after)
    if show.form == "json":
        lines_crossed = changes.crossed(told.lines)
        found = {
            "before": before,
            "after": after,
            "lines": lines_crossed,
            "seating": _seating(told.seating if told.HasField("seating") else None),
            "reseated": _seating(told.reseated if told.HasField("reseated") else None),
            "replays": {"alone": told.replays_alone, "open": told.replays_open},
        }
        fields(found, (), "json")
        return
    compared = changes.side_by_side(before, after)
    reseated = _seating(told.reseated if told.HasField("reseated") else None)
    if not any(one["changed"] for one in compared):
        say(
            pick("the standings would not change", "名次不会变化")
            if reseated
            else pick("nothing would change", "不会有任何变化")
        )
    if compared or show.form == "csv":
        rows(compared, changes.columns(compared), show.form)
    changes.say_crossed(told.lines)
    _say_replays(told)
    if reseated and show.form == "table":
        _show_reseated(reseated)
    if seating and show.form == "table":
        _show_seating(told)


async def _sought(
    fupan: Fupan, championship: str, appeal: str, contested: ContestedOptions, sought: RemedyOptions
) -> Sequence[scoring.Remedy]:
    """The remedies meant: those given, or what an appeal asks for. Raises Problem."""
    if not appeal:
        return sought.messages(await located(fupan, championship, contested))
    if (contested, sought) != (CONTESTED, REMEDIES):
        raise Problem(
            pick("--appeal or remedies, not both", "--appeal 与补救请求只能选其一"),
            USAGE,
        )
    asked = appeals.GetAppealRequest(championship=championship, appeal=appeal)
    return (await fupan.appeals.GetAppeal(asked)).appeal.filed.sought


def _say_replays(told: pb.WhatIfResponse) -> None:
    """What is known of boards that would be played again (C3.3)."""
    if told.replays_alone:
        say(
            pick(
                "played again at one table, a board is compared with nobody: 50 % a seat, whatever is scored (C3.3);"
                " void without fault it gives 60 % (C2.2), --assign any percentage",
                "仅一桌重打的一副无从比较：不论得分各座记 50 %（C3.3）；无过错作废记 60 %（C2.2），--assign 可裁定任意得分率",
            )
        )
    if told.replays_open:
        say(
            pick(
                "what several tables make of a new deal is not known: the board counts for nothing here",
                "几桌重打同一副新牌的结果无从预知：此处该副不计",
            )
        )


_SEATS = (
    Column("table", "Table", "桌"),
    Column("before", "Seated before", "原座位", lambda entrants: " ".join(map(str, entrants))),
    Column("after", "Seated after", "新座位", lambda entrants: " ".join(map(str, entrants))),
)


def _seating(one: pb.NextSeating | None) -> dict[str, Any] | None:
    """A round as JSON has it; entrants by seat, 0 for house AI."""
    if one is None:
        return None
    return {
        "round": one.round,
        "tables": one.tables,
        "changes": [
            {"table": each.table, "before": list(each.before), "after": list(each.after)}
            for each in one.changes
        ],
        "byes_before": list(one.byes_before),
        "byes_after": list(one.byes_after),
    }


def _show_reseated(found: Mapping[str, Any]) -> None:
    number, tables, changed = found["round"], found["tables"], found["changes"]
    rows(changed, _SEATS, "table")
    say(
        pick(
            f"round {number}, before it begins: {len(changed)} of {tables} tables otherwise",
            f"第 {number} 轮开始之前：{tables} 桌中 {len(changed)} 桌改座",
        )
    )


def _show_seating(told: pb.WhatIfResponse) -> None:
    found = _seating(told.seating if told.HasField("seating") else None)
    if found is None:
        say(pick("no round is left that ranks would seat", "没有按名次编排的后续轮次"))
        return
    number, tables, changed = found["round"], found["tables"], found["changes"]
    if changed:
        rows(changed, _SEATS, "table")
    say(
        pick(
            f"round {number}, paired now: {len(changed)} of {tables} tables otherwise",
            f"第 {number} 轮若现在编排：{tables} 桌中 {len(changed)} 桌不同",
        )
    )
    byes = [" ".join(map(str, found[side])) or "–" for side in ("byes_before", "byes_after")]
    if byes[0] != byes[1]:
        say(pick(f"byes: {byes[0]} before, {byes[1]} after", f"轮空：原 {byes[0]}，现 {byes[1]}"))
