"""What standings depend on, as the streams say it: closed boards, ended matches, entrants, seats, byes. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from fupan.pairing.v1 import events_pb2 as pairing
from fupan.table.v1 import events_pb2 as table_events
from services.ledger import record as ledger
from services.ledger.codec import Malformed
from services.ledger.codec import parse as protobuf
from services.ledger.record import Stored
from services.ledger.seats import sat
from services.runtime.streams import parse

Seated = tuple[str, int, tuple[int, ...]]
"""A table of a round: id, group, entrants by seat."""


@dataclass(frozen=True, slots=True)
class BoardClosed:
    """A table closed a board; no `scores` when it was closed unfinished (C2.2). Times in microseconds by seat."""

    championship: str
    round: int
    board: int
    attempt: int
    table: str
    stream: str
    sequence: int
    scores: tuple[int, ...]
    thinking_us: tuple[int, ...]
    playing_us: tuple[int, ...]
    taken_over: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sat:
    """People sat at a table, entrants or substitutes (C1.6)."""

    championship: str
    people: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EntrantsGiven:
    """A chunk of an import; counts once the import is closed."""

    championship: str
    import_id: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ImportClosed:
    """The chunks of an import count."""

    championship: str
    import_id: str
    sequence: int


@dataclass(frozen=True, slots=True)
class TablesSeated:
    """Tables of a round. Chunk 0 begins anew; they count once the round is paired."""

    championship: str
    round: int
    chunk: int
    tables: tuple[Seated, ...]


@dataclass(frozen=True, slots=True)
class RoundPaired:
    """The seats of a round count, and who has a bye (C1.5)."""

    championship: str
    round: int
    sequence: int
    byes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SeatingReplaced:
    """The chief referee drew up the seats of a round anew (C9.2)."""

    championship: str
    round: int
    sequence: int
    tables: tuple[Seated, ...]


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """A table ended its match (C8.2); `winner` is a side, None where nothing decided it (C2.2). Levels are by side."""

    championship: str
    round: int
    table: str
    stream: str
    sequence: int
    winner: int | None
    levels: tuple[str, ...]
    clause: str
    deals: int


@dataclass(frozen=True, slots=True)
class BoardReplayed:
    """A board that a ruling had played again is closed: standings may change."""

    championship: str
    sequence: int


def brought(fact: BoardClosed | MatchEnded) -> bool:
    """Whether a decision on a table's history brought it; what the table's own stream says of the same comes before that."""
    return fact.stream.startswith("PAIRING-")


Fact = (
    BoardClosed
    | Sat
    | EntrantsGiven
    | ImportClosed
    | TablesSeated
    | RoundPaired
    | SeatingReplaced
    | MatchEnded
    | BoardReplayed
)

_WITHOUT_FACTS = frozenset(
    {
        "championship_created",
        "entrant_withdrawn",
        "official_appointed",
        "official_suspended",
        "regulations_published",
        "registration_closed",
        "round_started",
        "round_closed",
        "competition_ended",
        "seal_announced",
        "seal_withdrawn",
        "championship_sealed",
        "venue_confirmed",
        "replay_seated",
        "reseating_refused",
        "person_erased",
        "conduct_recorded",
        "ruling_overturned",
    }
)


@dataclass(slots=True)
class Reader:
    """Turns records into facts; counts what it does not know."""

    skipped: int = 0

    def read(self, stored: Stored) -> Iterator[Fact]:
        """Facts of one record of a table or pairing stream."""
        try:
            record = ledger.decode(stored.data)
        except Malformed:  # nobody appended it, or it was damaged: its own service sees to that
            self.skipped += 1
            return
        address = parse(stored.subject)
        if address.service == "table":
            yield from self._table(stored, address.championship, address.item, record)
            return
        if record.sealed:
            self.skipped += 1
            return
        for data in ledger.body_of(record).events:
            message = pairing.Event.FromString(data)
            if message.WhichOneof("kind") == "fork_decided":
                yield from self._brought(message.fork_decided, stored)
            else:
                yield from self._pairing(message, address.championship, stored.sequence)

    def _brought(self, decided: pairing.ForkDecided, stored: Stored) -> Iterator[Fact]:
        """What a decision on a table's history brings: it counts from then on, where the table's stream has nothing else."""
        address = parse(decided.subject)
        for data in decided.records:
            try:
                record = ledger.decode(data)
            except Malformed:
                self.skipped += 1
            else:
                yield from self._table(stored, address.championship, address.item, record)

    def _table(self, stored: Stored, championship: str, table: str, record: ledger.Record) -> Iterator[Fact]:
        events: list[tuple[str, Any]] = []
        if record.closing is not None:
            yield _closed(stored, championship, table, record)
        elif not record.sealed:
            try:
                events = _events(record)
            except Malformed:
                self.skipped += 1
                return
        for kind, message in events:
            if kind == "match_ended":
                yield _ended(stored, championship, table, message)
        if people := tuple(sat(record, events)):
            yield Sat(championship, people)

    def _pairing(self, message: pairing.Event, championship: str, sequence: int) -> Iterator[Fact]:
        kind = message.WhichOneof("kind")
        match kind:
            case "entrants_imported":
                given = message.entrants_imported
                yield EntrantsGiven(
                    championship, given.import_id, tuple(one.number for one in given.entrants)
                )
            case "entrants_import_closed":
                yield ImportClosed(championship, message.entrants_import_closed.import_id, sequence)
            case "round_seated":
                seated = message.round_seated
                yield TablesSeated(championship, seated.round, seated.chunk, _tables(seated.tables))
            case "round_paired":
                paired = message.round_paired
                yield RoundPaired(championship, paired.round, sequence, tuple(paired.byes))
            case "seating_overridden":
                seated_anew = message.seating_overridden
                yield SeatingReplaced(championship, seated_anew.round, sequence, _tables(seated_anew.tables))
            case "board_replayed":
                yield BoardReplayed(championship, sequence)
            case _ if kind not in _WITHOUT_FACTS:
                self.skipped += 1


def _tables(messages: Iterable[pairing.SeatedTable]) -> tuple[Seated, ...]:
    return tuple((one.table, one.group, tuple(one.entrants)) for one in messages)


def _closed(stored: Stored, championship: str, table: str, record: ledger.Record) -> BoardClosed:
    closing = record.closing
    assert closing is not None
    return BoardClosed(
        championship,
        closing.round,
        closing.board,
        closing.attempt,
        table,
        stored.stream,
        stored.sequence,
        () if closing.unfinished else closing.scores,
        closing.thinking_us,
        closing.playing_us,
        closing.taken_over,
    )


def _events(record: ledger.Record) -> list[tuple[str, Any]]:
    """Events of a clear record of a table, by kind. Raises Malformed."""
    told = [protobuf(table_events.Event, data) for data in ledger.body_of(record).events]
    return [(kind, getattr(event, kind)) for event in told if (kind := event.WhichOneof("kind"))]


def _ended(stored: Stored, championship: str, table: str, ended: Any) -> MatchEnded:
    return MatchEnded(
        championship,
        ended.round,
        table,
        stored.stream,
        stored.sequence,
        ended.winner if ended.HasField("winner") else None,
        tuple(ended.levels),
        ended.clause,
        ended.deals,
    )
