"""Comparing the log with its archive, and both with the chains.

| code | what it means |
|---|---|
| `REMOVED` | the archive holds a record that its stream no longer has |
| `CHANGED` | the stream's bytes are not those archived, and what follows them was written after the archived
ones |
| `FORK` | the stream holds another history of the subject than was archived |
| `UNARCHIVED` | the archive lacks a record that it should have passed |
| `GAP` | neither has anything at this sequence |
| `NOT_APPENDED` | somebody made the server write a message into the stream (`provenance`); nothing believes it |

and what a chain tells (`ledger.record.ChainWalk`), unless one of the above explains it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from services.ledger.codec import Malformed
from services.ledger.record import ChainWalk, Finding, Stored, decode
from services.runtime.postgres import Database
from services.runtime.store import EventStore, follow_until

# Consequences in the chain of a record that was found removed, changed or missing.
_CONSEQUENCES = frozenset({"BROKEN_CHAIN", "WRONG_VERSION", "TIME_BACKWARDS"})
_CHANGED = "the stream's bytes are not those archived, and the next record was not written after them"
_FORK = "the stream holds another record than was archived for this version"


async def reconcile(
    store: EventStore, database: Database, streams: Sequence[str], schema: str = "archive"
) -> list[Finding]:
    """Everything wrong with `streams` up to their last records at the call; empty when all is well. `schema` is the archive's.

    What the archive has not reached yet is checked by its chain alone."""
    findings: list[Finding] = []
    for stream in streams:
        findings += await _reconcile_stream(store, database, stream, schema)
    return findings


async def _reconcile_stream(store: EventStore, database: Database, stream: str, schema: str) -> list[Finding]:
    async with database.transaction(schema, readonly=True) as connection:
        archived: int = await connection.fetchval(
            "SELECT coalesce(max(sequence), 0) FROM checkpoints WHERE stream = $1", stream
        )
        # A stream that was cut back: what was archived beyond its end counts as well.
        kept: int = await connection.fetchval(
            "SELECT coalesce(max(sequence), 0) FROM records WHERE stream = $1", stream
        )
    comparison = _Comparison(stream, max(archived, kept))
    end = await store.last_sequence(stream)

    async def compare(batch: list[Stored]) -> None:
        batch = [record for record in batch if record.sequence <= end]
        if batch:
            comparison.add(
                await _archived(database, schema, stream, comparison.reached, batch[-1].sequence), batch
            )

    caught_up = asyncio.Event()
    await follow_until(store.follow(stream, 0, compare, caught_up=caught_up.set), caught_up)
    last = max(end, kept)
    comparison.add(await _archived(database, schema, stream, comparison.reached, last), [], last)
    async with database.transaction(schema, readonly=True) as connection:
        forks = await connection.fetch("SELECT * FROM forks WHERE stream = $1 ORDER BY sequence", stream)
    return comparison.end(forks)


async def _archived(
    database: Database, schema: str, stream: str, after: int, up_to: int
) -> dict[int, Stored]:
    """The archive's records of a stretch of a stream, by sequence."""
    async with database.transaction(schema, readonly=True) as connection:
        rows = await connection.fetch(
            "SELECT sequence, subject, data FROM records"
            " WHERE stream = $1 AND sequence > $2 AND sequence <= $3",
            *(stream, after, up_to),
        )
    return {row["sequence"]: Stored(stream, row["sequence"], row["subject"], row["data"]) for row in rows}


@dataclass(slots=True)
class _Comparison:
    """One stream beside its archive, in stream order."""

    stream: str
    archived_up_to: int
    reached: int = 0
    findings: list[Finding] = field(default_factory=list)
    _walk: ChainWalk = field(default_factory=ChainWalk)
    # Differing records whose successor will tell whether they were changed or belong to another history.
    _open: dict[str, Stored] = field(default_factory=dict)
    # Subjects whose next chain finding is explained.
    _explained: set[str] = field(default_factory=set)
    _differing: set[tuple[int, bytes]] = field(default_factory=set)

    def add(self, archived: dict[int, Stored], batch: list[Stored], last: int = 0) -> None:
        """Compare the stream's next records with the archive's of the same stretch, which ends at `last`."""
        found = {record.sequence: record for record in batch}
        for sequence in range(self.reached + 1, max(last, *found, 0) + 1):
            self._one(sequence, found.get(sequence), archived.get(sequence))
            self.reached = sequence

    def end(self, forks: Sequence[Any]) -> list[Finding]:
        """All findings in stream order; `forks` are the rows in which the archive kept other histories."""
        for record in self._open.values():
            self._note(record, "FORK", _FORK)
        for row in forks:
            if (row["sequence"], row["data"]) not in self._differing:
                fork = Stored(self.stream, row["sequence"], row["subject"], row["data"])
                when = f"{row['found_at']:%F %T}"
                self._note(
                    fork, "FORK", f"another record than the archived one came at {when}; both are kept"
                )
        return sorted(self.findings, key=lambda finding: finding.sequence)

    def _one(self, sequence: int, found: Stored | None, kept: Stored | None) -> None:
        if found is None and kept is None:
            self.findings.append(Finding("", 0, sequence, "GAP", f"nothing at {self.stream} {sequence}"))
        elif found is None and kept is not None:
            self._note(kept, "REMOVED", f"{self.stream} no longer has the archived record")
            self._explained.add(kept.subject)
        elif found is not None:
            self._found(found, kept)

    def _found(self, found: Stored, kept: Stored | None) -> None:
        subject = found.subject
        if not found.data:
            self._note(found, "NOT_APPENDED", "no service appended this message, and none believes it")
            return
        chain = self._walk.add(found)
        explained = subject in self._explained
        self._explained.discard(subject)
        if before := self._open.pop(subject, None):
            explained = any(finding.code == "BROKEN_CHAIN" for finding in chain)
            self._note(before, *(("CHANGED", _CHANGED) if explained else ("FORK", _FORK)))
        if explained:
            chain = [finding for finding in chain if finding.code not in _CONSEQUENCES]
        if kept is not None and kept != found:
            self._differing.add((found.sequence, found.data))
            if chain:
                self._note(found, "CHANGED", f"the stream's bytes are not those archived: {chain[0].detail}")
                self._explained.add(subject)
            else:
                self._open[subject] = found
            return
        self.findings += chain
        if kept is None and found.sequence <= self.archived_up_to:
            self._note(found, "UNARCHIVED", "the archive went past this record without keeping it")

    def _note(self, record: Stored, code: str, detail: str) -> None:
        try:
            version = decode(record.data).header.version
        except Malformed:
            version = 0
        self.findings.append(Finding(record.subject, version, record.sequence, code, detail))
