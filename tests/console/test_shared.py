from __future__ import annotations

import asyncio

import pytest

from clients.console.shared import Shared


class Source:
    """Something that is asked, and counts how often; it answers when it is let."""

    def __init__(self) -> None:
        self.asked = 0
        self.may_answer = asyncio.Event()
        self.fails = False

    async def __call__(self) -> int:
        self.asked += 1
        number = self.asked
        await self.may_answer.wait()
        if self.fails:
            raise LookupError(number)
        return number


async def test_all_who_ask_at_once_are_told_the_same() -> None:
    shared, source = Shared(60), Source()
    asking = [asyncio.create_task(shared.get("key", source)) for _ in range(5)]
    await asyncio.sleep(0)
    source.may_answer.set()
    assert await asyncio.gather(*asking) == [1] * 5
    assert await shared.get("key", source) == 1
    assert await shared.get("other", source) == 2


async def test_what_is_old_is_asked_anew() -> None:
    shared, source = Shared(0), Source()
    source.may_answer.set()
    assert [await shared.get("key", source) for _ in range(3)] == [1, 2, 3]


async def test_an_error_goes_to_all_who_wait_and_is_not_kept() -> None:
    shared, source = Shared(60), Source()
    source.fails = True
    asking = [asyncio.create_task(shared.get("key", source)) for _ in range(2)]
    await asyncio.sleep(0)
    source.may_answer.set()
    assert [type(one) for one in await asyncio.gather(*asking, return_exceptions=True)] == [LookupError] * 2
    source.fails = False
    assert await shared.get("key", source) == 2


async def test_whoever_leaves_takes_nothing_from_the_others() -> None:
    shared, source = Shared(60), Source()
    first, second = (asyncio.create_task(shared.get("key", source)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    source.may_answer.set()
    assert await second == 1
    with pytest.raises(asyncio.CancelledError):
        await first
