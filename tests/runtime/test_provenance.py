"""A message that nobody appended is believed by nobody, though the server itself put it into the stream."""

from __future__ import annotations

import asyncio
import json

from services.dealer import decider
from services.dealer import model as m
from services.dealer.codec import COMMANDS, EVENTS
from services.ledger.record import Stored, Writer
from services.runtime.archive import Archive
from services.runtime.clock import now_us
from services.runtime.jetstream import JetStreamStore
from services.runtime.log import Envelope, Log
from services.runtime.postgres import Database
from services.runtime.projector import Projector
from services.runtime.provenance import NOT_APPENDED, appended, delivered, expecting, got
from services.runtime.reconcile import reconcile
from services.runtime.streams import Epoch, stream_of
from tests.runtime.records import begun, grow, moved
from tests.runtime.store_contract import following
from tests.servers import SECONDS


def test_an_append_is_known_by_its_one_header() -> None:
    assert appended(expecting(0), b"data") == b"data"
    assert appended(expecting(12_345), b"data") == b"data"
    foreign = (
        b"",
        b"NATS/1.0\r\n\r\n",
        b"NATS/1.0\r\nNats-Expected-Last-Subject-Sequence: 0\r\nNats-Stream: S\r\n\r\n",
        b"NATS/1.0\r\nAnother: 1\r\nNats-Expected-Last-Subject-Sequence: 0\r\n\r\n",
        b"NATS/1.0\r\nNats-Expected-Last-Subject-Sequence: x\r\n\r\n",
    )
    assert {appended(headers, b"data") for headers in foreign} == {NOT_APPENDED}


def test_an_append_may_tell_its_trace_and_nothing_else() -> None:
    trace = f"00-{'a1' * 16}-{'b2' * 8}-01"
    headers = expecting(7, trace)
    assert appended(headers, b"data") == b"data"
    assert delivered("S", 8, "a", headers, b"data") == Stored("S", 8, "a", b"data", trace)
    assert delivered("S", 8, "a", expecting(7), b"data") == Stored("S", 8, "a", b"data")
    assert got("S", placed(headers, "a", 8), b"data").data == b"data"
    for wrong in (
        expecting(7, "a secret"),
        headers.replace(b"00-", b"01-"),
        headers[:-2] + b"More: 1\r\n\r\n",
    ):
        assert appended(wrong, b"data") == NOT_APPENDED
        assert delivered("S", 8, "a", wrong, b"data") == Stored("S", 8, "a", NOT_APPENDED)


def placed(own: bytes, subject: str, sequence: int) -> bytes:
    """Headers of the answer to a direct get of a message with `own` headers."""
    place = f"Nats-Stream: S\r\nNats-Subject: {subject}\r\nNats-Sequence: {sequence}\r\nNats-Time-Stamp: now\r\n\r\n"
    return own.removesuffix(b"\r\n") + place.encode()


def test_what_is_got_directly_is_judged_by_the_headers_it_was_stored_with() -> None:
    record = got("S", placed(expecting(4), "a", 5), b"data")
    assert (record.subject, record.sequence, record.data) == ("a", 5, b"data")
    # The answer to a direct get, stored as a message and got directly again.
    again = got("S", placed(placed(expecting(4), "a", 5), "b", 9), b"data")
    assert (again.subject, again.sequence, again.data) == ("b", 9, NOT_APPENDED)


async def intrude(store: JetStreamStore, epoch: Epoch, subject: str) -> int:
    """Have messages put under a subject in all ways that need no right to write to it; their number.

    The answer to a direct get carries the stored message's own headers, and the server heeds what they expect: so the intruder
    brings a record of its own that expects just what is there.
    """
    stream = epoch.stream("scoring")
    last, own = await store.last(subject), epoch.subject("scoring", "intruder")
    fitting = 1 + (last.sequence if last else 0)
    await begun(store, own, fitting)
    questions: tuple[tuple[str, dict[str, int]], ...] = (
        (f"$JS.API.DIRECT.GET.{stream}", {"seq": fitting}),
        (f"$JS.API.STREAM.MSG.GET.{stream}", {"seq": 1}),
        (f"$JS.API.STREAM.INFO.{stream}", {}),
    )
    before = await store.last_sequence(stream_of(subject))
    async with following(store, stream_of(subject)) as reader:
        for number, (question, body) in enumerate(questions, 1):
            await store.nc.publish(question, json.dumps(body).encode(), reply=subject)
            await reader.until_count(before + number)
        await store.nc.publish(subject, b"garbage")
        await reader.until_count(before + len(questions) + 1)
    return len(questions) + 1


async def test_the_server_can_be_made_to_write_and_nothing_of_it_is_believed(
    log_store: JetStreamStore, epoch: Epoch
) -> None:
    foreign = epoch.subject("dealer", "victim")
    await begun(log_store, foreign, 2)
    count = await intrude(log_store, epoch, foreign)
    records = [one async for one in log_store.read(foreign)]
    assert [one.sequence for one in records] == [1, 2]
    async with following(log_store, stream_of(foreign)) as reader:
        await reader.until_count(2 + count)
    assert [bool(one.data) for one in reader.records] == [True, True] + [False] * count
    for sequence in range(3, 3 + count):
        one = await log_store.get(stream_of(foreign), sequence)
        assert one is not None
        assert one.data == NOT_APPENDED


def dealer_log(store: JetStreamStore, epoch: Epoch) -> Log[m.Dealings, m.Command, m.Event]:
    return Log(
        store,
        Writer("dealer", "test", "0"),
        epoch.id,
        decider,
        COMMANDS,
        EVENTS,
        now_us,
    )


def key(appeal: str) -> tuple[m.CreateAppealKey, Envelope]:
    return m.CreateAppealKey(appeal, b"public", "k", b"sealed"), Envelope("service:appeals", appeal)


async def test_a_log_goes_on_past_what_nobody_appended(log_store: JetStreamStore, epoch: Epoch) -> None:
    subject = epoch.subject("dealer", "cup")
    log = dealer_log(log_store, epoch)
    await log.start(epoch.streams_of("dealer"))
    assert (await log.handle(subject, *key("a-1"))).version == 1
    count = await intrude(log_store, epoch, subject)
    second = await log.handle(subject, *key("a-2"))
    assert (second.version, second.sequence) == (2, 2 + count)
    await log.stop()
    again = dealer_log(log_store, epoch)
    await again.start(epoch.streams_of("dealer"))
    assert again.head(subject).hash == second.hash
    assert again.state(subject) == log.state(subject)
    assert (await again.handle(subject, *key("a-1"))).repeated
    await again.stop()


async def test_a_subject_that_begins_with_it_is_none_and_can_still_begin(
    log_store: JetStreamStore, epoch: Epoch
) -> None:
    subject = epoch.subject("dealer", "cup")
    await intrude(log_store, epoch, subject)
    log = dealer_log(log_store, epoch)
    await log.start(())
    assert log.subjects() == []
    assert (await log.handle(subject, *key("a-1"))).version == 1
    await log.stop()


async def test_reconciliation_names_it(log_store: JetStreamStore, epoch: Epoch, database: str) -> None:
    subject, stream = epoch.subject("dealer", "cup"), epoch.stream("dealer")
    head = await begun(log_store, subject, 1)
    await log_store.nc.publish(subject, b"garbage")
    await grow(log_store, subject, moved(head, 2), "goes on")
    db = await Database.connect(database)
    projector, stopping = Projector(log_store, db, Archive([stream], lambda fork: None)), asyncio.Event()
    await projector.prepare()
    running = asyncio.create_task(projector.run(stopping))
    async with asyncio.timeout(SECONDS):
        await projector.wait_for(stream, 3)
    stopping.set()
    await running
    findings = await reconcile(log_store, db, [stream])
    await db.close()
    assert [(one.sequence, one.code) for one in findings] == [(2, "NOT_APPENDED")]
