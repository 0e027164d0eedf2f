"""Chained records for tests that need no service."""

from __future__ import annotations

from services.ledger.record import START, Body, Head, Header, Record, Writer, encode, encode_body, next_head
from services.runtime.store import EventStore

WRITER = Writer("test", "r1", "0")


def record(subject: str, head: Head, text: str = "") -> bytes:
    """The stored bytes of the record after `head`."""
    header = Header(subject, head.version + 1, head.hash, "e", WRITER, "", b"", (), head.time_us + 1)
    body = Body("somebody", "", "", None, f"c{head.version + 1}", b"", text.encode(), ())
    return encode(Record(header, encode_body(body), sealed=False))


async def grow(store: EventStore, subject: str, head: Head, *texts: str) -> Head:
    """Append one record a text; returns the new head."""
    for text in texts:
        data = record(subject, head, text)
        sequence = await store.append(subject, data, head.sequence)
        head = next_head(head, data, sequence, head.time_us + 1)
    return head


async def begun(store: EventStore, subject: str, count: int) -> Head:
    """A subject of `count` records; returns its head."""
    return await grow(store, subject, START, *(f"text {n}" for n in range(1, count + 1)))


def moved(head: Head, sequence: int) -> Head:
    """The same head where the subject's last record lies at another place of the stream."""
    return head._replace(sequence=sequence)
