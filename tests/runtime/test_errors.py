"""What a client is told of an error."""

from __future__ import annotations

import asyncio
from pathlib import Path

import asyncpg
import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2
from grpc import StatusCode

from services.domain import Rejected
from services.runtime.errors import (
    Aborted,
    Denied,
    Explained,
    Limited,
    Malformed,
    NotFound,
    Refusal,
    Unauthenticated,
    Unavailable,
    explain,
    read_status,
)
from services.runtime.reasons import page
from services.runtime.store import StoreUnavailable

ROOT = Path(__file__).resolve().parents[2]


def peer_error(code: StatusCode, details: str = "") -> grpc.aio.AioRpcError:
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(), details, None)


def as_peer(told: Explained) -> grpc.aio.AioRpcError:
    """The error as another service meets it."""
    trailers = grpc.aio.Metadata(*told.trailers())
    return grpc.aio.AioRpcError(told.code, grpc.aio.Metadata(), trailers, told.message, None)


@pytest.mark.parametrize(
    ("error", "code", "reason", "retry"),
    [
        (Malformed("seat", "is no seat"), StatusCode.INVALID_ARGUMENT, "MALFORMED", False),
        (Rejected("MUST_KEEP_KAN", "P5.6", "no"), StatusCode.FAILED_PRECONDITION, "MUST_KEEP_KAN", False),
        (Rejected("SOMETHING_NEW", "P5.6", "no"), StatusCode.FAILED_PRECONDITION, "SOMETHING_NEW", False),
        (Rejected("MALFORMED_TILE", "P1.1", "no"), StatusCode.INVALID_ARGUMENT, "MALFORMED_TILE", False),
        (Rejected("NO_SUCH_TABLE", "", "no"), StatusCode.NOT_FOUND, "NO_SUCH_TABLE", False),
        (Rejected("NOT_SEATED", "", "no"), StatusCode.PERMISSION_DENIED, "NOT_SEATED", False),
        (Denied("BOARD_NOT_OPENED", "no"), StatusCode.PERMISSION_DENIED, "BOARD_NOT_OPENED", False),
        (Unauthenticated("TOKEN_EXPIRED"), StatusCode.UNAUTHENTICATED, "TOKEN_EXPIRED", False),
        (NotFound("table", "t1"), StatusCode.NOT_FOUND, "NOT_FOUND", False),
        (Limited("RATE_LIMITED", 0.5), StatusCode.RESOURCE_EXHAUSTED, "RATE_LIMITED", True),
        (Unavailable("POSITION_NOT_REACHED"), StatusCode.UNAVAILABLE, "POSITION_NOT_REACHED", True),
        (Aborted("overtaken"), StatusCode.ABORTED, "VERSION_CONFLICT", True),
        (StoreUnavailable("at 10.0.0.1"), StatusCode.UNAVAILABLE, "STORE_UNAVAILABLE", True),
        (TimeoutError(), StatusCode.UNAVAILABLE, "TIMED_OUT", True),
        (ConnectionRefusedError("10.0.0.1"), StatusCode.UNAVAILABLE, "DATABASE_UNAVAILABLE", True),
        (asyncpg.InterfaceError("10.0.0.1"), StatusCode.UNAVAILABLE, "DATABASE_UNAVAILABLE", True),
        (asyncpg.DataError("value out of range"), StatusCode.INTERNAL, "INTERNAL", False),
        (asyncpg.UniqueViolationError("row"), StatusCode.INTERNAL, "INTERNAL", False),
        (peer_error(StatusCode.UNAVAILABLE), StatusCode.UNAVAILABLE, "PEER_UNAVAILABLE", True),
        (peer_error(StatusCode.DEADLINE_EXCEEDED), StatusCode.UNAVAILABLE, "PEER_UNAVAILABLE", True),
        (peer_error(StatusCode.NOT_FOUND), StatusCode.INTERNAL, "INTERNAL", False),
        (KeyError("secret"), StatusCode.INTERNAL, "INTERNAL", False),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
def test_each_kind_of_error_has_its_code(
    error: BaseException, code: StatusCode, reason: str, retry: bool
) -> None:
    told = explain(error)
    assert (told.code, told.reason, told.retry) == (code, reason, retry)
    assert told.message
    assert told.message_zh
    assert read_status(as_peer(told)) == told
    assert not [text for text in ("10.0.0.1", "secret", "row") if text in str(told)]


def test_a_rules_no_carries_clause_and_facts() -> None:
    told = explain(Rejected("WINDOW_CLOSED", "C10.1", "the appeal window has closed", deadline="17:00"))
    assert (told.clause, told.facts) == ("C10.1", {"deadline": "17:00"})
    assert told.message == "the appeal window has closed"
    assert told.message_zh == "申诉期已过（截止 17:00）（依据 C10.1）"


def test_a_text_is_filled_with_the_errors_facts() -> None:
    told = explain(NotFound("table", "t{1}"))
    assert (told.message, told.message_zh) == ("there is no table t{1}", "找不到该牌桌：t{1}")
    told = explain(Limited("TOO_MANY_CALLS"))
    assert told.message == "you have … calls open, which is the most there may be"


def test_it_is_a_google_rpc_status_that_any_language_can_read() -> None:
    ((name, data),) = explain(Malformed("board.path", "is missing")).trailers()
    assert name == "grpc-status-details-bin"
    status = status_pb2.Status.FromString(data)
    assert (status.code, status.message) == (3, "board.path is missing")
    kinds = [detail.TypeName() for detail in status.details]
    assert kinds == [
        "google.rpc.ErrorInfo",
        "google.rpc.BadRequest",
        "google.rpc.LocalizedMessage",
        "google.rpc.LocalizedMessage",
    ]
    info, bad = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
    assert status.details[0].Unpack(info)
    assert (info.reason, info.domain) == ("MALFORMED", "fupan")
    assert status.details[1].Unpack(bad)
    (one,) = bad.field_violations
    assert (one.field, one.description) == ("board.path", "is missing")


def test_what_is_wrong_with_a_field_is_told_in_both_languages() -> None:
    ((_, data),) = explain(Malformed("seat", "must be 0 to 3")).trailers()
    bad = error_details_pb2.BadRequest()
    assert status_pb2.Status.FromString(data).details[1].Unpack(bad)
    (one,) = bad.field_violations
    assert (one.field, one.description) == ("seat", "must be 0 to 3")
    assert (one.localized_message.locale, one.localized_message.message) == ("zh-CN", "须为 0 至 3")


@pytest.mark.parametrize(
    "refusal",
    [
        Rejected("NOT_SEALED", "C10.8", "the championship is not sealed", until="17"),
        Malformed("remedies[0]", "must be of one kind"),
        NotFound("table", "r1-t9"),
    ],
)
def test_a_peers_refusal_of_our_callers_request_is_passed_on_whole(refusal: Exception) -> None:
    first = explain(refusal)
    again = explain(as_peer(first))
    assert again == first


@pytest.mark.parametrize("refusal", [Denied("NOT_IN_ROLE", "only for x"), Unauthenticated("TOKEN_EXPIRED")])
def test_a_peers_refusal_of_our_own_mistake_is_ours_to_hide(refusal: Refusal) -> None:
    first = explain(refusal)
    assert explain(as_peer(first)).reason == "INTERNAL"


def test_an_error_of_somebody_elses_is_none_of_ours() -> None:
    assert read_status(peer_error(StatusCode.UNAVAILABLE, "connection refused")) is None
    broken = grpc.aio.Metadata(("grpc-status-details-bin", b"\xff"))
    assert (
        read_status(grpc.aio.AioRpcError(StatusCode.UNKNOWN, grpc.aio.Metadata(), broken, "", None)) is None
    )


def test_errors_nobody_foresaw_have_each_their_own_id() -> None:
    first, second = explain(KeyError("x")), explain(KeyError("x"))
    assert first.facts["error_id"] != second.facts["error_id"]
    assert first.facts["error_id"] in first.message


def test_cancellation_is_never_explained_away() -> None:
    """The gate catches Exception, which this is not."""
    assert not issubclass(asyncio.CancelledError, Exception)


def test_the_page_for_readers_is_the_table() -> None:
    assert (ROOT / "docs/errors.md").read_text("utf-8") == page(), (
        "python -m services.runtime.reasons > docs/errors.md"
    )
