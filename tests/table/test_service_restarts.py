"""The service is started again: in the middle of a board, after the last one, and on another history."""

from __future__ import annotations

import asyncio

from grpc import StatusCode

from fupan.pairing.v1 import events_pb2 as pairing_pb
from fupan.table.v1 import service_pb2 as pb
from services.ledger import dealing
from services.ledger import record as ledger
from services.runtime.clock import now_us
from services.runtime.memory import MemoryStore
from tests.runtime.serving import EPOCH, PairingLog
from tests.servers import SECONDS
from tests.table.logs import StandInDealer
from tests.table.serving import (
    CUP,
    PEOPLE,
    Service,
    World,
    is_over,
    play_board,
    refused,
    seated,
    serving,
)


async def test_a_restarted_service_goes_on_in_the_middle_of_a_board(world: World) -> None:
    store = MemoryStore()
    log = PairingLog(store)
    async with serving(world, store, log) as service:
        streams = await seated(service)

        def enough() -> bool:
            return sum(len(stream.receipts) for stream in streams) >= 5

        playing = [asyncio.create_task(stream.play(enough)) for stream in streams]
        await asyncio.wait(playing, return_when=asyncio.FIRST_COMPLETED)
        for task in playing:
            task.cancel()
    async with serving(world, store, log) as service:
        again = [service.play(person, cursor=100) for person in PEOPLE]
        for stream in again:
            assert (await stream.until_update()).cursor >= 101
        await play_board(again)


async def test_a_finished_table_shows_after_a_restart_how_it_ended(world: World) -> None:
    """Nobody has read its board then; every seat sees what it saw, on a stream and by a call."""
    store = MemoryStore()
    log = PairingLog(store)
    async with serving(world, store, log) as service:
        streams = await seated(service)
        await play_board(streams)
        seen = [(await stream.until_update(is_over)).view for stream in streams]
    async with serving(world, store, log) as service:
        request = pb.GetViewRequest(championship=CUP)
        called = await asyncio.gather(*(service.stub.GetView(request, **service.auth(one)) for one in PEOPLE))
        assert [one.update.view for one in called] == seen
        again = [service.play(person) for person in PEOPLE]
        assert [(await stream.until_update(is_over)).view for stream in again] == seen


async def forked(store: MemoryStore, last: ledger.Stored) -> MemoryStore:
    """The same streams up to a record of the table, but that this one is another, which fits as well."""
    record = ledger.decode(last.data)
    key, version = dealing.log_key(StandInDealer.leaf(CUP, "1/1/1"), "t1", "1/1/1"), record.header.version
    content = ledger.seal(
        key, bytes(ledger.NONCE), last.subject, version, ledger.encode_body(ledger.body_of(record, key))
    )
    other, heads = MemoryStore(), dict[str, int]()
    pairing = EPOCH.stream("pairing")
    for stream, end in ((pairing, await store.last_sequence(pairing)), (last.stream, last.sequence)):
        for sequence in range(1, end + 1):
            one = await store.get(stream, sequence)
            assert one is not None
            data = ledger.encode(record._replace(content=content)) if one == last else one.data
            heads[one.subject] = await other.append(one.subject, data, heads.get(one.subject, 0))
    return other


async def until(service: Service, question: str, *facts: object) -> None:
    """Return when the database says so."""
    async with asyncio.timeout(SECONDS):
        while not await service.runtime.pool.fetchval(question, *facts):  # noqa: ASYNC110  # another task's work
            await asyncio.sleep(0.05)


async def test_a_table_with_two_histories_waits_for_the_chief_referee(world: World) -> None:
    subject, store = EPOCH.table_subject(CUP, "t1"), MemoryStore()
    async with serving(world, store) as service:
        await seated(service)
        pairing = service.log
    async with serving(world, store) as service:
        last = await store.last(subject)
        assert last is not None
        archived = "SELECT true FROM table_archive.records WHERE stream = $1 AND sequence = $2"
        await until(service, archived, last.stream, last.sequence)
    other = await forked(store, last)
    pairing.move(other)
    async with serving(world, other, pairing) as service:
        await until(service, "SELECT count(*) > 0 FROM table_archive.forks")
        pause = pb.PauseTableRequest(command_id="p", championship=CUP, table="t1", reason="rest")
        told = await refused(service.stub.PauseTable(pause, **service.auth("ref")))
        assert told == (StatusCode.FAILED_PRECONDITION, "SUBJECT_SUSPENDED")
        decided = pairing_pb.ForkDecided(
            subject=subject,
            version=ledger.version_of(last.data),
            records=[last.data],
            until=await other.last_sequence(last.stream),
            close_board=True,
            reason="the stream was written anew",
        )
        await pairing.write(CUP, pairing_pb.Event(fork_decided=decided), time_us=now_us())
        tables = pb.ListTablesRequest(championship=CUP)
        async with asyncio.timeout(SECONDS):
            while not (await service.stub.ListTables(tables, **service.auth("ref"))).tables[0].boards_closed:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
    records = [ledger.decode(one.data) async for one in other.read(subject)]
    closing = next(one for one in records if one.closing is not None)
    # It goes on from the record that was decided to stand.
    assert closing.header.version == ledger.decode(last.data).header.version + 1
    assert closing.header.prev_hash == ledger.record_hash(
        ledger.decode(last.data).header.prev_hash, last.data
    )
