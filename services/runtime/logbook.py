"""The log of one service for others: records as stored, reconciliation with the archive, rebuilding of projections."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from fupan.common.v1 import log_service_pb2 as pb
from fupan.common.v1 import log_service_pb2_grpc, record_pb2
from services.ledger.record import Finding, Stored
from services.runtime.archive import Archive
from services.runtime.errors import Denied, Malformed, NotFound
from services.runtime.forks import fork
from services.runtime.postgres import Database
from services.runtime.projector import Projection, Projector, rebuild
from services.runtime.reconcile import reconcile
from services.runtime.store import EventStore
from services.runtime.streams import BadName, parse

BATCH_BYTES = 256 * 1024
"""Bytes of records one message holds, about."""

InDoubt = Callable[[str, int, int], None]
"""Told of a subject, a version and a stream sequence at which another record was archived than the stream holds."""

_DIFFERENT = frozenset({"REMOVED", "CHANGED", "FORK"})


@dataclass(frozen=True, slots=True)
class Logbook:
    """What a service tells of its log. `may_read` judges the caller of this task (`identity.caller`), by all that was written up to
    now where that may leave fewer who may."""

    store: EventStore
    database: Database
    streams: Sequence[str]
    subjects: Callable[[], Sequence[str]]
    may_read: Callable[[str], Awaitable[bool]]
    projectors: Sequence[tuple[Projection, Projector]]
    archive: Archive
    on_doubt: InDoubt
    """Hears of every record that the stream no longer holds as it was archived."""


async def anybody(subject: str) -> bool:
    """Records that hold nothing that is not public."""
    return True


class LogApi(log_service_pb2_grpc.LogServiceServicer):
    """The RPCs of a logbook."""

    def __init__(self, logbook: Logbook) -> None:
        self._book = logbook

    async def ReadLog(self, request: pb.ReadLogRequest, context: Any) -> AsyncIterator[Any]:  # noqa: N802
        """Records of a subject, or of all subjects of a championship that the caller may read, subject by subject."""
        if bool(request.subject) == bool(request.championship):
            raise Malformed("subject", "or championship must be given, not both")
        if request.subject:
            subjects = [self._own(request.subject)]
            await self._check(request.subject)
        else:
            listed = self._of(request.championship)
            subjects = [subject for subject in listed if await self._book.may_read(subject)]
        for subject in subjects:
            async for batch in self._batches(subject):
                # Judged once more: what was written since it was asked for may be for fewer eyes.
                await self._check(subject)
                yield pb.ReadLogResponse(records=batch)

    async def _check(self, subject: str) -> None:
        if not await self._book.may_read(subject):
            raise Denied("LOG_NOT_OPEN", "this subject is readable once all its boards are closed everywhere")

    async def _batches(self, subject: str) -> AsyncIterator[list[record_pb2.StoredRecord]]:
        batch: list[record_pb2.StoredRecord] = []
        size = 0
        async for stored in self._book.store.read(subject):
            batch.append(_message(stored))
            size += len(stored.data)
            if size >= BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    async def ListSubjects(self, request: pb.ListSubjectsRequest, context: Any) -> Any:  # noqa: N802
        """Subjects of a championship, readable or not."""
        return pb.ListSubjectsResponse(subjects=self._of(request.championship))

    def _of(self, championship: str) -> list[str]:
        return sorted(one for one in self._book.subjects() if parse(one).championship == championship)

    def _own(self, subject: str) -> str:
        try:
            stream = parse(subject).stream
        except BadName:
            raise Malformed("subject", "must be one of the log") from None
        if stream not in self._book.streams or subject not in self._book.subjects():
            raise NotFound("subject", subject)
        return subject

    async def Reconcile(self, request: pb.ReconcileRequest, context: Any) -> AsyncIterator[Any]:  # noqa: N802
        """Compare streams, archive and chains, stream by stream; findings, then a summary."""
        records = found = 0
        for stream in self._book.streams:
            last = await self._book.store.last_sequence(stream)
            records += last
            findings = await reconcile(
                self._book.store, self._book.database, [stream], self._book.archive.schema
            )
            for finding in findings:
                found += 1
                if finding.code in _DIFFERENT:
                    self._book.on_doubt(finding.subject, finding.version, finding.sequence)
                yield pb.ReconcileResponse(finding=_finding(stream, finding))
            progress = pb.ReconcileProgress(stream=stream, checked=last, total=last)
            yield pb.ReconcileResponse(progress=progress)
        yield pb.ReconcileResponse(summary=pb.ReconcileSummary(records=records, findings=found))

    async def GetFork(self, request: pb.GetForkRequest, context: Any) -> Any:  # noqa: N802
        """Both histories of a subject from a version on."""
        book, subject = self._book, self._own(request.subject)
        found = await fork(book.store, book.database, book.archive.schema, subject, request.version)
        return pb.GetForkResponse(
            streamed=None if found.streamed is None else _message(found.streamed),
            archived=map(_message, found.archived),
            last_sequence=found.last_sequence,
        )

    async def RebuildProjections(  # noqa: N802
        self, request: pb.RebuildProjectionsRequest, context: Any
    ) -> AsyncIterator[Any]:
        """Rebuild every projection from record 1 beside the live one, then swap. The archive is never rebuilt."""
        for projection, _ in self._book.projectors:
            yield pb.RebuildProjectionsResponse(projection=projection.schema)
            reached = await rebuild(self._book.store, self._book.database, projection)
            total = sum(reached.values())
            yield pb.RebuildProjectionsResponse(
                projection=projection.schema, records=total, total=total, swapped=True
            )

    async def GetPositions(self, request: pb.GetPositionsRequest, context: Any) -> Any:  # noqa: N802
        """How far streams and projections are."""
        streams = [
            record_pb2.StreamPosition(stream=one, sequence=await self._book.store.last_sequence(one))
            for one in self._book.streams
        ]
        return pb.GetPositionsResponse(
            streams=streams,
            projections=[
                pb.ProjectionPosition(
                    projection=projection.schema,
                    positions=[
                        record_pb2.StreamPosition(stream=stream, sequence=projector.sequence(stream))
                        for stream in projection.streams
                    ],
                )
                for projection, projector in self._book.projectors
            ],
        )


def _message(stored: Stored) -> record_pb2.StoredRecord:
    return record_pb2.StoredRecord(
        stream=stored.stream, sequence=stored.sequence, subject=stored.subject, stored=stored.data
    )


def _finding(stream: str, finding: Finding) -> pb.ReconcileFinding:
    return pb.ReconcileFinding(
        kind=finding.code,
        stream=stream,
        sequence=finding.sequence,
        subject=finding.subject,
        version=finding.version,
        detail=finding.detail,
    )
