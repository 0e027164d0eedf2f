"""`fupan conduct`: what a referee records at no table, of players after play, of officials, of spectators (C11.1)."""

from __future__ import annotations

from datetime import tzinfo
from typing import Annotated, Any

from cyclopts import Parameter

from clients.cli.connection import Fupan, championship_of, order, run
from clients.cli.options import LINK, SHOW, Link, Show
from clients.cli.output import Column, accepted, rows
from clients.cli.times import moment, zone_of
from clients.cli.words import pick, word
from fupan.pairing.v1 import service_pb2 as pb
from services.games.championship.conduct import CATALOGUE

_CONDUCT = (
    Column("time", "Time", "时间"),
    Column("code", "Row", "条目"),
    Column("what", "What", "内容"),
    Column("entrant", "Entrant", "参赛编号", lambda number: str(number or ""), right=True),
    Column("person", "Person", "人员"),
    Column("round", "Round", "轮", lambda number: str(number or ""), right=True),
    Column("outcome", "Outcome", "处理", word),
    Column("reason", "Reason", "理由"),
    Column("referee", "Referee", "裁判"),
)


def record(
    code: str,
    outcome: str,
    /,
    *,
    reason: Annotated[str, Parameter(help="why (for officials, and whom it concerns)")],
    entrant: Annotated[int, Parameter(help="whose player did it")] = 0,
    person: Annotated[str, Parameter(help="the player, or the official who did it")] = "",
    round_: Annotated[int, Parameter(name="--round", help="round in or after which it was")] = 0,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Record conduct at no table, as a referee: after play, of an official, of a spectator (C11.1).

    Parameters
    ----------
    code
        Row of the catalogue: A6, R1, S3.
    outcome
        warning, fine, removal or forfeit.
    """
    done = order(
        link,
        lambda fupan, to: fupan.pairing.RecordConduct(
            pb.RecordConductRequest(
                **to,
                code=code,
                outcome=outcome,
                reason=reason,
                entrant=entrant,
                person_id=person,
                round=round_,
            )
        ),
    )
    accepted(done.receipt, show.form)


def list_command(*, link: Link = LINK, show: Show = SHOW) -> None:
    """List the conduct that was recorded at no table: all of it for officials who do not play, what concerns oneself for others."""

    async def work(fupan: Fupan) -> list[dict[str, Any]]:
        championship = await championship_of(fupan, link)
        zone = await zone_of(fupan, championship)
        told = await fupan.pairing.ListConduct(pb.ListConductRequest(championship=championship))
        return [_told(one, zone) for one in told.conduct]

    rows(run(link, work), _CONDUCT, show.form)


def _told(one: pb.Conduct, zone: tzinfo) -> dict[str, Any]:
    recorded = one.recorded
    row = CATALOGUE.get(recorded.code)
    return {
        "time": moment(one.time_us, zone),
        "code": recorded.code,
        "what": pick(row.en, row.zh) if row else "",
        "entrant": recorded.entrant,
        "person": recorded.person_id,
        "round": recorded.round,
        "outcome": recorded.outcome,
        "reason": one.reason,
        "referee": one.referee,
    }
