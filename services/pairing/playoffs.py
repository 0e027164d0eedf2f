"""Play-offs as they are ordered: who shares the rank, deals that are committed for them, tables (C4.5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fupan.dealer.v1 import events_pb2 as dealer_events
from fupan.dealer.v1 import service_pb2 as dealer
from services.domain import Rejected
from services.games.championship import playoff
from services.games.championship.tables import plan_of
from services.pairing import decider, seating
from services.pairing.model import commands as c
from services.pairing.model import events as e
from services.pairing.rounds import DEADLINE, PairingLog, Rounds
from services.runtime.log import Answer, Envelope

if TYPE_CHECKING:  # a stub class that exists for the type checker only
    from fupan.dealer.v1.service_pb2_grpc import DealerServiceAsyncStub


class Playoffs:
    """Orders play-offs; as rounds they then take their course like any other."""

    def __init__(
        self,
        log: PairingLog,
        subject_of: Callable[[str], str],
        dealer_stub: DealerServiceAsyncStub,
        rounds: Rounds,
    ) -> None:
        self._log = log
        self._subject_of = subject_of
        self._dealer = dealer_stub
        self._rounds = rounds

    async def order(
        self, championship: str, rank: int, reason: str, envelope: Envelope
    ) -> tuple[Answer[e.Event], e.RoundSeated]:
        """Seat those who share a rank for a play-off; the answer, and their tables. Raises Rejected."""

        def same(command: c.Command) -> bool:
            return isinstance(command, c.OrderPlayoff) and (command.rank, command.reason) == (rank, reason)

        subject = self._subject_of(championship)
        answer = await self._log.repeated(subject, envelope, same)
        if answer is None:
            try:
                command = await self._seated(championship, rank, reason)
                answer = await self._log.handle(subject, command, envelope, same=same)
            except Rejected:
                # Another replica that was sent the same command may have been faster.
                answer = await self._log.repeated(subject, envelope, same)
                if answer is None:
                    raise
        return answer, next(one for one in answer.events if isinstance(one, e.RoundSeated))

    async def _seated(self, championship: str, rank: int, reason: str) -> c.OrderPlayoff:
        state = self._rounds.state(championship)
        assert state.settings is not None
        number = decider.playoff_due(state)
        newest, standings = await self._rounds.published(
            championship, state.newest.number if state.newest else 0
        )
        sharing = playoff.tied(standings.rows, rank)
        playing = [entrant for entrant in sharing if entrant not in state.withdrawn]
        absent = tuple(sorted(set(sharing) - set(playing)))
        tables = playoff.seated(plan_of(state.settings), playing) if playing else None
        batch, root = await self._committed(championship, number, state.settings.boards_per_round)
        return c.OrderPlayoff(
            number,
            rank,
            reason,
            seating.seated(number, tables) if tables else (),
            absent,
            newest.number,
            newest.digest,
            batch,
            root,
        )

    async def _committed(self, championship: str, number: int, boards: int) -> tuple[int, bytes]:
        """The batch that holds the play-off's deals: whoever is seated for it, they are the same."""
        request = dealer.CommitDealsRequest(
            command_id=f"commit-playoff-{number}",
            championship=championship,
            purpose="playoff",
            boards=[
                dealer_events.BoardPath(round=number, board=board, attempt=1)
                for board in range(1, boards + 1)
            ],
        )
        answer = await self._dealer.CommitDeals(request, timeout=DEADLINE)
        return answer.batch, answer.merkle_root
