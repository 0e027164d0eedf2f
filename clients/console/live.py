"""What is watched live: one watch of a championship's standings, of its newest round, of a match, however many people look."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager, suppress
from typing import Any, Generic, TypeVar

from grpc import StatusCode
from grpc.aio import AioRpcError

from clients.console.services import CALL_SECONDS, Services
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import service_pb2 as scoring
from fupan.table.v1 import service_pb2 as table

T = TypeVar("T")

IDLE_SECONDS = 300.0
"""A watch that nobody has looked at for so long ends."""

AGAIN_SECONDS = 1.0
"""Pause before a watch that broke is begun again."""

AWAY_SECONDS = 30.0
"""What was told last is shown for so long while the service is away: it may be starting again."""


class Away(Exception):
    """No standings came in time."""


class Watch(Generic[T]):
    """The latest of what a stream tells, which `begin` begins, and again whenever it breaks or ends.

    `last`: whether nothing follows what was told; it is not asked for again before everybody has had the time to look at it.
    """

    def __init__(self, begin: Callable[[], AsyncGenerator[T]], name: str, last: Callable[[T], bool]) -> None:
        self._begin = begin
        self._last = last
        self._latest: T | None = None
        self._error: AioRpcError | None = None
        self._away_since: float | None = None
        self._moved = asyncio.Condition()
        self._followers = 0
        self._looked_at = asyncio.get_running_loop().time()
        self.task = asyncio.create_task(self._run(), name=name)

    @property
    def idle(self) -> bool:
        """Whether nobody has looked for long."""
        return not self._followers and asyncio.get_running_loop().time() - self._looked_at > IDLE_SECONDS

    async def now(self) -> T:
        """What was told last. Raises AioRpcError, Away."""
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

    async def changes(self) -> AsyncGenerator[T]:
        """What is told now, and again whenever it has changed; ends with the watch."""
        shown: T | None = None
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
        while True:
            try:
                async with aclosing(self._begin()) as messages:
                    async for message in messages:
                        self._away_since = None
                        await self._tell(message, None)
            except AioRpcError as error:
                if not self._away_for_a_moment(error):
                    await self._tell(None, error)
            over = self._latest is not None and self._last(self._latest)
            await asyncio.sleep(IDLE_SECONDS if over else AGAIN_SECONDS)

    def _away_for_a_moment(self, error: AioRpcError) -> bool:
        """Whether what is known may still be shown."""
        if self._latest is None or error.code() is not StatusCode.UNAVAILABLE:
            return False
        now = asyncio.get_running_loop().time()
        self._away_since = self._away_since or now
        return now - self._away_since < AWAY_SECONDS

    async def _tell(self, latest: T | None, error: AioRpcError | None) -> None:
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
        self._watches: dict[tuple[str, ...], Watch[Any]] = {}

    def standings(self, championship: str) -> Watch[scoring.GetStandingsResponse]:
        """The standings of a championship that exists."""
        return self._of(("standings", championship), lambda: self._standings(championship))

    def rounds(self, championship: str) -> Watch[pairing.WatchRoundResponse]:
        """How far the newest round of a championship is that exists."""
        return self._of(("rounds", championship), lambda: self._rounds(championship))

    def match(self, championship: str, named: str) -> Watch[table.WatchMatchResponse]:
        """The match at a table that exists, as spectators see it."""
        asked = table.WatchMatchRequest(championship=championship, table=named)
        return self._of(
            ("match", championship, named),
            lambda: self._services.follow(self._services.table.WatchMatch, asked),
            lambda told: told.update.match.HasField("ended"),
        )

    def _of(
        self,
        key: tuple[str, ...],
        begin: Callable[[], AsyncGenerator[T]],
        last: Callable[[T], bool] = lambda told: False,
    ) -> Watch[T]:
        """A watch; begun where there is none yet."""
        if key not in self._watches or self._watches[key].task.done():
            self._watches[key] = Watch(begin, " of ".join(key), last)
        return self._watches[key]

    async def _standings(self, championship: str) -> AsyncGenerator[scoring.GetStandingsResponse]:
        asked = scoring.WatchStandingsRequest(championship=championship)
        async with aclosing(self._services.follow(self._services.scoring.WatchStandings, asked)) as told:
            async for message in told:
                yield message.standings

    def _rounds(self, championship: str) -> AsyncGenerator[pairing.WatchRoundResponse]:
        asked = pairing.WatchRoundRequest(championship=championship)
        return self._services.follow(self._services.pairing.WatchRound, asked)

    async def sweep(self, every: float = IDLE_SECONDS / 5) -> None:
        """End idle watches from time to time; runs as long as the console."""
        while True:
            await asyncio.sleep(every)
            for key in [one for one, watch in self._watches.items() if watch.idle]:
                await self._watches.pop(key).end()

    async def close(self) -> None:
        """End every watch."""
        await asyncio.gather(*(watch.end() for watch in self._watches.values()))
        self._watches.clear()
