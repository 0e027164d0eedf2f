"""`fupan score`: corrections by officials, publications, rebuilding (C2.2, C9.2)."""

from __future__ import annotations

from datetime import tzinfo
from typing import Annotated

from cyclopts import Parameter

from clients.cli import standings
from clients.cli.connection import Fupan, championship_of, order, run
from clients.cli.figures import numbers, scaled, tenths
from clients.cli.options import LINK, SHOW, BoardRound, Link, Reason, Show
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
    round_: BoardRound,
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
    done = order(
        link,
        lambda fupan, to: fupan.scoring.CorrectResult(
            pb.CorrectResultRequest(
                **to,
                round=round_,
                table=table,
                board=board,
                scores=[scaled(one, 0) for one in numbers(scores)],
                reason=reason,
            )
        ),
    )
    accepted(done.receipt, show.form)


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
    done = order(
        link,
        lambda fupan, to: fupan.scoring.CorrectMatch(
            pb.CorrectMatchRequest(
                **to,
                round=round_,
                table=table,
                winner=winner,
                levels=[level.strip().upper().replace("10", "T") for level in levels.split(",")],
                reason=reason,
            )
        ),
    )
    accepted(done.receipt, show.form)


def void(
    table: str,
    board: int,
    /,
    *,
    percent: Annotated[str, Parameter(help="percentage by seat: 60,50,40")],
    round_: BoardRound,
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
    done = order(
        link,
        lambda fupan, to: fupan.scoring.VoidBoard(
            pb.VoidBoardRequest(
                **to,
                round=round_,
                table=table,
                board=board,
                tenths=[tenths(one) for one in numbers(percent)],
                reason=reason,
            )
        ),
    )
    accepted(done.receipt, show.form)


def assign(
    entrant: int,
    board: int,
    percent: float,
    /,
    *,
    round_: BoardRound,
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
    done = order(
        link,
        lambda fupan, to: fupan.scoring.AssignPercent(
            pb.AssignPercentRequest(
                **to, entrant=entrant, round=round_, board=board, tenths=tenths(percent), reason=reason
            )
        ),
    )
    accepted(done.receipt, show.form)


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
    done = order(
        link,
        lambda fupan, to: fupan.scoring.SetPenalty(
            pb.SetPenaltyRequest(**to, penalty=name, entrant=entrant, tenths=tenths(percent), reason=reason)
        ),
    )
    accepted(done.receipt, show.form)


def publish(*, link: Link = LINK, show: Show = SHOW) -> None:
    """Publish the standings as they are now."""
    published = order(
        link,
        lambda fupan, to: fupan.scoring.PublishStandings(pb.PublishStandingsRequest(**to, cause="operator")),
    )
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
    publication: Annotated[int, Parameter(help="publication; default the newest")] = 0,
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
    read = told.records_read
    say(pick(f"{read} records read: {same}", f"读取 {read} 条记录：{same}") if read else same)
    return OK if told.same else FAILED
