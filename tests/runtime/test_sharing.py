"""Followers of one stream share a consumer once they have caught up, and lose nothing by it."""

from __future__ import annotations

import asyncio

import pytest

from services.runtime import sharing
from services.runtime.jetstream import JetStreamStore
from services.runtime.store import Stored
from services.runtime.streams import Epoch, stream_of
from tests.runtime.store_contract import Reader, fill, following
from tests.servers import SECONDS


async def consumers(store: JetStreamStore, count: int) -> None:
    """Return when the store reads by so many consumers."""
    async with asyncio.timeout(SECONDS):
        while len(store._tails) != count:  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.01)


async def more(store: JetStreamStore, subject: str, after: int, count: int) -> int:
    for _ in range(count):
        after = await store.append(subject, b"more", after)
    return after


async def test_those_who_have_caught_up_share_a_consumer(log_store: JetStreamStore, epoch: Epoch) -> None:
    subject = epoch.subject("scoring", "cup")
    stream = stream_of(subject)
    await fill(log_store, subject, 3)
    async with following(log_store, stream) as first, following(log_store, stream, 1) as second:
        await first.until_count(3)
        await second.until_count(2)
        await consumers(log_store, 1)
        async with following(log_store, stream) as late:
            await late.until_count(3)
            await consumers(log_store, 1)
            await more(log_store, subject, 3, 50)
            for reader, after in ((first, 0), (second, 1), (late, 0)):
                await reader.until_count(53 - after)
                assert [one.sequence for one in reader.records] == list(range(after + 1, 54))


async def test_who_began_the_reading_may_leave_it_to_the_others(
    log_store: JetStreamStore, epoch: Epoch
) -> None:
    subject = epoch.subject("scoring", "cup")
    stream = stream_of(subject)
    async with following(log_store, stream) as first:
        await first.caught_up.wait()
        other = Reader()
        task = asyncio.create_task(log_store.follow(stream, 0, other.deliver, caught_up=other.caught_up.set))
        await other.caught_up.wait()
        await consumers(log_store, 1)
    last = await more(log_store, subject, 0, 5)
    await other.until_count(last)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert [one.sequence for one in other.records] == [1, 2, 3, 4, 5]
    await consumers(log_store, 0)


async def test_a_follower_that_is_slower_than_the_stream_is_not_waited_for_and_misses_nothing(
    log_store: JetStreamStore, epoch: Epoch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "MOST_WAITING", 10)
    subject = epoch.subject("scoring", "cup")
    stream = stream_of(subject)
    slow, free = Reader(), asyncio.Event()

    async def deliver(batch: list[Stored]) -> None:
        await free.wait()
        await slow.deliver(batch)

    async with following(log_store, stream) as fast:
        task = asyncio.create_task(log_store.follow(stream, 0, deliver, caught_up=slow.caught_up.set))
        await slow.caught_up.wait()
        last = await more(log_store, subject, 0, 40)
        await fast.until_count(last)
        free.set()
        await slow.until_count(last)
        last = await more(log_store, subject, last, 5)
        await slow.until_count(last)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert [one.sequence for one in slow.records] == list(range(1, last + 1))


async def test_a_lost_reading_is_made_anew_by_each(log_store: JetStreamStore, epoch: Epoch) -> None:
    subject = epoch.subject("scoring", "cup")
    stream = stream_of(subject)
    async with following(log_store, stream) as first, following(log_store, stream) as second:
        await consumers(log_store, 1)
        last = await more(log_store, subject, 0, 5)
        for tail in tuple(log_store._tails):
            tail.lose("by the test")
        last = await more(log_store, subject, last, 5)
        for reader in (first, second):
            await reader.until_count(last)
            assert [one.sequence for one in reader.records] == list(range(1, last + 1))
