"""Scoring's RPCs: parse, handle, reply."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from fupan.scoring.v1 import service_pb2 as pb
from fupan.scoring.v1 import service_pb2_grpc
from services.directory import Championship
from services.domain import Rejected
from services.runtime.answers import Waits, reached, receipt
from services.runtime.errors import Malformed, NotFound
from services.runtime.identity import caller
from services.runtime.log import Envelope
from services.scoring import model as m
from services.scoring import shown
from services.scoring.changes import Changes, changes
from services.scoring.codec import EVENTS, REMEDIES
from services.scoring.decided import Decided
from services.scoring.desk import Desk
from services.scoring.foresight import Foresight
from services.scoring.materiality import About, Contested, ContestedPairing, ContestedPenalty

WATCH_SECONDS = 1.0
"""Time between two looks of all watches of a championship."""

MAX_REMEDIES = 64
MAX_LINES = 64
MAX_TABLES = 20_000
"""Tables at which one order has a board played again: so many a record names."""
CAUSES = ("operator", "final")
"""What an operator may publish standings for."""


class ScoringApi(service_pb2_grpc.ScoringServiceServicer):
    """Matchpoints, standings, corrections, publications."""

    def __init__(self, desk: Desk, waits: Callable[[str], Waits], stopping: asyncio.Event) -> None:
        self._desk = desk
        self._foresight = Foresight(desk)
        self._waits = waits
        self._stopping = stopping
        self._messages = shown.Messages()
        self._looked: dict[str, tuple[float, pb.GetStandingsResponse]] = {}

    # Standings

    async def GetStandings(self, request: pb.GetStandingsRequest, context: Any) -> Any:
        await self._reached(request)
        return await self.standings(request.championship, request.as_of)

    async def WatchStandings(self, request: pb.WatchStandingsRequest, context: Any) -> AsyncIterator[Any]:
        last: tuple[bytes, int, bool] | None = None
        while not self._stopping.is_set():
            message = await self._look(request.championship)
            published = len(self._desk.ledger(request.championship).publications)
            now = message.digest, published, message.provisional
            if now != last:
                last = now
                yield pb.WatchStandingsResponse(standings=message)
            try:
                async with asyncio.timeout(WATCH_SECONDS):
                    await self._stopping.wait()
            except TimeoutError:
                continue

    async def _reached(self, request: Any) -> None:
        """What the request relies on is processed; who plays, or has played in another's place, waits for no table (C1.6)."""
        watches = request.min_position != "" and await self._desk.watches(request.championship, caller())
        await reached(request.min_position, self._waits(request.championship), watches)

    async def _look(self, championship: str) -> pb.GetStandingsResponse:
        """The standings that all watches show: looked up once for all."""
        now = asyncio.get_running_loop().time()
        looked, message = self._looked.get(championship, (0.0, None))
        if message is None or now - looked >= WATCH_SECONDS / 2:
            message = await self.standings(championship)
            self._looked[championship] = now, message
        return message

    async def standings(self, championship: str, as_of: str = "") -> pb.GetStandingsResponse:
        """Standings as they are, or as of a publication, a time or a cut. Raises Malformed, NotFound."""
        computed, published, _ = await self._desk.as_of(championship, as_of)
        known, ledger = self._desk.directory.get(championship), self._desk.ledger(championship)
        return await self._messages.standings(known, computed, published, ledger)

    async def ListPublications(self, request: pb.ListPublicationsRequest, context: Any) -> Any:
        await self._reached(request)
        return pb.ListPublicationsResponse(
            publications=[
                pb.Publication(published=EVENTS.to_proto(one.event).standings_published, time_us=one.time_us)
                for one in self._desk.published(request.championship)
            ]
        )

    async def RebuildStandings(self, request: pb.RebuildStandingsRequest, context: Any) -> Any:
        number = str(request.publication) if request.publication else ""
        computed, published, rulings = await self._desk.as_of(request.championship, number)
        rebuilt, read = await self._desk.tables.rebuild(request.championship, computed.cut, rulings)
        known = self._desk.directory.get(request.championship)
        # How many there are up to now tells what happens at open tables; a publication's cut is public anyway.
        counted = published is not None or await self._desk.watches(request.championship, caller())
        return pb.RebuildStandingsResponse(
            standings=pb.GetStandingsResponse(
                rows=await asyncio.to_thread(shown.rows, rebuilt, known),
                publication=request.publication,
                digest=rebuilt.digest,
                cut=shown.cut(published.event.cut) if published else None,
            ),
            published_digest=published.event.digest if published else computed.digest,
            same=rebuilt.digest == computed.digest,
            records_read=read if counted else 0,
        )

    # One board, one entrant

    async def GetBoard(self, request: pb.GetBoardRequest, context: Any) -> Any:
        championship, key = request.championship, (request.round, request.board)
        known = self._desk.directory.get(championship)
        if not known.settings.boards_per_round:
            raise Rejected("NO_COMMON_BOARDS", "C8.2", "every match of this event has deals of its own")
        ledger = self._desk.ledger(championship)
        if key not in await self._desk.tables.shown(championship):
            if request.round not in known.rounds:
                raise NotFound("round", request.round)
            if not 1 <= request.board <= known.settings.boards_per_round:
                raise NotFound("board", request.board)
            raise Rejected("BOARD_OPEN", "", "a board is shown once every table of its round has closed it")
        field, terms = await self._desk.tables.traveller(
            championship, await self._desk.tables.now(), ledger.rulings, request.round, request.board
        )
        results = await asyncio.to_thread(shown.results, field, key, terms, ledger)
        return pb.GetBoardResponse(results=results)

    async def ListMatches(self, request: pb.ListMatchesRequest, context: Any) -> Any:
        await self._reached(request)
        computed, _, rulings = await self._desk.as_of(request.championship, request.as_of)
        played = await self._desk.tables.matches(request.championship, computed.cut, rulings)
        return pb.ListMatchesResponse(
            matches=[shown.match(one) for one in played if request.round in (0, one.round)]
        )

    async def ExplainScore(self, request: pb.ExplainScoreRequest, context: Any) -> Any:
        computed, _, rulings = await self._desk.as_of(request.championship, request.as_of)
        explanation, byes = await self._desk.tables.explain(
            request.championship, computed.cut, rulings, request.entrant
        )
        decided = Decided(rulings, self._desk.ledger(request.championship))
        return shown.explained(explanation, byes, self._desk.directory.get(request.championship), decided)

    # Corrections

    async def CorrectResult(self, request: pb.CorrectResultRequest, context: Any) -> Any:
        authority = self._desk.authority(request.championship, request.reason)
        at = self._desk.board_at(request.championship, request)
        command = m.CorrectResult(*at, tuple(request.scores), authority)
        answer = await self._desk.correct(request.championship, command, request.command_id)
        return pb.CorrectResultResponse(receipt=receipt(answer))

    async def VoidBoard(self, request: pb.VoidBoardRequest, context: Any) -> Any:
        authority = self._desk.authority(request.championship, request.reason)
        at = self._desk.board_at(request.championship, request)
        command = m.VoidBoard(*at, tuple(request.tenths), authority)
        answer = await self._desk.correct(request.championship, command, request.command_id)
        return pb.VoidBoardResponse(receipt=receipt(answer))

    async def AssignPercent(self, request: pb.AssignPercentRequest, context: Any) -> Any:
        authority = self._desk.authority(request.championship, request.reason)
        command = m.AssignPercent(request.entrant, request.round, request.board, request.tenths, authority)
        answer = await self._desk.correct(request.championship, command, request.command_id)
        return pb.AssignPercentResponse(receipt=receipt(answer))

    async def SetPenalty(self, request: pb.SetPenaltyRequest, context: Any) -> Any:
        authority = self._desk.authority(request.championship, request.reason)
        command = m.SetPenalty(request.penalty, request.entrant, request.tenths, authority)
        answer = await self._desk.correct(request.championship, command, request.command_id)
        return pb.SetPenaltyResponse(receipt=receipt(answer))

    async def CorrectMatch(self, request: pb.CorrectMatchRequest, context: Any) -> Any:
        authority = self._desk.authority(request.championship, request.reason)
        command = m.CorrectMatch(
            request.table, request.round, request.winner, tuple(request.levels), authority
        )
        answer = await self._desk.correct(request.championship, command, request.command_id)
        return pb.CorrectMatchResponse(receipt=receipt(answer))

    async def RecalculateRuling(self, request: pb.RecalculateRulingRequest, context: Any) -> Any:
        command = m.RecalculateRuling(
            request.appeal,
            request.remedy or 1,
            tuple(request.working),
            self._desk.authority(request.championship, request.reason),
        )
        answer = await self._desk.correct(request.championship, command, request.command_id)
        (event,) = answer.events
        assert isinstance(event, m.RulingRecalculated)
        return pb.RecalculateRulingResponse(receipt=receipt(answer), figures=event.figures)

    async def OrderReplay(self, request: pb.OrderReplayRequest, context: Any) -> Any:
        at = request.championship, request.round, request.board
        tables = self._desk.tables_of(*at, request.tables)
        if len(tables) > MAX_TABLES:
            raise Malformed(
                "tables", f"must be at most {MAX_TABLES}; others in an order, and a deal, of their own"
            )
        authority = self._desk.authority(request.championship, request.reason)
        command = m.OrderReplay(request.round, request.board, tables, authority)
        answer = await self._desk.correct(request.championship, command, request.command_id)
        (ordered,) = answer.events
        assert isinstance(ordered, m.ReplayOrdered)
        known = self._desk.directory.get(request.championship)
        return pb.OrderReplayResponse(
            receipt=receipt(answer),
            attempt=ordered.attempt,
            tables=[one.by_table for one in ordered.boards],
            after_round=_running(known, answer.time_us),
        )

    async def PublishStandings(self, request: pb.PublishStandingsRequest, context: Any) -> Any:
        cause = request.cause or CAUSES[0]
        if cause not in CAUSES:
            raise Malformed("cause", f"must be {' or '.join(CAUSES)}")
        who = caller(context)
        known = self._desk.directory
        offices = ("chief_referee", "deputy", "organiser")
        authority = known.authority(request.championship, who.person, *offices)
        answer = await self._desk.publish(
            request.championship,
            cause,
            self._desk.ledger(request.championship).after_round,
            Envelope(who.subject, request.command_id, authority=authority),
        )
        published = next(one for one in answer.events if isinstance(one, m.StandingsPublished))
        return pb.PublishStandingsResponse(receipt=receipt(answer), number=published.number)

    # What would change, what has changed

    async def WhatIf(self, request: pb.WhatIfRequest, context: Any) -> Any:
        if not 1 <= len(request.remedies) <= MAX_REMEDIES:
            raise Malformed("remedies", f"must be 1 to {MAX_REMEDIES} remedies")
        if any(one.WhichOneof("kind") is None for one in request.remedies):
            raise Malformed("remedies", "must each be one of the kinds")
        lines = self._lines(request)
        remedies = list(map(REMEDIES.from_proto, request.remedies))
        corrections = [one for one in remedies if not isinstance(one, m.ReseatRound)]
        reseats = [one for one in remedies if isinstance(one, m.ReseatRound)]
        moved = await self._foresight.reseated(request.championship, reseats) if reseats else None
        before, after, (alone, together) = await self._foresight.what_if(request.championship, corrections)
        known = self._desk.directory.get(request.championship)
        orders = (before.rows, after.rows) if request.seating else ()
        seated = await self._foresight.next_seatings(request.championship, *orders) if orders else None

        def answer() -> pb.WhatIfResponse:
            changed = changes(before.rows, after.rows, lines)
            both = changed if request.only_changes else Changes(before.rows, after.rows)
            return pb.WhatIfResponse(
                before=[shown.row(one, known) for one in both.before],
                after=[shown.row(one, known) for one in both.after],
                lines=map(shown.line, changed.lines),
                seating=None if seated is None else shown.next_seating(seated[0], *seated[1]),
                replays_alone=alone,
                replays_open=together,
                reseated=None if moved is None else shown.reseated(*moved),
            )

        return await asyncio.to_thread(answer)

    async def Materiality(self, request: pb.MaterialityRequest, context: Any) -> Any:
        if not (request.table or request.penalty or request.pairing):  # the board of an entrant's table
            played = self._desk.directory.get(request.championship).rounds.get(request.round)
            request.table = played.table_of.get(request.entrant, "") if played else ""
        tried = await self._foresight.materiality(request.championship, _about(request), self._lines(request))
        return pb.MaterialityResponse(
            material=any(one.changes.ranks for one in tried), tried=map(shown.tried, tried)
        )

    async def CompareStandings(self, request: pb.CompareStandingsRequest, context: Any) -> Any:
        lines, championship = self._lines(request), request.championship
        published, computed, found = await self._desk.since(championship, request.since)
        subject, known = self._desk.subject(championship), self._desk.directory.get(championship)
        return await asyncio.to_thread(shown.compared, published, computed, found, lines, subject, known)

    def _lines(self, request: Any) -> Sequence[int]:
        if len(request.lines) > MAX_LINES or 0 in request.lines:
            raise Malformed("lines", f"must be at most {MAX_LINES} ranks from 1")
        return self._desk.lines(request.championship, request.lines)


def _running(known: Championship, time_us: int) -> int:
    """The round that was running at a time, 0 for none."""
    began = (one for one in known.rounds.values() if 0 < one.started_us <= time_us)
    return next((one.number for one in began if not 0 < one.closed_us <= time_us), 0)


def _about(request: pb.MaterialityRequest) -> About:
    """What is contested, one thing. Raises Malformed."""
    if sum((bool(request.table), bool(request.penalty), bool(request.pairing))) != 1:
        raise Malformed("table", "or else penalty or pairing must say what is contested")
    if request.penalty:
        return ContestedPenalty(request.penalty)
    if request.pairing:
        return ContestedPairing(request.pairing, request.entrant)
    return Contested(request.round, request.table, request.board)
