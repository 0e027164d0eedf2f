"""What the chief referee's choice between a table's stream and its archive comes to, where the two differ."""

from __future__ import annotations

from fupan.common.v1 import log_service_pb2 as log_pb
from fupan.common.v1 import record_pb2
from fupan.pairing.v1 import service_pb2 as pb
from services.domain import Rejected
from services.ledger.codec import Malformed as Unreadable
from services.ledger.record import decode, record_hash
from services.pairing.model import commands as c
from services.runtime.errors import Malformed

STREAM, ARCHIVE = "stream", "archive"

MOST_BYTES = 400 * 1024
"""Of records that a decision may bring: it is one record itself."""


def check(request: pb.DecideForkRequest) -> None:
    """Whether the request says what it must. Raises Malformed."""
    if not request.table:
        raise Malformed("table", "must say which table")
    if not 1 <= request.version < 2**63:
        raise Malformed("version", "must be the first version in doubt, from 1")
    if request.stands not in (STREAM, ARCHIVE):
        raise Malformed("stands", f"must be {STREAM} or {ARCHIVE}")


def decision(subject: str, request: pb.DecideForkRequest, told: log_pb.GetForkResponse) -> c.DecideFork:
    """The command that records the choice. Raises Rejected where there is nothing to choose, or not what was chosen."""
    streamed = _hash(told.streamed) if told.HasField("streamed") else b""
    archived = _hash(told.archived[0]) if told.archived else b""
    if streamed == archived:
        raise Rejected("NO_FORK", "", f"stream and archive hold the same as version {request.version}")
    chosen = streamed if request.stands == STREAM else archived
    if not chosen:
        raise Rejected("NOT_KEPT", "", f"the {request.stands} holds no record of version {request.version}")
    records = () if request.stands == STREAM else tuple(one.stored for one in told.archived)
    if sum(map(len, records)) > MOST_BYTES:
        raise Rejected(
            "FORK_TOO_LONG", "", "the archived history is too long for a decision; restore the stream from it"
        )
    return c.DecideFork(
        subject,
        request.version,
        chosen,
        records,
        told.last_sequence,
        request.close_board,
        request.reason,
    )


def same(command: c.Command, request: pb.DecideForkRequest) -> bool:
    """Whether an accepted command is what a request asks for again."""
    return (
        isinstance(command, c.DecideFork)
        and command.subject.endswith(f".{request.championship}.{request.table}")
        and (command.version, command.close_board, command.reason)
        == (request.version, request.close_board, request.reason)
        and bool(command.records) == (request.stands == ARCHIVE)
    )


def _hash(record: record_pb2.StoredRecord) -> bytes:
    """A record's hash; empty where it cannot be read, so that it can never stand."""
    try:
        return record_hash(decode(record.stored).header.prev_hash, record.stored)
    except Unreadable:
        return b""
