"""Boards that are played again: their deals committed, their seats written, their end noted (C9.2, C10.6).

What scoring's log supersedes is seated once nobody of it sits elsewhere, all tables of a deal together; what the tables' logs close
is over. Both are taken up from the logs anew after a restart, and done once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fupan.dealer.v1 import events_pb2 as dealer_events
from fupan.dealer.v1 import service_pb2 as dealer
from services.domain import Cause, Rejected
from services.pairing.decider import check_free
from services.pairing.model import commands as c
from services.pairing.model.state import SERVICE, Championship, Deal
from services.pairing.rounds import DEADLINE, PairingLog
from services.runtime.log import Envelope

if TYPE_CHECKING:  # a stub class that exists for the type checker only
    from fupan.dealer.v1.service_pb2_grpc import DealerServiceAsyncStub


@dataclass(slots=True)
class _Order:
    """A deal that tables were ordered to play, by the replay's table that whose board it is; and the record that says so."""

    tables: dict[str, str]
    record: Cause
    batch: int | None = None
    """Of the dealer's that holds the deal, once it is committed; 0 where real cards are dealt by hand."""


class Replays:
    """What is ordered and not seated, and what is closed and not noted, by championship."""

    def __init__(
        self, log: PairingLog, subject_of: Callable[[str], str], dealer_stub: DealerServiceAsyncStub
    ) -> None:
        self._log = log
        self._subject_of = subject_of
        self._dealer = dealer_stub
        self._ordered: defaultdict[str, dict[Deal, _Order]] = defaultdict(dict)
        self._closed: defaultdict[str, dict[str, Cause]] = defaultdict(dict)

    def ordered(self, championship: str, superseded: Iterable[Any], record: Cause) -> None:
        """Scoring's log has boards superseded; those of one deal stand in one record."""
        for one in superseded:
            deal = one.round, one.board, one.by_attempt
            order = self._ordered[championship].setdefault(deal, _Order({}, record))
            order.tables[one.by_table] = one.table

    def closed(self, championship: str, table: str, record: Cause) -> None:
        """A table has closed a board in an attempt that is not the first."""
        self._closed[championship][table] = record

    def waiting(self, state: Championship) -> int:
        """How many tables have a board to play again, seated for it or not."""
        assert state.settings is not None
        ordered = self._ordered[state.settings.championship].items()
        not_seated = sum(len(order.tables) for deal, order in ordered if deal not in state.again)
        return not_seated + sum(again.tables - again.closed for again in state.again.values())

    async def step(self, championship: str) -> None:
        """Seat what was ordered and may be played now, and note what is over."""
        for deal, order in list(self._ordered[championship].items()):  # while more may arrive
            if (state := self._state(championship)) is None:
                return
            if order.tables.keys() <= state.replays.keys():
                del self._ordered[championship][deal]
                continue
            if order.batch is None:
                order.batch = await self._committed(championship, deal)
            if self._free(state, deal, order):
                for table in [one for one in order.tables if one not in state.replays]:
                    await self._seat(championship, deal, order, table)
        for table, record in list(self._closed[championship].items()):
            if (state := self._state(championship)) is None:
                return
            if table in state.replayed:
                self._closed[championship].pop(table, None)
            elif self._over(state, championship, table):
                envelope = Envelope(SERVICE, f"replayed {table}", cause=record)
                await self._log.handle(self._subject_of(championship), c.EndReplay(table), envelope)

    def _state(self, championship: str) -> Championship | None:
        """The championship, None where nothing is to be done any more."""
        state = self._log.state(self._subject_of(championship))
        return None if state is None or state.seal is not None else state

    def _over(self, state: Championship, championship: str, table: str) -> bool:
        """Whether all that play the deal of a table have: before that nobody who reads this log is to learn how far one is."""
        again = state.again.get(state.replays.get(table, (0, 0, 0)))
        closed = state.replayed | self._closed[championship].keys()
        return (
            again is not None
            and len(again.seated) >= again.tables
            and all(one.table in closed for one in again.seated)
        )

    def _free(self, state: Championship, deal: Deal, order: _Order) -> bool:
        """Whether everybody of a deal may sit down."""
        try:
            check_free(state, deal, set(_entrants(state, deal, order)))
        except Rejected:
            return False
        return True

    async def _seat(self, championship: str, deal: Deal, order: _Order, table: str) -> None:
        assert order.batch is not None
        command = c.SeatReplay(*deal, table, order.tables[table], order.batch, len(order.tables))
        envelope = Envelope(SERVICE, f"replay {table}", cause=order.record)
        await self._log.handle(self._subject_of(championship), command, envelope)

    async def _committed(self, championship: str, deal: Deal) -> int:
        """The deal comes before the seats, so that nobody can choose it knowing who will play it."""
        state = self._log.state(self._subject_of(championship))
        if state is not None and state.settings is not None and state.settings.real_cards:
            return 0
        round_, board, attempt = deal
        request = dealer.CommitDealsRequest(
            command_id=f"replay-{round_}-{board}-{attempt}",
            championship=championship,
            purpose="replay",
            boards=[dealer_events.BoardPath(round=round_, board=board, attempt=attempt)],
        )
        return (await self._dealer.CommitDeals(request, timeout=DEADLINE)).batch


def _entrants(state: Championship, deal: Deal, order: _Order) -> Iterator[int]:
    played, tables = state.round(deal[0]), set(order.tables.values())
    for one in played.tables if played is not None else ():
        if one.table in tables:
            yield from one.entrants
