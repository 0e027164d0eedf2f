"""The course of a championship across services: commit deals, draw, seat, start, close, next round (C6).

What is due next follows from what the logs say, never from what happened in this process: `due` looks at the state, the tables'
closed boards and scoring's publications, and the same step taken twice is one step. Ids of the service's own commands hold a space,
which no client's can.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import grpc

from fupan.dealer.v1 import events_pb2 as dealer_events
from fupan.dealer.v1 import service_pb2 as dealer
from fupan.scoring.v1 import service_pb2 as scoring
from services.domain import Cause, Rejected
from services.games.championship.contest import BY_POINTS
from services.games.championship.tables import (
    MEETING,
    POINTS,
    Plan,
    Tables,
    plan_of,
    seat_drawn,
    seat_ranked,
)
from services.pairing import seating
from services.pairing.decider import check_turn
from services.pairing.model import commands as c
from services.pairing.model import events as e
from services.pairing.model.digests import seating_digest
from services.pairing.model.state import SERVICE, Championship
from services.pairing.progress import Progress
from services.pairing.seating import DRAW
from services.runtime.errors import NotFound, read_status
from services.runtime.log import Answer, Envelope, Log

if TYPE_CHECKING:  # stub classes that exist for the type checker only
    from fupan.dealer.v1.service_pb2_grpc import DealerServiceAsyncStub
    from fupan.scoring.v1.service_pb2_grpc import ScoringServiceAsyncStub

DEADLINE = 30.0

FIRST_DEALS, MOST_MATCHES = 8, 2_500
"""Deals a match, and matches, committed before a round is paired; the dealer commits more as matches go on (C8.2)."""

PairingLog = Log[Championship, c.Command, e.Event]


@dataclass(frozen=True, slots=True)
class Publication:
    """Standings that scoring has fixed, and the record that says so."""

    number: int
    after_round: int
    digest: bytes
    record: Cause


@dataclass(frozen=True, slots=True)
class Basis:
    """How a round is seated, and where that comes from."""

    name: str
    tables: Tables
    publication: int = 0
    digest: bytes = b""


@dataclass(frozen=True, slots=True)
class Step:
    """What a championship needs next: `commit` its deals, `pair`, `start` or `close` a round, or `end` for want of entrants."""

    kind: str
    round: int = 0


class Rounds:
    """Takes the steps of championships, for operators and by itself."""

    def __init__(
        self,
        log: PairingLog,
        subject_of: Callable[[str], str],
        dealer_stub: DealerServiceAsyncStub,
        scoring_stub: ScoringServiceAsyncStub,
        progress: Progress,
    ) -> None:
        self.publications: dict[str, Publication] = {}
        """The newest publication by championship, as scoring's log tells."""
        self._log = log
        self._subject_of = subject_of
        self._dealer = dealer_stub
        self._scoring = scoring_stub
        self._progress = progress
        self._locks: dict[str, asyncio.Lock] = {}
        self._batches: dict[str, tuple[int, bytes]] = {}

    def state(self, championship: str) -> Championship:
        """The championship. Raises NotFound."""
        state = self._log.state(self._subject_of(championship))
        if state is None or state.settings is None:
            raise NotFound("championship", championship)
        return state

    # Steps

    def due(self, championship: str) -> Step | None:
        """The step that is due by itself now, if any."""
        state = self.state(championship)
        settings, current = state.settings, state.rounds[-1] if state.rounds else None
        assert settings is not None
        if current is not None and current.phase == "running":
            played = self._progress.of(championship, current.number)
            done = played.done(len(current.tables), settings.boards_per_round)
            return Step("close", current.number) if done else None
        if current is not None and current.phase == "paired":
            return Step("start", current.number) if settings.automatic_rounds else None
        if state.ended_us:
            return None
        if state.registration is None:
            # Deals stand in the log long before anybody is seated, and public entropy can be named for them.
            return None if championship in self._batches else Step("commit")
        if not settings.automatic_rounds:
            return None
        newest = self.publications.get(championship)
        ranked = state.next_round == 1 or (newest is not None and newest.after_round >= state.next_round - 1)
        if not ranked:
            return None
        enough = 2 if settings.format in MEETING else 1
        return Step("pair" if len(state.active()) >= enough else "end", state.next_round)

    async def take(self, championship: str, step: Step) -> None:
        """Take a step that was due, as the service, unless somebody else has taken it meanwhile."""
        subject, newest = self._subject_of(championship), self.publications.get(championship)
        envelope = Envelope(SERVICE, f"{step.kind} {step.round}")
        async with self._lock(championship):
            if self.due(championship) != step:
                return
            match step.kind:
                case "commit":
                    await self._committed(championship)
                case "pair":
                    cause = newest.record if newest is not None and step.round > 1 else None
                    await self._pair(championship, step.round, envelope._replace(cause=cause))
                case "end":
                    command = c.EndCompetition("no entrants are left to play")
                    await self._log.handle(subject, command, envelope)
                case "start":
                    await self._log.handle(subject, c.StartRound(step.round), envelope)
                case "close":
                    envelope = envelope._replace(cause=self._progress.of(championship, step.round).last)
                    await self._log.handle(subject, c.CloseRound(step.round, ""), envelope)

    async def pair(
        self, championship: str, wanted: int, envelope: Envelope
    ) -> tuple[Answer[e.Event], e.RoundPaired]:
        """Seat a round (0: the next one) for whoever sends the envelope."""
        async with self._lock(championship):
            answer = await self._pair(championship, wanted, envelope)
        return answer, next(one for one in answer.events if isinstance(one, e.RoundPaired))

    def _lock(self, championship: str) -> asyncio.Lock:
        """One step of a championship at a time."""
        return self._locks.setdefault(championship, asyncio.Lock())

    async def _pair(self, championship: str, wanted: int, envelope: Envelope) -> Answer[e.Event]:
        def same(command: c.Command) -> bool:
            return isinstance(command, c.PairRound) and wanted in (0, command.round)

        subject = self._subject_of(championship)
        answer = await self._log.repeated(subject, envelope, same)
        if answer is not None:
            return answer
        try:
            while True:
                command = await self._seated(championship, wanted, envelope)
                try:
                    return await self._log.handle(subject, command, envelope, same=same)
                except Rejected as refused:
                    if refused.reason != "FIELD_CHANGED":
                        raise
                    # Without whoever has withdrawn meanwhile all are seated anew (C1.6).
        except Rejected:
            # Another replica that was sent the same command may have been faster, or one that has seen the list closed by it.
            answer = await self._log.repeated(subject, envelope, same)
            if answer is None and await self._log.repeated(subject, _closing(envelope), _closes):
                answer = await self._log.repeated(subject, Envelope(SERVICE, "pair 1"), same)
            if answer is None:
                raise
            return answer

    async def _seated(self, championship: str, wanted: int, envelope: Envelope) -> c.PairRound:
        """Write the tables of a round in chunks; the command that makes them count."""
        state = self.state(championship)
        assert state.settings is not None
        number, plan = wanted or state.next_round, plan_of(state.settings)
        check_turn(state, number)
        if state.registration is not None and not state.active():
            raise Rejected("EMPTY_FIELD", "C1.6", "every entrant has withdrawn; end the competition")
        batch, root = await self._committed(championship)
        if number == 1 or plan.fixed:
            basis = await self._drawn(championship, number, plan, envelope)
        else:
            basis = await self._ranked(championship, number, plan)
        tables = seating.seated(number, basis.tables)
        if state.settings.format == POINTS and not state.settings.real_cards:
            batch, root = await self._committed_matches(championship, number, tables)
        chunks = seating.chunks(tables)
        for place, chunk in enumerate(chunks):
            # Chunk 0 begins anew, so every attempt writes all of its own.
            writing = envelope._replace(command_id=f"seat {uuid.uuid4()}")
            await self._log.handle(
                self._subject_of(championship), c.SeatTables(number, place, chunk), writing
            )
        return c.PairRound(
            number,
            len(chunks),
            basis.name,
            basis.publication,
            basis.digest,
            batch,
            root,
            seating_digest(tables),
            basis.tables.byes,
        )

    # What seats come from

    async def _committed(self, championship: str) -> tuple[int, bytes]:
        """The batch that holds the deals of all rounds and the draw; committed before anything uses them.

        Deals of matches are not in it: how many there will be nobody knows yet (C8.2). Real cards are dealt by hand.
        """
        known = self._batches.get(championship)
        if known is not None:
            return known
        settings = self.state(championship).settings
        assert settings is not None
        boards = [
            dealer_events.BoardPath(round=round_, board=board, attempt=1)
            for round_ in range(1, settings.rounds + 1)
            for board in range(1, settings.boards_per_round + 1)
            if not settings.real_cards
        ]
        request = dealer.CommitDealsRequest(
            command_id="commit-boards",
            championship=championship,
            purpose="boards" if boards else "draw",
            boards=boards,
            draws=[DRAW],
        )
        answer = await self._dealer.CommitDeals(request, timeout=DEADLINE)
        self._batches[championship] = answer.batch, answer.merkle_root
        return self._batches[championship]

    async def _committed_matches(
        self, championship: str, number: int, tables: Sequence[e.SeatedTable]
    ) -> tuple[int, bytes]:
        """The batch that holds the first deals of a round's matches, committed before they are paired."""
        boards = [
            dealer_events.BoardPath(round=number, match=one.table, board=deal, attempt=1)
            for one in tables[:MOST_MATCHES]
            for deal in range(1, FIRST_DEALS + 1)
        ]
        request = dealer.CommitDealsRequest(
            command_id=f"commit-matches-{number}-{len(tables)}",
            championship=championship,
            purpose="match",
            boards=boards,
        )
        try:
            answer = await self._dealer.CommitDeals(request, timeout=DEADLINE)
        except grpc.aio.AioRpcError as error:
            told = read_status(error)
            if told is None or told.reason != "COMMITTED_ALREADY":
                raise
            # For a seating of another size that never counted; what it does not hold the dealer commits before its use.
            return await self._committed(championship)
        return answer.batch, answer.merkle_root

    async def _drawn(self, championship: str, number: int, plan: Plan, envelope: Envelope) -> Basis:
        """As the draw gives it: the list is closed in our log first, then the dealer reveals the draw's leaf (C6.1)."""
        await self._log.handle(self._subject_of(championship), c.CloseRegistration(), _closing(envelope))
        state = self.state(championship)
        revealed = await self.revealed_draw(championship)
        listed = [state.entrants[entrant] for entrant in state.registered]
        order = seating.drawn(revealed.leaf, revealed.entropy, listed)
        withdrawn = self.state(championship).withdrawn
        return Basis("draw", seat_drawn(plan, number, order, withdrawn))

    async def revealed_draw(self, championship: str) -> dealer.RevealDrawResponse:
        """The dealer's RevealDrawResponse for round 1. Raises Rejected before the registration is closed."""
        registration = self.state(championship).registration
        if registration is None:
            raise Rejected("REGISTRATION_OPEN", "C6.1", "round 1 has not been drawn yet")
        request = dealer.RevealDrawRequest(
            command_id=f"draw-{DRAW}",
            championship=championship,
            name=DRAW,
            entrants_digest=registration.entrants_digest,
        )
        answer: dealer.RevealDrawResponse = await self._dealer.RevealDraw(request, timeout=DEADLINE)
        return answer

    async def _ranked(self, championship: str, number: int, plan: Plan) -> Basis:
        """As the newest publication after the round before ranks those who play on; late ones last (C1.6, C6.2)."""
        newest, answer = await self.published(championship, number - 1)
        state = self.state(championship)
        playing = set(state.active())
        ranked = [row.entrant for row in answer.rows if row.entrant in playing]
        order = (*ranked, *sorted(playing.difference(ranked)))
        by_points = plan.format in BY_POINTS
        scores = {
            row.entrant: Fraction(row.points) if by_points else row.percent_tenths for row in answer.rows
        }
        # Of a thousand pairs that takes a second, for which nobody else shall wait.
        tables = await asyncio.to_thread(seat_ranked, plan, order, scores, seating.played(state))
        return Basis("standings", tables, newest.number, newest.digest)

    async def published(
        self, championship: str, after_round: int
    ) -> tuple[Publication, scoring.GetStandingsResponse]:
        """The newest publication, which must be of a round not before `after_round`, and its standings. Raises Rejected."""
        newest = self.publications.get(championship)
        if newest is None or newest.after_round < after_round:
            raise Rejected(
                "STANDINGS_NOT_PUBLISHED",
                "C6.2",
                f"standings after round {after_round} are not published yet",
            )
        request = scoring.GetStandingsRequest(championship=championship, as_of=str(newest.number))
        answer = await self._scoring.GetStandings(request, timeout=DEADLINE)
        if answer.digest != newest.digest:
            raise RuntimeError(f"scoring's publication {newest.number} is not the one in its log")
        return newest, answer


def _closing(envelope: Envelope) -> Envelope:
    """That of the command by which pairing round 1 closes the list of entrants."""
    return envelope._replace(command_id=f"{envelope.command_id} registration")


def _closes(command: c.Command) -> bool:
    return isinstance(command, c.CloseRegistration)
