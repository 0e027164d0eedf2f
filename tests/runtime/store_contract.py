"""What every event store must do; each implementation's test class says only how its store is made."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from services.ledger.record import MAX_RECORD
from services.runtime.store import Conflict, EventStore, Stored, StoreUnavailable, StreamWentBack
from services.runtime.streams import Epoch, stream_of
from services.runtime.writer import Overtaken, append
from tests.runtime.lossy import LOST, Lose
from tests.servers import SECONDS


def neighbours(epoch: Epoch, count: int = 2) -> list[str]:
    """Subjects of tables that share one stream."""
    subjects = (epoch.table_subject("cup", f"t{n}") for n in itertools.count())
    stream = epoch.table_streams()[0]
    return list(itertools.islice((s for s in subjects if stream_of(s) == stream), count))


async def fill(store: EventStore, subject: str, count: int, size: int = 0) -> list[bytes]:
    """Append `count` numbered records to an empty subject."""
    records = [b"%06d" % n + bytes(size) for n in range(1, count + 1)]
    last = 0
    for data in records:
        last = await store.append(subject, data, last)
    return records


class Reader:
    """A follower of a stream whose deliveries a test can wait for."""

    def __init__(self) -> None:
        self.records: list[Stored] = []
        self.caught_up = asyncio.Event()
        self._moved = asyncio.Condition()

    async def deliver(self, batch: list[Stored]) -> None:
        assert batch
        self.records += batch
        async with self._moved:
            self._moved.notify_all()

    async def until(self, reached: Callable[[], bool]) -> None:
        async with asyncio.timeout(SECONDS), self._moved:
            await self._moved.wait_for(reached)

    async def until_count(self, count: int) -> None:
        await self.until(lambda: len(self.records) >= count)

    @property
    def data(self) -> list[bytes]:
        return [record.data for record in self.records]


@asynccontextmanager
async def following(
    store: EventStore, stream: str, after: int = 0, subject: str = ""
) -> AsyncIterator[Reader]:
    """A running follower; it must still run at the end."""
    reader = Reader()
    task = asyncio.create_task(
        store.follow(stream, after, reader.deliver, subject, caught_up=reader.caught_up.set)
    )
    try:
        yield reader
        assert not task.done(), task.exception()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def raced(store: EventStore, subject: str, name: str, wins: int, start: asyncio.Event) -> None:
    """Append `wins` records, each naming its version and writer, against whoever else does the same."""
    version, sequence = 0, 0
    await start.wait()
    while wins:
        data = json.dumps([version + 1, name, wins]).encode()
        try:
            sequence = await append(store, subject, data, sequence, _soon())
            version, wins = version + 1, wins - 1
        except Overtaken:
            async for record in store.read(subject, sequence):
                version, sequence = version + 1, record.sequence


class StoreContract:
    """Subclasses have a fixture `store`, `second`, which is another connection to the same log, and `lose`, by which `store` loses
    answers."""

    async def test_a_subject_begins_after_zero(self, store: EventStore, epoch: Epoch) -> None:
        subject = epoch.table_subject("cup", "t1")
        assert await store.append(subject, b"one", 0) == 1

    async def test_sequences_are_the_streams_and_not_the_subjects(
        self, store: EventStore, epoch: Epoch
    ) -> None:
        first, second = neighbours(epoch)
        assert await store.append(first, b"a", 0) == 1
        assert await store.append(second, b"b", 0) == 2
        assert await store.append(first, b"c", 1) == 3
        assert await store.append(first, b"d", 3) == 4
        with pytest.raises(Conflict):
            await store.append(second, b"e", 1)

    @pytest.mark.parametrize("expected", [0, 1, 3])
    async def test_a_wrong_expectation_conflicts_and_stores_nothing(
        self, store: EventStore, epoch: Epoch, expected: int
    ) -> None:
        subject = epoch.table_subject("cup", "t1")
        await fill(store, subject, 2)
        with pytest.raises(Conflict):
            await store.append(subject, b"other", expected)
        assert await store.last_sequence(stream_of(subject)) == 2

    async def test_an_empty_subject_conflicts_with_any_expectation_but_zero(
        self, store: EventStore, epoch: Epoch
    ) -> None:
        first, second = neighbours(epoch)
        await store.append(first, b"a", 0)
        with pytest.raises(Conflict):
            await store.append(second, b"b", 1)

    async def test_the_largest_record_goes_in_and_a_larger_one_does_not(
        self, store: EventStore, epoch: Epoch
    ) -> None:
        subject = epoch.subject("pairing", "cup")
        assert await store.append(subject, bytes(MAX_RECORD), 0) == 1
        with pytest.raises(ValueError, match="at most"):
            await store.append(subject, bytes(MAX_RECORD + 1), 1)

    async def test_heads_and_single_records(self, store: EventStore, epoch: Epoch) -> None:
        first, second = neighbours(epoch)
        stream = stream_of(first)
        for subject, data, expected in ((first, b"a", 0), (second, b"b", 0), (first, b"c", 1)):
            await store.append(subject, data, expected)
        assert await store.last(first) == Stored(stream, 3, first, b"c")
        assert await store.next_of(first, 0) == Stored(stream, 1, first, b"a")
        assert await store.next_of(first, 1) == Stored(stream, 3, first, b"c")
        assert await store.next_of(first, 3) is None
        assert await store.next_of(second, 2) is None
        assert await store.get(stream, 2) == Stored(stream, 2, second, b"b")
        assert await store.get(stream, 4) is None

    async def test_what_is_not_there(self, store: EventStore, epoch: Epoch) -> None:
        subject = epoch.appeal_subject("cup", "a1")
        assert await store.last(subject) is None
        assert await store.next_of(subject, 0) is None
        assert [record async for record in store.read(subject)] == []
        assert await store.last_sequence(stream_of(subject)) == 0

    async def test_reading_a_subject_among_others(self, store: EventStore, epoch: Epoch) -> None:
        first, second = neighbours(epoch)
        sequences = {first: 0, second: 0}
        for n in range(1300):
            subject = (first, second)[n % 2]
            sequences[subject] = await store.append(subject, b"%d" % n, sequences[subject])
        assert [int(r.data) async for r in store.read(first)] == list(range(0, 1300, 2))
        assert [int(r.data) async for r in store.read(second, 1296)] == [1297, 1299]
        assert [r async for r in store.read(second, 1300)] == []
        assert [int(r.data) async for r in store.read(first, 2, 3)] == [2, 4, 6]
        assert [int(r.data) async for r in store.read(first, 4, 600)] == list(range(4, 1204, 2))
        assert [int(r.data) async for r in store.read(second, 1296, 5)] == [1297, 1299]

    async def test_following_from_the_start_and_on(self, store: EventStore, epoch: Epoch) -> None:
        first, second = neighbours(epoch)
        before = await fill(store, first, 20)
        async with following(store, stream_of(first)) as reader:
            await reader.caught_up.wait()
            assert reader.data == before
            await store.append(second, b"x", 0)
            await store.append(first, b"y", 20)
            await reader.until_count(22)
        assert reader.data == [*before, b"x", b"y"]
        assert [record.sequence for record in reader.records] == list(range(1, 23))

    async def test_following_from_the_middle_and_one_subject(self, store: EventStore, epoch: Epoch) -> None:
        first, second = neighbours(epoch)
        await fill(store, first, 3)
        await store.append(second, b"x", 0)
        await store.append(first, b"y", 3)
        async with following(store, stream_of(first), after=2, subject=first) as reader:
            await reader.caught_up.wait()
            assert reader.data == [b"000003", b"y"]

    async def test_an_empty_stream_is_caught_up_at_once(self, store: EventStore, epoch: Epoch) -> None:
        subject = epoch.subject("scoring", "cup")
        async with following(store, stream_of(subject)) as reader, asyncio.timeout(SECONDS):
            await reader.caught_up.wait()
            await store.append(subject, b"a", 0)
            await reader.until_count(1)

    async def test_an_error_of_the_receiver_ends_following(self, store: EventStore, epoch: Epoch) -> None:
        subject = epoch.subject("scoring", "cup")
        await fill(store, subject, 1)

        async def refuse(batch: list[Stored]) -> None:
            raise LookupError(batch[0].data)

        with pytest.raises(LookupError, match="000001"):
            await store.follow(stream_of(subject), 0, refuse)

    async def test_following_behind_the_end_is_an_error(self, store: EventStore, epoch: Epoch) -> None:
        subject = epoch.subject("scoring", "cup")
        await fill(store, subject, 1)
        with pytest.raises(StreamWentBack, match="ends at 1"):
            await store.follow(stream_of(subject), 2, Reader().deliver)

    async def test_a_blocked_reader_gets_everything_later(self, store: EventStore, epoch: Epoch) -> None:
        """70 MB is twice what the server sends before it hears that something was taken."""
        subject = epoch.subject("dealer", "cup")
        opened, got = asyncio.Event(), Reader()

        async def blocked(batch: list[Stored]) -> None:
            await opened.wait()
            await got.deliver(batch)

        task = asyncio.create_task(store.follow(stream_of(subject), 0, blocked))
        sent = await fill(store, subject, 140, size=500_000)
        opened.set()
        await got.until_count(140)
        task.cancel()
        assert got.data == sent

    async def test_raced_writers_leave_no_gap_and_no_double(
        self, store: EventStore, second: EventStore, epoch: Epoch
    ) -> None:
        subject, start = epoch.table_subject("cup", "t1"), asyncio.Event()
        writers = [
            asyncio.create_task(raced((store, second)[n % 2], subject, f"w{n}", 10, start)) for n in range(6)
        ]
        start.set()
        async with asyncio.timeout(SECONDS):
            await asyncio.gather(*writers)
        records = [json.loads(record.data) async for record in store.read(subject)]
        assert [version for version, _, _ in records] == list(range(1, 61))
        for n in range(6):
            assert [left for _, name, left in records if name == f"w{n}"] == list(range(10, 0, -1))

    async def test_a_lost_acknowledgement_is_found_to_be_ours(
        self, store: EventStore, lose: Lose, epoch: Epoch
    ) -> None:
        subject, lost = epoch.subject("scoring", "cup"), iter([True, True, False])
        lose(lambda: next(lost))
        with pytest.raises(StoreUnavailable, match=LOST):
            await store.append(subject, b"a", 0)
        assert await append(store, subject, b"b", 1, _soon()) == 2
        assert [record.data async for record in store.read(subject)] == [b"a", b"b"]

    async def test_a_lost_acknowledgement_behind_anothers_record_is_overtaken(
        self, store: EventStore, second: EventStore, lose: Lose, epoch: Epoch
    ) -> None:
        subject, lost = epoch.subject("scoring", "cup"), iter([True])
        await second.append(subject, b"theirs", 0)
        lose(lambda: next(lost, False))
        with pytest.raises(Overtaken) as overtaken:
            await append(store, subject, b"ours", 0, _soon())
        assert overtaken.value.record.data == b"theirs"
        assert await store.last_sequence(stream_of(subject)) == 1
        assert next(lost, None) is None

    async def test_racing_with_every_third_acknowledgement_lost(
        self, store: EventStore, second: EventStore, lose: Lose, epoch: Epoch
    ) -> None:
        subject, start, answers = epoch.table_subject("cup", "t1"), asyncio.Event(), itertools.count(1)
        lose(lambda: next(answers) % 3 == 0)
        start.set()
        async with asyncio.timeout(SECONDS):
            await asyncio.gather(
                *(raced((store, second)[n % 2], subject, f"w{n}", 10, start) for n in range(4))
            )
        records = [record.data async for record in store.read(subject)]
        assert len(records) == len(set(records)) == 40
        assert next(answers) > 3


def _soon() -> float:
    return asyncio.get_running_loop().time() + 20
