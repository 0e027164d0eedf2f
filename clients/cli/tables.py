"""`fupan table`: what referees do at tables, and how officials watch them (C9.3)."""

from __future__ import annotations

from datetime import tzinfo
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from grpc import StatusCode
from grpc.aio import AioRpcError

from clients.cli import refusals
from clients.cli.connection import Fupan, championship_of, command_id, order, run
from clients.cli.options import LINK, SHOW, Link, RoundOption, Show
from clients.cli.output import Column, accepted, rows, say
from clients.cli.times import moment, zone_of
from clients.cli.words import pick
from fupan.pairing.v1 import service_pb2 as pairing_pb
from fupan.table.v1 import service_pb2 as pb

Reason = Annotated[str, Parameter(help="why")]


def _mark(en: str, zh: str) -> Any:
    return lambda yes: pick(en, zh) if yes else ""


_TABLES = (
    Column("table", "Table", "桌"),
    Column("round", "Round", "轮", right=True),
    Column("group", "Group", "组", right=True),
    Column("seats", "Seats", "座位", ", ".join),
    Column("board", "Board", "副", right=True),
    Column("boards_closed", "Closed", "已完成", right=True),
    Column("boards", "of", "共", right=True),
    Column("thinking", "Thinking", "思考中", lambda seats: " ".join(map(str, seats))),
    Column("deadline", "Until", "截止"),
    Column("paused", "Paused", "暂停", _mark("paused", "暂停")),
    Column("referee_called", "Called", "呼叫裁判", _mark("called", "呼叫")),
    Column("call", "Why", "呼叫原因", lambda call: call and f"{call['seat']}: {call['reason']}"),
    Column("finished", "Finished", "结束", _mark("finished", "结束")),
    Column("doubted", "Referees differ on", "两套规则判定不一", lambda boards: " ".join(map(str, boards))),
)


def list_command(
    *,
    round_: RoundOption = 0,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """List the tables of a round, as an official who does not play."""

    async def work(fupan: Fupan) -> list[dict[str, Any]]:
        championship = await championship_of(fupan, link)
        request = pb.ListTablesRequest(championship=championship, round=round_)
        told, zone = await fupan.table.ListTables(request), await zone_of(fupan, championship)
        return [_record(one, zone) for one in told.tables]

    records = run(link, work)
    rows(records, _TABLES, show.form)
    if any("?" in seat for record in records for seat in record["seats"]):
        say(pick("? is not connected", "? 表示未连接"))


def watch(
    table: str, /, *, spectator: Annotated[bool, Parameter(negative=())] = False, link: Link = LINK
) -> None:
    """Watch a table; no hidden tile is shown. Live for officials who do not play, with what referees did there and why they were
    called; for anybody with --spectator.

    Parameters
    ----------
    table
        Table id.
    spectator
        As anybody sees it: a match of the points format, some minutes late.
    """
    from clients import boards
    from clients.boards import refereed
    from clients.cli import faces, matches

    def show(update: pb.Update) -> None:
        print(pick(f"board {update.board}", f"第 {update.board} 副"))
        faces.show([boards.decoded(update.view)])
        for line in matches.lines(update.match, None):
            print(line.plain)

    async def live(fupan: Fupan) -> None:
        championship = await championship_of(fupan, link)
        zone = await zone_of(fupan, championship)
        so_far = pb.ListRefereeActsRequest(championship=championship, table=table)
        said, before = 0, None
        async for one in fupan.table.WatchTable(pb.WatchTableRequest(championship=championship, table=table)):
            show(one.update)
            stands = one.status.paused, one.status.referee_called, one.status.board
            if stands == before:
                continue
            try:
                told = await fupan.table.ListRefereeActs(so_far)
            except AioRpcError as error:
                if error.code() is StatusCode.UNAVAILABLE:  # asked again with what comes next
                    continue
                raise
            before = stands
            for act in told.acts[said:]:
                say(f"{moment(act.time_us, zone):%H:%M:%S} {act.person_id}: {refereed.told(act, pick)}")
            said = len(told.acts)

    async def late(fupan: Fupan) -> None:
        request = pb.WatchMatchRequest(championship=await championship_of(fupan, link), table=table)
        said = 0
        async for one in fupan.table.WatchMatch(request):
            if one.late_us != said:
                said = one.late_us
                say(pick(f"{said / 60_000_000:g} minutes late", f"延迟 {said / 60_000_000:g} 分钟"))
            if one.HasField("update"):
                show(one.update)

    run(link, late if spectator else live)


def pause(table: str, /, *, reason: Reason, link: Link = LINK, show: Show = SHOW) -> None:
    """Pause a table; its clocks stand still.

    Parameters
    ----------
    table
        Table id.
    """
    done = order(
        link, lambda fupan, to: fupan.table.PauseTable(pb.PauseTableRequest(**to, table=table, reason=reason))
    )
    accepted(done.receipt, show.form)


def resume(
    table: str,
    /,
    *,
    reason: Annotated[str, Parameter(help="why, where there is something to say")] = "",
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Let a paused table go on.

    Parameters
    ----------
    table
        Table id.
    """
    done = order(
        link,
        lambda fupan, to: fupan.table.ResumeTable(pb.ResumeTableRequest(**to, table=table, reason=reason)),
    )
    accepted(done.receipt, show.form)


def infringement(
    table: str,
    seat: int,
    code: str,
    outcome: str,
    /,
    *,
    reason: Reason,
    fine: Annotated[
        int,
        Parameter(help="points of the fine, in the running deal or, with real cards, in P (S9.2)"),
    ] = 0,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Record an infringement (C11.1, S10).

    Parameters
    ----------
    table
        Table id.
    seat
        Seat of who did it.
    code
        Row of the catalogue: V1, A3, S10.15.
    outcome
        warning, fine, removal or forfeit.
    """
    done = order(
        link,
        lambda fupan, to: fupan.table.RecordInfringement(
            pb.RecordInfringementRequest(
                **to, table=table, seat=seat, code=code, outcome=outcome, reason=reason, fine=fine
            )
        ),
    )
    accepted(done.receipt, show.form)


def rule(
    table: str,
    text: str,
    /,
    *,
    clause: Annotated[str, Parameter(help="clause of the rules")] = "",
    overturns: Annotated[
        str, Parameter(help="a ruling of this table that holds no longer (chief referee)")
    ] = "",
    reason: Annotated[str, Parameter(help="why, where the ruling does not say so")] = "",
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Make a referee's ruling; it is obeyed until changed (C9.3, C10.1), by the chief referee too (C9.2).

    Parameters
    ----------
    table
        Table id.
    text
        The ruling.
    """

    async def rule_at(fupan: Fupan, to: Any) -> Any:
        said = {"text": text, "clause": clause, "overturns": overturns, "reason": reason}
        try:
            return await fupan.table.MakeRuling(pb.MakeRulingRequest(**to, table=table, **said))
        except AioRpcError as error:
            if not overturns or refusals.read(error).reason != "TABLE_SEALED":
                raise
        # The table's log has ended; the event's goes on.
        return await fupan.pairing.OverturnRuling(pairing_pb.OverturnRulingRequest(**to, **said))

    made = order(link, rule_at)
    accepted(made.receipt, show.form, ruling=made.ruling)


def replace(
    table: str,
    seat: int,
    /,
    *,
    reason: Reason,
    person: Annotated[str, Parameter(help="who takes the seat; default house AI")] = "",
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Give a seat to house AI, or to another person, from the next decision on (C1.6).

    Parameters
    ----------
    table
        Table id.
    seat
        Seat number, from 0.
    """
    done = order(
        link,
        lambda fupan, to: fupan.table.ReplaceSeat(
            pb.ReplaceSeatRequest(**to, table=table, seat=seat, person_id=person, reason=reason)
        ),
    )
    accepted(done.receipt, show.form)


def close(table: str, /, *, reason: Reason, link: Link = LINK, show: Show = SHOW) -> None:
    """Close a table's open board without a result (C2.2).

    Parameters
    ----------
    table
        Table id.
    """
    done = order(
        link, lambda fupan, to: fupan.table.CloseBoard(pb.CloseBoardRequest(**to, table=table, reason=reason))
    )
    accepted(done.receipt, show.form)


def enter(
    table: str,
    board: int,
    /,
    *,
    points: Annotated[int, Parameter(help="the defenders' P, bottom and fines included")],
    agreed: Annotated[
        str, Parameter(help="persons at the table who agree, one of each side at least: a,b")
    ] = "",
    reason: Annotated[
        str,
        Parameter(help="why it counts all the same, or which fine makes P no multiple of 5"),
    ] = "",
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Enter how a board with real cards came out (C1.3, S9.6), board after board.

    Parameters
    ----------
    table
        Table id.
    board
        Board of the round.
    """
    entered = order(
        link,
        lambda fupan, to: fupan.table.EnterBoard(
            pb.EnterBoardRequest(
                **to,
                table=table,
                board=board,
                points=points,
                agreed=filter(None, map(str.strip, agreed.split(","))),
                reason=reason,
            )
        ),
    )
    accepted(entered.receipt, show.form, scores=list(entered.scores))


def decide(
    table: str,
    version: int,
    stands: Literal["stream", "archive"],
    /,
    *,
    reason: Reason,
    close_board: Annotated[
        bool, Parameter(name="--close", negative=(), help="close the open board without a result (C2.2)")
    ] = False,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Decide, as chief referee, which history of a table stands where its stream and the archive differ.

    Parameters
    ----------
    table
        Table id.
    version
        The first version in doubt, as `fupan audit reconcile` names it.
    stands
        Whose record stands: the stream's or the archive's.
    """

    async def work(fupan: Fupan) -> pairing_pb.DecideForkResponse:
        request = pairing_pb.DecideForkRequest(
            command_id=command_id(),
            championship=await championship_of(fupan, link),
            table=table,
            version=version,
            stands=stands,
            close_board=close_board,
            reason=reason,
        )
        return await fupan.pairing.DecideFork(request)

    made = run(link, work)
    accepted(made.receipt, show.form, stands=made.stands.hex())


def _record(one: pb.TableStatus, zone: tzinfo) -> dict[str, Any]:
    connected = list(one.connected)
    return {
        "table": one.table,
        "round": one.round,
        "group": one.group,
        "seats": [
            f"{seat.person_id}{'' if not connected or connected[number] else '?'}"
            if seat.person_id
            else pick("house", "电脑")
            for number, seat in enumerate(one.seats)
        ],
        "board": one.board,
        "boards_closed": one.boards_closed,
        "boards": one.boards,
        "thinking": list(one.thinking),
        "deadline": moment(one.deadline_us, zone),
        "paused": one.paused,
        "referee_called": one.referee_called,
        "call": {"seat": one.call.seat, "reason": one.call.reason} if one.HasField("call") else None,
        "finished": one.finished,
        "doubted": list(one.doubted),
    }
