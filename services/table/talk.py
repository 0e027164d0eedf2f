"""`Talk` over the log's own NATS connection."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nats.aio.client import Client
from nats.aio.msg import Msg


class NatsTalk:
    """Core messages: not stored, not acknowledged."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def say(self, subject: str, data: bytes) -> None:
        """See Talk."""
        await self._client.publish(subject, data)

    async def hear(self, subject: str, hearer: Callable[[bytes], Awaitable[None]]) -> None:
        """See Talk."""

        async def heard(message: Msg) -> None:
            await hearer(message.data)

        await self._client.subscribe(subject, cb=heard)
