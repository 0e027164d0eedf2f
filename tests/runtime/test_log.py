"""A log that is not whole: the subject it breaks in is suspended, and no other."""

from __future__ import annotations

import asyncio

import pytest

from services.dealer import decider
from services.dealer import model as m
from services.dealer.codec import COMMANDS, EVENTS
from services.domain import Rejected
from services.ledger.record import START, Stored, Writer
from services.runtime.clock import now_us
from services.runtime.follower import Follower, Read
from services.runtime.log import Envelope, Log
from services.runtime.memory import MemoryStore
from services.runtime.streams import Epoch
from tests.runtime.records import record

EPOCH = Epoch("e1", 1)
BROKEN, WHOLE = EPOCH.subject("dealer", "broken"), EPOCH.subject("dealer", "whole")
STREAM = EPOCH.stream("dealer")

DealerLog = Log[m.Dealings, m.Command, m.Event]


async def started(store: MemoryStore) -> DealerLog:
    log: DealerLog = Log(
        store,
        Writer("dealer", "test", "0"),
        EPOCH.id,
        decider,
        COMMANDS,
        EVENTS,
        now_us,
    )
    await log.start([STREAM])
    return log


def key(appeal: str) -> tuple[m.CreateAppealKey, Envelope]:
    return m.CreateAppealKey(appeal, b"public", "k", b"sealed"), Envelope("service:appeals", appeal)


async def written(store: MemoryStore) -> dict[str, list[Stored]]:
    """Three records of either subject, by turns."""
    log = await started(store)
    for number in range(3):
        for subject in (BROKEN, WHOLE):
            await log.handle(subject, *key(f"a-{number}"))
    await log.stop()
    return {subject: [one async for one in store.read(subject)] for subject in (BROKEN, WHOLE)}


async def test_a_cancelled_caller_does_not_lose_its_record() -> None:
    store = MemoryStore()
    log = await started(store)
    caller = asyncio.create_task(log.handle(WHOLE, *key("a-1")))
    await asyncio.sleep(0)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    await log.stop()
    assert log.head(WHOLE).version == 1


async def restored(records: list[Stored]) -> MemoryStore:
    """A stream made of these records."""
    store, last = MemoryStore(), dict[str, int]()
    for one in records:
        last[one.subject] = await store.append(one.subject, one.data, last.get(one.subject, 0))
    return store


async def damaged(kind: str) -> MemoryStore:
    """A log in which the second record of `BROKEN` is gone, or is none, or is another's."""
    records = await written(MemoryStore())
    first, second, third = records[BROKEN]
    foreign = Stored(STREAM, second.sequence, BROKEN, record(BROKEN, START, "not the dealer's"))
    middle = {
        "removed": [],
        "no record": [Stored(STREAM, second.sequence, BROKEN, b"\xff" * 30)],
        "a record of another version": [foreign],
    }[kind]
    return await restored([first, *middle, third, *records[WHOLE]])


KINDS = ("removed", "no record", "a record of another version")


@pytest.mark.parametrize("kind", KINDS)
async def test_a_subject_whose_log_breaks_is_suspended_and_the_others_go_on(kind: str) -> None:
    log = await started(await damaged(kind))
    state = log.state(BROKEN)
    assert state is not None
    assert [appeal for appeal, _ in state.appeal_keys] == ["a-0"]
    with pytest.raises(Rejected, match="SUBJECT_SUSPENDED"):
        await log.handle(BROKEN, *key("a-9"))
    assert (await log.handle(WHOLE, *key("a-9"))).version == 4
    await log.stop()


@pytest.mark.parametrize("kind", KINDS)
async def test_who_follows_another_services_stream_goes_past_what_cannot_be_read(kind: str) -> None:
    read: list[Read] = []

    async def deliver(reads: list[Read]) -> None:
        read.extend(reads)

    store = await damaged(kind)
    follower = Follower(store, STREAM, deliver)
    await follower.start()
    await follower.wait_for(await store.last_sequence(STREAM))
    await follower.stop()
    assert [one.record.header.version for one in read if one.stored.subject == WHOLE] == [1, 2, 3]
