"""Which messages of a stream were appended by the append rule, told by their headers.

A NATS user that may ask the server anything can have the answer put into a stream that it may not write to: the server publishes to
whatever reply subject a question names. So a service that was taken over could forge another's records, were it not for this: an
append carries one header, and a second one where the call is traced; an answer of the server carries others or none. What was not
appended counts as if it were not there; reconciliation names it.
"""

from __future__ import annotations

import re

from services.ledger.record import Stored
from services.runtime.wire import header_lines

EXPECTED = "Nats-Expected-Last-Subject-Sequence"
"""The header of every append: the stream sequence of the subject's last message, 0 for none."""

NOT_APPENDED = b""
"""What stands for the data of such a message: no record is empty."""

_APPEND = re.compile(
    rb"NATS/1\.0\r\nNats-Expected-Last-Subject-Sequence: \d+\r\n"
    rb"(?:traceparent: (00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2})\r\n)?\r\n"
)
# What the server puts behind a message's own headers when it is got directly.
_PLACE = re.compile(rb"Nats-Stream: [^\r]+\r\nNats-Subject: ([^\r]+)\r\nNats-Sequence: (\d+)\r\n")


def expecting(sequence: int, trace: str = "") -> bytes:
    """The headers of an append, as they go over the wire; `trace` is the W3C trace context it happens in."""
    return header_lines((EXPECTED, str(sequence)), *([("traceparent", trace)] if trace else ()))


def appended(headers: bytes, data: bytes) -> bytes:
    """`data` of a message with these headers, as it was stored, if it was appended; else NOT_APPENDED."""
    return data if _APPEND.fullmatch(headers) else NOT_APPENDED


def delivered(stream: str, sequence: int, subject: str, headers: bytes, data: bytes) -> Stored:
    """The record in a message that a consumer was sent, with the trace in which it was appended where one was told."""
    found = _APPEND.fullmatch(headers)
    if found is None:
        return Stored(stream, sequence, subject, NOT_APPENDED)
    trace = found[1]
    return Stored(stream, sequence, subject, data, trace.decode() if trace else "")


def got(stream: str, headers: bytes, data: bytes) -> Stored:
    """The record in the answer to a direct get. Raises ValueError for what is no such answer."""
    places = list(_PLACE.finditer(headers))
    if not places:
        raise ValueError("an answer without a place")
    # A message that was an answer itself brings a place along; the server's own stands last.
    place = places[-1]
    own = headers[: place.start()] + b"\r\n"
    return Stored(stream, int(place[2]), place[1].decode(), appended(own, data))
