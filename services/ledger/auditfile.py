"""The audit file `<id>.fupan`: part of a log, and what checks it, in the one encoding there is of it.

    magic (8) ‖ manifest: for each section name (4) ‖ u64be length ‖ SHA-256 ‖ SHA-256(all before)
    section `abou`: canonical JSON: what the file is, public keys, proofs of inclusion
    section `indx`: streams, subjects, and for each record its place, version, length and SHA-256
    section `recs`: the records exactly as stored, one after the other, by stream and sequence
    SHA-256(all before)

A reader checks every digest, then encodes again what it read and compares: so a file has no other spelling, and a byte
that was changed is always found and told where it lies. `docs/audit-file.md` describes the format for outsiders.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from operator import attrgetter
from typing import Any, TypeVar

from services.ledger.codec import Malformed
from services.ledger.digests import canonical_json
from services.ledger.frame import frame
from services.ledger.record import Stored, version_of

T = TypeVar("T")

FORMAT = 1
# Not text: what treats it as text breaks it visibly (as in PNG).
MAGIC = b"\x89FUPAN\r\n"
SECTIONS = (b"abou", b"indx", b"recs")

_DIGEST = 32
_MANIFEST = struct.Struct(">4sQ32s")
_HEAD = len(MAGIC) + len(SECTIONS) * _MANIFEST.size + _DIGEST
# Stream and subject by their number in the index's lists, sequence, version, length, SHA-256.
_ENTRY = struct.Struct(">IIQQI32s")
_COUNT = struct.Struct(">I")
_BY_PLACE = attrgetter("stream", "sequence")


@dataclass(frozen=True, slots=True)
class Proof:
    """That the leaf of `path` is entry `index` of the `size` leaves under the root of the dealer's `batch`."""

    path: str
    batch: int
    index: int
    size: int
    siblings: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Ranking:
    """The standings of the publication `number`, as the bytes that its digest in scoring's records is of."""

    number: int
    canonical: bytes


@dataclass(frozen=True, slots=True)
class About:
    """What a file is.

    `kind` is table, round or championship, `id` its id, `keys` the raw public keys (Ed25519) that signatures in the records
    name by fingerprint, `proofs` the leaves whose batch the records do not hold whole, `rankings` published standings that the
    records are too few to compute over again.
    """

    kind: str
    id: str
    championship: str
    keys: tuple[bytes, ...] = ()
    proofs: tuple[Proof, ...] = ()
    rankings: tuple[Ranking, ...] = ()


@dataclass(frozen=True, slots=True)
class AuditFile:
    """An audit file's content; `records` by stream and sequence."""

    about: About
    records: tuple[Stored, ...]


class Damaged(ValueError):
    """Bytes that are no audit file, or no longer the one that was written.

    `subject` and `version` name the record that the damage lies in, empty and 0 where it lies in none.
    """

    def __init__(self, detail: str, subject: str = "", version: int = 0) -> None:
        super().__init__(detail)
        self.subject = subject
        self.version = version


def encode(about: About, records: Iterable[Stored]) -> bytes:
    """The audit file of these records, given in any order. Raises ValueError for two records in one place."""
    sections = _encode_sections(about, records)
    head = MAGIC + b"".join(
        _MANIFEST.pack(name, len(content), sha256(content).digest())
        for name, content in zip(SECTIONS, sections, strict=True)
    )
    whole = b"".join([head, sha256(head).digest(), *sections])
    return whole + sha256(whole).digest()


def _encode_sections(about: About, records: Iterable[Stored]) -> list[bytes]:
    ordered = sorted(records, key=_BY_PLACE)
    places = [*map(_BY_PLACE, ordered)]
    if len({*places}) < len(places):
        twice = next(one for one, other in pairwise(places) if one == other)
        raise ValueError("two records at {} {}".format(*twice))
    return [_encode_about(about), _encode_index(ordered), b"".join([stored.data for stored in ordered])]


def parse(data: bytes) -> AuditFile:
    """What an audit file holds. Raises Damaged, naming the place and, where it lies in one, the record."""
    try:
        sections = _sections(data)
        about_bytes, index_bytes, record_bytes = sections
        if sha256(data[:-_DIGEST]).digest() != data[-_DIGEST:]:
            raise Damaged("the digest at the end of the file does not fit the file")
        file = AuditFile(_parse_about(about_bytes), _cut(index_bytes, record_bytes))
        again = _encode_sections(file.about, file.records)
    except Damaged:
        raise
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError, struct.error) as error:
        raise Damaged(f"the file is not as the format says: {error}") from error
    if again != sections:  # the rest of the file follows from them, and was checked
        raise Damaged("the file is not in its canonical encoding")
    return file


def _sections(data: bytes) -> list[bytes]:
    """The sections' bytes, each checked against the manifest."""
    if data[: len(MAGIC)] != MAGIC:
        raise Damaged("this is no audit file: it does not begin like one")
    if len(data) < _HEAD + _DIGEST:
        raise Damaged("the file is cut off in its head")
    if sha256(data[: _HEAD - _DIGEST]).digest() != data[_HEAD - _DIGEST : _HEAD]:
        raise Damaged("the file's head (manifest) was changed")
    entries = list(_MANIFEST.iter_unpack(data[len(MAGIC) : _HEAD - _DIGEST]))
    if tuple(name for name, _, _ in entries) != SECTIONS:
        raise Damaged("the file was written by a version with other sections")
    due = _HEAD + sum(length for _, length, _ in entries) + _DIGEST
    if len(data) != due:
        much = (
            f"{due - len(data)} bytes are missing" if len(data) < due else f"{len(data) - due} bytes too many"
        )
        raise Damaged(f"the file does not end where it should: {much}")
    sections: list[bytes] = []
    at = _HEAD
    for name, length, digest in entries:
        content = data[at : at + length]
        if sha256(content).digest() != digest:
            raise _place(name, content, sections)
        sections.append(content)
        at += length
    return sections


def _place(name: bytes, content: bytes, before: list[bytes]) -> Damaged:
    """Where the changed byte lies, as exactly as the sections before it can tell."""
    if name == b"abou":
        return Damaged("the file's description (section abou) was changed")
    if name == b"indx":
        return Damaged("the file's index of records (section indx) was changed")
    at = 0
    streams, subjects, entries = _parse_index(before[1])
    for stream, subject, sequence, version, length, digest in entries:
        if sha256(content[at : at + length]).digest() != digest:
            changed = subjects[subject]
            where = f"{changed} version {version} ({streams[stream]} {sequence})"
            return Damaged(f"record {where} was changed", changed, version)
        at += length
    return Damaged("the records (section recs) were changed")


def _encode_index(records: list[Stored]) -> bytes:
    streams = sorted({stored.stream for stored in records})
    subjects = sorted({stored.subject for stored in records})
    stream_number = {name: number for number, name in enumerate(streams)}
    subject_number = {name: number for number, name in enumerate(subjects)}
    parts = [_names(streams), _names(subjects), _COUNT.pack(len(records))]
    parts += [
        _ENTRY.pack(
            stream_number[stream],
            subject_number[subject],
            sequence,
            _version(data),
            len(data),
            sha256(data).digest(),
        )
        for stream, sequence, subject, data, _ in records
    ]
    return b"".join(parts)


def _version(data: bytes) -> int:
    """Version in a record's header; 0 for bytes that are no record: an audit file carries what is stored, whatever it is."""
    try:
        return version_of(data)
    except Malformed:
        return 0


def _names(names: list[str]) -> bytes:
    return _COUNT.pack(len(names)) + frame(*[name.encode() for name in names])


def _parse_index(data: bytes) -> tuple[list[str], list[str], Iterator[tuple[Any, ...]]]:
    """Streams, subjects, and of each record what `_ENTRY` says."""
    streams, at = _parse_names(data, 0)
    subjects, at = _parse_names(data, at)
    (count,) = _COUNT.unpack_from(data, at)
    at += _COUNT.size
    if len(data) != at + count * _ENTRY.size:
        raise ValueError("the index has another length than its number of records says")
    return streams, subjects, _ENTRY.iter_unpack(data[at:])


def _parse_names(data: bytes, at: int) -> tuple[list[str], int]:
    (count,) = _COUNT.unpack_from(data, at)
    at += _COUNT.size
    names = []
    for _ in range(count):
        (length,) = _COUNT.unpack_from(data, at)
        at += _COUNT.size + length
        names.append(data[at - length : at].decode())
    return names, at


def _cut(index: bytes, data: bytes) -> tuple[Stored, ...]:
    """The records, by their index."""
    records: list[Stored] = []
    at = 0
    streams, subjects, entries = _parse_index(index)
    for stream, subject, sequence, _, length, _ in entries:
        stored = streams[stream], sequence, subjects[subject], data[at : at + length], ""
        records.append(tuple.__new__(Stored, stored))
        at += length
    return tuple(records)


def _encode_about(about: About) -> bytes:
    # Absent where there are none: so files of before there were any are what they were.
    rankings = [
        {"number": one.number, "rows": json.loads(one.canonical)}
        for one in sorted(about.rankings, key=lambda one: one.number)
    ]
    return canonical_json(
        {
            **({"rankings": rankings} if rankings else {}),
            "format": FORMAT,
            "kind": about.kind,
            "id": about.id,
            "championship": about.championship,
            "keys": sorted(key.hex() for key in about.keys),
            "proofs": [
                {
                    "path": proof.path,
                    "batch": proof.batch,
                    "index": proof.index,
                    "size": proof.size,
                    "siblings": [sibling.hex() for sibling in proof.siblings],
                }
                for proof in sorted(about.proofs, key=lambda proof: proof.path)
            ],
        }
    )


def _parse_about(data: bytes) -> About:
    """Whatever has another shape than ours fails here or does not encode to the same bytes again."""
    told: dict[str, Any] = json.loads(data)
    if told["format"] != FORMAT:
        raise ValueError(f"format {told['format']} is not known to this version")
    numbers = [one["number"] for one in told.get("rankings", ())]
    if len(set(numbers)) != len(numbers):
        raise ValueError("two rankings of one publication")
    return About(
        _typed(str, told["kind"]),
        _typed(str, told["id"]),
        _typed(str, told["championship"]),
        tuple(bytes.fromhex(key) for key in told["keys"]),
        tuple(
            Proof(
                _typed(str, proof["path"]),
                _typed(int, proof["batch"]),
                _typed(int, proof["index"]),
                _typed(int, proof["size"]),
                tuple(bytes.fromhex(sibling) for sibling in proof["siblings"]),
            )
            for proof in told["proofs"]
        ),
        tuple(
            Ranking(_typed(int, one["number"]), canonical_json(one["rows"]))
            for one in told.get("rankings", ())
        ),
    )


def _typed(kind: type[T], value: Any) -> T:
    if type(value) is not kind:
        raise ValueError(f"{value!r} is no {kind.__name__}")
    return value
