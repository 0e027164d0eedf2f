"""A log as one of several replicas has it that read and write late, for tests of what they come to whatever happens."""

from __future__ import annotations

import asyncio
from typing import Any

from services.runtime.memory import MemoryStore
from services.runtime.store import Stored


class Late(MemoryStore):
    """A log as one replica has it: what it writes, asks and hears waits until it may go on."""

    def __init__(self, whole: MemoryStore) -> None:
        super().__init__()
        self._whole = whole
        self.waiting: list[asyncio.Future[None]] = []
        self.flows = True

    async def _turn(self) -> None:
        if not self.flows:
            self.waiting.append(asyncio.get_running_loop().create_future())
            await self.waiting[-1]

    def go(self, which: int) -> None:
        """Let one thing go on that waits."""
        if self.waiting:
            self.waiting.pop(which % len(self.waiting)).set_result(None)

    def flow(self) -> None:
        """Let everything go on from here on."""
        self.flows = True
        while self.waiting:
            self.go(0)

    async def append(self, subject: str, data: bytes, expected: int) -> int:
        await self._turn()
        sequence = await self._whole.append(subject, data, expected)
        await self._turn()
        return sequence

    async def next_of(self, subject: str, after: int) -> Stored | None:
        return await self._whole.next_of(subject, after)

    async def get(self, stream: str, sequence: int) -> Stored | None:
        return await self._whole.get(stream, sequence)

    def read(self, subject: str, *place: int) -> Any:
        return self._whole.read(subject, *place)

    async def last_sequence(self, stream: str) -> int:
        last = await self._whole.last_sequence(stream)
        await self._turn()
        return last

    async def follow(self, stream: str, after: int, deliver: Any, *more: Any, **named: Any) -> None:
        async def late(records: list[Stored]) -> None:
            await self._turn()
            await deliver(records)

        await self._whole.follow(stream, after, late, *more, **named)
