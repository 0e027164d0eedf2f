"""Scoring's RPCs: parse, handle, reply."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any

from fupan.common.v1 import record_pb2
from fupan.scoring.v1 import service_pb2 as pb
from fupan.scoring.v1 import service_pb2_grpc
from services.directory import Championship
from services.domain import Rejected
from services.games.championship.explain import UnitTerm
from services.games.championship.standings import Standing
from services.runtime.errors import Malformed
from services.runtime.identity import caller
from services.runtime.log import Answer
from services.scoring import model as m
from services.scoring.codec import EVENTS, REMEDIES
from services.scoring.desk import Desk
from services.scoring.field import PlayedBoard
from services.scoring.tables import Computed

WATCH_SECONDS = 1.0
"""Time between two looks of a watch."""

MAX_REMEDIES = 64


class ScoringApi(service_pb2_grpc.ScoringServiceServicer):
    """Matchpoints, standings, corrections, publications."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    # Standings

    async def GetStandings(self, request: pb.GetStandingsRequest, context: Any) -> Any:
        await self._desk.reached(request.min_position)
        return await self._standings(request.championship, request.as_of)

    async def WatchStandings(self, request: pb.WatchStandingsRequest, context: Any) -> AsyncIterator[Any]:
        last: tuple[bytes, int] | None = None
        while not self._desk.stopping.is_set():
            message = await self._standings(request.championship, "")
            shown = (message.digest, len(self._desk.ledger(request.championship).publications))
            if shown != last:
                last = shown
                yield pb.WatchStandingsResponse(standings=message)
            try:
                await asyncio.wait_for(self._desk.stopping.wait(), WATCH_SECONDS)
            except TimeoutError:
                continue

    async def _standings(self, championship: str, as_of: str) -> pb.GetStandingsResponse:
        computed, published, _ = await self._desk.as_of(championship, as_of)
        ledger = self._desk.ledger(championship)
        known = self._desk.directory.get(championship)
        event = published.event if published else None
        return pb.GetStandingsResponse(
            rows=rows(computed, known),
            publication=event.number if event else 0,
            digest=computed.digest,
            cut=_cut(computed.cut),
            after_round=event.after_round if event else 0,
            provisional=ledger.sealed is None,
            cause=event.cause if event else "live",
            published_us=published.time_us if published else 0,
        )

    async def ListPublications(self, request: pb.ListPublicationsRequest, context: Any) -> Any:
        await self._desk.reached(request.min_position)
        ledger = self._desk.ledger(request.championship)
        return pb.ListPublicationsResponse(
            publications=[
                pb.Publication(published=EVENTS.to_proto(one.event).standings_published, time_us=one.time_us)
                for one in ledger.publications
            ]
        )

    async def RebuildStandings(self, request: pb.RebuildStandingsRequest, context: Any) -> Any:
        number = str(request.publication) if request.publication else ""
        computed, published, rulings = await self._desk.as_of(request.championship, number)
        field, read = await self._desk.tables.rebuild(request.championship, computed.cut)
        rebuilt = await self._desk.tables.compute_of(request.championship, field, rulings, computed.cut)
        known = self._desk.directory.get(request.championship)
        return pb.RebuildStandingsResponse(
            standings=pb.GetStandingsResponse(
                rows=rows(rebuilt, known),
                publication=request.publication,
                digest=rebuilt.digest,
                cut=_cut(rebuilt.cut),
            ),
            published_digest=published.event.digest if published else computed.digest,
            same=rebuilt.digest == computed.digest,
            records_read=read,
        )

    # One board, one entrant

    async def GetBoard(self, request: pb.GetBoardRequest, context: Any) -> Any:
        computed, _, rulings = await self._desk.as_of(request.championship, "")
        field = await self._desk.tables.field(request.championship, computed.cut)
        if (request.round, request.board) not in field.closed_everywhere():
            raise Rejected("BOARD_OPEN", "", "a board is shown once every table of its round has closed it")
        settings = self._desk.directory.settings(request.championship)
        sessions = settings.boards_per_session if settings.mp_unit == "session" else 1
        unit = (request.board - 1) // sessions + 1
        _, terms = await self._desk.tables.traveller(
            request.championship, computed.cut, rulings, request.round, unit
        )
        ruled = {
            one.event.table: one.event
            for one in rulings
            if isinstance(one.event, m.ResultCorrected | m.BoardVoided)
            and (one.event.round, one.event.board) == (request.round, request.board)
        }
        boards = sorted(
            (one for one in field.boards if (one.round, one.board) == (request.round, request.board)),
            key=lambda one: (len(one.table), one.table),
        )
        return pb.GetBoardResponse(
            results=[
                _result(one, *field.seats[one.round, one.table], terms, ruled.get(one.table))
                for one in boards
            ]
        )

    async def ExplainScore(self, request: pb.ExplainScoreRequest, context: Any) -> Any:
        computed, _, rulings = await self._desk.as_of(request.championship, request.as_of)
        explained = await self._desk.tables.explain(
            request.championship, computed.cut, rulings, request.entrant
        )
        known = self._desk.directory.get(request.championship)
        micros = {(one.round, one.board): one.micros for one in explained.times}
        return pb.ExplainScoreResponse(
            row=_row(explained.standing, known),
            units=[_unit(one, micros) for one in explained.units],
            beaten=[
                pb.BeatenOpponent(round=one.round, entrant=one.opponent, percent_tenths=one.tenths)
                for one in explained.beaten
            ],
            exact=str(explained.standing.exact),
            trimmed_mean="" if explained.standing.trimmed is None else str(explained.standing.trimmed),
        )

    # Corrections

    async def CorrectResult(self, request: pb.CorrectResultRequest, context: Any) -> Any:
        authority = self._desk.authority(request.championship, request.reason)
        command = m.CorrectResult(
            request.table, request.round, request.board, 1, tuple(request.scores), authority
        )
        answer = await self._desk.correct(request.championship, command, request.command_id)
        return pb.CorrectResultResponse(receipt=_receipt(answer))

    async def VoidBoard(self, request: pb.VoidBoardRequest, context: Any) -> Any:
        authority = self._desk.authority(request.championship, request.reason)
        command = m.VoidBoard(
            request.table, request.round, request.board, 1, tuple(request.tenths), authority
        )
        answer = await self._desk.correct(request.championship, command, request.command_id)
        return pb.VoidBoardResponse(receipt=_receipt(answer))

    async def AssignPercent(self, request: pb.AssignPercentRequest, context: Any) -> Any:
        authority = self._desk.authority(request.championship, request.reason)
        command = m.AssignPercent(request.entrant, request.round, request.board, request.tenths, authority)
        answer = await self._desk.correct(request.championship, command, request.command_id)
        return pb.AssignPercentResponse(receipt=_receipt(answer))

    async def SetPenalty(self, request: pb.SetPenaltyRequest, context: Any) -> Any:
        authority = self._desk.authority(request.championship, request.reason)
        command = m.SetPenalty(request.penalty, request.entrant, request.tenths, authority)
        answer = await self._desk.correct(request.championship, command, request.command_id)
        return pb.SetPenaltyResponse(receipt=_receipt(answer))

    async def PublishStandings(self, request: pb.PublishStandingsRequest, context: Any) -> Any:
        ledger = self._desk.ledger(request.championship)
        after = max((one.event.after_round for one in ledger.publications), default=0)
        answer = await self._desk.publish(
            request.championship,
            request.cause or "operator",
            after,
            caller(context).subject,
            request.command_id,
        )
        published = next(one for one in answer.events if isinstance(one, m.StandingsPublished))
        return pb.PublishStandingsResponse(receipt=_receipt(answer), number=published.number)

    async def WhatIf(self, request: pb.WhatIfRequest, context: Any) -> Any:
        if not 1 <= len(request.remedies) <= MAX_REMEDIES:
            raise Malformed("remedies", f"must be 1 to {MAX_REMEDIES} remedies")
        if any(one.WhichOneof("kind") is None for one in request.remedies):
            raise Malformed("remedies", "must each be one of the kinds")
        corrections = tuple(REMEDIES.from_proto(one) for one in request.remedies)
        before, after = await self._desk.what_if(request.championship, corrections)
        known = self._desk.directory.get(request.championship)
        return pb.WhatIfResponse(before=rows(before, known), after=rows(after, known))


def rows(computed: Computed, known: Championship) -> list[pb.StandingRow]:
    """Standings as they are sent, best first."""
    return [_row(one, known) for one in computed.rows]


def _row(one: Standing, known: Championship) -> pb.StandingRow:
    entrant = known.entrants.get(one.entrant)
    return pb.StandingRow(
        place=one.place,
        rank=one.rank,
        shared=one.shared,
        entrant=one.entrant,
        persons=[member.person_id for member in entrant.members] if entrant else (),
        percent_tenths=one.tenths,
        units=one.units,
        beaten_sum=one.beaten_sum,
        beaten_count=one.beaten_count,
        rank_counts=one.rank_counts,
        thinking_us=one.micros,
        withdrawn=one.entrant in known.withdrawn,
        penalty_tenths=one.penalty,
    )


def _result(
    one: PlayedBoard,
    group: int,
    entrants: tuple[int, ...],
    terms: Iterable[UnitTerm],
    ruled: m.ResultCorrected | m.BoardVoided | None,
) -> pb.BoardResult:
    by_seat = {term.entrant: term for term in terms}
    found = [by_seat.get(entrant) if entrant else None for entrant in entrants]
    scores = ruled.scores if isinstance(ruled, m.ResultCorrected) else one.scores
    return pb.BoardResult(
        table=one.table,
        group=group,
        attempt=one.attempt,
        entrants=entrants,
        scores=scores,
        mp=[0 if term is None or term.assigned else term.mp for term in found],
        top=[0 if term is None or term.assigned else term.top for term in found],
        percent_tenths=[0 if term is None else term.tenths for term in found],
        thinking_us=one.thinking_us,
        corrected=isinstance(ruled, m.ResultCorrected),
        voided=isinstance(ruled, m.BoardVoided),
        unfinished=not one.scores,
    )


def _unit(term: UnitTerm, micros: dict[tuple[int, int], int]) -> pb.ExplainedUnit:
    return pb.ExplainedUnit(
        round=term.round,
        board=term.number,
        table=term.table,
        seat=term.seat,
        score=term.score,
        group_size=term.size,
        worse=term.worse,
        equal=term.equal,
        mp=0 if term.assigned else term.mp,
        top=term.top,
        rank=term.rank,
        dense_rank=term.dense_rank,
        thinking_us=micros.get((term.round, term.number), 0),
        assigned=term.assigned,
        percent_tenths=term.tenths,
    )


def _cut(cut: m.Cut) -> record_pb2.Cut:
    return record_pb2.Cut(
        positions=[
            record_pb2.StreamPosition(stream=one.stream, sequence=one.sequence) for one in cut.positions
        ]
    )


def _receipt(answer: Answer[Any]) -> record_pb2.Receipt:
    return record_pb2.Receipt(hash=answer.hash, position=answer.position)
