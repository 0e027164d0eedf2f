"""The services as the console calls them: a channel each, a deadline on every call, its token on those that want one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import grpc
from google.protobuf.message import Message
from grpc import aio

from clients.console.settings import Settings
from clients.console.shared import Shared
from fupan.appeals.v1.service_pb2_grpc import AppealsServiceStub
from fupan.dealer.v1.service_pb2_grpc import DealerServiceStub
from fupan.pairing.v1.service_pb2_grpc import PairingServiceStub
from fupan.scoring.v1.service_pb2_grpc import ScoringServiceStub
from fupan.table.v1.service_pb2_grpc import TableServiceStub
from fupan.table.v1.sheet_service_pb2_grpc import SheetServiceStub

if TYPE_CHECKING:
    from fupan.appeals.v1.service_pb2_grpc import AppealsServiceAsyncStub
    from fupan.dealer.v1.service_pb2_grpc import DealerServiceAsyncStub
    from fupan.pairing.v1.service_pb2_grpc import PairingServiceAsyncStub
    from fupan.scoring.v1.service_pb2_grpc import ScoringServiceAsyncStub
    from fupan.table.v1.service_pb2_grpc import TableServiceAsyncStub
    from fupan.table.v1.sheet_service_pb2_grpc import SheetServiceAsyncStub

Q = TypeVar("Q", bound=Message)
R = TypeVar("R")

CALL_SECONDS = 10.0
"""A page that takes longer is of no use to anybody."""

STREAM_SECONDS = 24 * 3600.0

_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_OPTIONS = (
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
    # A service that comes back is found within a second, not after two minutes.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1_000),
)


class Services:
    """The services for one console. Make it where a loop runs; close it at the end."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._channels: dict[str, aio.Channel] = {}
        self._shared = Shared(settings.fresh_seconds)

    async def close(self) -> None:
        """Close every channel."""
        await asyncio.gather(*(channel.close(None) for channel in self._channels.values()))

    @cached_property
    def pairing(self) -> PairingServiceAsyncStub:
        """Championships, entrants, rounds."""
        return PairingServiceStub(self._channel("pairing"))

    @cached_property
    def dealer(self) -> DealerServiceAsyncStub:
        """Commitments and deals."""
        return DealerServiceStub(self._channel("dealer"))

    @cached_property
    def table(self) -> TableServiceAsyncStub:
        """Boards played over again."""
        return TableServiceStub(self._channel("table"))

    @cached_property
    def sheets(self) -> SheetServiceAsyncStub:
        """Score sheets of matches with real cards."""
        return SheetServiceStub(self._channel("table"))

    @cached_property
    def scoring(self) -> ScoringServiceAsyncStub:
        """Standings, travellers, results explained."""
        return ScoringServiceStub(self._channel("scoring"))

    @cached_property
    def appeals(self) -> AppealsServiceAsyncStub:
        """Appeals, panels, ballots, case files."""
        return AppealsServiceStub(self._channel("appeals"))

    @property
    def knows_names(self) -> bool:
        """Whether the console has a token, without which it is told no person's name."""
        return self._settings.token_file is not None

    async def ask(
        self,
        rpc: aio.UnaryUnaryMultiCallable[Q, R],
        request: Q,
        token: str = "",
        moment: bytes = b"",
        seconds: float = CALL_SECONDS,
    ) -> R:
        """One answer: as whoever a token is of is given it, within `seconds`; else as anybody is, and shared by all who name the
        same `moment` and ask within a second. Raises AioRpcError."""
        if token:
            return await rpc(request, timeout=seconds, metadata=_metadata(token))
        key = rpc, request.SerializeToString(), moment
        answer: R = await self._shared.get(key, lambda: rpc(request, timeout=CALL_SECONDS))
        return answer

    async def ask_named(self, rpc: aio.UnaryUnaryMultiCallable[Q, R], request: Q, shared: bool = False) -> R:
        """One answer, as the console itself is given it; `shared` by all who ask. Raises AioRpcError, OSError without a token."""
        assert self._settings.token_file is not None
        # Read for every call: whoever mints the token may replace the file at any time.
        token = self._settings.token_file.read_text().strip()
        if not shared:
            return await self.ask(rpc, request, token)
        key = rpc, request.SerializeToString(), token
        answer: R = await self._shared.get(key, lambda: self.ask(rpc, request, token))
        return answer

    async def follow(
        self,
        rpc: aio.UnaryStreamMultiCallable[Q, R],
        request: Q,
        seconds: float = STREAM_SECONDS,
        token: str = "",
    ) -> AsyncGenerator[R]:
        """The answers of a stream; it is cancelled when the caller has enough. Raises AioRpcError."""
        call: Any = rpc(request, timeout=seconds, metadata=_metadata(token))
        try:
            async for answer in call:
                yield answer
        finally:
            call.cancel()

    def _channel(self, service: str) -> aio.Channel:
        address = self._settings.services[service]
        if address not in self._channels:
            self._channels[address] = _channel(address, self._settings.issuers)
        return self._channels[address]


def _metadata(token: str) -> aio.Metadata:
    return aio.Metadata(("authorization", f"Bearer {token}")) if token else aio.Metadata()


def _channel(address: str, issuers: Path | None) -> aio.Channel:
    """A channel in clear on this machine, by TLS elsewhere."""
    if address.rpartition(":")[0].strip("[]") in _LOOPBACK:
        return aio.insecure_channel(address, options=_OPTIONS)
    credentials = grpc.ssl_channel_credentials(issuers.read_bytes() if issuers else None)
    return aio.secure_channel(address, credentials, options=_OPTIONS)
