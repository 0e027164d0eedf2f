"""Pairing's and tables' records of a small event, as they lie in their streams."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fupan.pairing.v1 import events_pb2 as pb
from fupan.table.v1 import events_pb2 as table_pb
from services.ledger import record as ledger
from services.ledger.record import Stored
from services.runtime.streams import Epoch, stream_of

EPOCH = Epoch("e1", 3)
Event: Any = pb.Event


class Streams:
    """Records by stream, sequences counting in each."""

    def __init__(self, epoch: Epoch = EPOCH, championship: str = "cup") -> None:
        self.epoch = epoch
        self.championship = championship
        self.records: dict[str, list[Stored]] = {}
        self._heads: dict[str, ledger.Head] = {}

    def pairing(self, *events: Any) -> None:
        """One record of pairing's."""
        self._write(self.epoch.subject("pairing", self.championship), events, None)

    def enter(self, import_id: str, *numbers: int, chunks: int = 1, closed: bool = True) -> None:
        for chunk in range(chunks):
            entrants = [pb.Entrant(number=number) for number in numbers[chunk::chunks]]
            given = pb.EntrantsImported(import_id=import_id, chunk=chunk, entrants=entrants)
            self.pairing(Event(entrants_imported=given))
        if closed:
            self.pairing(Event(entrants_import_closed=pb.EntrantsImportClosed(import_id=import_id)))

    def seat(self, round_: int, *tables: tuple[int, ...], chunk: int = 0) -> None:
        """A chunk of a round's tables."""
        seated = pb.RoundSeated(round=round_, chunk=chunk, tables=_tables(round_, tables, chunk))
        self.pairing(Event(round_seated=seated))

    def paired(self, round_: int, *byes: int) -> None:
        self.pairing(Event(round_paired=pb.RoundPaired(round=round_, byes=byes)))

    def override(self, round_: int, *tables: tuple[int, ...]) -> None:
        changed = pb.SeatingOverridden(round=round_, tables=_tables(round_, tables, 0))
        self.pairing(Event(seating_overridden=changed))

    def close(
        self,
        table: str,
        round_: int,
        board: int,
        scores: tuple[int, ...],
        attempt: int = 1,
        people: tuple[str, ...] = (),
        left: tuple[str, ...] = (),
    ) -> None:
        """A board's last record."""
        times = tuple(1000 * board + seat for seat in range(3))
        closing = ledger.BoardClosing(
            round_, board, attempt, not scores, scores, times, (), times, people, left=left
        )
        self._write(self.epoch.table_subject(self.championship, table), (), closing)

    def decide(self, table: str, *records: bytes) -> None:
        """The chief referee decides that records stand in a table's history (C9.2)."""
        subject = self.epoch.table_subject(self.championship, table)
        self.pairing(Event(fork_decided=pb.ForkDecided(subject=subject, version=1, until=9, records=records)))

    def give_seat(self, table: str, person: str) -> None:
        """A seat is given to somebody between two boards."""
        given = table_pb.SeatReplaced(seat=1, person_id=person)
        self._write(
            self.epoch.table_subject(self.championship, table), [table_pb.Event(seat_replaced=given)], None
        )

    def end_match(self, table: str, round_: int, winner: int | None) -> None:
        """What a table says of a match that is over."""
        ended = table_pb.MatchEnded(
            round=round_, winner=winner, levels=("A", "7"), clause="S9.5", deals=round_
        )
        subject = self.epoch.table_subject(self.championship, table)
        self._write(subject, [table_pb.Event(match_ended=ended)], None)

    def write_bytes(self, subject: str, *events: bytes) -> None:
        """A record whose events are these bytes."""
        self._append(subject, events, None)

    def _write(self, subject: str, events: Iterable[Any], closing: ledger.BoardClosing | None) -> None:
        self._append(subject, [one.SerializeToString() for one in events], closing)

    def _append(self, subject: str, events: Iterable[bytes], closing: ledger.BoardClosing | None) -> None:
        head = self._heads.get(subject, ledger.START)
        body = ledger.Body("x", "", "", None, "c", b"", b"", tuple(events))
        header = ledger.Header(
            subject,
            head.version + 1,
            head.hash,
            self.epoch.id,
            ledger.Writer("x", "x", "x"),
            "",
            b"",
            (),
            head.time_us + 1,
        )
        data = ledger.encode(ledger.Record(header, ledger.encode_body(body), False, closing))
        stream = self.records.setdefault(stream_of(subject), [])
        stored = Stored(stream_of(subject), len(stream) + 1, subject, data)
        stream.append(stored)
        self._heads[subject] = ledger.next_head(head, data, stored.sequence, header.time_us)


def _tables(round_: int, tables: Iterable[tuple[int, ...]], chunk: int) -> list[pb.SeatedTable]:
    return [
        pb.SeatedTable(table=f"r{round_}-t{100 * chunk + number}", group=1, entrants=entrants)
        for number, entrants in enumerate(tables, 1)
    ]


def event(championship: str = "cup", epoch: Epoch = EPOCH) -> Streams:
    """Two rounds: late entry, a round seated twice, seats changed, an unfinished board, an import never closed, a bye, matches."""
    streams = Streams(epoch, championship)
    streams.pairing(Event(championship_created=pb.ChampionshipCreated()))
    streams.enter("i1", 1, 2, 3, 4, 5, 6, chunks=2)
    streams.enter("lost", 50, 51, closed=False)
    streams.seat(1, (9, 9, 9))
    streams.seat(1, (1, 2, 3))
    streams.seat(1, (4, 5, 6), chunk=1)
    streams.paired(1)
    for board in (1, 2):
        streams.close("r1-t1", 1, board, (3, -1, -2))
        streams.close("r1-t101", 1, board, (board, -board, 0) if board == 1 else ())
    streams.enter("i2", 7)
    streams.seat(2, (1, 2, 3), (7, 5, 6))
    streams.paired(2, 4)
    streams.override(2, (3, 2, 1), (7, 5, 6))
    streams.close("r2-t1", 2, 1, (1, 1, -2))
    streams.close("r2-t2", 2, 1, (0, 0, 0))
    streams.close("r2-t1", 2, 2, (1, 1, -2))
    streams.close("r2-t1-again", 2, 2, (9, -9, 0), attempt=2)
    streams.pairing(Event(board_replayed=pb.BoardReplayed(table="r2-t1-again")))
    streams.end_match("r2-t1", 2, 1)
    streams.end_match("r2-t2", 2, None)
    streams.end_match("r2-t1", 2, 0)  # said twice: the first counts
    return streams
