"""What the command makes of an error from a service: one line and an exit code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import grpc
from google.rpc import error_details_pb2 as details
from grpc import StatusCode
from grpc_status import rpc_status

from clients.cli.output import FAILED, UNAVAILABLE, USAGE, Problem
from clients.cli.words import language, pick

EXIT = {
    StatusCode.UNAVAILABLE: UNAVAILABLE,
    StatusCode.DEADLINE_EXCEEDED: UNAVAILABLE,
    StatusCode.RESOURCE_EXHAUSTED: UNAVAILABLE,
    StatusCode.INVALID_ARGUMENT: USAGE,
    StatusCode.UNAUTHENTICATED: USAGE,
}
"""Exit codes by gRPC code; any other is a command that failed."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a service said. `reason` is empty where the error is none of its own (no connection, say)."""

    code: StatusCode
    reason: str
    clause: str
    message: str


@contextmanager
def told() -> Iterator[None]:
    """Errors of services become the Problem that tells them, and what no request can hold, too."""
    try:
        yield
    except UnicodeEncodeError:
        raise Problem(pick("an argument is not UTF-8", "参数不是 UTF-8 编码"), USAGE) from None
    except ValueError as error:
        # A message says it of a number that its field has no room for.
        if not str(error).startswith("Value out of range"):
            raise
        raise Problem(pick(f"{_number(error)}: out of range", f"{_number(error)}：超出范围"), USAGE) from None
    except grpc.aio.AioRpcError as error:
        raise problem(read(error)) from error


def problem(refusal: Refusal) -> Problem:
    """The one line: what is wrong, by which reason and clause, and what to do."""
    message = _unanswered(refusal) or refusal.message or refusal.code.name
    if refusal.reason == "BAD_ROWS":
        # One sentence a row of the file.
        message = message.replace("; ", "\n").replace("；", "\n")
    parts = [message]
    # The Chinese sentence names its clause already.
    clause = "" if f"（依据 {refusal.clause}）" in message else refusal.clause
    named = ", ".join(part for part in (refusal.reason, clause) if part)
    if named:
        parts.append(f"[{named}]")
    if advice := _advice(refusal):
        parts.append(f"— {advice}")
    if refusal.code is StatusCode.UNAVAILABLE and not refusal.reason and refusal.message:
        parts.append(f"({refusal.message})")
    return Problem(" ".join(parts), EXIT.get(refusal.code, FAILED))


def read(error: grpc.aio.AioRpcError) -> Refusal:
    """What stands in an error's details, in the language spoken."""
    info, words = details.ErrorInfo(), details.LocalizedMessage()
    messages: dict[str, str] = {}
    status = rpc_status.from_call(error)  # type: ignore[arg-type]  # it asks only what both kinds of call answer
    for detail in status.details if status is not None else ():
        if detail.Unpack(words):
            messages[words.locale.partition("-")[0]] = words.message
        else:
            detail.Unpack(info)
    clause = info.metadata.get("clause", "")
    message = messages.get(language()) or error.details() or ""
    return Refusal(error.code(), info.reason, clause, message)


def _number(error: ValueError) -> str:
    return str(error).rpartition(" ")[2]


def _unanswered(refusal: Refusal) -> str:
    """What is told where no service has said anything: gRPC's own words are for those who know it."""
    if refusal.reason:
        return ""
    if refusal.code is StatusCode.UNAVAILABLE:
        return pick("the platform cannot be reached", "连接不上平台")
    if refusal.code is StatusCode.DEADLINE_EXCEEDED:
        return pick("the platform did not answer in time", "平台未及时应答")
    return ""


def _advice(refusal: Refusal) -> str:
    """What to do, where the service's own sentence does not say it."""
    if refusal.code is StatusCode.UNAVAILABLE and not refusal.reason:
        return pick(
            "is the platform running (fupan up), and is --server right?",
            "请确认平台已启动（fupan up），且 --server 正确",
        )
    if refusal.code is StatusCode.DEADLINE_EXCEEDED:
        return pick("try again", "请重试")
    if refusal.code is StatusCode.UNAUTHENTICATED:
        return pick(
            "give a good --token, or --as PERSON where the keys of a local platform are at hand",
            "请用 --token 给出有效令牌；本地平台可用 --as 人员编号",
        )
    if refusal.reason == "NOT_IN_ROLE":
        return pick("--as PERSON acts as somebody else", "可用 --as 以他人身份操作")
    return ""
