"""Reading on to where the streams are now, once for all who ask."""

from __future__ import annotations

import asyncio

import pytest

from services.runtime import catchup
from services.runtime.catchup import Shared, within
from services.runtime.errors import Unavailable
from services.runtime.store import StoreUnavailable


class Stream:
    """A stream that is read when the test lets it be; what was read, and when it began."""

    def __init__(self) -> None:
        self.written = self.read = self.times = 0
        self.begun, self.let = asyncio.Semaphore(0), asyncio.Semaphore(0)
        self.away = False
        self.shared = Shared(self._read)

    async def _read(self) -> None:
        now, self.times = self.written, self.times + 1
        self.begun.release()
        await self.let.acquire()
        if self.away:
            raise StoreUnavailable("no leader")
        self.read = now

    async def ask(self) -> tuple[int, int]:
        """What stood there when it was asked for, and what was read when that was answered."""
        written = self.written
        await self.shared()
        return written, self.read


async def test_all_who_ask_at_once_are_answered_by_one_read_and_who_asks_meanwhile_by_the_next() -> None:
    stream = Stream()
    first = [asyncio.create_task(stream.ask()) for _ in range(100)]
    await stream.begun.acquire()
    stream.written = 1
    later = [asyncio.create_task(stream.ask()) for _ in range(100)]
    stream.let.release()
    assert await asyncio.gather(*first) == [(0, 0)] * 100
    await stream.begun.acquire()
    stream.let.release()
    assert await asyncio.gather(*later) == [(1, 1)] * 100
    assert stream.times == 2


async def test_a_read_that_fails_is_told_to_all_who_wait_for_it_and_the_next_begins_anew() -> None:
    stream = Stream()
    stream.away = True
    asked = [asyncio.create_task(stream.ask()) for _ in range(3)]
    stream.let.release()
    told = await asyncio.gather(*asked, return_exceptions=True)
    assert all(isinstance(one, StoreUnavailable) for one in told)
    stream.away = False
    stream.let.release()
    assert await stream.ask() == (0, 0)


async def test_who_goes_away_takes_the_answer_from_nobody() -> None:
    stream = Stream()
    gone, stays = (asyncio.create_task(stream.ask()) for _ in range(2))
    await stream.begun.acquire()
    gone.cancel()
    stream.let.release()
    assert await stays == (0, 0)
    assert gone.cancelled()


async def test_what_takes_too_long_is_said_to_be_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catchup, "PATIENCE", 0)
    with pytest.raises(Unavailable, match="POSITION_NOT_REACHED"):
        async with within():
            await asyncio.Event().wait()
