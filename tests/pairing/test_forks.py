"""Which records a decision on a table's history brings, and what cannot be decided."""

from __future__ import annotations

import pytest

from fupan.common.v1 import log_service_pb2 as log_pb
from fupan.common.v1.record_pb2 import StoredRecord
from fupan.pairing.v1 import service_pb2 as pb
from services.domain import Rejected
from services.ledger.record import START, next_head, record_hash
from services.pairing import forks
from services.pairing.model import commands as c
from services.runtime.errors import Malformed
from tests.runtime.records import record

TABLE = "fupan.e1.table.0.cup.r1-t1"
FIRST = record(TABLE, START, "first")
HEAD = next_head(START, FIRST, 1, START.time_us + 1)
OURS, THEIRS = record(TABLE, HEAD, "ours"), record(TABLE, HEAD, "theirs")
AFTER = record(TABLE, next_head(HEAD, OURS, 2, HEAD.time_us + 1), "after")


def asked(stands: str, **changes: object) -> pb.DecideForkRequest:
    given = {
        "command_id": "d",
        "championship": "cup",
        "table": "r1-t1",
        "version": 2,
        "stands": stands,
        "close_board": True,
        "reason": "the stream was written anew",
    }
    return pb.DecideForkRequest(**{**given, **changes})  # type: ignore[arg-type]


def told(streamed: bytes, *archived: bytes) -> log_pb.GetForkResponse:
    return log_pb.GetForkResponse(
        streamed=StoredRecord(subject=TABLE, stored=streamed) if streamed else None,
        archived=[StoredRecord(subject=TABLE, stored=one) for one in archived],
        last_sequence=7,
    )


def test_the_archives_records_come_along() -> None:
    decided = forks.decision(TABLE, asked("archive"), told(THEIRS, OURS, AFTER))
    assert decided == c.DecideFork(
        TABLE, 2, record_hash(HEAD.hash, OURS), (OURS, AFTER), 7, True, "the stream was written anew"
    )
    assert forks.same(decided, asked("archive"))
    for other in (asked("stream"), asked("archive", table="r1-t2"), asked("archive", version=3)):
        assert not forks.same(decided, other)


@pytest.mark.parametrize("archived", [(OURS, AFTER), ()])
def test_the_streams_own_need_not(archived: tuple[bytes, ...]) -> None:
    decided = forks.decision(TABLE, asked("stream"), told(THEIRS, *archived))
    assert (decided.stands, decided.records) == (record_hash(HEAD.hash, THEIRS), ())
    assert forks.same(decided, asked("stream"))


@pytest.mark.parametrize(
    ("stands", "fork", "reason"),
    [
        ("archive", told(THEIRS), "NOT_KEPT"),
        ("stream", told(b"", OURS), "NOT_KEPT"),
        ("stream", told(b"\xff" * 30, OURS), "NOT_KEPT"),
        ("stream", told(OURS, OURS), "NO_FORK"),
        ("archive", told(b""), "NO_FORK"),
        ("archive", told(THEIRS, OURS, *(bytes(300_000),) * 2), "FORK_TOO_LONG"),
    ],
)
def test_what_is_not_there_cannot_stand(stands: str, fork: log_pb.GetForkResponse, reason: str) -> None:
    with pytest.raises(Rejected, match=reason):
        forks.decision(TABLE, asked(stands), fork)


@pytest.mark.parametrize(
    "wrong",
    [
        asked("archive", table=""),
        asked("archive", version=0),
        asked("archive", version=2**63),
        asked("neither"),
    ],
)
def test_a_request_says_what_is_decided(wrong: pb.DecideForkRequest) -> None:
    forks.check(asked("archive"))
    with pytest.raises(Malformed):
        forks.check(wrong)
