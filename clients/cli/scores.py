"""`fupan score`: corrections by officials, publications, rebuilding (C2.2, C9.2)."""

from __future__ import annotations

from datetime import tzinfo
from typing import Annotated

from cyclopts import Parameter

from clients.cli import standings
from clients.cli.connection import Fupan, championship_of, command_id, run
from clients.cli.figures import numbers, scaled, tenths
from clients.cli.options import LINK, SHOW, Link, Reason, Show
from clients.cli.output import FAILED, OK, Column, accepted, rows, say
from clients.cli.times import moment, zone_of
from clients.cli.words import pick, word
from fupan.scoring.v1 import service_pb2 as pb

_PUBLICATIONS = (
    Column("number", "Number", "序号", right=True),
    Column("published", "Published", "公布于"),
    Column("after_round", "After round", "轮次后", right=True),
    Column("cause", "Cause", "原因", word),
    Column("entrants", "Entrants", "参赛数", right=True),
    Column("digest", "Digest", "摘要"),
)


def correct(
    table: str,
    board: int,
    /,
    *,
    scores: Annotated[str, Parameter(help="raw scores by seat, sum 0: 10,-5,-5", allow_leading_hyphen=True)],
    round_: Annotated[int, Parameter(name="--round", help="round of the board")],
    reason: Reason,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Correct a board's raw scores on the chief referee's authority (C9.2).

    Parameters
    ----------
    table
        Table id.
    board
        Board of the round.
    """

    async def work(fupan: Fupan) -> pb.CorrectResultResponse:
        request = pb.CorrectResultRequest(
            command_id=command_id(),
            championship=await championship_of(fupan, link),
            round=round_,
            table=table,
            board=board,
            scores=[scaled(one, 0) for one in numbers(scores)],
            reason=reason,
        )
        return await fupan.scoring.CorrectResult(request)

    accepted(run(link, work).receipt, show.form)


def correct_match(
    table: str,
    winner: int,
    levels: str,
    /,
    *,
    round_: Annotated[int, Parameter(name="--round", help="round of the match")],
    reason: Reason,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Correct a match of the points format on the chief referee's authority (C8.2, C9.2).

    Parameters
    ----------
    table
        Table id.
    winner
        Side that won: 0 sits in seats 0 and 2, 1 in seats 1 and 3.
    levels
        Levels by side, A,7; ten is T.
    """

    async def work(fupan: Fupan) -> pb.CorrectMatchResponse:
        request = pb.CorrectMatchRequest(
            command_id=command_id(),
            championship=await championship_of(fupan, link),
            round=round_,
            table=table,
            winner=winner,
            levels=[level.strip().upper().replace("10", "T") for level in levels.split(",")],
            reason=reason,
        )
        return await fupan.scoring.CorrectMatch(request)

    accepted(run(link, work).receipt, show.form)


def void(
    table: str,
    board: int,
    /,
    *,
    percent: Annotated[str, Parameter(help="percentage by seat: 60,50,40")],
    round_: Annotated[int, Parameter(name="--round", help="round of the board")],
    reason: Reason,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Void a board; its entrants get a percentage by fault: 60 none, 50 shared, 40 own (C2.2).

    Parameters
    ----------
    table
        Table id.
    board
        Board of the round.
    """

    async def work(fupan: Fupan) -> pb.VoidBoardResponse:
        request = pb.VoidBoardRequest(
            command_id=command_id(),
            championship=await championship_of(fupan, link),
            round=round_,
            table=table,
            board=board,
            tenths=[tenths(one) for one in numbers(percent)],
            reason=reason,
        )
        return await fupan.scoring.VoidBoard(request)

    accepted(run(link, work).receipt, show.form)


def assign(
    entrant: int,
    board: int,
    percent: float,
    /,
    *,
    round_: Annotated[int, Parameter(name="--round", help="round of the board")],
    reason: Reason,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Assign an entrant a percentage for one board (C2.2).

    Parameters
    ----------
    entrant
        Entrant number.
    board
        Board of the round.
    percent
        0 to 100, one decimal.
    """

    async def work(fupan: Fupan) -> pb.AssignPercentResponse:
        request = pb.AssignPercentRequest(
            command_id=command_id(),
            championship=await championship_of(fupan, link),
            entrant=entrant,
            round=round_,
            board=board,
            tenths=tenths(percent),
            reason=reason,
        )
        return await fupan.scoring.AssignPercent(request)

    accepted(run(link, work).receipt, show.form)


def penalty(
    name: str,
    entrant: int,
    percent: float,
    /,
    *,
    reason: Reason,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Set a penalty on an entrant's R; 0 lifts it.

    Parameters
    ----------
    name
        Id of the penalty, by which it can be changed.
    entrant
        Entrant number.
    percent
        Percentage points, one decimal.
    """

    async def work(fupan: Fupan) -> pb.SetPenaltyResponse:
        request = pb.SetPenaltyRequest(
            command_id=command_id(),
            championship=await championship_of(fupan, link),
            penalty=name,
            entrant=entrant,
            tenths=tenths(percent),
            reason=reason,
        )
        return await fupan.scoring.SetPenalty(request)

    accepted(run(link, work).receipt, show.form)


def publish(*, link: Link = LINK, show: Show = SHOW) -> None:
    """Publish the standings as they are now."""

    async def work(fupan: Fupan) -> pb.PublishStandingsResponse:
        request = pb.PublishStandingsRequest(
            command_id=command_id(), championship=await championship_of(fupan, link), cause="operator"
        )
        return await fupan.scoring.PublishStandings(request)

    published = run(link, work)
    accepted(published.receipt, show.form, number=published.number)


def publications(*, link: Link = LINK, show: Show = SHOW) -> None:
    """List the publications."""

    async def work(fupan: Fupan) -> tuple[pb.ListPublicationsResponse, tzinfo]:
        championship = await championship_of(fupan, link)
        request = pb.ListPublicationsRequest(championship=championship)
        return await fupan.scoring.ListPublications(request), await zone_of(fupan, championship)

    told, zone = run(link, work)
    rows(
        [
            {
                "number": one.published.number,
                "published": moment(one.time_us, zone),
                "after_round": one.published.after_round,
                "cause": one.published.cause,
                "entrants": one.published.entrants,
                "digest": one.published.digest.hex(),
                "cut": ",".join(f"{at.stream}@{at.sequence}" for at in one.published.cut.positions),
            }
            for one in told.publications
        ],
        _PUBLICATIONS,
        show.form,
    )


def rebuild(
    *,
    publication: Annotated[int, Parameter(help="publication; default the newest", show_default=False)] = 0,
    link: Link = LINK,
    show: Show = SHOW,
) -> int:
    """Fold the standings again from record 1 and compare them with the published ones; exit 1 if they differ."""

    async def work(fupan: Fupan) -> pb.RebuildStandingsResponse:
        championship = await championship_of(fupan, link)
        request = pb.RebuildStandingsRequest(championship=championship, publication=publication)
        return await fupan.scoring.RebuildStandings(request)

    told = run(link, work)
    found = standings.records(told.standings.rows)
    rows(found, standings.columns(found), show.form)
    same = pick("the same as published", "与公布的一致") if told.same else pick("DIFFERENT", "与公布的不一致")
    say(pick(f"{told.records_read} records read: {same}", f"读取 {told.records_read} 条记录：{same}"))
    return OK if told.same else FAILED
