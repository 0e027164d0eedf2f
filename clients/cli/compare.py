"""`fupan board compare`: the same board across the field, decision by decision."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from clients.boards import counting, field, replays
from clients.boards.field import Crossing, Line
from clients.boards.replays import Replay
from clients.cli import faces, files
from clients.cli.boards import fetched
from clients.cli.connection import Fupan, championship_of, run
from clients.cli.explaining import decided, rulings_of
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
    "score": Column("score", "Played", "所打得分", lambda score: f"{score:+d}", right=True),
    "thinking": Column("thinking_us", "Thinking s", "用时（秒）", seconds, right=True),
}


def compare(
    round_: Annotated[int, Parameter(name="round")],
    board: int,
    /,
    *,
    decision: Annotated[
        int,
        Parameter(help="every table at this decision; default what was chosen at each"),
    ] = 0,
    table: Annotated[str, Parameter(help="table whose line is followed; default the first")] = "",
    from_: Annotated[Path | None, Parameter(name="--from", help="audit file: no service asked")] = None,
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

    async def work(fupan: Fupan) -> tuple[list[Replay], Results]:
        return await _fetched(fupan, await championship_of(fupan, link), round_, board)

    played, results = run(link, work) if from_ is None else _kept(from_, round_, board)
    if not played:
        raise Problem(pick("no table has played that board", "没有牌桌打过这副牌"))
    face, lines = faces.of_replay(played[0]), [field.line(one) for one in played]
    crossings = field.along(lines, _followed(lines, table))
    if decision:
        if not 1 <= decision <= len(crossings):
            raise Problem(
                pick(f"decisions are 1 to {len(crossings)}", f"决策为 1 至 {len(crossings)}"), USAGE
            )
        told = [*_tables(crossings[decision - 1], results)]
        names = ["table", "score", "now", "thinking"]
    else:
        shared = [one for one in crossings if one.tables > 1]
        told = [*_choices(shared, results)]
        names = ["count", "tables", "mean", "ruled"]
    # Where nothing was ruled, nobody needs to read that.
    names = [name for name in names if name not in ("now", "ruled") or any(one[name] for one in told)]
    rows(told, _columns(face, *names), show.form)


Results = Mapping[tuple[str, int], scoring_pb.BoardResult]
"""By table and attempt, with what was decided about it."""


async def _fetched(fupan: Fupan, championship: str, round_: int, board: int) -> tuple[list[Replay], Results]:
    """The replays of all tables that have a result on a board, and these results."""
    request = scoring_pb.GetBoardRequest(championship=championship, round=round_, board=board)
    told = await fupan.scoring.GetBoard(request)
    turn = asyncio.Semaphore(_AT_ONCE)

    async def one(result: scoring_pb.BoardResult) -> Replay:
        async with turn:
            return await fetched(fupan, championship, result.table, board, result.attempt, None)

    played = await asyncio.gather(*(one(result) for result in told.results if not result.unfinished))
    return played, {(result.table, result.attempt): result for result in told.results}


def _kept(path: Path, round_: int, board: int) -> tuple[list[Replay], Results]:
    """The replays of a board in an audit file, and what was decided about it. Raises Problem."""
    try:
        file = auditfile.parse(files.read(path))
        evidence = gather(file)
        found = played_everywhere(evidence, round_, board)
    except (auditfile.Damaged, Rejected) as error:
        raise Problem(f"{path}: {in_words(error)}") from None
    played = [replays.of_audit(file.about.championship, one) for one in found]
    return played, counting.of_audit(evidence, round_, board)


def _followed(lines: Sequence[Line], table: str) -> Line:
    if not table:
        return lines[0]
    found = next((one for one in lines if one.table == table), None)
    if found is None:
        raise Problem(pick(f"table {table} has not played it", f"{table} 桌没有打这副牌"))
    return found


def _choices(crossings: Sequence[Crossing], results: Results) -> Iterator[dict[str, Any]]:
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
                "ruled": [
                    {"table": line.table, "attempt": line.attempt, **counts}
                    for line in choice.lines
                    if (counts := _now(results, line, one.decision.seat)) is not None
                ],
            }


def _tables(one: Crossing, results: Results) -> Iterator[dict[str, Any]]:
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
                "now": _now(results, line, taken.seat),
            }


def _now(results: Results, line: Line, seat: int) -> dict[str, Any] | None:
    """What counts for a seat instead of what it scored at a table, and what was decided; None where nothing changed it."""
    result = results.get((line.table, line.attempt))
    scored = None if line.scores is None else line.scores[seat]
    counts = None if result is None else counting.now(result, seat, scored)
    if counts is None:
        return None
    # Teams are not scored in percent (C7.2).
    percent = None if counts.tenths is None or not _in_percent(results) else counts.tenths / 10
    return {"score": counts.score, "percent": percent, **rulings_of([counts.ruling])[0]}


def _in_percent(results: Results) -> bool:
    return any(any(one.percent_tenths) for one in results.values())


def _counts(now: Mapping[str, Any] | None) -> str:
    """What counts, and by which decision: `+4 (corrected, appeal a-1)`."""
    if now is None:
        return ""
    counts = "" if now["percent"] is None else f"{now['percent']:.1f} % "
    if now["score"] is not None:
        counts = f"{now['score']:+d} "
    return f"{counts}({decided(now)})"


def _columns(face: faces.Face, *names: str) -> tuple[Column, ...]:
    """The columns of what is asked for."""
    known = {
        **_PLAIN,
        "action": Column("action", "Choice", "选择", lambda text: face.action(text).plain),
        "count": Column("count", "Tables", "桌数", right=True),
        "table": Column("table", "Table", "桌"),
        "tables": Column("tables", "At", "各桌", ", ".join),
        "mean": Column("mean", "Mean played", "所打平均得分", lambda mean: f"{mean:+.1f}", right=True),
        "now": Column("now", "Counts now", "现计", _counts),
        "ruled": Column(
            "ruled",
            "Counts now",
            "现计",
            lambda ruled: "; ".join(f"{one['table']}: {_counts(one)}" for one in ruled),
        ),
    }
    return tuple(known[name] for name in ("decision", "seat", "action", *names))
