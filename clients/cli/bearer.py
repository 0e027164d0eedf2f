"""What every call of a client carries: the caller's token and a deadline; unary calls have patience, too.

A unary call that finds a service away is made again with the same request, and so the same command id.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import grpc
from grpc import aio

T = TypeVar("T")

Token = Callable[[], str]
"""Gives a bearer token that is good now; empty for nobody's."""

CALL_SECONDS = 30.0
"""Deadline of a unary call."""

STREAM_SECONDS = 24 * 3600.0
"""Deadline of a stream: services want one on every call."""

_AWAY = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.ABORTED)
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0


def interceptors(token: Token, patience: float) -> Sequence[Any]:
    """What gives every call the caller's token and a deadline, and unary calls patience. A Play stream is left alone, for
    `clients.robot.seat` gives its own: behind an interceptor a refused stream leaves tasks that nobody waits for."""
    return [_Unary(token, patience), _UnaryStream(token), _StreamUnary(token)]


def lost(error: aio.AioRpcError) -> bool:
    """Whether the service has answered a stream that was still being written to, and grpcio lost the answer: a write that then
    fails overwrites it (grpc/grpc#36066)."""
    return error.code() is grpc.StatusCode.INTERNAL and error.details() == "Internal error from Core"


async def patiently(work: Callable[[], Awaitable[T]], patience: float) -> T:
    """Do `work`, and do it again from its start while a service is away or its answer was lost, for `patience` seconds. Raises
    AioRpcError.

    For streams, which nothing repeats by itself: a log that is read, an import under its own command id.
    """
    loop = asyncio.get_running_loop()
    until, pause = loop.time() + patience, _FIRST_PAUSE
    while True:
        try:
            return await work()
        except aio.AioRpcError as error:
            if not (error.code() in _AWAY or lost(error)) or loop.time() + pause > until:
                raise
        await asyncio.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


class _Bearer:
    """Adds token and deadline to a call's details."""

    def __init__(self, token: Token, seconds: float) -> None:
        self._token = token
        self._seconds = seconds

    def _details(self, details: aio.ClientCallDetails) -> aio.ClientCallDetails:
        metadata = aio.Metadata(*(details.metadata or ()))
        token = self._token()
        if token and "authorization" not in metadata:
            metadata.add("authorization", f"Bearer {token}")
        timeout = self._seconds if details.timeout is None else details.timeout
        return aio.ClientCallDetails(
            details.method, timeout, metadata, details.credentials, details.wait_for_ready
        )


class _Unary(_Bearer, aio.UnaryUnaryClientInterceptor):  # type: ignore[type-arg]
    def __init__(self, token: Token, patience: float) -> None:
        super().__init__(token, CALL_SECONDS)
        self._patience = patience

    async def intercept_unary_unary(
        self, continuation: Any, client_call_details: aio.ClientCallDetails, request: Any
    ) -> Any:
        loop = asyncio.get_running_loop()
        until, pause = loop.time() + self._patience, _FIRST_PAUSE
        while True:
            call = await continuation(self._details(client_call_details), request)
            if await call.code() not in _AWAY or loop.time() + pause > until:
                return call
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)


class _UnaryStream(_Bearer, aio.UnaryStreamClientInterceptor):  # type: ignore[type-arg]
    def __init__(self, token: Token) -> None:
        super().__init__(token, STREAM_SECONDS)

    async def intercept_unary_stream(
        self, continuation: Any, client_call_details: aio.ClientCallDetails, request: Any
    ) -> Any:
        return await continuation(self._details(client_call_details), request)


class _StreamUnary(_Bearer, aio.StreamUnaryClientInterceptor):  # type: ignore[type-arg]
    def __init__(self, token: Token) -> None:
        super().__init__(token, STREAM_SECONDS)

    async def intercept_stream_unary(
        self, continuation: Any, client_call_details: aio.ClientCallDetails, request_iterator: Any
    ) -> Any:
        return await continuation(self._details(client_call_details), request_iterator)
