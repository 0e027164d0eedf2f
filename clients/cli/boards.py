"""`fupan board`: the traveller of a board, and a finished board step by step."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console

from clients.boards import replays
from clients.boards.replays import Replay
from clients.cli import boardfile, cases, faces, files, viewer
from clients.cli.connection import Fupan, championship_of, run
from clients.cli.options import LINK, SHOW, BoardRound, Link, Show
from clients.cli.output import USAGE, Column, Problem, in_words, rows, say, seconds
from clients.cli.words import pick
from fupan.scoring.v1 import service_pb2 as scoring_pb
from fupan.table.v1 import service_pb2 as table_pb
from services.domain import Rejected
from services.ledger import auditfile
from services.ledger.audit.boards import played_board
from services.ledger.audit.evidence import gather

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
_COMPARED = ("mp", "top", "percent")
"""Columns of boards on which scores are compared, which those of teams are not (C7.2)."""
_STEPS = tuple(
    Column(name, name, name)
    for name in ("step", "time_us", "seat", "automatic", "thinking_us", "action", "events")
)
"""Of a replay in CSV; views do not go into cells."""


def show_command(
    board: int,
    /,
    *,
    round_: BoardRound,
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

    records = [record for one in run(link, work).results for record in seats(one)]
    rows(records, _RESULTS if show.form == "csv" else columns(records), show.form)


def columns(records: Sequence[Mapping[str, Any]]) -> list[Column]:
    """The columns of a board's results, seat by seat, as a table has them."""
    compared = any(record[name] for record in records for name in _COMPARED)
    return [column for column in _RESULTS if compared or column.key not in _COMPARED]


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
    table: str = "",
    board: int = 0,
    /,
    *,
    attempt: Annotated[int, Parameter(help="attempt, where a ruling had the board replayed")] = 1,
    seat: Annotated[int | None, Parameter(help="what this seat knew")] = None,
    all_: Annotated[bool, Parameter(name="--all", negative=(), help="all hands (the default)")] = False,
    step: Annotated[
        bool,
        Parameter(
            negative=(),
            help="look through it with keys: forwards, backwards, to a decision; without a terminal all, with choices",
        ),
    ] = False,
    from_: Annotated[
        Path | None,
        Parameter(
            name="--from",
            help="replay kept with --json, case file, or audit file: no service asked",
        ),
    ] = None,
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
    if from_ is not None:
        played = _kept(from_, table, board, attempt, seat)
    else:
        if not table or not board:
            raise Problem(pick("which TABLE and BOARD?", "请给出桌号与第几副"), USAGE)

        async def work(fupan: Fupan) -> Replay:
            championship = await championship_of(fupan, link)
            return await fetched(fupan, championship, table, board, attempt, seat)

        # Whole before it is shown: while somebody looks at a step, Ctrl-C must not wait for a key.
        played = run(link, work)
    if show.form == "csv":
        rows(map(boardfile.record, played.steps), _STEPS, "csv")
    elif show.form == "json":
        for line in boardfile.lines(played):
            print(line)
    elif step and sys.stdin.isatty() and sys.stdout.isatty():
        viewer.view(played)
    else:
        _print(played, choices=step)


async def fetched(
    fupan: Fupan, championship: str, table: str, board: int, attempt: int, seat: int | None
) -> Replay:
    """A replay from the table service, `seat` None with all hands. Raises AioRpcError."""
    request = table_pb.ReplayBoardRequest(
        championship=championship,
        table=table,
        board=board,
        attempt=attempt,
        all=seat is None,
        seat=seat or 0,
    )
    return replays.of_service(championship, request, [one async for one in fupan.table.ReplayBoard(request)])


def _kept(path: Path, table: str, board: int, attempt: int, seat: int | None) -> Replay:
    """A replay from a file of any kind. Raises Problem."""
    data = files.read(path)
    if data.startswith(auditfile.MAGIC):
        if not table or not board:
            raise Problem(pick("which TABLE and BOARD of it?", "请给出其中的桌号与第几副"), USAGE)
        try:
            file = auditfile.parse(data)
            found = played_board(gather(file), table, board, attempt)
        except (auditfile.Damaged, Rejected) as error:
            raise Problem(f"{path}: {in_words(error)}") from None
        played = replays.of_audit(file.about.championship, found)
    elif table or board:
        raise Problem(pick("that file is of one board", "该文件只有一副牌"), USAGE)
    elif (case := cases.parse(data)) is not None:
        digest = sha256(data).hexdigest()
        told = f"fupan appeal show {case.appeal} --case"
        say(
            pick(
                f"case file, SHA-256 {digest}: the frozen one's is told by `{told}`",
                f"案卷，SHA-256 {digest}：所封存者的摘要见 `{told}`",
            )
        )
        played = cases.replay(case)
    else:
        played = boardfile.parse(files.read_text(path))
    if seat is None or seat == played.head.seat:
        return played
    if played.head.seat is not None or not 0 <= seat < len(played.steps[0].views):
        raise Problem(pick(f"seat {seat} is not in that file", f"该文件中没有 {seat} 座"), USAGE)
    return replays.known_to(played, seat)


def _print(played: Replay, choices: bool) -> None:
    """Every step: who did what, what else could have been done where `choices` are wanted, and the table afterwards."""
    console = Console(file=sys.stdout, highlight=False)
    for at, one in enumerate(played.steps):
        for line in viewer.told(played, at, choices):
            console.print(line, soft_wrap=True)
        faces.show(one.views)


def _at(values: Any, index: int) -> int:
    """A value by seat; 0 where a board has none (closed unfinished, say)."""
    return values[index] if index < len(values) else 0
