"""`fupan appeal whatif`, `fupan appeal materiality`: what rulings would change; nothing is written (C10.6)."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from clients.cli import changes, remedies, standings
from clients.cli.changes import Lines
from clients.cli.connection import Fupan, championship_of, run
from clients.cli.options import LINK, SHOW, Link, Show
from clients.cli.output import Column, fields, rows, say
from clients.cli.remedies import CONTESTED, REMEDIES, ContestedOptions, RemedyOptions
from clients.cli.words import pick
from fupan.scoring.v1 import service_pb2 as pb


def whatif(
    *,
    contested: ContestedOptions = CONTESTED,
    sought: RemedyOptions = REMEDIES,
    lines: Lines = "",
    everybody: Annotated[
        bool,
        Parameter(name="--all", negative=(), help="those too for whom nothing changes", show_default=False),
    ] = False,
    seating: Annotated[
        bool,
        Parameter(help="how the next round would be seated otherwise", negative=(), show_default=False),
    ] = False,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Show what a ruling would change in the standings; nothing is written."""

    async def work(fupan: Fupan) -> pb.WhatIfResponse:
        request = pb.WhatIfRequest(
            championship=await championship_of(fupan, link),
            remedies=sought.messages(contested),
            only_changes=not everybody,
            lines=changes.ranks(lines),
            seating=seating,
        )
        return await fupan.scoring.WhatIf(request)

    told = run(link, work)
    before, after = standings.records(told.before), standings.records(told.after)
    if show.form == "json":
        lines_crossed = changes.crossed(told.lines)
        found = {"before": before, "after": after, "lines": lines_crossed, "seating": _seating(told)}
        fields(found, (), "json")
        return
    compared = changes.side_by_side(before, after)
    if not any(one["changed"] for one in compared):
        say(pick("nothing would change", "不会有任何变化"))
    if compared or show.form == "csv":
        rows(compared, changes.columns(compared), show.form)
    changes.say_crossed(told.lines)
    if seating and show.form == "table":
        _show_seating(told)


_SEATS = (
    Column("table", "Table", "桌"),
    Column("before", "Seated before", "原座位", lambda entrants: " ".join(map(str, entrants))),
    Column("after", "Seated after", "新座位", lambda entrants: " ".join(map(str, entrants))),
)


def _seating(told: pb.WhatIfResponse) -> dict[str, Any] | None:
    """The next round as JSON has it; entrants by seat, 0 for house AI."""
    if not told.HasField("seating"):
        return None
    one = told.seating
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


def _show_seating(told: pb.WhatIfResponse) -> None:
    found = _seating(told)
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


_TRIED = (
    Column("ruling", "Ruling", "裁决", remedies.text),
    Column("ranks_changed", "Ranks changed", "名次变化", right=True),
    Column("lines", "Lines crossed", "越线", lambda lines: " ".join(str(one["rank"]) for one in lines)),
)


def materiality(
    table: Annotated[str, Parameter(help="table of the board or match")],
    board: Annotated[int, Parameter(help="board of the round; of the points format none")] = 0,
    /,
    *,
    round_: Annotated[int, Parameter(name="--round", help="round of the board or match")],
    attempt: Annotated[int, Parameter(help="attempt of the board")] = 1,
    lines: Lines = "",
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Show whether any ruling that may be made of a board or a match changes a rank: the extremes of every kind are tried."""

    async def work(fupan: Fupan) -> pb.MaterialityResponse:
        request = pb.MaterialityRequest(
            championship=await championship_of(fupan, link),
            round=round_,
            table=table,
            board=board,
            attempt=attempt,
            lines=changes.ranks(lines),
        )
        return await fupan.scoring.Materiality(request)

    told = run(link, work)
    tried = [
        {
            "ruling": remedies.told([one.remedy])[0],
            "ranks_changed": one.ranks_changed,
            "lines": changes.crossed(one.lines),
        }
        for one in told.tried
    ]
    if show.form == "json":
        fields({"material": told.material, "tried": tried}, (), "json")
        return
    rows(tried, _TRIED, show.form)
    if told.material:
        say(pick("a ruling can change ranks", "裁决可能改变名次"))
    else:
        say(pick("no ruling tried changes a rank", "所试各种裁决均不改变名次"))
