"""What of a committee's ruling could not be carried out, as the command tells it, and `fupan appeal settle` (C10.6)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from cyclopts import Parameter

from clients.appealing import left_to_do
from clients.cli.connection import Fupan, championship_of, command_id, run
from clients.cli.options import LINK, SHOW, Link, Show
from clients.cli.output import USAGE, Problem, accepted
from clients.cli.words import pick
from fupan.appeals.v1 import service_pb2 as pb


def settle(
    appeal: str,
    part: int,
    /,
    *,
    reason: Annotated[str, Parameter(help="how it was dealt with (it is published)")],
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Say, as the chief referee, how a part of a ruling that was not carried out has been dealt with (C9.2, C10.6).

    What is to be done about results or seats is ordered as ever: `fupan score`, `fupan round seat`.

    Parameters
    ----------
    appeal
        Appeal id.
    part
        The part's number, as `fupan appeal show` has it.
    """

    async def work(fupan: Fupan) -> pb.SettleRulingResponse:
        championship = await championship_of(fupan, link)
        asked = pb.GetAppealRequest(championship=championship, appeal=appeal)
        parts = (await fupan.appeals.GetAppeal(asked)).appeal.not_carried_out
        if not 1 <= part <= len(parts):
            told = pick(
                f"there is no part {part}; not carried out of the ruling in {appeal}: {len(parts)}",
                f"没有第 {part} 项；申诉 {appeal} 的裁决未能执行的项数：{len(parts)}",
            )
            raise Problem(told, USAGE)
        return await fupan.appeals.SettleRuling(
            pb.SettleRulingRequest(
                command_id=command_id(),
                championship=championship,
                appeal=appeal,
                text=reason,
                refused_us=parts[part - 1].refused_us,
            )
        )

    accepted(run(link, work).receipt, show.form)


def text(parts: Iterable[dict[str, str]]) -> str:
    """What was not carried out, a numbered line each: why, and what is left to do or how it was dealt with."""
    lines = (f"{one['text']} [{_why(one)}] — {_dealt_with(one)}" for one in parts)
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def _dealt_with(part: dict[str, str]) -> str:
    if not part["settled"]:
        return part["left_to_do"]
    by, text = part["settled_by"], part["settled"]
    return pick(f"settled by {by}: {text}", f"{by} 已处理：{text}")


def reasons(parts: Iterable[dict[str, str]]) -> str:
    """Why something was not carried out that has not been dealt with."""
    return ", ".join(one["reason"] for one in parts if not one["settled"])


def _why(part: dict[str, str]) -> str:
    # The Chinese sentence names its clause already.
    return ", ".join(filter(None, (part["reason"], pick(part["clause"], ""))))


def record(part: pb.NotCarriedOut) -> dict[str, str]:
    """Why a service could not carry out its part of a ruling, and what is left to do or how it was dealt with, as JSON has it."""
    return {
        "by": part.by,
        "reason": part.reason,
        "clause": part.clause,
        "text": pick(part.text, part.text_zh),
        "left_to_do": "" if part.settled_us else pick(*left_to_do(part)),
        "settled": part.settled,
        "settled_by": part.settled_by,
    }
