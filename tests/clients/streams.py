"""The server's end of Play streams, following scripts."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from grpc import aio

from clients.robot.seat import Moment
from fupan.common.v1 import record_pb2
from fupan.table.v1 import service_pb2 as pb
from fupan.table.v1 import service_pb2_grpc
from services.games import registry
from services.ledger import dealing
from services.ledger.games import GAMES

RULES = registry.find("paohuzi/competitive-2017")
CODEC = GAMES[RULES.game]
START = RULES.start(RULES.resolve({}), 1, dealing.shuffle(bytes(32), RULES.deck))
SEAT = RULES.asked(START)[0]

MOMENT = Moment("r1-t1", 1, SEAT, RULES.id, 1, 1, RULES.view(START, SEAT), 1, "play", 0, False, True, "1.1")

Script = Callable[["Stream"], Coroutine[Any, Any, None]]


class Stream:
    """The server's end of one Play stream."""

    def __init__(self, requests: AsyncIterator[pb.PlayRequest], context: Any) -> None:
        self.requests = requests
        self.context = context
        self.token = dict(context.invocation_metadata()).get("authorization", "")

    async def answer(self) -> pb.Answer:
        """The next answer; deliveries are passed over."""
        async for request in self.requests:
            if request.WhichOneof("kind") == "answer":
                return request.answer
        raise AssertionError("the client went away")

    async def hello(self) -> pb.Hello:
        request = await anext(aiter(self.requests))
        assert request.WhichOneof("kind") == "hello"
        return request.hello

    async def tell(self, **kind: Any) -> None:
        await self.context.write(pb.PlayResponse(**kind))

    async def seated(self, table: str = "r1-t1") -> None:
        await self.tell(seated=pb.Seated(table=table, round=1, seat=SEAT, ruleset=RULES.id, boards=1))

    async def ask(self, cursor: int, ask: int = 1, paused: bool = False, seconds: float = 0) -> None:
        """The start of a board, as its first player sees it, who has so long from now."""
        view = CODEC.views.to_proto(RULES.view(START, SEAT))
        update = pb.Update(
            cursor=cursor, board=1, view=pb.SeatView(paohuzi=view), ask=ask, question="play", paused=paused
        )
        if seconds:
            update.deadline_us = int((time.time() + seconds) * 1_000_000)
        await self.tell(update=update)

    async def accept(self, answer: pb.Answer) -> None:
        receipt = record_pb2.Receipt(hash=answer.command_id.encode())
        await self.tell(accepted=pb.Accepted(command_id=answer.command_id, receipt=receipt))

    async def end(self, reason: str = "CHAMPIONSHIP_ENDED") -> None:
        await self.tell(closed=pb.Closed(reason=reason))


class Table(service_pb2_grpc.TableServiceServicer):
    """A server that follows one script a stream."""

    def __init__(self, *scripts: Script) -> None:
        self.scripts = list(scripts)

    async def Play(self, request_iterator: Any, context: Any) -> None:  # type: ignore[override]  # it writes by hand
        await self.scripts.pop(0)(Stream(request_iterator, context))


@asynccontextmanager
async def serving(*scripts: Script) -> AsyncIterator[str]:
    """A table service that follows one script a stream, all of them; its address."""
    server, table = aio.server(), Table(*scripts)  # type: ignore[abstract]  # nothing else is called
    service_pb2_grpc.add_TableServiceServicer_to_server(table, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    yield f"127.0.0.1:{port}"
    await server.stop(None)
    assert not table.scripts
