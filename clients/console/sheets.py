"""Score sheets as forms have them (C8.6): a match deal by deal, times, and the rows of S10 with what may be found under each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from clients.console.language import Language
from fupan.table.v1 import sheet_pb2 as pb
from services.games.shengji import infringements
from services.games.shengji.params import Params

FIGURES = 7
"""Of a deal: declarer, level, P, then by side (seats 0 and 2, seats 1 and 3) fines and rises."""


class Unreadable(Exception):
    """A line of deals that is none; `line` counts from 1."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


def written(deals: Sequence[pb.SheetDeal]) -> str:
    """Deals as a text field holds them, a line each."""
    return "\n".join(
        " ".join(map(str, (one.declarer, shown(one.level), one.points, *one.fines, *one.rises)))
        for one in deals
    )


def shown(level: str) -> str:
    """A level as people write it."""
    return "10" if level == "T" else level


def read(text: str) -> list[pb.SheetDeal]:
    """The deals that somebody wrote, figures by spaces or commas; a line of headings counts as none. Raises Unreadable."""
    lines = enumerate(text.splitlines(), 1)
    return [_deal(number, line) for number, line in lines if line.strip() and "declarer" not in line]


def _deal(number: int, line: str) -> pb.SheetDeal:
    parts = re.split(r"[,;\s]+", line.strip())
    if len(parts) != FIGURES:
        raise Unreadable(number)
    declarer, level, *rest = parts
    try:
        points, *sides = (int(one.replace("−", "-")) for one in rest)
        return pb.SheetDeal(
            declarer=int(declarer),
            level=level.upper().replace("10", "T"),
            points=points,
            fines=sides[:2],
            rises=sides[2:],
        )
    except ValueError:
        raise Unreadable(number) from None


def findings(language: Language, params: Params) -> Mapping[str, Sequence[tuple[str, str]]]:
    """What may be found under an event's parameters, by the row of the catalogue (S10): `S10.5 found` and how that is told."""
    return {
        f"{row.code} {language.pick(row.what, infringements.IN_CHINESE[row.code])}": list(
            _outcomes(row, language)
        )
        for row in infringements.under(params)
    }


_FINDINGS = {
    "ended": ("found at once", "当即发现"),
    "played_on": ("played on", "已继续打牌"),
    "two_or_more": ("two or more", "两张以上"),
    "one": ("one", "一张"),
    "left_face_up": ("left face up", "未及扣回"),
    "partners": ("partners", "同方之间"),
    "opponents": ("opponents", "双方之间"),
    "lead": ("when leading", "领出时"),
    "follow": ("when following", "跟出时"),
    "warning": ("warning", "警告"),
    "fine": ("fine", "罚分"),
    "forfeit": ("forfeit", "判负"),
}


def _outcomes(row: infringements.Infringement, language: Language) -> Iterator[tuple[str, str]]:
    for finding, outcome in row.outcomes.items():
        told = [language.pick(*_FINDINGS[finding])] if finding in _FINDINGS else []
        if outcome.fine is None:
            told.append(language.pick("points as given", "罚分自定"))
        elif outcome.fine:
            each = language.pick(" a card", "／张") if outcome.unit == "card" else ""
            told.append(language.pick(f"{outcome.fine} points", f"罚 {outcome.fine} 分") + each)
        if outcome.ends:
            told.append(language.pick("the deal ends", "本副结束"))
        yield f"{row.code} {finding}", f"{row.code} · {', '.join(told) or language.pick('put right', '纠正')}"
