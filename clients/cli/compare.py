"""`fupan board compare`: the same board across the field, decision by decision."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from clients.boards import field, replays
from clients.boards.field import Crossing, Line
from clients.boards.replays import Replay
from clients.cli import faces, files
from clients.cli.boards import fetched
from clients.cli.connection import Fupan, championship_of, run
from clients.cli.options import LINK, SHOW, Link, Show
from clients.cli.output import USAGE, Column, Problem, in_words, rows, seconds
from clients.cli.words import pick
from fupan.scoring.v1 import service_pb2 as scoring_pb
from services.domain import Rejected
from services.ledger import auditfile
from services.ledger.audit.boards import played_everywhere
from services.ledger.audit.evidence import gather

_AT_ONCE = 4
"""Replays that are asked for at once."""

_PLAIN: dict[str, Column] = {
    "decision": Column("decision", "Decision", "决策", right=True),
    "seat": Column("seat", "Seat", "座", right=True),
    "score": Column("score", "Score", "得分", lambda score: f"{score:+d}", right=True),
    "thinking": Column("thinking_us", "Thinking s", "用时（秒）", seconds, right=True),
}


def compare(
    round_: Annotated[int, Parameter(name="round")],
    board: int,
    /,
    *,
    decision: Annotated[
        int,
        Parameter(help="every table at this decision; default what was chosen at each", show_default=False),
    ] = 0,
    table: Annotated[
        str, Parameter(help="table whose line is followed; default the first", show_default=False)
    ] = "",
    from_: Annotated[
        Path | None, Parameter(name="--from", help="audit file: no service asked", show_default=False)
    ] = None,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Compare what tables did on the same board, once it is closed everywhere.

    Parameters
    ----------
    round_
        Round of the board.
    board
        Board of the round.
    """

    async def work(fupan: Fupan) -> list[Replay]:
        return await _fetched(fupan, await championship_of(fupan, link), round_, board)

    played = run(link, work) if from_ is None else _kept(from_, round_, board)
    if not played:
        raise Problem(pick("no table has played that board", "没有牌桌打过这副牌"))
    face, lines = faces.of_replay(played[0]), [field.line(one) for one in played]
    crossings = field.along(lines, _followed(lines, table))
    if decision:
        if not 1 <= decision <= len(crossings):
            raise Problem(
                pick(f"decisions are 1 to {len(crossings)}", f"决策为 1 至 {len(crossings)}"), USAGE
            )
        rows(_tables(crossings[decision - 1]), _columns(face, "table", "score", "thinking"), show.form)
    else:
        shared = [one for one in crossings if one.tables > 1]
        rows(_choices(shared), _columns(face, "count", "tables", "mean"), show.form)


async def _fetched(fupan: Fupan, championship: str, round_: int, board: int) -> list[Replay]:
    """The replays of all tables that have a result on a board."""
    request = scoring_pb.GetBoardRequest(championship=championship, round=round_, board=board)
    told = await fupan.scoring.GetBoard(request)
    turn = asyncio.Semaphore(_AT_ONCE)

    async def one(result: scoring_pb.BoardResult) -> Replay:
        async with turn:
            return await fetched(fupan, championship, result.table, board, result.attempt, None)

    return list(await asyncio.gather(*(one(result) for result in told.results if not result.unfinished)))


def _kept(path: Path, round_: int, board: int) -> list[Replay]:
    """The replays of a board in an audit file. Raises Problem."""
    try:
        file = auditfile.parse(files.read(path))
        found = played_everywhere(gather(file), round_, board)
    except (auditfile.Damaged, Rejected) as error:
        raise Problem(f"{path}: {in_words(error)}") from None
    return [replays.of_audit(file.about.championship, one) for one in found]


def _followed(lines: Sequence[Line], table: str) -> Line:
    if not table:
        return lines[0]
    found = next((one for one in lines if one.table == table), None)
    if found is None:
        raise Problem(pick(f"table {table} has not played it", f"{table} 桌没有打这副牌"))
    return found


def _choices(crossings: Sequence[Crossing]) -> Iterator[dict[str, Any]]:
    """A record a choice."""
    for one in crossings:
        for choice in one.choices:
            yield {
                "decision": one.number,
                "seat": one.decision.seat,
                "question": one.decision.question,
                "action": choice.action,
                "followed": choice.action == one.decision.action,
                "count": len(choice.lines),
                "of": one.tables,
                "tables": [line.table for line in choice.lines],
                "mean": choice.mean,
            }


def _tables(one: Crossing) -> Iterator[dict[str, Any]]:
    """A record a table at one decision."""
    for choice in one.choices:
        for line in choice.lines:
            taken = next(each for each in line.decisions if each.known == one.decision.known)
            yield {
                "decision": one.number,
                "seat": taken.seat,
                "question": taken.question,
                "action": taken.action,
                "table": line.table,
                "attempt": line.attempt,
                "automatic": taken.automatic,
                "thinking_us": taken.thinking_us,
                "score": None if line.scores is None else line.scores[taken.seat],
                "scores": line.scores,
            }


def _columns(face: faces.Face, *names: str) -> tuple[Column, ...]:
    """The columns of what is asked for."""
    known = {
        **_PLAIN,
        "action": Column("action", "Choice", "选择", lambda text: face.action(text).plain),
        "count": Column("count", "Tables", "桌数", right=True),
        "table": Column("table", "Table", "桌"),
        "tables": Column("tables", "At", "各桌", ", ".join),
        "mean": Column("mean", "Mean score", "平均得分", lambda mean: f"{mean:+.1f}", right=True),
    }
    return tuple(known[name] for name in ("decision", "seat", "action", *names))
