"""Live standings: one watch a championship, however many people look."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager, suppress

from grpc.aio import AioRpcError

from clients.console.services import CALL_SECONDS, Services
from fupan.scoring.v1 import service_pb2 as pb

IDLE_SECONDS = 300.0
"""A watch that nobody has looked at for so long ends."""

AGAIN_SECONDS = 1.0
"""Pause before a watch that broke is begun again."""


class Away(Exception):
    """No standings came in time."""


class Watch:
    """The latest standings of one championship."""

    def __init__(self, services: Services, championship: str) -> None:
        self._services = services
        self._championship = championship
        self._latest: pb.GetStandingsResponse | None = None
        self._error: AioRpcError | None = None
        self._moved = asyncio.Condition()
        self._followers = 0
        self._looked_at = asyncio.get_running_loop().time()
        self.task = asyncio.create_task(self._run(), name=f"standings of {championship}")

    @property
    def idle(self) -> bool:
        """Whether nobody has looked for long."""
        return not self._followers and asyncio.get_running_loop().time() - self._looked_at > IDLE_SECONDS

    async def now(self) -> pb.GetStandingsResponse:
        """The standings as they are. Raises AioRpcError, Away."""
        self._looked_at = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(CALL_SECONDS), self._moved:
                await self._moved.wait_for(lambda: self._latest is not None or self._error is not None)
        except TimeoutError:
            raise Away from None
        if self._latest is None:
            assert self._error is not None
            raise self._error
        return self._latest

    async def changes(self) -> AsyncGenerator[pb.GetStandingsResponse]:
        """The standings now, and again whenever they have changed; ends with the watch."""
        shown: pb.GetStandingsResponse | None = None
        with self._following():
            while True:
                async with self._moved:
                    while not self.task.done() and (self._latest is None or self._latest is shown):
                        await self._moved.wait()
                    shown = self._latest
                if self.task.done() or shown is None:
                    return
                yield shown

    @contextmanager
    def _following(self) -> Iterator[None]:
        self._followers += 1
        try:
            yield
        finally:
            self._followers -= 1

    async def _run(self) -> None:
        """Watch, and watch again after an error or an end, until the task is cancelled."""
        scoring = self._services.scoring
        request = pb.WatchStandingsRequest(championship=self._championship)
        while True:
            try:
                async for message in self._services.follow(scoring.WatchStandings, request):
                    await self._tell(message.standings, None)
            except AioRpcError as error:
                await self._tell(None, error)
            await asyncio.sleep(AGAIN_SECONDS)

    async def _tell(self, latest: pb.GetStandingsResponse | None, error: AioRpcError | None) -> None:
        async with self._moved:
            self._latest, self._error = latest, error
            self._moved.notify_all()

    async def end(self) -> None:
        """End the watch, and everybody's following."""
        self.task.cancel()
        with suppress(asyncio.CancelledError):
            await self.task
        async with self._moved:
            self._moved.notify_all()


class Live:
    """All watches."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._watches: dict[str, Watch] = {}

    def of(self, championship: str) -> Watch:
        """The watch of a championship that exists; begun where there is none yet."""
        watch = self._watches.get(championship)
        if watch is None or watch.task.done():
            self._watches[championship] = Watch(self._services, championship)
        return self._watches[championship]

    async def sweep(self, every: float = IDLE_SECONDS / 5) -> None:
        """End idle watches from time to time; runs as long as the console."""
        while True:
            await asyncio.sleep(every)
            for championship in [one for one, watch in self._watches.items() if watch.idle]:
                await self._watches.pop(championship).end()

    async def close(self) -> None:
        """End every watch."""
        await asyncio.gather(*(watch.end() for watch in self._watches.values()))
        self._watches.clear()
