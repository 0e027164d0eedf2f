"""`fupan sheet`: score sheets of matches with real cards, from the first infringement to the last signature (C8.6, S10)."""

from __future__ import annotations

from datetime import datetime, tzinfo
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from clients.cli.connection import Fupan, championship_of, command_id, order, run
from clients.cli.options import LINK, SHOW, Link, Show
from clients.cli.output import Column, accepted, fields, rows
from clients.cli.sheetfile import read_deals
from clients.cli.times import micros, zone_of
from clients.cli.words import word
from clients.paper.sheet import SIDES
from fupan.table.v1 import sheet_pb2
from fupan.table.v1 import sheet_service_pb2 as pb

Reason = Annotated[str, Parameter(help="why")]
Again = Annotated[str, Parameter(help="why, where they were entered before")]
Place = Annotated[str, Parameter(help="where it was played; default the table")]
Began = Annotated[
    datetime | None,
    Parameter(help="when the match began; default when its table was opened"),
]
Ended = Annotated[datetime | None, Parameter(help="when it ended; default now")]
LastDeal = Annotated[
    Literal["finish_deal", "one_more_deal"] | None,
    Parameter(help="why the last deal was still played when time was over (C8.3)"),
]
Act = Annotated[int, Parameter(help="which act of that seat in that deal: one act is fined once (S9.2)")]
For = Annotated[
    str,
    Parameter(name="--for", help="whose it is, on a referee's device; default one's own"),
]


# Referees


def enter(
    table: str,
    deals: Path,
    /,
    *,
    place: Place = "",
    began: Began = None,
    ended: Ended = None,
    last_deal: LastDeal = None,
    reason: Again = "",
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Enter a match deal by deal, as a referee. What does not add up is refused with what it should be.

    Parameters
    ----------
    table
        Table id.
    deals
        CSV, a deal a row: declarer, level, points, fines_02, fines_13, rises_02, rises_13.
    """
    written = read_deals(deals)

    async def work(fupan: Fupan) -> pb.EnterSheetResponse:
        championship = await championship_of(fupan, link)
        here = await zone_of(fupan, championship)
        request = pb.EnterSheetRequest(
            command_id=command_id(),
            championship=championship,
            table=table,
            figures=_figures(written, place, began, ended, last_deal, here),
            reason=reason,
        )
        return await fupan.sheets.EnterSheet(request)

    entered = run(link, work)
    _came_out(entered.receipt, entered.result, show)


def infringe(
    table: str,
    deal: int,
    seat: int,
    code: str,
    /,
    *,
    finding: Annotated[str, Parameter(help="which outcome of the row was found")] = "found",
    cards: Annotated[int, Parameter(help="cards that the fine counts")] = 1,
    amount: Annotated[
        int | None,
        Parameter(help="points, where the catalogue leaves them to the referee"),
    ] = None,
    act: Act = 1,
    reason: Reason,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Enter an infringement of the catalogue (S10), as a referee. Deals that are entered are entered anew after it.

    Parameters
    ----------
    table
        Table id.
    deal
        Number of the deal, from 1.
    seat
        Seat of who did it.
    code
        Row of the catalogue: S10.5.
    """
    entered = order(
        link,
        lambda fupan, to: fupan.sheets.EnterInfringement(
            pb.EnterInfringementRequest(
                **to,
                table=table,
                infringement=sheet_pb2.EnterInfringement(
                    deal=deal,
                    seat=seat,
                    act=act,
                    code=code,
                    finding=finding,
                    cards=cards,
                    amount=amount,
                    reason=reason,
                ),
            )
        ),
    )
    one = entered.infringement
    told = {
        "code": one.code,
        "what": one.what,
        "fine": one.fine,
        "effect": one.effect,
        "ends": one.ends,
        **_receipt(entered.receipt),
    }
    fields(told, _ENTERED, show.form)


def lift(
    table: str, deal: int, seat: int, /, *, act: Act = 1, reason: Reason, link: Link = LINK, show: Show = SHOW
) -> None:
    """Take back an infringement that was entered by mistake, as a referee.

    Parameters
    ----------
    table
        Table id.
    deal
        Number of the deal, from 1.
    seat
        Seat of who was said to have done it.
    """
    done = order(
        link,
        lambda fupan, to: fupan.sheets.LiftInfringement(
            pb.LiftInfringementRequest(
                **to,
                table=table,
                infringement=sheet_pb2.LiftInfringement(deal=deal, seat=seat, act=act, reason=reason),
            )
        ),
    )
    accepted(done.receipt, show.form)


def confirm(table: str, /, *, link: Link = LINK, show: Show = SHOW) -> None:
    """Confirm a sheet that both sides have signed, as the referee who has verified it: the match counts (C8.6).

    Parameters
    ----------
    table
        Table id.
    """
    confirmed = order(
        link, lambda fupan, to: fupan.sheets.ConfirmSheet(pb.ConfirmSheetRequest(**to, table=table))
    )
    _came_out(confirmed.receipt, confirmed.result, show)


def decide(
    table: str,
    deals: Path | None = None,
    /,
    *,
    winner: Annotated[
        Literal["0+2", "1+3"] | None,
        Parameter(help="side that wins by the ruling, whatever was played"),
    ] = None,
    clause: Annotated[str, Parameter(help="clause of that ruling")] = "",
    place: Place = "",
    began: Began = None,
    ended: Ended = None,
    last_deal: LastDeal = None,
    reason: Reason,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Decide a disputed sheet, or rule a match that was not played out, as the chief referee: the match counts (C9.2).

    Parameters
    ----------
    table
        Table id.
    deals
        CSV of other deals; default those that are entered.
    """
    written = None if deals is None else read_deals(deals)

    async def work(fupan: Fupan) -> pb.DecideSheetResponse:
        championship = await championship_of(fupan, link)
        here = await zone_of(fupan, championship)
        figures = None if written is None else _figures(written, place, began, ended, last_deal, here)
        request = pb.DecideSheetRequest(
            command_id=command_id(),
            championship=championship,
            table=table,
            figures=figures,
            winner=None if winner is None else SIDES.index(winner),
            clause=clause,
            reason=reason,
        )
        return await fupan.sheets.DecideSheet(request)

    decided = run(link, work)
    _came_out(decided.receipt, decided.result, show)


# Players, and referees for them


def sign(
    table: str,
    /,
    *,
    people: Annotated[
        list[str] | None,
        Parameter(
            name="--for",
            help="whose it is, on a referee's device; default one's own",
            negative=(),
        ),
    ] = None,
    capacity: Annotated[
        Literal["player", "third_party", "witness"], Parameter(help="what one signs as")
    ] = "player",
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Sign a sheet, or take signatures on a referee's device: --for once a person.

    Parameters
    ----------
    table
        Table id.
    """

    async def work(fupan: Fupan) -> list[dict[str, str]]:
        championship = await championship_of(fupan, link)
        signed = []
        for person in people or [""]:
            request = pb.SignSheetRequest(
                command_id=command_id(),
                championship=championship,
                table=table,
                person=person,
                capacity=capacity,
            )
            told = await fupan.sheets.SignSheet(request)
            signed.append({"person": person, **_receipt(told.receipt)})
        return signed

    rows(run(link, work), (Column("person", "Signed", "已签名"), *_HASH), show.form)


def refuse(table: str, person: str, /, *, reason: Reason, link: Link = LINK, show: Show = SHOW) -> None:
    """Enter that a player refuses to sign, as a referee; the chief referee decides (C8.6).

    Parameters
    ----------
    table
        Table id.
    person
        Who refuses.
    """
    done = order(
        link,
        lambda fupan, to: fupan.sheets.RefuseSignature(
            pb.RefuseSignatureRequest(**to, table=table, person=person, reason=reason)
        ),
    )
    accepted(done.receipt, show.form)


def dispute(table: str, /, *, reason: Reason, person: For = "", link: Link = LINK, show: Show = SHOW) -> None:
    """Dispute what is entered; the chief referee decides.

    Parameters
    ----------
    table
        Table id.
    """
    done = order(
        link,
        lambda fupan, to: fupan.sheets.DisputeSheet(
            pb.DisputeSheetRequest(**to, table=table, person=person, reason=reason)
        ),
    )
    accepted(done.receipt, show.form)


# How


def _figures(
    deals: list[sheet_pb2.SheetDeal],
    place: str,
    began: datetime | None,
    ended: datetime | None,
    last_deal: str | None,
    here: tzinfo,
) -> sheet_pb2.SheetFigures:
    return sheet_pb2.SheetFigures(
        place=place,
        started_us=micros(began, here),
        ended_us=micros(ended, here),
        deals=deals,
        last_deal=last_deal or "",
    )


def _receipt(receipt: Any) -> dict[str, str]:
    return {"hash": receipt.hash.hex(), "position": receipt.position}


def _came_out(receipt: Any, result: sheet_pb2.SheetResult, show: Show) -> None:
    """How a match came out by what was entered."""
    told = {
        "winner": SIDES[result.winner],
        "levels": list(result.levels),
        "clause": result.clause,
        **_receipt(receipt),
    }
    fields(told, _RESULT, show.form)


_HASH = (Column("hash", "Record", "记录哈希"), Column("position", "Position", "位置"))
_RESULT = (
    Column("winner", "Winner", "胜方"),
    Column("levels", "Levels", "级数", " : ".join),
    Column("clause", "By", "依据"),
    *_HASH,
)
_ENTERED = (
    Column("code", "Row", "条目"),
    Column("what", "What", "违例"),
    Column("fine", "Fine", "罚分"),
    Column("effect", "Effect", "处理"),
    Column("ends", "Ends the deal", "本副结束", lambda yes: word("yes") if yes else ""),
    *_HASH,
)
