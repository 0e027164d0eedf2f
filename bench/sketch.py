"""The baseline of the whole path: a bare server with a stream a seat and one JetStream append a move. No rules, views or clocks.

A move is what the client sends; it is appended under its table's subject with the expected last sequence by nats-py's own
`publish`, and acknowledged. With `tell` the other seats of the table get so many bytes a move, as in any game that is shown.
`python -m bench.sketch JSON` prints its port.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import AsyncIterator
from typing import Any

import grpc
import nats
import uvloop
from nats.js import JetStreamContext

from fupan.common.v1.record_pb2 import Receipt
from fupan.table.v1 import paohuzi_pb2
from fupan.table.v1 import service_pb2 as pb
from fupan.table.v1.service_pb2_grpc import TableServiceServicer, add_TableServiceServicer_to_server
from services.runtime.streams import PARTITIONS, partition_of

EXPECTED = "Nats-Expected-Last-Subject-Sequence"


def subject(table: str) -> str:
    """Where a table's moves lie."""
    return f"sketch.{partition_of(table, PARTITIONS)}.{table}"


class Sketch(TableServiceServicer):
    """`Play` and `Act` and nothing else."""

    def __init__(self, js: JetStreamContext, tell: int) -> None:
        self._js = js
        self._last: dict[str, int] = defaultdict(int)
        self._lines: dict[str, list[Any]] = defaultdict(list)
        view = paohuzi_pb2.PaohuziView(hand=[1] * tell)
        self._told = pb.PlayResponse(update=pb.Update(view=pb.SeatView(paohuzi=view))) if tell else None

    async def Play(  # type: ignore[override]  # the other style of grpc.aio: read and write
        self, requests: AsyncIterator[pb.PlayRequest], context: Any
    ) -> None:
        hello = await context.read()
        table = hello.hello.championship
        self._lines[table].append(context)
        await context.write(pb.PlayResponse(waiting=pb.Waiting()))
        try:
            while isinstance(request := await context.read(), pb.PlayRequest):
                answer = request.answer
                await self._append(table, answer)
                if self._told is not None:
                    # Before the acknowledgement: the next move comes after it, and a stream takes one write at a time.
                    for line in self._lines[table]:
                        await line.write(self._told)
                receipt = Receipt(hash=bytes(32))
                await context.write(
                    pb.PlayResponse(accepted=pb.Accepted(command_id=answer.command_id, receipt=receipt))
                )
        finally:
            self._lines[table].remove(context)

    async def Act(self, request: pb.ActRequest, context: Any) -> pb.ActResponse:
        await self._append(request.championship, request.answer)
        return pb.ActResponse(receipt=Receipt(hash=bytes(32)))

    async def _append(self, table: str, answer: pb.Answer) -> None:
        headers = {EXPECTED: str(self._last[table])}
        ack = await self._js.publish(subject(table), answer.SerializeToString(), headers=headers)
        self._last[table] = ack.seq


async def serve(url: str, user: str, password: str, tell: int) -> None:
    """Serve for ever."""
    client = await nats.connect(
        url, user=user, password=password, inbox_prefix=f"_INBOX.{user}".encode(), pending_size=64 << 20
    )
    server = grpc.aio.server()
    add_TableServiceServicer_to_server(Sketch(client.jetstream(timeout=10), tell), server)  # type: ignore[abstract]
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    await server.start()
    await server.wait_for_termination()


if __name__ == "__main__":
    uvloop.run(serve(**json.loads(sys.argv[1])))
