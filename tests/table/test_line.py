"""What a line sends, and what goes together."""

from __future__ import annotations

import asyncio
import itertools

from fupan.common.v1.record_pb2 import Receipt
from fupan.table.v1 import service_pb2 as pb
from services.table.line import Line
from services.table.model.events import BoardSlot
from services.table.model.state import Result
from services.table.views import NOTHING
from tests.servers import SECONDS

PAUSED = NOTHING._replace(paused=True)


def a_line() -> Line:
    line = Line("cup", "anna", 0, itertools.count().__next__)
    line.sit("subject", 0, "paohuzi", pb.Seated(table="t1"), {})
    return line


def accepted(command_id: str) -> pb.PlayResponse:
    return pb.PlayResponse(accepted=pb.Accepted(command_id=command_id, receipt=Receipt(hash=b"h")))


async def sent(line: Line) -> list[str]:
    """Everything up to the end of the line, receipts by command id."""
    line.close("SHUTTING_DOWN")
    told = []
    async for data in line:
        message = pb.PlayResponse.FromString(data)
        kind = str(message.WhichOneof("kind"))
        ids = [message.accepted.command_id] if kind == "accepted" else []
        told.append(" ".join([kind, *ids, *(one.command_id for one in message.update.accepted)]))
    return told


async def test_a_receipt_goes_with_the_view_it_led_to() -> None:
    line = a_line()
    line.put(accepted("a"))
    line.show(PAUSED)
    assert await sent(line) == ["seated", "update a", "closed"]


async def test_a_receipt_without_a_new_view_goes_alone() -> None:
    line = a_line()
    line.show(PAUSED)
    outgoing = aiter(line)
    for expected in ("seated", "update"):
        assert pb.PlayResponse.FromString(await anext(outgoing)).WhichOneof("kind") == expected
    line.put(accepted("a"))
    line.show(PAUSED)
    alone = pb.PlayResponse.FromString(await asyncio.wait_for(anext(outgoing), SECONDS))
    assert alone.accepted.command_id == "a"


async def test_only_the_last_of_several_messages_takes_the_view_along() -> None:
    line = a_line()
    line.put(accepted("a"))
    line.put(pb.PlayResponse(refused=pb.Refused(command_id="b")))
    line.put(accepted("c"))
    line.show(PAUSED)
    assert await sent(line) == ["seated", "accepted a", "refused", "update c", "closed"]


async def test_how_a_board_ended_is_overtaken_by_nothing() -> None:
    ended = NOTHING._replace(board=1, result=Result(BoardSlot(1, 1), False, (4, -2, -2)))
    closed = NOTHING._replace(board=2, result=Result(BoardSlot(2, 1), True))
    line = a_line()
    line.show(ended)
    line.show(NOTHING._replace(board=2))
    line.show(closed)
    line.sit("subject", 1, "paohuzi", pb.Seated(table="t2"), {})
    line.show(ended)
    line.rise("NO_TABLE")
    line.close("")
    told = [pb.PlayResponse.FromString(data) async for data in line]
    kinds = [message.WhichOneof("kind") for message in told]
    assert kinds == ["seated", "update", "update", "seated", "update", "waiting"]
    assert list(told[1].update.result.scores) == [4, -2, -2]
    assert told[2].update.result.unfinished
    assert [message.update.cursor for message in told if message.HasField("update")] == [1, 2, 3]
