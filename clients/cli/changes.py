"""Two standings side by side, and the lines that are crossed between them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from cyclopts import Parameter

from clients.cli.output import USAGE, Column, Problem, say
from clients.cli.words import pick
from fupan.scoring.v1 import service_pb2 as pb

Lines = Annotated[
    str,
    Parameter(
        help="ranks down to which something is given, a prize or a place: 3,8;"
        " default those of the championship's file",
    ),
]

_WHO = (
    Column("entrant", "Entrant", "编号", right=True),
    Column("persons", "Persons", "人员", ", ".join),
    Column("rank_before", "Rank before", "原名次", right=True),
    Column("rank", "Rank after", "新名次", right=True),
)
_PERCENT = (
    Column("percent_before", "R % before", "原得分率", lambda value: f"{value:.1f}", right=True),
    Column("percent", "R % after", "新得分率", lambda value: f"{value:.1f}", right=True),
)
_POINTS = (
    Column("points_before", "Points before", "原积分", right=True),
    Column("points", "Points after", "新积分", right=True),
    Column("net_before", "Net before", "原净胜", lambda value: f"{value:+d}", right=True),
    Column("net", "Net after", "新净胜", lambda value: f"{value:+d}", right=True),
)
_CHANGED = Column("changed", "", "", lambda yes: "◀" if yes else "")
_FIGURES = ("rank", "percent", "points", "net", "matches")


def columns(compared: Iterable[dict[str, Any]]) -> tuple[Column, ...]:
    """The columns of `side_by_side` that suit what the order goes by."""
    return *_WHO, *(_POINTS if any(one["points"] for one in compared) else _PERCENT), _CHANGED


def side_by_side(before: Iterable[dict[str, Any]], after: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Both standings, as `standings.records` has them, of the same entrants, in the new order."""
    earlier = {one["entrant"]: one for one in before}
    compared = []
    for one in after:
        old = earlier.get(one["entrant"], one)
        figure = {name: one[name] for name in _FIGURES}
        compared.append(
            {
                "entrant": one["entrant"],
                "persons": one["persons"],
                **figure,
                **{f"{name}_before": old[name] for name in _FIGURES},
                "changed": figure != {name: old[name] for name in _FIGURES},
            }
        )
    return compared


def ranks(text: str) -> list[int]:
    """The ranks of `--lines`. Raises Problem."""
    parts = [part.strip() for part in text.split(",")] if text else []
    if not all(part.isdecimal() and 0 < int(part) < 1_000_000 for part in parts):
        raise Problem(
            pick(f"--lines {text}: ranks separated by commas", f"--lines {text}：须为逗号分隔的名次"), USAGE
        )
    return [int(part) for part in parts]


def crossed(lines: Iterable[pb.LineCrossed]) -> list[dict[str, Any]]:
    """Lines as JSON has them."""
    return [{"rank": one.rank, "gained": list(one.gained), "lost": list(one.lost)} for one in lines]


def say_crossed(lines: Iterable[pb.LineCrossed]) -> None:
    """Tell who crosses which line."""
    for one in lines:
        gained, lost = (", ".join(map(str, numbers)) or "–" for numbers in (one.gained, one.lost))
        say(
            pick(
                f"line after rank {one.rank}: in {gained}; out {lost}",
                f"前 {one.rank} 名：进入 {gained}；退出 {lost}",
            )
        )
