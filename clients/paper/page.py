"""A score sheet on paper: one A4 page in Chinese and English with every field of C8.6, as PDF.

Whatever stands on it, it is one page: what does not fit is set smaller. The font is part of the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from fpdf import FPDF
from fpdf.enums import Align
from fpdf.fonts import FontFace
from pylopdf_fonts_zh_cn import sans_path

from services.games.shengji.infringements import IN_CHINESE

MARGIN = 14
"""Of the page, mm."""

SMALLER = 0.9
"""Each try sets everything so much smaller than the one before."""

SMALLEST = 0.5
"""What is set smaller nobody can read."""

BARE_DEALS, BARE_INFRINGEMENTS = 24, 5
"""Rows to be filled in by hand, on a sheet of which nothing is entered."""

Row = Sequence[str]

_FONT = "Noto Sans SC"
_STATES = {
    "empty": "未登记 nothing entered",
    "open": "待签名 to be signed",
    "signed": "已签名 signed",
    "disputed": "有争议 disputed",
    "verified": "已核实 verified",
    "closed": "无结果 closed without a result",
}
_DEAL = ("副 Deal", "庄 Declarer", "级 Level", "得分 P", "罚 Fines", "升 Rises")
_HEADINGS = FontFace(fill_color=(238, 238, 238))


class TooMuch(Exception):
    """More stands on a sheet than fits on a page that can be read."""


def page(told: Mapping[str, Any]) -> bytes:
    """The PDF of a sheet's record (`clients.paper.sheet.record`); the same record gives the same bytes. Raises TooMuch."""
    scale = 1.0
    while scale > SMALLEST:
        paper = _fitting(told, scale)
        if paper is not None:
            return bytes(paper.output())
        scale *= SMALLER
    raise TooMuch


def _fitting(told: Mapping[str, Any], scale: float) -> FPDF | None:
    """The sheet set at a scale, None where it does not fit on one page."""
    try:
        paper = _Paper(told, scale)
    except ValueError:  # a single row is higher than a page
        return None
    return paper if paper.page == 1 else None


class _Paper(FPDF):
    """A sheet, everything set by `scale`."""

    def __init__(self, told: Mapping[str, Any], scale: float) -> None:
        super().__init__(format="A4")
        self._scale = scale
        self.set_creation_date(told["ended"] or datetime(1970, 1, 1, tzinfo=UTC))
        self.set_title(f"{told['name']} {told['match']}")
        self.set_margin(MARGIN)
        self.set_auto_page_break(True, MARGIN)
        self.add_font(_FONT, "", sans_path())
        self.add_page()
        self._line(told["name"], 14)
        self._line("记分表 · Score sheet", 11)
        self.ln(2 * scale)
        self._grid(_facts(told), (24, 67, 24, 67))
        self._part("双方 Sides")
        self._grid(_sides(told), (26, 14, 46, 38, 20, 20, 18), headings=True)
        self.ln(scale)
        for line in _outcome(told):
            self._line(line, 9)
        self._part("各副 Deals (小分; 罚、升 fines, rises: 0+2 : 1+3)")
        bare = told["state"] == "empty"
        deals, columns = _bare_deals() if bare else _deals(told["deals"])
        self._grid(deals, (12, 19, 13, 14, 21, 21) * columns, headings=True, height=6 if bare else 4.4)
        found = _infringements(told)
        if bare:
            found += [("",) * len(found[0])] * BARE_INFRINGEMENTS
        self._part("违例 Infringements" if found[1:] else "违例 Infringements: 无 none")
        if found[1:]:
            self._grid(found, (14, 34, 16, 62, 14, 42), headings=True, height=6 if bare else 4.4)
        self._part("签名 Signatures")
        self._grid(_signatures(told), (34, 46, 36, 66), headings=True, height=7)

    def _part(self, title: str) -> None:
        self.ln(1.5 * self._scale)
        self._line(title, 10)

    def _line(self, text: str, size: float) -> None:
        self.set_font(_FONT, size=size * self._scale)
        self.multi_cell(0, size * 0.5 * self._scale, text, align=Align.L, new_x="LMARGIN", new_y="NEXT")

    def _grid(
        self, rows: Iterable[Row], widths: Sequence[int], headings: bool = False, height: float = 4.4
    ) -> None:
        """A table; `widths` in proportion, `height` of a line in mm."""
        self.set_font(_FONT, size=8 * self._scale)
        with self.table(
            rows,
            col_widths=widths,
            line_height=height * self._scale,
            text_align=Align.L,
            first_row_as_headings=headings,
            headings_style=_HEADINGS,
            padding=(0.3 * self._scale, 0.8),
            v_align="M",
        ):
            pass


def _facts(told: Mapping[str, Any]) -> list[Row]:
    """What match it is, when and where."""
    return [
        ("场次 Match", told["match"], "轮次 Round", str(told["round"])),
        ("地点 Place", told["place"], "时间 Time", _span(told["started"], told["ended"])),
        ("规则 Rules", told["ruleset"], "状态 State", _STATES.get(told["state"], told["state"])),
    ]


def _sides(told: Mapping[str, Any]) -> list[Row]:
    """Both sides with players and units, points, levels and difference."""
    rows: list[Row] = [
        ("参赛号 Entrant", "座 Seat", "选手 Player", "单位 Unit", "大分 Points", "级数 Level", "差 ±")
    ]
    for side in told["sides"]:
        figures = _figure(side["points"]), _level(side["level"]), _figure(side["net_levels"], sign=True)
        for player in side["players"]:
            who = player["name"] or player["person"]
            rows.append((str(side["entrant"]), str(player["seat"]), who, player["unit"], *figures))
            figures = "", "", ""
    return rows


def _outcome(told: Mapping[str, Any]) -> list[str]:
    lines = []
    if told["state"] == "empty":
        lines.append(f"胜方 Winner: {'_' * 40}   条款 Clause: {'_' * 12}")
    if told["winner"]:
        lines.append(f"胜方 Winner: {told['winner']} ({told['clause']})")
    if told["decision"]:
        lines.append(f"裁判长裁定 Decision of the chief referee: {told['decision']}")
    return lines


def _deals(deals: Sequence[Mapping[str, Any]]) -> tuple[list[Row], int]:
    """The deals (小分) in as many columns as they need, and how many those are."""
    columns = 1 if len(deals) <= 10 else 2 if len(deals) <= 40 else 3
    height = -(-len(deals) // columns)
    rows: list[Row] = [_DEAL * columns]
    for line in range(height):
        row: list[str] = []
        for deal in deals[line::height]:
            row += [
                str(deal["deal"]),
                str(deal["declarer"]),
                _level(deal["level"]),
                str(deal["points"]),
                _by_side(deal["fines"]),
                _by_side(deal["rises"]),
            ]
        rows.append(row + [""] * (6 * columns - len(row)))
    return rows, columns


def _bare_deals() -> tuple[list[Row], int]:
    """Deals to be written in, numbered, and in how many columns."""
    half, nothing = BARE_DEALS // 2, ("",) * (len(_DEAL) - 1)
    return [_DEAL * 2, *((str(one), *nothing, str(one + half), *nothing) for one in range(1, half + 1))], 2


def _infringements(told: Mapping[str, Any]) -> list[Row]:
    """What was found against whom, and what it cost (违例)."""
    rows: list[Row] = [("副 Deal", "选手 Player", "条目 Row", "违例 Infringement", "罚 Fine", "理由 Reason")]
    for one in told["infringements"]:
        who = f"{one['seat']} {one['name'] or one['person']}"
        what = f"{IN_CHINESE.get(one['code'], '')} {one['what']}".strip()
        rows.append((str(one["deal"]), who, one["code"], what, str(one["fine"]), one["reason"]))
    return rows


def _signatures(told: Mapping[str, Any]) -> list[Row]:
    """Who signed, and who did not and why (签名)."""
    signed = {one["person"]: one for one in told["signatures"]}
    refused = {one["person"]: one for one in told["refusals"]}
    rows: list[Row] = [("签名 Signature", "姓名 Name", "时间 When", "备注 Remark")]
    for side in told["sides"]:
        for player in side["players"]:
            person, title = player["person"], f"选手 Player {player['seat']}"
            name = player["name"] or person
            if person in refused:
                one = refused[person]
                rows.append((title, name, "", f"未签 not signed: {one['reason']} ({one['entered_by']})"))
            else:
                rows.append(_signed(title, signed.get(person), name))
    for title, key in (
        ("第三方 Third party", "third_party"),
        ("见证人 Witness", "witness"),
        ("裁判员 Referee", "referee"),
    ):
        rows.append(_signed(title, told[key]))
    return rows


def _signed(title: str, one: Mapping[str, Any] | None, name: str = "") -> Row:
    if one is None:
        return title, name, "", ""
    remark = f"裁判代录 taken by {one['taken_by']}" if one["taken_by"] else ""
    return title, name or one["name"] or one["person"], _moment(one["time"]), remark


def _figure(value: int | None, sign: bool = False) -> str:
    return "" if value is None else f"{value:+}" if sign else str(value)


def _level(level: str | None) -> str:
    return "10" if level == "T" else level or ""


def _by_side(values: Sequence[int]) -> str:
    return f"{values[0]} : {values[1]}" if any(values) else "—"


def _span(began: datetime | None, ended: datetime | None) -> str:
    if began is None or ended is None:
        return ""
    same_day = began.date() == ended.date()
    return f"{_moment(began)} – {ended:%H:%M}" if same_day else f"{_moment(began)} – {_moment(ended)}"


def _moment(time: datetime | None) -> str:
    return "" if time is None else f"{time:%Y-%m-%d %H:%M}"
