"""Boards that rulings have played again: their deals committed, their seats written, their end noted (C10.6).

What scoring's log supersedes is seated, and what the tables' logs close is over; both are taken up from the logs anew after a
restart, and done once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fupan.dealer.v1 import events_pb2 as dealer_events
from fupan.dealer.v1 import service_pb2 as dealer
from services.domain import Cause
from services.pairing.model import commands as c
from services.pairing.model.state import Championship
from services.pairing.rounds import DEADLINE, SERVICE, PairingLog
from services.runtime.log import Envelope

if TYPE_CHECKING:  # a stub class that exists for the type checker only
    from fupan.dealer.v1.service_pb2_grpc import DealerServiceAsyncStub


class Replays:
    """What is ordered and what is closed, by championship and the replay's table, each with the record that says so."""

    def __init__(
        self, log: PairingLog, subject_of: Callable[[str], str], dealer_stub: DealerServiceAsyncStub
    ) -> None:
        self._log = log
        self._subject_of = subject_of
        self._dealer = dealer_stub
        self._ordered: defaultdict[str, dict[str, tuple[Any, Cause]]] = defaultdict(dict)
        self._closed: defaultdict[str, dict[str, Cause]] = defaultdict(dict)

    def ordered(self, championship: str, superseded: Any, record: Cause) -> None:
        """Scoring's log has `BoardSuperseded`."""
        self._ordered[championship][superseded.by_table] = superseded, record

    def closed(self, championship: str, table: str, record: Cause) -> None:
        """A table has closed a board in an attempt that is not the first."""
        self._closed[championship][table] = record

    def waiting(self, state: Championship) -> int:
        """How many replays that were ordered are not played."""
        assert state.settings is not None
        return len(self._ordered[state.settings.championship].keys() - state.replayed)

    async def step(self, championship: str) -> None:
        """Seat what was ordered, and note what is over."""
        state = self._log.state(self._subject_of(championship))
        if state is None or state.seal is not None:
            return
        seated, ordered = {one.table.table for one in state.replays}, self._ordered[championship]
        together = Counter(_deal(superseded) for superseded, _ in ordered.values())
        for table, (superseded, record) in list(ordered.items()):  # while more may arrive
            if table not in seated:
                await self._seat(championship, superseded, record, together[_deal(superseded)])
        for table, record in list(self._closed[championship].items()):
            if table not in state.replayed:
                envelope = Envelope(SERVICE, f"replayed {table}", cause=record)
                await self._log.handle(self._subject_of(championship), c.EndReplay(table), envelope)

    async def _seat(self, championship: str, superseded: Any, record: Cause, tables: int) -> None:
        """Its deal first, so that nobody can choose it knowing who will play it; one for all the `tables` ordered together."""
        path = dealer_events.BoardPath(
            round=superseded.round, board=superseded.board, attempt=superseded.by_attempt
        )
        command = c.SeatReplay(
            *(path.round, path.board, path.attempt, superseded.by_table, superseded.table),
            await self._committed(championship, path),
            tables,
        )
        envelope = Envelope(SERVICE, f"replay {superseded.by_table}", cause=record)
        await self._log.handle(self._subject_of(championship), command, envelope)

    async def _committed(self, championship: str, path: dealer_events.BoardPath) -> int:
        """The batch that holds a replay's deal; 0 where real cards are dealt by hand."""
        state = self._log.state(self._subject_of(championship))
        if state is not None and state.settings is not None and state.settings.real_cards:
            return 0
        request = dealer.CommitDealsRequest(
            command_id=f"replay-{path.round}-{path.board}-{path.attempt}",
            championship=championship,
            purpose="replay",
            boards=[path],
        )
        return (await self._dealer.CommitDeals(request, timeout=DEADLINE)).batch


def _deal(superseded: Any) -> tuple[int, int, int]:
    return superseded.round, superseded.board, superseded.by_attempt
