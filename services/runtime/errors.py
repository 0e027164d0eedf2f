"""THE table from errors to gRPC codes: what a handler raises, and what a client is told.

| Raised | Code |
|---|---|
| `Malformed(field, why)` | INVALID_ARGUMENT with the field |
| `BadName`: an id that cannot stand in a subject | INVALID_ARGUMENT |
| `Rejected(reason, clause, …)`: a rule says no | FAILED_PRECONDITION, or the reason's own code in `reasons` |
| `Denied(reason)`: not seated, not in role | PERMISSION_DENIED |
| `Unauthenticated(reason)` | UNAUTHENTICATED |
| `NotFound(what, id)` | NOT_FOUND |
| `Aborted`: others were faster until the deadline | ABORTED |
| `Unavailable(reason)`, `StoreUnavailable`, Postgres or a peer away | UNAVAILABLE: send it again with the same command id |
| `Limited(reason)` | RESOURCE_EXHAUSTED |
| anything else | INTERNAL, its text in our log only, found by the id the client gets |

A client gets `google.rpc.Status` with `ErrorInfo{reason, domain "fupan", metadata: clause and facts}`, `LocalizedMessage` in
English and Chinese, field violations in both and, where waiting helps, `RetryInfo`. A peer's refusal of what
our caller asked for is passed on as it came.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import grpc
from google.protobuf.any_pb2 import Any as AnyPb
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2
from grpc import StatusCode
from grpc_status import rpc_status

from services.domain import Rejected
from services.runtime.postgres import TRANSIENT
from services.runtime.reasons import NOUNS, REASONS, Reason, chinese
from services.runtime.store import StoreUnavailable
from services.runtime.streams import BadName

__all__ = [
    "AWAY",
    "Aborted",
    "Denied",
    "Explained",
    "Limited",
    "Malformed",
    "NotFound",
    "Refusal",
    "Rejected",
    "Unauthenticated",
    "Unavailable",
    "explain",
    "read_status",
]

DOMAIN = "fupan"


class Refusal(Exception):
    """A request refused for a reason in `reasons`, by a clause if there is one; `detail` replaces its English sentence, `facts`
    fill it."""

    code: StatusCode | None = None
    """The gRPC code of a kind of refusal, None for the reason's own."""

    def __init__(self, reason: str, detail: str = "", clause: str = "", **facts: str) -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.clause = clause
        self.detail = detail
        self.facts = facts


class Malformed(Refusal):
    """A request that does not hold what it must; `where` is the field's path, `why` half a sentence after it."""

    code = StatusCode.INVALID_ARGUMENT

    def __init__(self, where: str, why: str) -> None:
        super().__init__("MALFORMED", f"{where} {why}", field=where)
        self.where = where
        self.why = why


class NotFound(Refusal):
    """There is no such thing; `what` is one of `reasons.NOUNS`."""

    code = StatusCode.NOT_FOUND

    def __init__(self, what: str, which: object) -> None:
        super().__init__("NOT_FOUND", what=what, what_zh=NOUNS.get(what, what), id=str(which))


class Unauthenticated(Refusal):
    """Nobody knows who calls."""

    code = StatusCode.UNAUTHENTICATED


class Denied(Refusal):
    """The caller is known and may not."""

    code = StatusCode.PERMISSION_DENIED


class Limited(Refusal):
    """Too much at once. `seconds`: when to try again."""

    code = StatusCode.RESOURCE_EXHAUSTED

    def __init__(self, reason: str, seconds: float = 0.0, **facts: str) -> None:
        super().__init__(reason, seconds=f"{seconds:.1f}", **facts)
        self.seconds = seconds


class Unavailable(Refusal):
    """Not now; the same request may succeed later."""

    code = StatusCode.UNAVAILABLE


class Aborted(Exception):
    """Other writers were faster until the deadline; the command may be sent again with the same id."""


AWAY = (Unavailable, StoreUnavailable, Aborted, TimeoutError)
"""What stands in a command's way and passes by itself."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field that does not hold what it must: its path, and half a sentence after that."""

    path: str
    why: str
    why_zh: str


@dataclass(frozen=True, slots=True)
class Explained:
    """What a client is told of an error. `fields`: what is wrong with which; `retry`: the same request, with the same
    command id, may succeed later, after `retry_seconds` if above 0."""

    code: StatusCode
    reason: str
    clause: str
    message: str
    message_zh: str
    facts: Mapping[str, str] = field(default_factory=dict)
    fields: tuple[Field, ...] = ()
    retry_seconds: float = 0.0

    @property
    def retry(self) -> bool:
        """Whether to repeat with the same command id."""
        return self.code in (StatusCode.UNAVAILABLE, StatusCode.ABORTED, StatusCode.RESOURCE_EXHAUSTED)

    def status(self) -> status_pb2.Status:
        """The status on the wire."""
        metadata = dict(self.facts) | ({"clause": self.clause} if self.clause else {})
        details: list[Any] = [
            error_details_pb2.ErrorInfo(reason=self.reason, domain=DOMAIN, metadata=metadata)
        ]
        if self.fields:
            details.append(error_details_pb2.BadRequest(field_violations=map(_violation, self.fields)))
        if self.retry_seconds > 0:
            delay = Duration()
            delay.FromMilliseconds(round(self.retry_seconds * 1000))
            details.append(error_details_pb2.RetryInfo(retry_delay=delay))
        details.append(error_details_pb2.LocalizedMessage(locale="en", message=self.message))
        details.append(error_details_pb2.LocalizedMessage(locale="zh-CN", message=self.message_zh))
        return status_pb2.Status(
            code=self.code.value[0], message=self.message, details=[_packed(detail) for detail in details]
        )

    def trailers(self) -> tuple[tuple[str, bytes], ...]:
        """The trailing metadata that carries the status."""
        return (("grpc-status-details-bin", self.status().SerializeToString()),)


def explain(error: BaseException) -> Explained:
    """What a client is told of `error`. One that nobody foresaw becomes INTERNAL with a fresh `error_id` among its facts."""
    match error:
        case Refusal():
            told = _explained(error.reason, error.clause, error.detail, error.facts)
            return replace(
                told,
                code=error.code or told.code,
                fields=(_field(error, told),) if isinstance(error, Malformed) else (),
                retry_seconds=error.seconds if isinstance(error, Limited) else 0.0,
            )
        case Rejected():
            return _explained(error.reason, error.clause, error.detail, error.facts)
        case BadName():
            return _explained("MALFORMED", "", str(error), {"field": "id"})
        case Aborted():
            return _explained("VERSION_CONFLICT")
        case StoreUnavailable():
            return _explained("STORE_UNAVAILABLE")
        case grpc.aio.AioRpcError():
            return _of_peer(error)
        case TimeoutError():
            return _explained("TIMED_OUT")
        # A ValueError among them is a value that no column takes; sending it again would not help.
        case _ if isinstance(error, TRANSIENT) and not isinstance(error, ValueError):
            return _explained("DATABASE_UNAVAILABLE")
    return _internal()


# Refusals of a peer that concern our caller's request, whose words we passed on; others are our own mistakes.
_PASSED_ON = frozenset(
    {
        StatusCode.INVALID_ARGUMENT,
        StatusCode.FAILED_PRECONDITION,
        StatusCode.NOT_FOUND,
        StatusCode.ABORTED,
    }
)


def _of_peer(error: grpc.aio.AioRpcError) -> Explained:
    if error.code() in (StatusCode.UNAVAILABLE, StatusCode.DEADLINE_EXCEEDED, StatusCode.RESOURCE_EXHAUSTED):
        return _explained("PEER_UNAVAILABLE")
    told = read_status(error)
    return told if told is not None and told.code in _PASSED_ON else _internal()


def read_status(error: grpc.aio.AioRpcError) -> Explained | None:
    """What a service of ours told its client; None when the error is not one of ours (a broken connection, say)."""
    try:
        status = rpc_status.from_call(error)  # type: ignore[arg-type]  # it asks only what both kinds of call answer
    except (ValueError, DecodeError):
        return None
    if status is None:
        return None
    info, fields, seconds = error_details_pb2.ErrorInfo(), [], 0.0
    words = {}
    bad, retry, words_pb = (
        error_details_pb2.BadRequest(),
        error_details_pb2.RetryInfo(),
        error_details_pb2.LocalizedMessage(),
    )
    for detail in status.details:
        if detail.Unpack(bad):
            fields = [
                Field(one.field, one.description, one.localized_message.message)
                for one in bad.field_violations
            ]
        elif detail.Unpack(retry):
            seconds = retry.retry_delay.ToMilliseconds() / 1000
        elif detail.Unpack(words_pb):
            words[words_pb.locale] = words_pb.message
        else:
            detail.Unpack(info)
    if info.domain != DOMAIN:
        return None
    facts = dict(info.metadata)
    clause = facts.pop("clause", "")
    message = words.get("en", status.message)
    return Explained(
        error.code(), info.reason, clause, message, words.get("zh-CN", ""), facts, tuple(fields), seconds
    )


def _field(error: Malformed, told: Explained) -> Field:
    """The field of a request that is malformed; both sentences of the whole begin with it."""
    return Field(error.where, error.why, told.message_zh.removeprefix(f"{error.where} "))


def _violation(one: Field) -> error_details_pb2.BadRequest.FieldViolation:
    chinese = error_details_pb2.LocalizedMessage(locale="zh-CN", message=one.why_zh)
    return error_details_pb2.BadRequest.FieldViolation(
        field=one.path, description=one.why, localized_message=chinese
    )


def _internal() -> Explained:
    return _explained("INTERNAL", facts={"error_id": secrets.token_hex(4)})


_OTHER = Reason(StatusCode.FAILED_PRECONDITION, "", "")


def _explained(
    reason: str,
    clause: str = "",
    detail: str = "",
    facts: Mapping[str, str] | None = None,
) -> Explained:
    row = REASONS.get(reason, _OTHER)
    filled = _Facts(facts or {})
    english = detail or row.en.format_map(filled) or reason
    told = chinese(reason, english) or row.zh.format_map(filled) or f"操作被拒绝：{reason}"
    if clause:
        told += f"（依据 {clause}）"
    return Explained(row.code, reason, clause, english, told, facts or {})


class _Facts(dict[str, str]):
    """A text that names a fact which did not come is better than none."""

    def __missing__(self, key: str) -> str:
        return "…"


def _packed(message: Any) -> AnyPb:
    packed = AnyPb()
    packed.Pack(message)
    return packed
