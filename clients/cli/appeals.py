"""`fupan appeal`: file, pay, appoint the panel, vote sealed, follow the case (C10)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from clients.appealing import (
    BEYOND_CALENDAR,
    NOT_PUBLIC,
    deadline_us,
    reminded,
    sealed_vote,
    to_do,
)
from clients.cli import cases, unresolved
from clients.cli.connection import Fupan, championship_of, command_id, order, run
from clients.cli.figures import scaled
from clients.cli.options import LINK, SHOW, Link, Show
from clients.cli.output import FAILED, USAGE, Column, Problem, accepted, fields, rows, say, written
from clients.cli.remedies import CONTESTED, REMEDIES, ContestedOptions, RemedyOptions, text, told
from clients.cli.rulings import located
from clients.cli.times import micros, moment, zone_of
from clients.cli.words import pick, word
from fupan.appeals.v1 import events_pb2 as events
from fupan.appeals.v1 import service_pb2 as pb


def _texts(remedies: Iterable[dict[str, Any]]) -> str:
    return "; ".join(text(one) for one in remedies)


def _reminder(given: dict[str, Any] | None) -> str:
    if given is None:
        return ""
    who, when = ", ".join(given["persons"]) or word("organiser"), written(given["deadline"])
    if given["about"] == "overdue":
        return pick(f"{given['text']}, since {when}: {who}", f"{given['text']}，自 {when} 起：{who}")
    return pick(f"{given['text']}, until {when}: {who}", f"{given['text']}，截止 {when}：{who}")


def _reminders(given: Iterable[dict[str, Any]]) -> str:
    return "\n".join(map(_reminder, given))


def _yes(told: bool) -> str:
    return pick("yes", "是") if told else ""


_COLUMNS = (
    Column("appeal", "Appeal", "申诉"),
    Column("phase", "Phase", "阶段", word),
    Column("entrant", "Entrant", "参赛编号", right=True),
    Column("contested", "Contested", "争议事项"),
    Column("filed", "Filed", "提交于"),
    Column("fee", "Fee", "申诉费"),
    Column("fee_outcome", "Fee outcome", "费用处理", word),
    Column("window_ends", "Window ends", "申诉期截止"),
    Column("due", "Due", "期限"),
    Column("answer_due", "Answer due", "答复期限"),
    Column("calendar", "By calendar", "所据日历"),
    Column("beyond_calendar", "Mind", "注意", lambda yes: pick(*BEYOND_CALENDAR) if yes else ""),
    Column("overdue", "Overdue", "逾期", _yes),
    Column("members", "Panel", "仲裁员", ", ".join),
    Column("voted", "Voted", "已投票", ", ".join),
    Column("voting_deadline", "Voting until", "投票截止"),
    Column("upheld", "Upheld", "是否支持", lambda yes: pick("yes", "支持") if yes else pick("no", "驳回")),
    Column("votes", "Votes", "票数"),
    Column("sought", "Asked for", "请求", _texts),
    Column("remedies", "Remedies", "补救", _texts),
    Column("not_carried_out", "Not carried out", "未能执行", unresolved.text),
    Column("grounds", "Grounds", "理由"),
    Column("case", "Case file", "案卷"),
    Column("reminder", "Waits for", "待办", _reminder),
    Column("reminders", "Reminders given", "已发提醒", _reminders),
    Column("text", "Ruling", "裁决"),
)
_LISTED = (
    "appeal",
    "phase",
    "entrant",
    "contested",
    "filed",
    "fee_outcome",
    "due",
    "overdue",
    "reminder",
    "upheld",
)


def file(
    *,
    grounds: Annotated[str, Parameter(help="why, in writing")],
    contested: ContestedOptions = CONTESTED,
    sought: RemedyOptions = REMEDIES,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """File an appeal as one of the entrant's persons (C10.1); the fee is due with it (C10.2)."""

    async def work(fupan: Fupan) -> tuple[pb.FileAppealResponse, tzinfo]:
        championship = await championship_of(fupan, link)
        request = pb.FileAppealRequest(
            command_id=command_id(),
            championship=championship,
            contested=contested.message(),
            grounds=grounds,
            sought=sought.messages(await located(fupan, championship, contested)),
        )
        return await fupan.appeals.FileAppeal(request), await zone_of(fupan, championship)

    filed, zone = run(link, work)
    accepted(
        filed.receipt,
        show.form,
        appeal=filed.appeal,
        window_ends=moment(filed.window_ends_us, zone),
        fee=f"{filed.fee_amount / 100:.2f} {filed.fee_currency}",
    )


def fee(
    appeal: str,
    amount: float,
    currency: str,
    /,
    *,
    reference: Annotated[str, Parameter(help="of the payment")] = "",
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Record that the fee was paid (C10.2).

    Parameters
    ----------
    appeal
        Appeal id.
    amount
        In whole units of the currency.
    currency
        ISO 4217, CNY.
    """

    async def work(fupan: Fupan) -> tuple[pb.RecordFeeResponse, tzinfo]:
        championship = await championship_of(fupan, link)
        request = pb.RecordFeeRequest(
            command_id=command_id(),
            championship=championship,
            appeal=appeal,
            amount=scaled(amount, 2),
            currency=currency,
            reference=reference,
        )
        return await fupan.appeals.RecordFee(request), await zone_of(fupan, championship)

    recorded, zone = run(link, work)
    accepted(recorded.receipt, show.form, answer_due=moment(recorded.answer_due_us, zone))
    if recorded.beyond_calendar:
        say(pick(*BEYOND_CALENDAR))


def panel(
    appeal: str,
    member: str,
    /,
    *members: str,
    reserve: Annotated[list[str] | None, Parameter(help="steps in for an absent member", negative=())] = None,
    until: Annotated[
        datetime | None,
        Parameter(
            help="when the vote ends, in the event's zone; default as late as may be: when the answer is due, or a day from now",
        ),
    ] = None,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Appoint the panel: an odd number of arbitrators, at least three, without a conflict (C10.3).

    Parameters
    ----------
    appeal
        Appeal id.
    member
        Person id of an arbitrator.
    members
        More of them.
    """

    async def work(fupan: Fupan) -> tuple[pb.AppointPanelResponse, tzinfo]:
        championship = await championship_of(fupan, link)
        zone = await zone_of(fupan, championship)
        request = pb.AppointPanelRequest(
            command_id=command_id(),
            championship=championship,
            appeal=appeal,
            members=[member, *members],
            reserves=reserve or [],
            voting_deadline_us=micros(until, zone),
        )
        return await fupan.appeals.AppointPanel(request), zone

    appointed, zone = run(link, work)
    accepted(
        appointed.receipt,
        show.form,
        ballot_key=appointed.ballot_key.hex(),
        voting_deadline=moment(appointed.voting_deadline_us, zone),
    )


def conflict(
    appeal: str,
    /,
    *,
    reason: Annotated[str, Parameter(help="why you may not judge this")],
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Declare, as an arbitrator, that you have a conflict of interest (C10.3).

    Parameters
    ----------
    appeal
        Appeal id.
    """
    done = order(
        link,
        lambda fupan, to: fupan.appeals.DeclareConflict(
            pb.DeclareConflictRequest(**to, appeal=appeal, reason=reason)
        ),
    )
    accepted(done.receipt, show.form)


def vote(
    appeal: str, choice: Literal["uphold", "reject"], /, *, link: Link = LINK, show: Show = SHOW
) -> None:
    """Cast a sealed vote as a member of the panel, who is the caller: nobody learns it before the count (C10.4).

    It is sealed on this machine to a key that the dealer holds: whoever has the dealer's own key could open it before.

    Parameters
    ----------
    appeal
        Appeal id.
    choice
        uphold or reject.
    """

    async def work(fupan: Fupan) -> pb.CastVoteResponse:
        championship = await championship_of(fupan, link)
        return await cast(fupan, championship, appeal, choice == "uphold")

    accepted(run(link, work).receipt, show.form)


async def cast(fupan: Fupan, championship: str, appeal: str, uphold: bool) -> pb.CastVoteResponse:
    """Seal the caller's vote on this machine and send it. Raises AioRpcError, and Problem where there is no panel, or nobody, to
    seal it for."""
    if not fupan.person:
        raise Problem(
            pick("a token or --as PERSON says whose vote it is", "请用令牌或 --as 指明投票人"), USAGE
        )
    case = await fupan.appeals.GetAppeal(pb.GetAppealRequest(championship=championship, appeal=appeal))
    if not case.appeal.panel.ballot_key:
        raise Problem(
            pick(
                f"no vote is taken: the appeal is {case.appeal.phase}, and has no panel [C10.4]",
                f"现在不能投票：申诉{word(case.appeal.phase)} [C10.4]",
            ),
            FAILED,
        )
    request = sealed_vote(command_id(), championship, case.appeal, fupan.person, uphold)
    return await fupan.appeals.CastVote(request)


def show_command(
    appeal: str,
    /,
    *,
    case: Annotated[bool, Parameter(negative=(), help="its case file; who opens it is logged")] = False,
    out: Annotated[Path | None, Parameter(help="write the case file as it was frozen")] = None,
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Show an appeal, or its case file.

    Parameters
    ----------
    appeal
        Appeal id.
    """
    if case or out is not None:
        cases.show(appeal, out, link, show.form)
        return

    async def work(fupan: Fupan) -> dict[str, Any]:
        championship = await championship_of(fupan, link)
        request = pb.GetAppealRequest(championship=championship, appeal=appeal)
        told = await fupan.appeals.GetAppeal(request)
        return record(told.appeal, await zone_of(fupan, championship))

    fields(run(link, work), _COLUMNS, show.form)


def list_command(*, link: Link = LINK, show: Show = SHOW) -> None:
    """List the appeals."""

    async def work(fupan: Fupan) -> list[dict[str, Any]]:
        championship = await championship_of(fupan, link)
        told = await fupan.appeals.ListAppeals(pb.ListAppealsRequest(championship=championship))
        zone = await zone_of(fupan, championship)
        return [record(one, zone) for one in told.appeals]

    rows(run(link, work), listed(), show.form)


def listed() -> list[Column]:
    """The columns of a list: of what was not carried out, the reasons."""
    reasons = Column("not_carried_out", "Not carried out", "未能执行", unresolved.reasons)
    return [*(column for column in _COLUMNS if column.key in _LISTED), reasons]


def withdraw(appeal: str, /, *, link: Link = LINK, show: Show = SHOW) -> None:
    """Withdraw an appeal as its appellant.

    Parameters
    ----------
    appeal
        Appeal id.
    """
    done = order(
        link, lambda fupan, to: fupan.appeals.WithdrawAppeal(pb.WithdrawAppealRequest(**to, appeal=appeal))
    )
    accepted(done.receipt, show.form)


def record(one: pb.Appeal, zone: tzinfo) -> dict[str, Any]:
    """An appeal as JSON has it."""
    decided = one.HasField("decision")
    paid = f"{one.fee.amount / 100:.2f} {one.fee.currency}" if one.HasField("fee") else ""
    return {
        "appeal": one.appeal,
        "phase": one.phase,
        "entrant": one.filed.entrant or None,
        "contested": contested_text(one.filed.contested),
        "filed": moment(one.filed_us, zone),
        "fee": paid,
        "fee_outcome": one.fee_outcome,
        "window_ends": moment(one.window_ends_us, zone),
        "due": moment(deadline_us(one), zone),
        "answer_due": moment(one.fee.answer_due_us, zone),
        "calendar": one.fee.calendar,
        "beyond_calendar": one.fee.beyond_calendar,
        "overdue": one.overdue,
        "members": list(one.members),
        "voted": list(one.voted),
        "voting_deadline": moment(one.voting_deadline_us, zone),
        "upheld": one.decision.upheld if decided else None,
        "votes": f"{one.decision.votes_for}:{one.decision.votes_against}" if decided else "",
        "sought": told(one.filed.sought),
        "remedies": told(one.decision.remedies),
        "not_carried_out": [unresolved.record(part) for part in one.not_carried_out],
        "grounds": one.grounds,
        "case": one.case_file.digest.hex(),
        "reminder": None if (holds := reminded(one)) is None else _given(holds, zone),
        "reminders": [_given(given, zone) for given in one.reminders],
        "text": pick(one.decision.text, one.decision.text_zh),
    }


def _given(given: events.ReminderGiven, zone: tzinfo) -> dict[str, Any]:
    """A reminder as JSON has it; nobody is named: the organiser."""
    return {
        "about": given.about,
        "text": pick(*to_do(given.about)),
        "deadline": moment(given.deadline_us, zone),
        "persons": list(given.persons),
    }


def contested_text(contested: Any) -> str:
    """What is contested, in a few words."""
    match contested.WhichOneof("kind"):
        case "board":
            board = contested.board
            return pick(
                f"round {board.round}, board {board.board} at {board.table}",
                f"第 {board.round} 轮 {board.table} 桌第 {board.board} 副",
            )
        case "ruling":
            return pick(f"ruling {contested.ruling.ruling}", f"裁判判罚 {contested.ruling.ruling}")
        case "publication":
            return pick(
                f"publication {contested.publication.publication}",
                f"第 {contested.publication.publication} 次公布",
            )
        case "pairing":
            return pick(f"pairing of round {contested.pairing.round}", f"第 {contested.pairing.round} 轮编排")
    return pick(*NOT_PUBLIC)
