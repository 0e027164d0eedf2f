"""People who sit at tables for the bench of memory: `python -m bench.sitters JSON`.

They sit down by `Join`, so that boards are dealt and played without any stream, then answer some questions by `Act`, looking by
`GetView`; says `seated`. Told to go on by a line on its input it opens a stream for every seat; says `connected`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from itertools import count
from pathlib import Path
from typing import Any

import grpc
import uvloop

from bench.servers import person
from clients.robot.tokens import mint, signing_key
from fupan.table.v1 import service_pb2 as pb
from fupan.table.v1.service_pb2_grpc import TableServiceStub

STREAMS_A_CHANNEL = 100
AT_ONCE = 64
_OPTIONS = [("grpc.use_local_subchannel_pool", 1)]
_DAY = 24 * 3600


class Sitter:
    """One person."""

    def __init__(self, stub: Any, championship: str, name: str, token: str) -> None:
        self._stub = stub
        self._championship = championship
        self._name = name
        self._given: dict[str, Any] = {"metadata": (("authorization", f"Bearer {token}"),), "timeout": 30}
        self._ids = count()

    async def join(self) -> None:
        """Sit down, as soon as the table is there."""
        while True:
            try:
                request = pb.JoinRequest(command_id=f"{self._name}-join", championship=self._championship)
                await self._stub.Join(request, **self._given)
                return
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.PERMISSION_DENIED:
                    raise
                await asyncio.sleep(0.2)

    async def answer(self) -> None:
        """Answer what is asked, if anything."""
        seen = await self._stub.GetView(pb.GetViewRequest(championship=self._championship), **self._given)
        update = seen.update
        if not update.ask:
            return
        answer = pb.Answer(command_id=f"{self._name}-{next(self._ids)}", board=update.board, ask=update.ask)
        answer.paohuzi.CopyFrom(update.view.paohuzi.options[0])
        try:
            await self._stub.Act(pb.ActRequest(championship=self._championship, answer=answer), **self._given)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.FAILED_PRECONDITION:
                raise

    async def connect(self, came: asyncio.Semaphore) -> None:
        """Hold a stream; `came` is released by its first view."""
        call = self._stub.Play(metadata=self._given["metadata"], timeout=_DAY)
        await call.write(pb.PlayRequest(hello=pb.Hello(championship=self._championship)))
        while isinstance(message := await call.read(), pb.PlayResponse):
            if message.HasField("update"):
                came.release()


async def main(address: str, keys: str, championship: str, tables: int, answers: int) -> None:
    """See the module; `answers` rounds of looking and answering a table."""
    key = signing_key(Path(keys))
    limit = asyncio.Semaphore(AT_ONCE)
    sitters: list[Sitter] = []
    channels: list[grpc.aio.Channel] = []  # one that nobody holds is closed, and its streams with it
    stub: Any = None
    for number in range(3 * tables):
        if number % STREAMS_A_CHANNEL == 0:
            channels.append(grpc.aio.insecure_channel(address, options=_OPTIONS))
            stub = TableServiceStub(channels[-1])
        name = person(championship, *divmod(number, 3))
        sitters.append(Sitter(stub, championship, name, mint(key, name, _DAY)))

    async def limited(work: Any) -> None:
        async with limit:
            await work

    await asyncio.gather(*(limited(one.join()) for one in sitters))
    for _ in range(answers):
        await asyncio.gather(*(limited(one.answer()) for one in sitters))
    print("seated", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    came = asyncio.Semaphore(0)
    streams = []
    for one in sitters:
        streams.append(asyncio.create_task(one.connect(came)))
        if len(streams) % AT_ONCE == 0:
            for _ in range(AT_ONCE):
                await came.acquire()
    for _ in range(len(sitters) % AT_ONCE):
        await came.acquire()
    print("connected", flush=True)
    await asyncio.gather(*streams)


if __name__ == "__main__":
    uvloop.run(main(**json.loads(sys.argv[1])))
