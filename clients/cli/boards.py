"""`fupan board`: the traveller of a board, and a finished board step by step."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console
from rich.text import Text

from clients.cli import faces
from clients.cli.connection import Fupan, championship_of, run
from clients.cli.options import LINK, SHOW, Link, Show
from clients.cli.output import USAGE, Column, Problem, rows, seconds
from clients.cli.words import pick
from fupan.scoring.v1 import service_pb2 as scoring_pb
from fupan.table.v1 import service_pb2 as table_pb
from services.ledger.games import GAMES

_RESULTS = (
    Column("table", "Table", "桌"),
    Column("group", "Group", "组", right=True),
    Column("seat", "Seat", "座", right=True),
    Column("entrant", "Entrant", "编号", lambda number: str(number or "—"), right=True),
    Column("score", "Score", "得分", lambda score: f"{score:+d}", right=True),
    Column("mp", "MP", "MP", right=True),
    Column("top", "Top", "满分", right=True),
    Column("percent", "r %", "r %", lambda value: f"{value:.1f}", right=True),
    Column("thinking_us", "Thinking s", "用时（秒）", seconds, right=True),
    Column("note", "", ""),
)
_STEPS = tuple(
    Column(name, name, name)
    for name in ("step", "time_us", "seat", "automatic", "thinking_us", "action", "events")
)
"""Of a replay in CSV; views do not go into cells."""


def show_command(
    board: int,
    /,
    *,
    round_: Annotated[int, Parameter(name="--round", help="round of the board")],
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Show all tables' results on a board that is closed everywhere.

    Parameters
    ----------
    board
        Board of the round.
    """

    async def work(fupan: Fupan) -> scoring_pb.GetBoardResponse:
        championship = await championship_of(fupan, link)
        request = scoring_pb.GetBoardRequest(championship=championship, round=round_, board=board)
        return await fupan.scoring.GetBoard(request)

    rows([record for one in run(link, work).results for record in seats(one)], _RESULTS, show.form)


def seats(one: scoring_pb.BoardResult) -> list[dict[str, Any]]:
    """A table's result on a board, a record a seat."""
    notes = [
        text
        for flag, text in (
            (one.corrected, pick("corrected", "已更正")),
            (one.voided, pick("voided", "作废")),
            (one.unfinished, pick("unfinished", "未完成")),
        )
        if flag
    ]
    return [
        {
            "table": one.table,
            "group": one.group,
            "attempt": one.attempt,
            "seat": seat,
            "entrant": entrant,
            "score": _at(one.scores, seat),
            "mp": _at(one.mp, seat),
            "top": _at(one.top, seat),
            "percent": _at(one.percent_tenths, seat) / 10,
            "thinking_us": _at(one.thinking_us, seat),
            "note": ", ".join(notes),
        }
        for seat, entrant in enumerate(one.entrants)
    ]


def replay(
    table: str,
    board: int,
    /,
    *,
    attempt: Annotated[int, Parameter(help="attempt, where a ruling had the board replayed")] = 1,
    seat: Annotated[int | None, Parameter(help="what this seat knew", show_default=False)] = None,
    all_: Annotated[bool, Parameter(name="--all", negative=(), help="all hands (the default)")] = False,
    step: Annotated[bool, Parameter(negative=(), help="wait for Enter after every step")] = False,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Replay a board of a table, step by step, once it is closed everywhere.

    Parameters
    ----------
    table
        Table id.
    board
        Board of the round.
    """
    if all_ and seat is not None:
        raise Problem(pick("--seat or --all, not both", "--seat 与 --all 只能选一"), USAGE)

    async def work(fupan: Fupan) -> list[table_pb.ReplayBoardResponse]:
        request = table_pb.ReplayBoardRequest(
            championship=await championship_of(fupan, link),
            table=table,
            board=board,
            attempt=attempt,
            all=seat is None,
            seat=seat or 0,
        )
        return [one async for one in fupan.table.ReplayBoard(request)]

    # Whole before it is shown: while somebody looks at a step, Ctrl-C must not wait for Enter.
    steps = run(link, work)
    if show.form == "csv":
        rows(map(_told, steps), _STEPS, "csv")
        return
    for one in steps:
        if show.form == "json":
            print(json.dumps(_told(one), ensure_ascii=False))
            continue
        _show_step(one)
        if step and sys.stdin.isatty() and not sys.stdin.readline():
            return


def _told(one: table_pb.ReplayBoardResponse) -> dict[str, Any]:
    """A step as JSON has it."""
    acted = one.acted if one.HasField("acted") else None
    return {
        "step": one.step,
        "time_us": one.time_us,
        "seat": acted.seat if acted else None,
        "automatic": acted.automatic if acted else False,
        "thinking_us": acted.thinking_us if acted else 0,
        "action": one.action,
        "events": list(one.events),
        "views": [faces.record(view) for view in _views(one)],
    }


def _show_step(one: table_pb.ReplayBoardResponse) -> None:
    """Who did what, and the table afterwards."""
    views = _views(one)
    face = faces.of(views[0])
    line = Text(f"{one.step:>4}  ")
    if one.HasField("acted"):
        line.append(pick(f"seat {one.acted.seat}", f"{one.acted.seat} 座"))
        if one.acted.thinking_us:
            line.append(f" ({seconds(one.acted.thinking_us)} s)")
        if one.action:
            line.append(": ").append_text(face.action(one.action))
    else:
        line.append(pick("deal", "发牌"))
    if one.events:
        told = Text("; ").join(face.event(text) for text in one.events)
        line.append("  → ").append_text(Text(style="dim").append_text(told))
    Console(file=sys.stdout, highlight=False).print(line, soft_wrap=True)
    faces.show(views)


def _views(one: table_pb.ReplayBoardResponse) -> list[Any]:
    """What the seat asked for saw, or every seat."""
    return [decoded(view) for view in (one.seats or [one.view])]


def decoded(view: table_pb.SeatView) -> Any:
    """The game's own view in a message; None where nothing is shown."""
    field = view.WhichOneof("game")
    return None if field is None else GAMES[field].views.from_proto(getattr(view, field))


def _at(values: Any, index: int) -> int:
    """A value by seat; 0 where a board has none (closed unfinished, say)."""
    return values[index] if index < len(values) else 0
