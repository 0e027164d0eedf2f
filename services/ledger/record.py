"""The log's record: building, sealing, hashing and reading what lies in a stream, byte for byte.

The format is `fupan/common/v1/record.proto`; `docs/log.md` describes it for outsiders. One record holds one
accepted command with all its events. hash = SHA-256(prev_hash ‖ stored bytes), over exactly what was stored.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from fupan.common.v1 import record_pb2
from services.domain import Cause as Reason
from services.domain import Meta, Rejected
from services.ledger.codec import Malformed, MessageCodec, parse

GENESIS = bytes(32)
"""prev_hash of version 1 of every subject."""

MAX_RECORD = 512 * 1024
"""Bytes a stored record may have; bulk goes in chunks."""

PAD = 256
"""Sealed bodies are padded to multiples of this many bytes, so that their length tells little."""

NONCE = 12
_TAG = 16


class Stored(NamedTuple):
    """One record as it lies in a stream: place, subject, bytes.

    `trace`: the W3C trace context its writer told beside it, for whoever reacts; it is no part of the record, and makes no record
    another.
    """

    stream: str
    sequence: int
    subject: str
    data: bytes
    trace: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stored) and self[:4] == other[:4]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self[:4])


class Head(NamedTuple):
    """Last record of a subject: version (from 1), stream sequence, hash, record time (µs since 1970)."""

    version: int
    sequence: int
    hash: bytes
    time_us: int


START = Head(0, 0, GENESIS, 0)
"""The head of a subject without records."""


@dataclass(frozen=True, slots=True)
class Writer:
    """Who wrote a record."""

    service: str
    replica: str
    build: str


class Header(NamedTuple):
    """What everybody may read of every record; fields as in the proto."""

    subject: str
    version: int
    prev_hash: bytes
    epoch: str
    writer: Writer
    ruleset: str
    params_digest: bytes
    key_ids: tuple[str, ...]
    time_us: int


@dataclass(frozen=True, slots=True)
class Cause:
    """The record that a reaction reacts to."""

    subject: str
    version: int


class Body(NamedTuple):
    """One accepted command with its events, both serialised; fields as in the proto."""

    actor: str
    on_behalf_of: str
    authority: str
    cause: Cause | None
    command_id: str
    request_digest: bytes
    command: bytes
    events: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class BoardClosing:
    """Result of a board that ended, in the clear (C2.1, C4.3); fields as in the proto, lists by seat."""

    round: int
    board: int
    attempt: int
    unfinished: bool
    scores: tuple[int, ...]
    thinking_us: tuple[int, ...]
    taken_over: tuple[int, ...]
    playing_us: tuple[int, ...]
    people: tuple[str, ...] = ()
    referee_called: bool = False
    left: tuple[str, ...] = ()
    given_us: tuple[int, ...] = ()
    instead: tuple[str, ...] = ()


class Record(NamedTuple):
    """A record taken apart. `content` is a serialised Body, or what `seal` made of one when `sealed`; `people`: who sits there from
    here on, by seat, where a sealed one changes that."""

    header: Header
    content: bytes
    sealed: bool
    closing: BoardClosing | None = None
    people: tuple[str, ...] = ()


class Outline(NamedTuple):
    """What the fold of a log needs of a record; read at a third of the price of `decode`."""

    version: int
    time_us: int
    key_id: str
    """Of the key that opens `content`; empty: it is clear."""
    content: bytes
    closing: BoardClosing | None
    people: tuple[str, ...] = ()


class WrongKey(ValueError):
    """A sealed body that this key, subject and version do not open: another key, or altered bytes."""


_HEADER = MessageCodec(record_pb2.Header, Header)
_BODY = MessageCodec(record_pb2.Body, Body)
_BODY_MESSAGE: Any = record_pb2.Body
_CLOSING = MessageCodec(record_pb2.BoardClosing, BoardClosing)
_RECORD: Any = record_pb2.Record
_new = tuple.__new__
"""Makes a named tuple without the turn through its own constructor, at half the price: a fold makes three a record."""


def encode(record: Record) -> bytes:
    """The bytes to store. Raises Rejected("RECORD_TOO_LARGE") above MAX_RECORD."""
    message = _RECORD(
        header=_HEADER.kwargs(record.header),
        closing=None if record.closing is None else _CLOSING.kwargs(record.closing),
        people=record.people,
        **{"sealed_body" if record.sealed else "clear_body": record.content},
    )
    data: bytes = message.SerializeToString()
    if len(data) > MAX_RECORD:
        raise Rejected("RECORD_TOO_LARGE", "", f"the record has {len(data)} bytes", limit=str(MAX_RECORD))
    return data


def decode(data: bytes) -> Record:
    """The inverse of `encode`. Raises Malformed."""
    message = parse(_RECORD, data)
    header, sealed = message.header, _sealed(message)
    return Record(
        _HEADER.from_proto(header),
        message.sealed_body if sealed else message.clear_body,
        sealed,
        closing_of(message),
        tuple(message.people[:]),
    )


def whole(data: bytes) -> Any:
    """The message of stored bytes (`Record` of the protos), for whoever asks it for little. Raises Malformed."""
    message = parse(_RECORD, data)
    _sealed(message)
    return message


def closing_of(message: Any) -> BoardClosing | None:
    """What a record's message tells of a board that ended."""
    return _CLOSING.from_proto(message.closing) if message.HasField("closing") else None


def outline(data: bytes) -> Outline:
    """What a fold needs of stored bytes. Raises Malformed, also on a sealed body that does not say which key opens it."""
    message = parse(_RECORD, data)
    header, closing, people = message.header, closing_of(message), tuple(message.people[:])
    if not _sealed(message):
        return _new(Outline, (header.version, header.time_us, "", message.clear_body, closing, people))
    key_ids = header.key_ids
    if not key_ids:
        raise Malformed("a sealed body without the id of its key")
    return _new(Outline, (header.version, header.time_us, key_ids[0], message.sealed_body, closing, people))


def glance(data: bytes) -> tuple[int, bool, tuple[str, ...]]:
    """Version, whether the body is sealed, and `people`, without taking out anything else. Raises Malformed."""
    message = parse(_RECORD, data)
    return message.header.version, message.HasField("sealed_body"), tuple(message.people[:])


def outlined(record: Record) -> Outline:
    """The outline of a record that is at hand."""
    header = record.header
    key_id = header.key_ids[0] if record.sealed else ""
    return Outline(header.version, header.time_us, key_id, record.content, record.closing, record.people)


def _sealed(message: Any) -> bool:
    """Whether a record's body is sealed. Raises Malformed for what is no whole record."""
    sealed: bool = message.HasField("sealed_body")
    if not (sealed or message.HasField("clear_body")) or not message.header.HasField("writer"):
        raise Malformed("a record without header, writer or content")
    return sealed


def place_of(data: bytes) -> tuple[str, int]:
    """Subject and version in the header of stored bytes, without decoding the rest. Raises Malformed if it is no whole record."""
    message = parse(_RECORD, data)
    _sealed(message)
    header = message.header
    return header.subject, header.version


def version_of(data: bytes) -> int:
    """The version in the header of stored bytes, without decoding the rest. Raises Malformed."""
    version: int = parse(_RECORD, data).header.version
    return version


def encode_body(body: Body) -> bytes:
    """The serialised Body: `content` of a clear record, the plain text of a sealed one."""
    return _BODY.encode(body)


def decode_body(data: bytes) -> Body:
    """The inverse of `encode_body`. Raises Malformed."""
    return _BODY.decode(data)


def body_message(data: bytes) -> Any:
    """The message of a serialised Body, for whoever asks it for little. Raises Malformed."""
    return parse(_BODY_MESSAGE, data)


def cause_of(message: Any) -> Cause | None:
    """The record that caused what a body's message tells."""
    return Cause(message.cause.subject, message.cause.version) if message.HasField("cause") else None


def meta_of(subject: str, told: Outline, body: bytes) -> tuple[Meta, Sequence[bytes]]:
    """What a fold needs of a serialised Body: what is known of the command, and its events, serialised. Raises Malformed."""
    message = parse(_BODY_MESSAGE, body)
    cause = None
    if message.HasField("cause"):
        cause = Reason(message.cause.subject, message.cause.version)
    meta = (
        subject,
        told.version,
        told.time_us,
        message.actor,
        message.command_id,
        message.on_behalf_of,
        message.authority,
        cause,
    )
    return _new(Meta, meta), message.events[:]


def record_hash(prev_hash: bytes, data: bytes) -> bytes:
    """The chain: SHA-256 over the hash before and the stored bytes, 32 bytes."""
    return sha256(prev_hash + data).digest()


def next_head(head: Head, data: bytes, sequence: int, time_us: int) -> Head:
    """The head after a record of `head`'s subject was stored as stream sequence `sequence`."""
    return _new(Head, (head.version + 1, sequence, record_hash(head.hash, data), time_us))


def record_time(head: Head, now_us: int) -> int:
    """Time of the next record: the clock, but always later than the record before."""
    return max(now_us, head.time_us + 1)


def seal(key: bytes, nonce: bytes, subject: str, version: int, body: bytes) -> bytes:
    """Sealed content of a serialised Body: nonce ‖ AES-256-GCM(body ‖ 0x80 ‖ zeros to a multiple of PAD).

    `key` 32 bytes (`dealing.log_key`), `nonce` 12 random bytes, never used twice under one key.
    """
    padded = body + b"\x80" + bytes(-(len(body) + 1) % PAD)
    return nonce + _cipher(key).encrypt(nonce, padded, _place(subject, version))


def open_sealed(key: bytes, subject: str, version: int, content: bytes) -> bytes:
    """The inverse of `seal`. Raises WrongKey when it does not open, Malformed on foreign padding."""
    if len(content) < NONCE + _TAG + PAD or (len(content) - NONCE - _TAG) % PAD:
        raise Malformed(f"{len(content)} bytes are no sealed body")
    try:
        padded = _cipher(key).decrypt(content[:NONCE], content[NONCE:], _place(subject, version))
    except InvalidTag:
        raise WrongKey(f"the key does not open {subject} version {version}") from None
    body = padded.rstrip(b"\0")
    if not body.endswith(b"\x80") or len(padded) - len(body) >= PAD:
        raise Malformed("a sealed body with wrong padding")
    return body[:-1]


def body_of(record: Record, key: bytes | None = None) -> Body:
    """The body of a record, opened with `key` where sealed. Raises WrongKey (also without key), Malformed."""
    if not record.sealed:
        return decode_body(record.content)
    header = record.header
    if key is None:
        raise WrongKey(f"{header.subject} version {header.version} is sealed")
    return decode_body(open_sealed(key, header.subject, header.version, record.content))


@lru_cache(maxsize=1024)
def _cipher(key: bytes) -> AESGCM:
    """A key made ready: a board has one for all its records."""
    return AESGCM(key)


def _place(subject: str, version: int) -> bytes:
    return f"{subject}|{version}".encode()


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong with one record: where it lies, a stable code, and a sentence."""

    subject: str
    version: int
    sequence: int
    code: str
    detail: str

    def __str__(self) -> str:
        return f"{self.subject} version {self.version}: {self.detail}" if self.subject else self.detail


@dataclass(slots=True)
class ChainWalk:
    """Follows the chains of any number of subjects through their records, in stream order.

    `add` returns what is wrong with one record; `heads` is where each subject stands. After a finding the
    walk goes on from the record found, so that one fault is named once.
    """

    heads: dict[str, Head] = dataclasses.field(default_factory=dict)

    def add(self, stored: Stored) -> list[Finding]:
        """Check one record against its subject's head and move the head."""
        try:
            return self.follow(stored, decode(stored.data).header)
        except Malformed as error:
            return self.pass_over(stored, str(error))

    def pass_over(self, stored: Stored, why: str) -> list[Finding]:
        """Move the head over bytes that are no record."""
        head = self.heads.get(stored.subject, START)
        self.heads[stored.subject] = next_head(head, stored.data, stored.sequence, head.time_us)
        return [Finding(stored.subject, head.version + 1, stored.sequence, "UNREADABLE", why)]

    def follow(self, stored: Stored, header: Header) -> list[Finding]:
        """`add` for a record that was decoded already."""
        subject, sequence = stored.subject, stored.sequence
        version, prev_hash, time_us = header.version, header.prev_hash, header.time_us
        before = self.heads.get(subject, START)
        self.heads[subject] = _new(Head, (version, sequence, record_hash(prev_hash, stored.data), time_us))
        due = (subject, before.version + 1, before.hash)
        follows = (header.subject, version, prev_hash) == due
        if follows and time_us > before.time_us and sequence > before.sequence:
            return []
        return [
            Finding(subject, version, sequence, code, detail)
            for code, detail in _faults(stored, header, before)
        ]


def verify_chain(records: Iterable[Stored]) -> tuple[dict[str, Head], list[Finding]]:
    """Heads of all subjects in `records`, and everything wrong with their chains.

    `records` come in stream order, each subject from its version 1.
    """
    walk = ChainWalk()
    findings = [finding for stored in records for finding in walk.add(stored)]
    return walk.heads, findings


def _faults(stored: Stored, header: Header, head: Head) -> Iterator[tuple[str, str]]:
    due = head.version + 1
    if header.subject != stored.subject:
        yield "WRONG_SUBJECT", f"stored under this subject but written for {header.subject}"
    if header.version != due:
        yield "WRONG_VERSION", f"version {header.version} stands where version {due} was due"
    elif header.prev_hash != head.hash:
        yield "BROKEN_CHAIN", _broken(header.version)
    if header.time_us <= head.time_us:
        yield "TIME_BACKWARDS", "the record is not later than the one before it"
    # No stream has two in one place; only what a decision brings has one together.
    if stored.sequence < head.sequence:
        yield "SEQUENCE_BACKWARDS", f"stream sequence {stored.sequence} follows {head.sequence}"


def _broken(version: int) -> str:
    if version == 1:
        return "the first record does not start from the genesis hash"
    return f"its prev_hash is not the hash of version {version - 1}: one of the two was altered"
