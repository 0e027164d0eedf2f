from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from services.runtime import worklist
from services.runtime.worklist import Worklist


class Work:
    """Notes what it was called for; fails as often as told, or waits to be let go."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.failures = 0
        self.held: dict[str, asyncio.Event] = {}
        self.called = asyncio.Condition()

    async def __call__(self, key: str) -> None:
        async with self.called:
            self.calls.append(key)
            self.called.notify_all()
        if key in self.held:
            await self.held[key].wait()
        if self.failures:
            self.failures -= 1
            raise KeyError(key)

    async def until(self, count: int) -> None:
        async with asyncio.timeout(5), self.called:
            await self.called.wait_for(lambda: len(self.calls) >= count)


@pytest.fixture
async def work(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Work, Worklist[str]]]:
    monkeypatch.setattr(worklist, "WAITS", (0.0,))
    done, stopping = Work(), asyncio.Event()
    listed: Worklist[str] = Worklist("test", done)
    listed.add("before")
    running = asyncio.create_task(listed.run(stopping))
    await done.until(1)
    yield done, listed
    for held in done.held.values():
        held.set()
    stopping.set()
    await running


async def test_what_was_added_before_it_runs_is_worked_on(work: tuple[Work, Worklist[str]]) -> None:
    assert work[0].calls == ["before"]


async def test_what_fails_is_tried_again_until_it_succeeds(work: tuple[Work, Worklist[str]]) -> None:
    done, listed = work
    done.failures = 3
    listed.add("a")
    await done.until(5)
    listed.add("b")
    await done.until(6)
    assert done.calls == ["before", "a", "a", "a", "a", "b"]


async def test_one_key_waits_for_itself_and_for_no_other(work: tuple[Work, Worklist[str]]) -> None:
    done, listed = work
    done.held["a"] = asyncio.Event()
    listed.add("a")
    await done.until(2)
    listed.add("a")
    listed.add("b")
    await done.until(3)
    assert done.calls == ["before", "a", "b"]
    done.held["a"].set()
    await done.until(4)
    assert done.calls == ["before", "a", "b", "a"]


async def test_it_ends_when_what_has_begun_is_finished() -> None:
    done, stopping = Work(), asyncio.Event()
    done.held["a"] = asyncio.Event()
    listed: Worklist[str] = Worklist("test", done)
    listed.add("a")
    running = asyncio.create_task(listed.run(stopping))
    await done.until(1)
    stopping.set()
    listed.add("b")
    done.held["a"].set()
    await running
    assert done.calls == ["a"]
