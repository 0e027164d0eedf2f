"""What goes into a case file: the contested board with its proofs, what the seats knew, what referees did, rules, standings.

Everything is read off the log, or asked from the service that folds it; the file says how things stood when the appeal was filed.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import grpc

from fupan.appeals.v1 import case_pb2 as pb
from fupan.common.v1 import record_pb2
from fupan.dealer.v1 import service_pb2 as dealer
from fupan.pairing.v1 import events_pb2 as pairing
from fupan.pairing.v1 import service_pb2 as pairing_service
from fupan.scoring.v1 import service_pb2 as scoring
from fupan.table.v1 import events_pb2 as table_events
from fupan.table.v1 import service_pb2 as table
from services.appeals.codec import CONTESTED, REMEDIES
from services.appeals.conflicts import parties
from services.appeals.desk import PEER_SECONDS
from services.appeals.model import events as e
from services.appeals.model.state import Appeal
from services.appeals.paths import key_of, path_of
from services.appeals.rulebook import clauses
from services.directory import Championship
from services.games import registry
from services.games.championship.tables import POINTS
from services.ledger import record as ledger
from services.ledger.record import Record, Stored
from services.runtime.errors import Unavailable
from services.runtime.forks import standing
from services.runtime.store import EventStore
from services.runtime.streams import Epoch, parse

if TYPE_CHECKING:  # stub classes that exist for the type checker only
    from fupan.dealer.v1.service_pb2_grpc import DealerServiceAsyncStub
    from fupan.scoring.v1.service_pb2_grpc import ScoringServiceAsyncStub
    from fupan.table.v1.service_pb2_grpc import TableServiceAsyncStub

NEIGHBOURS = 3
"""Places above and below a party whose standings are shown."""

ACTS = frozenset(
    {
        "table_paused",
        "table_resumed",
        "clock_extended",
        "infringement_recorded",
        "ruling_made",
        "seat_replaced",
        "referee_called",
        "sheet",
    }
)
"""Events of a table that are no play, those of a score sheet among them."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class _Part:
    """Records of a table: what it was opened with, those of a board, and those around them: since the board before was closed, and
    up to the filing."""

    opened: table_events.TableOpened = field(default_factory=table_events.TableOpened)
    before: list[Stored] = field(default_factory=list)
    board: list[Stored] = field(default_factory=list)
    after: list[Stored] = field(default_factory=list)


class Assembler:
    """Puts case files together."""

    def __init__(
        self,
        store: EventStore,
        epoch: Epoch,
        dealer_stub: DealerServiceAsyncStub,
        scoring_stub: ScoringServiceAsyncStub,
        table_stub: TableServiceAsyncStub,
        revealed: Callable[[Championship, e.Contested], bool],
    ) -> None:
        self._store = store
        self._epoch = epoch
        self._dealer = dealer_stub
        self._scoring = scoring_stub
        self._table = table_stub
        self._revealed = revealed

    async def file(self, known: Championship, appeal: Appeal) -> tuple[pb.CaseFile, e.ContestedBoard | None]:
        """The file of an appeal, but for its edition and time, and a board that others still play, of which it lacks something.

        Raises Unavailable and AioRpcError while something cannot be had yet.
        """
        filed = appeal.filed
        assert filed is not None
        game = registry.find(known.settings.ruleset).game
        found = pb.CaseFile(
            championship=known.id,
            appeal=filed.appeal,
            filed_us=appeal.filed_us,
            contested=CONTESTED.to_proto(filed.contested),
            sought=[REMEDIES.to_proto(one) for one in filed.sought],
            settings=known.settings,
            clauses=[pb.Clause(clause=name, text=text) for name, text in clauses(game)],
            seating=_seating(known, filed.contested),
            standings=await self._standings(known, appeal),
            conduct=_conduct(known, appeal.filed_us),
            overturned=_overturned(known, filed.contested, appeal.filed_us),
        )
        lacking = None
        at = e.board_of(filed.contested)
        if at is not None:
            board, lacking = await self._board(known, at, appeal.filed_us)
            found.board.CopyFrom(board)
        return found, lacking

    # The board

    async def _board(
        self, known: Championship, at: e.ContestedBoard, filed_us: int
    ) -> tuple[pb.CaseBoard, e.ContestedBoard | None]:
        """What there is of a board, and what is lacking since others still play it: that, or one that its table opened before the
        filing."""
        part = await self._part(known, at, filed_us)
        opened, records = part.opened, part.board
        last = ledger.decode(records[-1].data)
        board = pb.CaseBoard(
            opened=opened,
            records=[_stored(one) for one in records],
            head=ledger.record_hash(last.header.prev_hash, records[-1].data),
        )
        if last.closing is not None:
            board.closing.CopyFrom(record_pb2.Record.FromString(records[-1].data).closing)
        if not self._revealed(known, at):
            return board, at
        key = None
        if not known.settings.real_cards:
            board.deal.CopyFrom(await self._deal(known, at))
            key = key_of(known, at, board.deal.leaf)
            board.steps.extend([step async for step in self._steps(known.id, at)])
        later, lacking = await self._later(known, at, part.after)
        board.acts.extend([*_acts(part.before, None), *_acts(records, key), *later])
        if known.settings.format != POINTS:
            shown = scoring.GetBoardRequest(championship=known.id, round=at.round, board=at.board)
            traveller = await self._scoring.GetBoard(shown, timeout=PEER_SECONDS)
            board.traveller.extend(traveller.results)
        return board, lacking

    async def _deal(self, known: Championship, at: e.ContestedBoard) -> dealer.VerifyDealResponse:
        """Leaf and proof of a board that is revealed."""
        request = dealer.VerifyDealRequest(championship=known.id, path=path_of(known, at))
        told: dealer.VerifyDealResponse = await self._dealer.VerifyDeal(request, timeout=PEER_SECONDS)
        return told

    async def _part(self, known: Championship, at: e.ContestedBoard, filed_us: int) -> _Part:
        """A table's records about a board, and around it up to the filing, as they stand; of a match that counts by its score sheet
        all up to its end. Raises Unavailable while the board's are not all there."""
        part, dealt, over = _Part(), False, False
        subject = self._epoch.table_subject(known.id, at.table)
        rulings, records = known.rulings.get(subject, {}), self._store.read(subject)
        async for stored in standing(records, rulings, parse(subject).stream, subject):
            record = ledger.decode(stored.data)
            if over:
                if record.header.time_us > filed_us:
                    break
                part.after.append(stored)
                continue
            kinds = {event.WhichOneof("kind"): event for event in _events(record)}
            if "table_opened" in kinds:
                part.opened = kinds["table_opened"].table_opened
            if "board_opened" in kinds:
                dealt, begun = True, kinds["board_opened"].board_opened
                part.board = [stored] if (begun.board, begun.attempt) == (at.board, at.attempt) else []
            elif part.board:
                part.board.append(stored)
            else:
                part.before.append(stored)
            closing = record.closing
            if closing is not None and part.board:
                over = True
            elif closing is not None:
                part.before = []
            elif "match_ended" in kinds and not dealt:
                part.board, part.before, over = part.before, [], True
        if not over:
            raise Unavailable("POSITION_NOT_REACHED")
        return part

    async def _later(
        self, known: Championship, at: e.ContestedBoard, records: Iterable[Stored]
    ) -> tuple[list[pb.RefereeAct], e.ContestedBoard | None]:
        """What referees did once the board was closed, and a board that others still play, of which nothing is told."""
        found = list[pb.RefereeAct]()
        on: e.ContestedBoard | None = None
        lacking, key = on, None
        for stored in records:
            record = ledger.decode(stored.data)
            for event in _events(record):
                if event.WhichOneof("kind") == "board_opened":
                    begun = event.board_opened
                    on = replace(at, board=begun.board, attempt=begun.attempt)
                    sealed = self._revealed(known, on) and not known.settings.real_cards
                    key = key_of(known, on, (await self._deal(known, on)).leaf) if sealed else None
            if on is None or self._revealed(known, on):
                found.extend(_acts([stored], key))
            else:
                lacking = lacking or on
            if record.closing is not None:
                on = None
        return found, lacking

    async def _steps(
        self, championship: str, at: e.ContestedBoard
    ) -> AsyncIterator[table.ReplayBoardResponse]:
        request = table.ReplayBoardRequest(
            championship=championship, table=at.table, board=at.board, attempt=at.attempt, all=True
        )
        async for step in self._table.ReplayBoard(request, timeout=PEER_SECONDS):
            yield step

    # Around it

    async def _standings(self, known: Championship, appeal: Appeal) -> pb.CaseStandings | None:
        """The standings around the parties, as published when the appeal was filed; None where none were."""
        assert appeal.filed is not None
        contested = appeal.filed.contested
        if isinstance(contested, e.ContestedPublication):
            as_of = str(contested.publication)
        else:
            as_of = (_EPOCH + timedelta(microseconds=appeal.filed_us)).isoformat()
        request = scoring.GetStandingsRequest(championship=known.id, as_of=as_of)
        try:
            told = await self._scoring.GetStandings(request, timeout=PEER_SECONDS)
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.NOT_FOUND:
                return None
            raise
        concerned = parties(known, appeal.filed)
        places = [row.place for row in told.rows if row.entrant in concerned]
        near = [row for row in told.rows if any(abs(row.place - place) <= NEIGHBOURS for place in places)]
        return pb.CaseStandings(publication=told.publication, digest=told.digest, rows=near)


def _conduct(known: Championship, until_us: int) -> list[pairing_service.Conduct]:
    """What referees recorded at no table up to a time (C11.1)."""
    return [
        pairing_service.Conduct(recorded=event, referee=place.actor, time_us=place.time_us)
        for place, event in known.conduct
        if place.time_us <= until_us
    ]


def _overturned(known: Championship, contested: e.Contested, until_us: int) -> Iterable[pb.Overturned]:
    """How rulings at the contested table were overturned after its round, up to a time (C9.2)."""
    at = e.board_of(contested)
    for place, event in known.overturned:
        if at is not None and event.overturns.startswith(f"{at.table}.") and place.time_us <= until_us:
            yield pb.Overturned(ruling=event, referee=place.actor, time_us=place.time_us)


def _seating(known: Championship, contested: e.Contested) -> Iterable[pairing.SeatedTable]:
    """The contested table; all tables of a contested pairing."""
    place = contested if isinstance(contested, e.ContestedPairing) else e.board_of(contested)
    if place is None:
        return
    replays = (one.table for one in known.replays.values() if one.round == place.round)
    for one in (*known.rounds[place.round].tables.values(), *replays):
        if isinstance(place, e.ContestedPairing) or one.table == place.table:
            yield pairing.SeatedTable(table=one.table, group=one.group, entrants=one.entrants)


def _acts(records: Iterable[Stored], key: bytes | None) -> Iterable[pb.RefereeAct]:
    for stored in records:
        record = ledger.decode(stored.data)
        actor = ledger.body_of(record, key).actor
        for event in _events(record, key):
            if event.WhichOneof("kind") in ACTS:
                header = record.header
                yield pb.RefereeAct(version=header.version, time_us=header.time_us, actor=actor, event=event)


def _events(record: Record, key: bytes | None = None) -> Iterable[table_events.Event]:
    """The events of a record; of a sealed one without its key none."""
    if record.sealed and key is None:
        return []
    return map(table_events.Event.FromString, ledger.body_of(record, key).events)


def _stored(one: Stored) -> record_pb2.StoredRecord:
    return record_pb2.StoredRecord(
        stream=one.stream, sequence=one.sequence, subject=one.subject, stored=one.data
    )
