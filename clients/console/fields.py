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

_REPLAY_SECONDS = 30.0
_AT_ONCE = 4
"""Replays that are asked for at once."""


async def fetched(services: Services, asked: table.ReplayBoardRequest, token: str = "") -> Replay:
    """A replay as the table service tells it to whoever a token is of. Raises AioRpcError."""
    telling = services.follow(services.table.ReplayBoard, asked, _REPLAY_SECONDS, token)
    told = [one async for one in telling]
    # Not here: what could be chosen is found again at every step, and visitors of other pages do not wait for it.
    return await asyncio.to_thread(replays.of_service, asked.championship, asked, told)


class Fields:
    """Lines of the boards that are looked at, each read once for all who look."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._shared = Shared(FRESH_SECONDS)

    async def of(
        self, championship: str, board: int, results: Sequence[scoring.BoardResult]
    ) -> Sequence[Line]:
        """The lines of the tables that have these results. Raises AioRpcError."""
        key = championship, board, tuple((one.table, one.attempt) for one in results)
        told: Sequence[Line] = await self._shared.get(key, lambda: self._read(championship, board, results))
        return told

    async def _read(
        self, championship: str, board: int, results: Sequence[scoring.BoardResult]
    ) -> list[Line]:
        turn = asyncio.Semaphore(_AT_ONCE)

        async def one(result: scoring.BoardResult) -> Line | None:
            asked = table.ReplayBoardRequest(
                championship=championship, table=result.table, board=board, attempt=result.attempt, all=True
            )
            async with turn:
                try:
                    replay = await fetched(self._services, asked)
                except AioRpcError:
                    # A table that cannot be read is left out; the rest is worth a look.
                    return None
            # Not here: visitors of other pages do not wait for it.
            return await asyncio.to_thread(field.line, replay) if replay.steps else None

        return [line for line in await asyncio.gather(*map(one, results)) if line is not None]
