"""What a player is told on its stream beside views: its table, receipts, refusals."""

from __future__ import annotations

import structlog

from fupan.common.v1.record_pb2 import Receipt
from fupan.table.v1 import service_pb2 as pb
from services.runtime.errors import explain
from services.runtime.log import Answer
from services.table import views
from services.table.model.events import Event
from services.table.model.state import Table

_log = structlog.get_logger(__name__)


def seated(table: Table, seat: int) -> pb.Seated:
    """What a player is told of its table."""
    facts = table.facts
    return pb.Seated(
        table=facts.table,
        round=facts.round,
        seat=seat,
        ruleset=facts.ruleset,
        params=facts.params,
        boards=views.most_boards(table),
    )


def accepted(command_id: str, answer: Answer[Event]) -> pb.PlayResponse:
    """A player's receipt: the record's hash, and nothing that counts records."""
    return pb.PlayResponse(accepted=pb.Accepted(command_id=command_id, receipt=Receipt(hash=answer.hash)))


def refused(command_id: str, error: BaseException) -> pb.PlayResponse:
    """Why an answer was not taken."""
    told = explain(error)
    if told.reason == "INTERNAL":
        _log.error("answer_failed", **told.facts, exc_info=error)
    return pb.PlayResponse(
        refused=pb.Refused(
            command_id=command_id,
            reason=told.reason,
            clause=told.clause,
            message=told.message,
            message_zh=told.message_zh,
            retry=told.retry,
        )
    )
