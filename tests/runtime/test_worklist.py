from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from services.runtime import worklist
from services.runtime.worklist import Worklist
from tests.servers import SECONDS


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
        async with asyncio.timeout(SECONDS), self.called:
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


async def test_work_belongs_to_the_trace_of_what_made_it_due_however_often_it_is_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worklist, "WAITS", (0.0,))
    provider = TracerProvider()
    monkeypatch.setattr("opentelemetry.trace._TRACER_PROVIDER", provider)
    tries: list[int] = []
    stopping = asyncio.Event()

    async def work(key: str) -> None:
        tries.append(trace.get_current_span().get_span_context().trace_id)
        if len(tries) < 3:
            raise KeyError(key)
        stopping.set()

    listed: Worklist[str] = Worklist("test", work)
    with provider.get_tracer("test").start_as_current_span("cause") as cause:
        listed.add("a")
    async with asyncio.timeout(SECONDS):
        await listed.run(stopping)
    assert tries == [cause.get_span_context().trace_id] * 3
