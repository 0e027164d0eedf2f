"""`fupan entrants`: import them from CSV, list them, withdraw one (C1.2, C1.6), erase a person."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import grpc
from cyclopts import Parameter

from clients.cli import files, refusals
from clients.cli.bearer import patiently
from clients.cli.connection import Fupan, championship_of, command_id, order, run
from clients.cli.options import LINK, SHOW, Link, Show
from clients.cli.output import USAGE, Column, Problem, accepted, rows, say
from clients.cli.roster import BadRoster, Row, named, read
from clients.cli.words import pick
from fupan.pairing.v1 import service_pb2 as pb

_PAGE = 1_000
_COLUMNS = (
    Column("number", "Number", "编号", right=True),
    Column("persons", "Persons", "人员", ", ".join),
    Column("names", "Names", "姓名", ", ".join),
    Column("units", "Units", "单位", ", ".join),
    Column("withdrawn", "Withdrawn", "退赛", lambda yes: pick("yes", "是") if yes else ""),
)


def import_command(
    file: Path,
    /,
    *,
    every: Annotated[
        bool,
        Parameter(name="--all", negative=(), help="name every bad row, as --json does"),
    ] = False,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Import entrants, all or none: bad rows are named with line and reason.

    Parameters
    ----------
    file
        CSV with the columns number, person_id, unit_id, name, contact; person_id_2 and so on for pairs and teams.
    """
    every = every or show.form == "json"
    try:
        entrants = read(file)
    except BadRoster as bad:
        raise _unfit(file, bad.lines, every) from None

    digest = hashlib.sha256(files.read(file)).hexdigest()

    async def work(fupan: Fupan) -> pb.ImportEntrantsResponse:
        championship = await championship_of(fupan, link)
        # The same file is the same import: repeating the command after an outage enters nobody twice.
        try:
            return await enter(fupan, championship, f"import-{digest[:32]}", entrants)
        except grpc.aio.AioRpcError as error:
            if not every or refusals.read(error).reason != "BAD_ROWS":
                raise
        raise _unfit(file, await _bad(fupan, championship, entrants), every)

    imported = run(link, work)
    accepted(imported.receipt, show.form, imported=imported.imported)


def _unfit(file: Path, lines: Sequence[str], every: bool) -> Problem:
    for line in named(lines, every):
        say(f"{file}: {line}")
    return Problem(pick("nothing was imported; mend these rows", "未导入任何内容，请修正以上各行"), USAGE)


async def _bad(fupan: Fupan, championship: str, entrants: Sequence[Row]) -> list[str]:
    """Every row that the service finds bad, as many as its answer holds. Raises AioRpcError."""

    async def requests() -> AsyncIterator[pb.CheckEntrantsRequest]:
        yield pb.CheckEntrantsRequest(
            header=pb.ImportHeader(command_id=command_id(), championship=championship)
        )
        for row in entrants:
            yield pb.CheckEntrantsRequest(row=_message(row))

    async def send() -> pb.CheckEntrantsResponse:
        return await fupan.pairing.CheckEntrants(requests())

    told = await patiently(send, fupan.patience)
    lines = [pick(f"line {one.line}: {one.why}", f"第 {one.line} 行：{one.why_zh}") for one in told.bad]
    return lines + (
        [pick(f"and {told.more} more, when these are mended", f"修正后另有 {told.more} 行")]
        if told.more
        else []
    )


async def enter(
    fupan: Fupan, championship: str, command: str, entrants: Sequence[Row]
) -> pb.ImportEntrantsResponse:
    """Import rows under the command id `command`. Raises AioRpcError."""

    async def requests() -> AsyncIterator[pb.ImportEntrantsRequest]:
        yield pb.ImportEntrantsRequest(header=pb.ImportHeader(command_id=command, championship=championship))
        for row in _tracked(entrants):
            yield pb.ImportEntrantsRequest(row=_message(row))

    async def send() -> pb.ImportEntrantsResponse:
        return await fupan.pairing.ImportEntrants(requests())

    return await patiently(send, fupan.patience)


def list_command(*, link: Link = LINK, show: Show = SHOW) -> None:
    """List the entrants."""

    async def work(fupan: Fupan) -> list[dict[str, Any]]:
        return [_record(one) for one in await listed(fupan, await championship_of(fupan, link))]

    rows(run(link, work), _COLUMNS, show.form)


def withdraw(
    entrant: int,
    /,
    *,
    reason: Annotated[str, Parameter(help="why")],
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Withdraw an entrant: it is paired no more, and house AI plays its seat on.

    Parameters
    ----------
    entrant
        Entrant number.
    """
    done = order(
        link,
        lambda fupan, to: fupan.pairing.WithdrawEntrant(
            pb.WithdrawEntrantRequest(**to, entrant=entrant, reason=reason)
        ),
    )
    accepted(done.receipt, show.form)


def erase(person: str, /, *, link: Link = LINK, show: Show = SHOW) -> None:
    """Erase a person's name, contact and writings for ever; the log keeps its id and stays whole.

    Parameters
    ----------
    person
        Person id.
    """
    done = order(
        link, lambda fupan, to: fupan.pairing.ErasePerson(pb.ErasePersonRequest(**to, person_id=person))
    )
    accepted(done.receipt, show.form)


async def listed(fupan: Fupan, championship: str, position: str = "") -> list[pb.ListedEntrant]:
    """All entrants of a championship, by number."""
    found: list[pb.ListedEntrant] = []
    token = ""
    while True:
        request = pb.ListEntrantsRequest(
            championship=championship, page_size=_PAGE, page_token=token, min_position=position
        )
        page = await fupan.pairing.ListEntrants(request)
        found += page.entrants
        token = page.next_page_token
        if not token:
            return found


def _record(one: pb.ListedEntrant) -> dict[str, Any]:
    return {
        "number": one.entrant.number,
        "persons": [member.person_id for member in one.entrant.members],
        "names": list(one.names),
        "units": [member.unit_id for member in one.entrant.members],
        "withdrawn": one.withdrawn,
    }


def _message(row: Row) -> pb.ImportRow:
    members = [
        pb.PersonRow(person_id=one.person_id, unit_id=one.unit_id, name=one.name, contact=one.contact)
        for one in row.members
    ]
    return pb.ImportRow(line=row.line, number=row.number, members=members)


def _tracked(entrants: Sequence[Row]) -> Iterable[Row]:
    """The rows, with a bar where somebody looks at a terminal."""
    from rich.console import Console
    from rich.progress import track

    return track(
        entrants,
        pick("importing", "导入中"),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
