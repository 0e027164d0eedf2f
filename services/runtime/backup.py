"""A copy of an epoch outside its servers: every stream as it is stored, and the keys without which it could not go on.

| file of the folder | what |
|---|---|
| `manifest.json` | epoch, partitions; of every stream its records, last sequence and the file's SHA-256 |
| `<stream>.records` | its records in order, each: sequence (8 bytes), bytes of subject and of data (4 each), subject, data |
| `keys.locked` | the key folder under a passphrase: salt (16 bytes), then AES-256-GCM under the key that scrypt makes of it |

Restoring publishes everything anew, from sequence 1 on, into streams that are empty, and checks every sequence: references into
a stream (cuts, opened boards) hold as before. What no service appended leaves a place that is filled with as little.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import os
import struct
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from services.ledger import keys
from services.ledger.record import ChainWalk, Stored
from services.runtime.jetstream import JetStreamStore
from services.runtime.store import EventStore, follow_until
from services.runtime.streams import Epoch

MANIFEST, LOCKED = "manifest.json", "keys.locked"

_HEAD = struct.Struct(">QII")
_SALT = 16
_RUN = 500
_CONTEXT = b"fupan escrow of keys"
_SCRYPT = {"length": keys.KEY, "n": 1 << 15, "r": 8, "p": 1}


class BadBackup(Exception):
    """A backup that cannot be made or restored; its words say why."""


class Unusable(BadBackup):
    """What was given is no backup, or not its passphrase; nothing was looked into."""


@dataclass(frozen=True, slots=True)
class SavedStream:
    """One stream of a backup. `last`: its last sequence, places that hold nothing included."""

    name: str
    records: int
    last: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup holds. `demo`: the epoch's deals may come from seeds."""

    epoch: str
    partitions: int
    demo: bool
    streams: tuple[SavedStream, ...]

    @property
    def records(self) -> int:
        """Records of all streams."""
        return sum(stream.records for stream in self.streams)


# Saving


async def save(
    store: EventStore, epoch: Epoch, demo: bool, key_folder: Path, passphrase: bytes, folder: Path
) -> Manifest:
    """Write a backup into a folder that is empty or does not exist yet. Raises BadBackup, StoreUnavailable.

    Streams are saved up to where they all are at the start, within milliseconds of each other.
    """
    _begin(folder)
    _write(folder / LOCKED, lock(key_folder, passphrase))
    names = _names(epoch)
    lasts = await asyncio.gather(*map(store.last_sequence, names))
    streams = [await _save(store, name, last, folder) for name, last in zip(names, lasts, strict=True)]
    manifest = Manifest(epoch.id, epoch.partitions, demo, tuple(streams))
    # Last of all: a folder without it is no backup.
    _write(folder / MANIFEST, json.dumps(asdict(manifest), indent=2).encode())
    return manifest


def _names(epoch: Epoch) -> tuple[str, ...]:
    return tuple(spec.name for spec in epoch.specs())


def _begin(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise BadBackup(f"{folder} is not empty")


async def _save(store: EventStore, stream: str, last: int, folder: Path) -> SavedStream:
    records, digest = 0, hashlib.sha256()
    with _new(_place(folder, stream)) as file:

        async def deliver(batch: list[Stored]) -> None:
            nonlocal records
            for stored in batch:
                if stored.data and stored.sequence <= last:
                    framed = _framed(stored)
                    file.write(framed)
                    digest.update(framed)
                    records += 1

        await _read(store, stream, deliver)
        file.flush()
        os.fsync(file.fileno())
    return SavedStream(stream, records, last, digest.hexdigest())


async def _read(store: EventStore, stream: str, deliver: Callable[[list[Stored]], Awaitable[None]]) -> None:
    """Deliver everything that is in a stream now."""
    caught_up = asyncio.Event()
    await follow_until(store.follow(stream, 0, deliver, caught_up=caught_up.set), caught_up)


# Restoring


def read(folder: Path) -> Manifest:
    """What a backup says it holds: every stream of its epoch and no other. Raises Unusable."""
    try:
        told = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
        names = tuple(stream.name for stream in told.streams)
        if told.partitions > len(names) or names != _names(Epoch(told.epoch, told.partitions)):
            raise Unusable(f"{folder} holds no backup: its streams are not those of the epoch")
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise Unusable(f"{folder} holds no backup: {why}") from None
    return told


def check(folder: Path, manifest: Manifest) -> list[str]:
    """Whether every file is what the manifest says, and what is wrong with the chains, one line each. Raises BadBackup."""
    found: list[str] = []
    for stream in manifest.streams:
        walk, records = ChainWalk(), 0
        if _sha256(_place(folder, stream.name)) != stream.sha256:
            raise BadBackup(f"{stream.name}: the file is not the one that was saved")
        for stored in records_of(folder, stream.name):
            found += [f"{stream.name} {finding}" for finding in walk.add(stored)]
            records += 1
        if records != stream.records:
            raise BadBackup(f"{stream.name}: {records} records where {stream.records} were saved")
    return found


async def restore(store: JetStreamStore, folder: Path, manifest: Manifest) -> None:
    """Publish everything into the epoch's streams, which must be empty. Raises BadBackup, StoreUnavailable."""
    for stream in manifest.streams:
        if await store.last_sequence(stream.name):
            raise BadBackup(f"{stream.name} is not empty: an epoch is restored into new streams")
    for stream in manifest.streams:
        await _restore(store, folder, stream)


async def _restore(store: JetStreamStore, folder: Path, stream: SavedStream) -> None:
    at, heads = 0, dict[str, int]()
    for run in _runs(records_of(folder, stream.name)):
        first = run[0]
        if at < first.sequence - 1:
            at = heads[first.subject] = await _fill(store, stream.name, first.subject, first.sequence - 1)
        appends = []
        for stored in run:
            appends.append(store.append(stored.subject, stored.data, heads.get(stored.subject, 0)))
            heads[stored.subject] = stored.sequence
        # Sent in this order; each expects the place that the one before it will have.
        placed = await asyncio.gather(*appends)
        if placed != [stored.sequence for stored in run]:
            raise BadBackup(f"{stream.name}: records from {first.sequence} on came to lie elsewhere")
        at = run[-1].sequence
    if at < stream.last:
        await _fill(store, stream.name, next(reversed(heads), ""), stream.last)


def _runs(records: Iterator[Stored]) -> Iterator[list[Stored]]:
    """Records without a gap between them, a few hundred at a time."""
    run: list[Stored] = []
    for stored in records:
        if run and (len(run) == _RUN or stored.sequence != run[-1].sequence + 1):
            yield run
            run = []
        run.append(stored)
    if run:
        yield run


async def _fill(store: JetStreamStore, stream: str, subject: str, until: int) -> int:
    """Take the places up to `until`, where nothing lies that a service appended, by messages that are no append either."""
    while (at := (await store.js.publish(subject, b"", stream=stream)).seq) < until:
        pass
    return at


def records_of(folder: Path, stream: str) -> Iterator[Stored]:
    """The records of a saved stream. Raises BadBackup."""
    with _place(folder, stream).open("rb") as file:
        while head := file.read(_HEAD.size):
            try:
                sequence, subject, data = _HEAD.unpack(head)
                yield Stored(stream, sequence, _exactly(file, subject).decode(), _exactly(file, data))
            except (struct.error, ValueError) as error:
                raise BadBackup(f"{stream}: the file ends within a record: {error}") from None


# Keys


def lock(key_folder: Path, passphrase: bytes) -> bytes:
    """A key folder under a passphrase."""
    files = {path.name: base64.b64encode(path.read_bytes()).decode() for path in sorted(key_folder.iterdir())}
    salt = os.urandom(_SALT)
    key = Scrypt(salt=salt, **_SCRYPT).derive(passphrase)
    return salt + keys.lock(key, os.urandom(keys.NONCE), _CONTEXT, json.dumps(files).encode())


def unlock(locked: bytes, passphrase: bytes) -> dict[str, bytes]:
    """The files of the key folder. Raises Unusable for another passphrase."""
    key = Scrypt(salt=locked[:_SALT], **_SCRYPT).derive(passphrase)
    try:
        files: dict[str, str] = json.loads(keys.unlock({"": key}, "", _CONTEXT, locked[_SALT:]))
    except keys.SealBroken:
        raise Unusable("the passphrase does not open the keys") from None
    return {Path(name).name: base64.b64decode(data) for name, data in files.items()}


def write_keys(files: Mapping[str, bytes], key_folder: Path) -> None:
    """Make a key folder of what `unlock` gave; none is there yet."""
    key_folder.mkdir(mode=0o700)
    for name, data in files.items():
        _write(key_folder / name, data)


def _framed(stored: Stored) -> bytes:
    subject = stored.subject.encode()
    return _HEAD.pack(stored.sequence, len(subject), len(stored.data)) + subject + stored.data


def _exactly(file: BinaryIO, size: int) -> bytes:
    data = file.read(size)
    if len(data) != size:
        raise ValueError(f"{len(data)} of {size} bytes")
    return data


def _place(folder: Path, stream: str) -> Path:
    return folder / f"{stream}.records"


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise BadBackup(f"{path.name} cannot be read: {error.strerror}") from None


def _new(path: Path) -> BinaryIO:
    """A new file that nobody but its owner reads, whatever the folder it lies in."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _write(path: Path, data: bytes) -> None:
    with _new(path) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
