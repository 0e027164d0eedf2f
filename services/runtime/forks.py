"""Both histories of a subject whose stream and archive differ, and which of them stands once somebody has decided."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass

from services.ledger.codec import Malformed
from services.ledger.record import Stored, decode, record_hash, version_of
from services.runtime.postgres import Database
from services.runtime.store import EventStore


@dataclass(frozen=True, slots=True)
class Fork:
    """A subject from a version on: what the stream holds there, the archive's branch, the subject's last stream sequence."""

    streamed: Stored | None
    archived: tuple[Stored, ...]
    last_sequence: int


@dataclass(frozen=True, slots=True)
class Ruled:
    """A decision: from `version` on `records` stand in place of what the stream holds up to sequence `until`. Without records
    the stream's own stand."""

    version: int
    until: int
    records: tuple[bytes, ...]

    def settles(self, version: int, sequence: int) -> bool:
        """Whether a record of the stream was there when it was decided, and what became of it."""
        return version >= self.version and sequence <= self.until

    def fells(self, version: int, sequence: int) -> bool:
        """Whether a record of the stream fell by it."""
        return bool(self.records) and self.settles(version, sequence)


Rulings = Mapping[int, Ruled]
"""Decisions on a subject's history, by their first version."""


def brought(rulings: Rulings, stream: str, subject: str, sequence: int) -> tuple[Stored, ...]:
    """What decisions put at a place of the stream, beside the record that lies there."""
    decided = (ruled for ruled in rulings.values() if ruled.until == sequence)
    return tuple(Stored(stream, sequence, subject, data) for ruled in decided for data in ruled.records)


async def standing(
    records: AsyncIterator[Stored], rulings: Rulings, stream: str, subject: str
) -> AsyncIterator[Stored]:
    """The records of a subject that stand, given those of its stream from the first one on: where a history was decided upon, the
    one that was chosen. The place of a record that a decision brings is where the history that fell ends."""
    version = sequence = 0

    def due() -> Iterable[Stored]:
        nonlocal version, sequence
        while (ruled := rulings.get(version + 1)) is not None and ruled.records:
            version, sequence = version + len(ruled.records), ruled.until
            yield from (Stored(stream, ruled.until, subject, data) for data in ruled.records)

    async for stored in records:
        for one in due():
            yield one
        if stored.sequence > sequence:
            version, sequence = version + 1, stored.sequence
            yield stored
    for one in due():
        yield one


async def fork(store: EventStore, database: Database, archive: str, subject: str, version: int) -> Fork:
    """The histories of a subject from `version` on; `archive` is the schema of its service's archive."""
    streamed, last, before = None, 0, 0
    async for stored in store.read(subject):
        # What cannot be read stands for the version that was due.
        number = own_version(stored) or before + 1
        if number == version and streamed is None:
            streamed = stored
        last, before = stored.sequence, number
    async with database.transaction(archive, readonly=True) as connection:
        rows = await connection.fetch(
            "SELECT stream, sequence, data FROM records WHERE subject = $1 AND version >= $2 ORDER BY version",
            *(subject, version),
        )
    archived = (Stored(row["stream"], row["sequence"], subject, bytes(row["data"])) for row in rows)
    return Fork(streamed, _branch(archived, version), last)


def _branch(records: Iterable[Stored], version: int) -> tuple[Stored, ...]:
    """The records from `version` on that follow one another in one chain: what was archived of the other history is none of it."""
    branch: list[Stored] = []
    head = b""
    for stored in records:
        header = decode(stored.data).header
        if header.version != version + len(branch) or (branch and header.prev_hash != head):
            break
        branch.append(stored)
        head = record_hash(header.prev_hash, stored.data)
    return tuple(branch)


def own_version(stored: Stored) -> int:
    """The version by a record's own header, 0 where it cannot be read."""
    try:
        return version_of(stored.data)
    except Malformed:
        return 0
