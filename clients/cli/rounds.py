"""`fupan round`: pair, seat otherwise, start, close, play a rank off, and see which table holds it up (C6, C9.2, C2.2, C4.5)."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import tzinfo
from typing import Annotated, Any

from cyclopts import Parameter
from grpc import StatusCode
from grpc.aio import AioRpcError

from clients.cli import entrants, remedies
from clients.cli.connection import Fupan, championship_of, command_id, order, run
from clients.cli.options import LINK, SHOW, Link, Reason, RoundOption, Show
from clients.cli.output import USAGE, Column, Problem, accepted, rows, say
from clients.cli.times import moment, zone_of
from clients.cli.words import pick, word
from fupan.pairing.v1 import events_pb2 as events
from fupan.pairing.v1 import service_pb2 as pb

_PERSON = re.compile(r":[^,]*")
_NAMED = re.compile(r"[=,][^,:]*:?([^,]*)")
"""Who is named at a seat of a table, `r2-t1-open=3:li-wen,2`: empty where nobody is."""

_TABLES = (
    Column("table", "Table", "桌"),
    Column("group", "Group", "组", right=True),
    Column("entrants", "Entrants by seat", "座位", lambda seats: " ".join(str(one or "—") for one in seats)),
    Column("boards_closed", "Boards closed", "已完成", right=True),
    Column("boards", "of", "共", lambda boards: str(boards or ""), right=True),
    Column("last_closed", "Last closed", "最近完成"),
    Column("holds_up", "Holds up", "拖延", lambda yes: "◀" if yes else ""),
)


def pair(
    *,
    round_: Annotated[int, Parameter(name="--round", help="round; default the next")] = 0,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Seat the next round: the first by lot, later ones by rank."""
    paired = order(link, lambda fupan, to: fupan.pairing.PairRound(pb.PairRoundRequest(**to, round=round_)))
    accepted(paired.receipt, show.form, round=paired.round, tables=paired.tables)


def start(*, round_: RoundOption = 0, link: Link = LINK, show: Show = SHOW) -> None:
    """Start a round that is paired."""

    async def work(fupan: Fupan) -> pb.StartRoundResponse:
        championship = await championship_of(fupan, link)
        number = round_ or (await current(fupan, championship)).round
        request = pb.StartRoundRequest(command_id=command_id(), championship=championship, round=number)
        return await fupan.pairing.StartRound(request)

    accepted(run(link, work).receipt, show.form)


def close(
    *,
    reason: Annotated[str, Parameter(help="why it is closed before all its boards are")] = "",
    round_: RoundOption = 0,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Close a round; boards that are still open, and matches whose sheet is not confirmed, are closed without a result."""

    async def work(fupan: Fupan) -> tuple[pb.CloseRoundResponse, pb.GetRoundResponse]:
        championship = await championship_of(fupan, link)
        before = await current(fupan, championship, round_)
        request = pb.CloseRoundRequest(
            command_id=command_id(), championship=championship, round=before.round, reason=reason
        )
        return await fupan.pairing.CloseRound(request), before

    closed, before = run(link, work)
    accepted(closed.receipt, show.form)
    if unfinished := left_open(before):
        say(
            pick(
                f"closed without a result, until the chief referee corrects it (C2.2): {unfinished}",
                f"未有结果即告结束，待裁判长更正（C2.2）：{unfinished}",
            )
        )


def seat(
    round_: Annotated[int, Parameter(name="round")],
    /,
    *tables: str,
    reason: Reason,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Seat tables of a paired round otherwise, as the chief referee, before it begins (C9.2).

    Parameters
    ----------
    round_
        Round that is paired and has not begun.
    tables
        Tables that change, each with its entrants by seat: r2-t1=1,2,3; 0 is house AI; 3:li-wen names the person of entrant 3.
    """
    seats = remedies.seats_at(_PERSON.sub("", one) for one in tables)
    persons = [[one.strip() for one in _NAMED.findall(table)] for table in tables]

    async def work(fupan: Fupan) -> pb.OverrideSeatingResponse:
        championship = await championship_of(fupan, link)
        paired = await current(fupan, championship, round_)
        before = {one.table.table: one.table for one in paired.tables}
        listed = await entrants.listed(fupan, championship) if any(map(any, persons)) else []
        request = pb.OverrideSeatingRequest(
            command_id=command_id(),
            championship=championship,
            round=round_,
            tables=[
                seated(before.get(table, events.SeatedTable(table=table)), numbers, named, listed)
                for (table, numbers), named in zip(seats, persons, strict=True)
            ],
            reason=reason,
        )
        return await fupan.pairing.OverrideSeating(request)

    accepted(run(link, work).receipt, show.form)


def seated(
    before: events.SeatedTable,
    numbers: Sequence[int],
    named: Sequence[str],
    listed: Iterable[pb.ListedEntrant],
) -> events.SeatedTable:
    """A table with other entrants by seat, and the persons that are `named`, empty for as before. Raises Problem."""
    changed = events.SeatedTable(table=before.table, group=before.group, entrants=numbers)
    if not any(named):
        return changed
    members = {one.entrant.number: [each.person_id for each in one.entrant.members] for one in listed}
    for seat, (number, person) in enumerate(zip(numbers, named, strict=True)):
        if person and person not in members.get(number, ()):
            told = pick(f"{person} is nobody of entrant {number}", f"{person} 不属于参赛编号 {number}")
            raise Problem(told, USAGE)
        kept = before.members[seat] if seat < len(before.members) else 0
        changed.members.append(members[number].index(person) if person else kept)
    return changed


def playoff(
    rank: Annotated[int, Parameter(help="the rank that is shared")],
    /,
    *,
    reason: Annotated[str, Parameter(help="why")],
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Have a shared rank played off, once the competition has ended: a round of its own, then started like any other (C4.5)."""
    ordered = order(
        link,
        lambda fupan, to: fupan.pairing.OrderPlayoff(pb.OrderPlayoffRequest(**to, rank=rank, reason=reason)),
    )
    accepted(ordered.receipt, show.form, round=ordered.round, entrants=list(ordered.entrants))


def status(
    *,
    round_: RoundOption = 0,
    watch: Annotated[bool, Parameter(negative=(), help="follow it, a line a change")] = False,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Show how far each table is, those that hold the round up first."""
    if watch:
        run(link, lambda fupan: _watch(fupan, link, round_))
        return

    async def work(fupan: Fupan) -> tuple[pb.GetRoundResponse, tzinfo]:
        championship = await championship_of(fupan, link)
        return await current(fupan, championship, round_), await zone_of(fupan, championship)

    told, zone = run(link, work)
    in_order = sorted(told.tables, key=lambda one: (one.done, one.boards_closed))
    records = [_record(one, zone) for one in in_order]
    for record, one in zip(records, in_order, strict=True):
        last = not one.done and one.boards_closed == in_order[0].boards_closed
        record["holds_up"] = last and told.phase == "running"
    rows(records, _TABLES, show.form)
    say(pick(f"round {told.round}: {told.phase}", f"第 {told.round} 轮：{word(told.phase)}"))
    byes = ", ".join(map(str, told.pairing.byes))
    if rank := told.pairing.rank:
        say(pick(f"play-off of rank {rank}", f"第 {rank} 名加赛"))
        if byes:
            say(pick(f"withdrawn: {byes}", f"已退赛：{byes}"))
    elif byes:
        say(pick(f"bye: {byes}", f"轮空：{byes}"))
    for change in told.changes:
        tables = ", ".join(one.table for one in change.before)
        say(pick(f"seated otherwise at {tables}: {change.reason}", f"改座 {tables}：{change.reason}"))
    for table in in_order:
        for given in table.given:
            say(_given(table.table.table, given))


def _given(table: str, given: pb.GivenSeat) -> str:
    """Who else has had a seat (C1.6)."""
    person = given.person_id or pick("house AI", "机器人")
    return pick(
        f"{table}, seat {given.seat}: {person}, from board {given.board}",
        f"{table} 桌 {given.seat} 座：第 {given.board} 副起 {person}",
    )


def left_open(told: pb.GetRoundResponse) -> str:
    """The tables that have not finished what they play, and how far each is; a sheet that is not confirmed is not (C8.6)."""
    return ", ".join(
        f"{one.table.table} {far(one.boards_closed, one.boards)}" for one in told.tables if not one.done
    )


async def current(fupan: Fupan, championship: str, round_: int = 0) -> pb.GetRoundResponse:
    """A round, 0 for the newest."""
    return await fupan.pairing.GetRound(pb.GetRoundRequest(championship=championship, round=round_))


async def _watch(fupan: Fupan, link: Link, round_: int) -> None:
    request = pb.WatchRoundRequest(championship=await championship_of(fupan, link), round=round_)
    async for one in watched(fupan, request):
        print(progress_line(one), flush=True)


async def watched(fupan: Fupan, request: pb.WatchRoundRequest) -> AsyncIterator[pb.WatchRoundResponse]:
    """How far a round is, whenever that has changed; where the token ends meanwhile, on with the next. Raises AioRpcError."""
    while True:
        told = False
        try:
            async for one in fupan.pairing.WatchRound(request):
                told = True
                yield one
            return
        except AioRpcError as error:
            if not told or error.code() is not StatusCode.UNAUTHENTICATED:
                raise


def progress_line(one: pb.WatchRoundResponse) -> str:
    """How far a round is, in one line."""
    line = pick(
        f"round {one.round} {one.phase}: {one.tables_done}/{one.tables} tables,"
        f" {far(one.boards_closed, one.boards)} {'boards' if one.boards else 'deals'}",
        f"第 {one.round} 轮{word(one.phase)}：{one.tables_done}/{one.tables} 桌，{far(one.boards_closed, one.boards)} 副",
    )
    slow = slowest(one)
    return f"{line}{pick('; slowest', '；最慢')} {slow}" if slow else line


def slowest(one: pb.WatchRoundResponse) -> str:
    """The tables that hold the round up."""
    return ", ".join(f"{each.table.table} {far(each.boards_closed, each.boards)}" for each in one.slowest[:3])


def far(closed: int, boards: int) -> str:
    """How many boards are closed, and of how many; matches have no fixed number of deals (C8.2)."""
    return f"{closed}/{boards}" if boards else str(closed)


def _record(one: pb.TableProgress, zone: tzinfo) -> dict[str, Any]:
    return {
        "table": one.table.table,
        "group": one.table.group,
        "entrants": list(one.table.entrants),
        "members": list(one.table.members),
        "boards_closed": one.boards_closed,
        "boards": one.boards,
        "last_closed": moment(one.last_closed_us, zone),
    }
