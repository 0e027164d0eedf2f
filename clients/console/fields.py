"""Boards played over again, as the services tell them: one table's replay, and the lines of all tables on a board."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from grpc.aio import AioRpcError

from clients.boards import field, replays
from clients.boards.field import Line
from clients.boards.replays import Replay
from clients.console.services import Services
from clients.console.shared import Shared
from fupan.scoring.v1 import service_pb2 as scoring
from fupan.table.v1 import service_pb2 as table

FRESH_SECONDS = 600.0
"""A board that is closed everywhere changes by nothing but a ruling."""

KEPT = 512
"""Lines that are kept; one has some tens of kilobytes."""

_REPLAY_SECONDS = 30.0
_AT_ONCE = 4
"""Replays that are read at once, for all visitors together."""


async def fetched(services: Services, asked: table.ReplayBoardRequest, token: str = "") -> Replay:
    """A replay as the table service tells it to whoever a token is of. Raises AioRpcError."""
    telling = services.follow(services.table.ReplayBoard, asked, _REPLAY_SECONDS, token)
    told = [one async for one in telling]
    # Not here: what could be chosen is found again at every step, and visitors of other pages do not wait for it.
    return await asyncio.to_thread(replays.of_service, asked.championship, asked, told)


class Fields:
    """Tables' lines on boards that are closed everywhere, each read once for all who look."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._shared = Shared(FRESH_SECONDS, KEPT)
        self._turn = asyncio.Semaphore(_AT_ONCE)

    async def of(self, championship: str, board: int, results: Sequence[scoring.BoardResult]) -> list[Line]:
        """The lines of the tables that have these results; one that cannot be read is left out, the rest is worth a look."""
        read = await asyncio.gather(*(self._line(championship, board, one) for one in results))
        return [line for line in read if line is not None]

    async def _line(self, championship: str, board: int, result: scoring.BoardResult) -> Line | None:
        asked = table.ReplayBoardRequest(
            championship=championship, table=result.table, board=board, attempt=result.attempt, all=True
        )
        try:
            line: Line | None = await self._shared.get(asked.SerializeToString(), lambda: self._read(asked))
        except AioRpcError:
            return None
        return line

    async def _read(self, asked: table.ReplayBoardRequest) -> Line | None:
        async with self._turn:
            replay = await fetched(self._services, asked)
            return await asyncio.to_thread(field.line, replay) if replay.steps else None
