"""Calls made with any bytes by anybody, and what must hold of every answer."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import grpc
from grpc import StatusCode
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from fupan.dealer.v1 import service_pb2 as dealer
from services.access import PUBLIC, RULES
from services.runtime.errors import Explained, read_status
from tests.e2e.callers import FORGED
from tests.e2e.canary import Secret, found
from tests.e2e.directory import Inside
from tests.e2e.messages import METHODS, Call, message_class

BROKEN_OFF = "Internal error from Core"
"""What a client of the gRPC library is told when the server ended the stream that it still writes to."""

UNTYPED = {StatusCode.RESOURCE_EXHAUSTED, StatusCode.DEADLINE_EXCEEDED, StatusCode.CANCELLED}
"""The gRPC library's own words, without ours: a request of more than four mebibytes, and a caller that waits no longer."""

PATIENCE = 0.15
"""Seconds that a watch is listened to."""

UNARY_SECONDS = 20.0


@dataclass
class Sender:
    """Makes calls and checks every answer. `secrets`: what no answer may hold."""

    inside: Inside
    championship: str
    tokens: dict[str, str]
    secrets: Sequence[Secret]
    counts: Counter[str] = field(default_factory=Counter)
    """Answers by code."""
    reasons: Counter[str] = field(default_factory=Counter)
    """Refusals by reason."""
    refused_ids: set[str] = field(default_factory=set)
    """Command ids that came in a refused call and in no accepted one."""
    accepted_ids: set[str] = field(default_factory=set)
    _channels: dict[str, grpc.aio.Channel] = field(default_factory=dict)

    async def close(self) -> None:
        """Close the connections."""
        for channel in self._channels.values():
            await channel.close(None)

    async def send(self, call: Call) -> Explained | None:
        """Make the call; the refusal, None for an answer. Raises AssertionError for what must not happen."""
        try:
            answers = await self._made(call)
        except grpc.aio.AioRpcError as error:
            self.counts[error.code().name] += 1
            self.refused_ids |= _command_ids(call)
            return await self._refusal(call, error)
        self.counts["OK"] += 1
        self.accepted_ids |= _command_ids(call)
        await self._tells_nothing(call, b"".join(answers))
        assert call.caller not in FORGED or _public(call.method), call
        return None

    async def _refusal(self, call: Call, error: grpc.aio.AioRpcError) -> Explained | None:
        if error.details() == BROKEN_OFF:
            return None
        told = read_status(error)
        words = f"{error.code().name} {error.details()}"
        assert error.code() not in (StatusCode.INTERNAL, StatusCode.UNKNOWN, StatusCode.DATA_LOSS), (
            words,
            call,
        )
        assert told is not None or error.code() in UNTYPED, (words, call)
        self.reasons[told.reason if told else error.code().name] += 1
        data = str(error.details()).encode() + (told.status().SerializeToString() if told else b"")
        await self._tells_nothing(call, data)
        for word in (b"Traceback", b".py", b"asyncpg", b"postgres", b"nats:", b"0x7f"):
            assert word not in data, (words, call)
        return told

    async def _tells_nothing(self, call: Call, data: bytes) -> None:
        """Nothing secret stands in an answer; a board that was closed everywhere meanwhile is none."""
        for name in found(self.secrets, data):
            assert name.rpartition(" ")[2] in await self._revealed(), (name, call)

    async def _revealed(self) -> set[str]:
        async with self.inside.caller() as anybody:
            request = dealer.GetCommitmentsRequest(championship=self.championship)
            told = await anybody.dealer.GetCommitments(request)
        return {f"{one.path.round}/{one.path.board}/{one.path.attempt}" for one in told.revealed}

    async def _made(self, call: Call) -> list[bytes]:
        method = METHODS[call.method]
        kinds = ("unary", "stream")
        kind = f"{kinds[method.client_streaming]}_{kinds[method.server_streaming]}"
        start = getattr(self._channel(call.service), kind)(call.method)
        token = self.tokens[call.caller]
        metadata = (("authorization", f"Bearer {token}"),) if token else ()
        timeout = PATIENCE if method.server_streaming else UNARY_SECONDS
        if method.client_streaming:
            running = start(timeout=timeout, metadata=metadata)
            with suppress(
                grpc.aio.AioRpcError, asyncio.InvalidStateError
            ):  # it may have ended; the reader is told how
                for request in call.requests:
                    await running.write(request)
                await running.done_writing()
        else:
            running = start(call.requests[0], timeout=timeout, metadata=metadata)
        return await _some(running) if method.server_streaming else [await running]

    def _channel(self, service: str) -> grpc.aio.Channel:
        if service not in self._channels:
            address = self.inside.place.services[service]
            limit = [("grpc.max_receive_message_length", 64 * 1024 * 1024)]
            self._channels[service] = grpc.aio.insecure_channel(address, limit)
        return self._channels[service]


async def _some(running: Any) -> list[bytes]:
    """The first answers of a stream, or all that come in time."""
    answers: list[bytes] = []
    try:
        while len(answers) < 3 and isinstance(answer := await running.read(), bytes):
            answers.append(answer)
    except grpc.aio.AioRpcError as error:
        if error.code() is not StatusCode.DEADLINE_EXCEEDED:
            raise
    finally:
        running.cancel()
    return answers


def _public(method: str) -> bool:
    return PUBLIC in RULES[method].who


def _command_ids(call: Call) -> set[str]:
    """Command ids of the call's requests that are its own."""
    ids = set()
    for request in call.requests:
        try:
            message = message_class(METHODS[call.method].input_type).FromString(request)
        except Exception:
            continue
        for one in (message, getattr(message, "header", None), getattr(message, "answer", None)):
            name = getattr(one, "command_id", "")
            if name.startswith("fuzz-"):
                ids.add(name)
    return ids


async def each(
    strategy: st.SearchStrategy[Call], count: int, send: Callable[[Call], Awaitable[Any]], seed: bool
) -> None:
    """Send `count` calls of a strategy, one after the other; the same ones every time when `seed`."""
    loop = asyncio.get_running_loop()

    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        derandomize=seed,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def one(call: Call) -> None:
        asyncio.run_coroutine_threadsafe(_awaited(send(call)), loop).result(60)

    await asyncio.to_thread(one)


async def _awaited(work: Awaitable[Any]) -> Any:
    return await work
