"""`fupan sheet show`, `list`, `export`: what stands on score sheets, with the names of the players (C8.6)."""

from __future__ import annotations

from datetime import tzinfo
from pathlib import Path
from typing import Any

from clients.cli import files
from clients.cli.connection import Fupan, championship_of, run
from clients.cli.entrants import listed
from clients.cli.options import LINK, SHOW, Link, RoundOption, Show
from clients.cli.output import USAGE, Column, Problem, fields, rows, say
from clients.cli.times import zone
from clients.cli.words import pick, word
from clients.paper.sheet import Names, csv_of, record
from fupan.pairing.v1 import service_pb2 as pairing_pb
from fupan.table.v1 import sheet_service_pb2 as pb
from services.games.shengji.infringements import IN_CHINESE


def show_command(table: str, /, *, link: Link = LINK, show: Show = SHOW) -> None:
    """Show a sheet: result, deals, infringements, signatures.

    Parameters
    ----------
    table
        Table id.
    """

    async def work(fupan: Fupan) -> dict[str, Any]:
        return await _sheet(fupan, await championship_of(fupan, link), table)

    told = _by_side(run(link, work))
    fields(told, _SHEET, show.form)
    if show.form == "table":
        for title, columns in _PARTS.items():
            if told[title]:
                rows(told[title], columns, show.form)


def list_command(
    *,
    round_: RoundOption = 0,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """List the sheets of a round, and what each still waits for."""

    async def work(fupan: Fupan) -> list[dict[str, Any]]:
        championship = await championship_of(fupan, link)
        request = pb.ListSheetsRequest(championship=championship, round=round_)
        told = await fupan.sheets.ListSheets(request)
        event, names, here = await _event(fupan, championship)
        return [_by_side(record(one, event, names, here)) for one in told.sheets]

    rows(run(link, work), _LISTED, show.form)


def export(table: str, file: Path, /, *, link: Link = LINK) -> None:
    """Write a sheet to a file with the names of its players: one page of paper (.pdf), or rows (.csv).

    Parameters
    ----------
    table
        Table id.
    file
        File to write; its name ends in .pdf or .csv.
    """
    kind = file.suffix.lower()
    if kind not in (".pdf", ".csv"):
        raise Problem(pick(f"{file}: name it .pdf or .csv", f"{file}：文件名须以 .pdf 或 .csv 结尾"), USAGE)

    async def work(fupan: Fupan) -> dict[str, Any]:
        return await _sheet(fupan, await championship_of(fupan, link), table)

    told = run(link, work)
    if kind == ".pdf":
        files.write(file, _paper(told))
    else:
        files.write(file, csv_of(told))
    say(pick(f"{file} is written", f"已写入 {file}"))


def _paper(told: dict[str, Any]) -> bytes:
    """The record on a page. Raises Problem where it is too much for one that can be read."""
    from clients.paper.page import TooMuch, page

    try:
        return page(told)
    except TooMuch:
        told_so = pick("this sheet does not fit on a page; export it as CSV", "此表一页放不下，请导出为 CSV")
        raise Problem(told_so) from None


async def _event(fupan: Fupan, championship: str) -> tuple[pairing_pb.GetChampionshipResponse, Names, tzinfo]:
    """The championship, the names of its players, and its zone."""
    request = pairing_pb.GetChampionshipRequest(championship=championship)
    event = await fupan.pairing.GetChampionship(request)
    return event, Names(await listed(fupan, championship)), zone(event.settings.time_zone)


async def _sheet(fupan: Fupan, championship: str, table: str) -> dict[str, Any]:
    """A sheet as its record."""
    told = await fupan.sheets.GetSheet(pb.GetSheetRequest(championship=championship, table=table))
    return record(told.sheet, *await _event(fupan, championship))


def _by_side(told: dict[str, Any]) -> dict[str, Any]:
    """The record, its figures by side beside it; None where nothing is entered."""
    names = {"points": "points", "levels": "level", "difference": "net_levels"}
    written = told["winner"] is not None
    figures = {
        key: [side[name] for side in told["sides"]] if written else None for key, name in names.items()
    }
    return told | figures


def _seats(side: dict[str, Any]) -> str:
    players = ", ".join(one["name"] or one["person"] for one in side["players"])
    return f"{side['entrant']} ({players})"


def _sides(sides: list[dict[str, Any]]) -> str:
    return " — ".join(map(_seats, sides))


def _list(values: list[Any]) -> str:
    return " : ".join(map(str, values))


def _level(level: str) -> str:
    return "10" if level == "T" else level


def _levels(values: list[str]) -> str:
    return " : ".join(map(_level, values))


def _differences(values: list[int]) -> str:
    return " : ".join(f"{value:+}" for value in values)


def _row(code: str) -> str:
    return pick(code, f"{code} {IN_CHINESE.get(code, '')}".strip())


def _signed(one: dict[str, Any]) -> str:
    by = f" ({pick('taken by', '裁判代录')} {one['taken_by']})" if one["taken_by"] else ""
    return f"{one['name'] or one['person']}{by}"


_FIGURES = (
    Column("points", "Match points", "大分", _list),
    Column("levels", "Levels", "级数", _levels),
    Column("difference", "Difference", "差", _differences),
)
_SHEET = (
    Column("match", "Match", "场次"),
    Column("name", "Championship", "赛事"),
    Column("round", "Round", "轮", right=True),
    Column("state", "State", "状态", word),
    Column("place", "Place", "地点"),
    Column("started", "Began", "开始"),
    Column("ended", "Ended", "结束"),
    Column("sides", "Sides", "双方", _sides),
    *_FIGURES,
    Column("clause", "By", "依据"),
    Column("third_party", "Third party", "第三方", _signed),
    Column("witness", "Witness", "见证人", _signed),
    Column("referee", "Referee", "裁判员", _signed),
    Column("decision", "Decision", "裁定"),
)
_PARTS = {
    "deals": (
        Column("deal", "Deal", "副", right=True),
        Column("declarer", "Declarer", "庄家", right=True),
        Column("level", "Level", "级", _level),
        Column("points", "P", "得分", right=True),
        Column("fines", "Fines 0+2 : 1+3", "罚分", _list),
        Column("rises", "Rises 0+2 : 1+3", "升级", _list),
    ),
    "infringements": (
        Column("deal", "Deal", "副", right=True),
        Column("seat", "Seat", "座", right=True),
        Column("act", "Act", "次", right=True),
        Column("name", "Name", "姓名"),
        Column("code", "Row", "条目", _row),
        Column("what", "What", "违例"),
        Column("fine", "Fine", "罚分", right=True),
        Column("reason", "Reason", "理由"),
    ),
    "signatures": (
        Column("person", "Signed", "已签名"),
        Column("name", "Name", "姓名"),
        Column("time", "When", "时间"),
        Column("taken_by", "Taken by", "裁判代录"),
    ),
    "refusals": (
        Column("person", "Not signed", "拒签或争议"),
        Column("name", "Name", "姓名"),
        Column("reason", "Reason", "理由"),
        Column("entered_by", "Entered by", "登记人"),
        Column("time", "When", "时间"),
    ),
}
"""Lists of a sheet's record, as people see them."""

_LISTED = (
    Column("match", "Match", "场次"),
    Column("sides", "Sides", "双方", _sides),
    Column("state", "State", "状态", word),
    *_FIGURES,
    Column("ended", "Ended", "结束"),
)
