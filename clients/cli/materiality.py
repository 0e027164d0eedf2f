"""`fupan appeal materiality`: whether any ruling of a case changes a rank, and the smallest that does (C10.6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from cyclopts import Parameter
from grpc import StatusCode
from grpc.aio import AioRpcError

from clients.appealing import to_weigh
from clients.cli import changes, remedies
from clients.cli.changes import Lines
from clients.cli.connection import Fupan, championship_of, run
from clients.cli.options import LINK, SHOW, Link, Show
from clients.cli.output import USAGE, Column, Problem, fields, percent, rows, say
from clients.cli.words import pick
from fupan.appeals.v1 import service_pb2 as appeals
from fupan.pairing.v1 import service_pb2 as pairing_service
from fupan.scoring.v1 import service_pb2 as pb

_TRIED = (
    Column("rulings", "Ruling", "裁决", lambda rulings: "; ".join(map(remedies.text, rulings))),
    Column("away", "From what stands", "与现状之差"),
    Column("ranks_changed", "Ranks changed", "名次变化", right=True),
    Column("lines", "Lines crossed", "越线", lambda lines: " ".join(str(one["rank"]) for one in lines)),
)


def materiality(
    table: Annotated[str, Parameter(help="table of the board or match")] = "",
    board: Annotated[int, Parameter(help="board of the round; of the points format none")] = 0,
    /,
    *,
    round_: Annotated[int, Parameter(name="--round", help="round of the board or match")] = 0,
    appeal: Annotated[str, Parameter(help="what an appeal contests, and asks something for")] = "",
    penalty: Annotated[str, Parameter(help="a penalty, by its name")] = "",
    pairing: Annotated[int, Parameter(help="the pairing of a round")] = 0,
    entrant: Annotated[int, Parameter(help="who disputes the pairing")] = 0,
    lines: Lines = "",
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Show whether any ruling of a case changes a rank, and the smallest that does; nothing is written.

    Tried are, of a board: void, played again, every score that the game and its fines allow, percentages, penalties; of a match:
    every result; of a penalty: as much of it lifted as it takes; of a pairing: percentages for the boards of the round.
    """

    async def work(fupan: Fupan) -> pb.MaterialityResponse:
        championship = await championship_of(fupan, link)
        request = pb.MaterialityRequest(
            round=round_, table=table, board=board, penalty=penalty, pairing=pairing, entrant=entrant
        )
        requests = await _of_appeal(fupan, championship, appeal) if appeal else [request]
        for one in requests:
            one.championship = championship
            one.lines.extend(changes.ranks(lines))
        return await _weighed(fupan, requests)

    told = run(link, work)
    tried = list(map(_tried, told.tried))
    if show.form == "json":
        fields({"material": told.material, "tried": tried}, (), "json")
        return
    rows(tried, _TRIED, show.form)
    for one in tried:
        _say_smallest(one)
    if not tried:
        say(
            pick(
                "nothing may be ruled on this: a committee has, or nothing of it is scored yet",
                "对此已不能再作裁决：仲裁委员会已裁决，或尚无成绩",
            )
        )
    elif told.material:
        say(pick("a ruling can change ranks", "裁决可能改变名次"))
    else:
        say(pick("no ruling of this case changes a rank", "此案的任何裁决均不改变名次"))


async def _of_appeal(fupan: Fupan, championship: str, appeal: str) -> list[pb.MaterialityRequest]:
    """What rulings are tried on: what an appeal contests, and what else it asks something for. Raises Problem."""
    asked = appeals.GetAppealRequest(championship=championship, appeal=appeal)
    filed = (await fupan.appeals.GetAppeal(asked)).appeal.filed
    points = not (await _settings(fupan, championship)).boards_per_round
    found = to_weigh(filed, points)
    if not found:
        raise Problem(
            pick(
                "this appeal contests no board, no pairing and no penalty: name one",
                "此申诉所争议的不是某副、某轮编排或罚分：请指明其一",
            ),
            USAGE,
        )
    return found


async def _weighed(fupan: Fupan, requests: Sequence[pb.MaterialityRequest]) -> pb.MaterialityResponse:
    """What was tried, all of it. A penalty that an appeal wants added, and nobody has yet, is left out."""
    told = pb.MaterialityResponse()
    for request in requests:
        try:
            answer = await fupan.scoring.Materiality(request)
        except AioRpcError as error:
            if len(requests) > 1 and request.penalty and error.code() is StatusCode.NOT_FOUND:
                continue
            raise
        told.material |= answer.material
        told.tried.extend(answer.tried)
    return told


async def _settings(fupan: Fupan, championship: str) -> Any:
    request = pairing_service.GetChampionshipRequest(championship=championship)
    return (await fupan.pairing.GetChampionship(request)).settings


def _tried(one: pb.Tried) -> dict[str, Any]:
    """A ruling as JSON has it; `smallest`: what no smaller one of its kind does, 0 for changing a rank, else a line."""
    return {
        "rulings": remedies.told([one.remedy, *one.further]),
        "size": one.size,
        "away": _away(one),
        "ranks_changed": one.ranks_changed,
        "ranks": [
            {"entrant": each.entrant, "before": each.before, "after": each.after} for each in one.ranks
        ],
        "lines": changes.crossed(one.lines),
        "smallest": list(one.smallest),
    }


def _away(one: pb.Tried) -> str:
    """How far a ruling is from what stands, in words."""
    match one.remedy.WhichOneof("kind"):
        case "correct_result":
            return pick(f"{one.size} points away", f"相差 {one.size} 分")
        case "correct_match":
            return pick(f"{one.size} levels away", f"相差 {one.size} 级")
        case "assign_percent" if not one.size:
            return pick("as now, compared with nobody", "得分率不变，不再参与比较")
        case "assign_percent" | "set_penalty":
            return pick(f"{percent(one.size)} % away", f"相差 {percent(one.size)} %")
    return ""


def _say_smallest(one: Mapping[str, Any]) -> None:
    for goal in one["smallest"]:
        ruling = "; ".join(map(remedies.text, one["rulings"]))
        if goal:
            line = next(each for each in one["lines"] if each["rank"] == goal)
            moved = _numbers(line["gained"]), _numbers(line["lost"])
            say(
                pick(
                    f"smallest across the line after rank {goal}: {ruling}; in {moved[0]}, out {moved[1]}",
                    f"使前 {goal} 名变动的最小裁决：{ruling}；进入 {moved[0]}，退出 {moved[1]}",
                )
            )
        else:
            moves = [(each["entrant"], f"{each['before']}→{each['after']}") for each in one["ranks"]]
            ranks = pick(
                ", ".join(f"entrant {entrant}: {move}" for entrant, move in moves),
                "，".join(f"{entrant} 号 {move}" for entrant, move in moves),
            )
            say(
                pick(
                    f"smallest that changes a rank: {ruling} ({one['away']}); {ranks}",
                    f"改变名次的最小裁决：{ruling}（{one['away']}）；{ranks}",
                )
            )


def _numbers(entrants: Iterable[int]) -> str:
    return ", ".join(map(str, entrants)) or "–"
