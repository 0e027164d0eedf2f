"""The course of a championship across services: commit deals, draw, seat, start, close, next round (C6).

What is due next follows from what the logs say, never from what happened in this process: `due` looks at the state, the tables'
closed boards and scoring's publications, and the same step taken twice is one step (command ids are derived from it).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fupan.dealer.v1 import events_pb2 as dealer_events
from fupan.dealer.v1 import service_pb2 as dealer
from fupan.scoring.v1 import service_pb2 as scoring
from services.domain import Rejected
from services.games import registry
from services.pairing import model as m
from services.pairing import seating
from services.pairing.progress import Progress
from services.runtime.log import Answer, Envelope, Log

if TYPE_CHECKING:  # stub classes that exist for the type checker only
    from fupan.dealer.v1.service_pb2_grpc import DealerServiceAsyncStub
    from fupan.scoring.v1.service_pb2_grpc import ScoringServiceAsyncStub

SERVICE = "service:pairing"
DRAW = "round-1"
DEADLINE = 30.0

PairingLog = Log[m.Championship, m.Command, m.Event]


@dataclass(frozen=True, slots=True)
class Publication:
    """Standings that scoring has fixed."""

    number: int
    after_round: int
    digest: bytes


@dataclass(frozen=True, slots=True)
class Step:
    """What a championship needs next: `start`, `close` or `pair` a round."""

    kind: str
    round: int


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
        self._log = log
        self._subject_of = subject_of
        self._dealer = dealer_stub
        self._scoring = scoring_stub
        self._progress = progress
        self._locks: dict[str, asyncio.Lock] = {}
        self.publications: dict[str, Publication] = {}
        """The newest publication by championship, as scoring's log tells."""

    def state(self, championship: str) -> m.Championship:
        """The championship. Raises Rejected when there is none."""
        state = self._log.state(self._subject_of(championship))
        if state is None or state.settings is None:
            raise Rejected("NO_SUCH_CHAMPIONSHIP", "", f"there is no championship {championship}")
        return state

    def due(self, championship: str) -> Step | None:
        """The step that is due by itself now, if any."""
        state = self.state(championship)
        settings = state.settings
        if settings is None or not state.rounds or state.ended_us:
            return None
        current = state.rounds[-1]
        if current.phase == "running" and self._all_closed(championship, state, current):
            return Step("close", current.number)
        if not settings.automatic_rounds:
            return None
        if current.phase == "paired":
            return Step("start", current.number)
        if current.phase in ("closed", "seating"):
            wanted = current.number if current.phase == "seating" else current.number + 1
            newest = self.publications.get(championship)
            if wanted == 1 or (newest is not None and newest.after_round >= wanted - 1):
                return Step("pair", wanted)
        return None

    def _all_closed(self, championship: str, state: m.Championship, current: m.Round) -> bool:
        assert state.settings is not None
        boards = state.settings.boards_per_round
        return self._progress.boards_closed(championship, current.number) >= len(current.tables) * boards

    async def take(self, championship: str, step: Step) -> None:
        """Take a step that is due, as the service."""
        subject = self._subject_of(championship)
        if step.kind == "pair":
            await self.pair(championship, step.round, "")
        elif step.kind == "start":
            envelope = Envelope(SERVICE, f"start-{step.round}")
            await self._log.handle(subject, m.StartRound(step.round), envelope)
        else:
            envelope = Envelope(SERVICE, f"close-{step.round}")
            await self._log.handle(subject, m.CloseRound(step.round, ""), envelope)

    async def pair(self, championship: str, round_: int, person: str) -> tuple[Answer[m.Event], int]:
        """Seat the next round (0: whichever it is) for `person` or by itself; the answer and the round's number."""
        async with self._locks.setdefault(championship, asyncio.Lock()):
            state = self.state(championship)
            wanted = round_ or 1 + sum(1 for one in state.rounds if one.pairing)
            batch, root = await self._committed(championship, state)
            if wanted == 1:
                order = await self._draw(championship, person)
                basis, newest = "draw", Publication(0, 0, b"")
            else:
                order, newest = await self._ranking(championship, wanted)
                basis = "standings"
            state = self.state(championship)
            assert state.settings is not None
            seats = registry.find(state.settings.ruleset).seats
            tables = seating.seat(state.settings, seats, wanted, order)
            return await self._seat(championship, person, wanted, tables, basis, newest, batch, root), wanted

    async def _committed(self, championship: str, state: m.Championship) -> tuple[int, bytes]:
        """The batch that holds the deals of all rounds and the draw; committed before anything uses them."""
        settings = state.settings
        assert settings is not None
        boards = [
            dealer_events.BoardPath(round=round_, board=board, attempt=1)
            for round_ in range(1, settings.rounds + 1)
            for board in range(1, settings.boards_per_round + 1)
        ]
        answer = await self._dealer.CommitDeals(
            dealer.CommitDealsRequest(
                command_id="commit-boards",
                championship=championship,
                purpose="boards",
                boards=boards,
                draws=[DRAW],
            ),
            timeout=DEADLINE,
        )
        return answer.batch, answer.merkle_root

    async def _draw(self, championship: str, person: str) -> tuple[int, ...]:
        """The drawn order: the list is closed in our log first, then the dealer reveals the draw's leaf (C6.1)."""
        subject = self._subject_of(championship)
        await self._log.handle(
            subject, m.CloseRegistration(), Envelope(SERVICE, "close-registration", on_behalf_of=person)
        )
        state = self.state(championship)
        revealed = await self.revealed_draw(championship, state)
        listed = [state.entrants[number] for number in state.registered]
        order = seating.drawn(revealed.leaf, revealed.entropy, listed)
        return tuple(number for number in order if number not in state.withdrawn)

    async def revealed_draw(self, championship: str, state: m.Championship) -> Any:
        """The dealer's RevealDrawResponse for round 1. Raises Rejected before the registration is closed."""
        if state.registration is None:
            raise Rejected("REGISTRATION_OPEN", "C6.1", "round 1 has not been drawn yet")
        return await self._dealer.RevealDraw(
            dealer.RevealDrawRequest(
                command_id=f"draw-{DRAW}",
                championship=championship,
                name=DRAW,
                entrants_digest=state.registration.entrants_digest,
            ),
            timeout=DEADLINE,
        )

    async def _ranking(self, championship: str, round_: int) -> tuple[tuple[int, ...], Publication]:
        """Entrants that play on, best first, from the newest publication after the round before (C6.2)."""
        newest = self.publications.get(championship)
        if newest is None or newest.after_round < round_ - 1:
            raise Rejected(
                "STANDINGS_NOT_PUBLISHED", "C6.2", f"standings after round {round_ - 1} are not published yet"
            )
        answer = await self._scoring.GetStandings(
            scoring.GetStandingsRequest(championship=championship, as_of=str(newest.number)), timeout=DEADLINE
        )
        if answer.digest != newest.digest:
            raise RuntimeError(f"scoring's publication {newest.number} is not the one in its log")
        playing = set(self.state(championship).active())
        ranked = [row.entrant for row in answer.rows if row.entrant in playing]
        late = sorted(playing.difference(ranked))
        return (*ranked, *late), newest

    async def _seat(
        self,
        championship: str,
        person: str,
        round_: int,
        tables: tuple[m.SeatedTable, ...],
        basis: str,
        newest: Publication,
        batch: int,
        root: bytes,
    ) -> Answer[m.Event]:
        subject = self._subject_of(championship)
        digest = m.seating_digest(tables).hex()[:16]
        chunks = seating.chunks(tables)
        for number, chunk in enumerate(chunks):
            envelope = Envelope(SERVICE, f"seat-{round_}-{number}-{digest}", on_behalf_of=person)
            await self._log.handle(subject, m.SeatTables(round_, number, chunk), envelope)
        command = m.PairRound(round_, len(chunks), basis, newest.number, newest.digest, batch, root)
        return await self._log.handle(
            subject, command, Envelope(SERVICE, f"pair-{round_}-{digest}", on_behalf_of=person)
        )
