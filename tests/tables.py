"""The table service's part, played by a test: tables open, boards open, close with given scores, tables are sealed.

Records are framed as the table service frames them: clear up to `BoardOpened`, then sealed with the board's own key, with the
result in the clear on the last one.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Any

from fupan.dealer.v1 import events_pb2 as dealer_events
from fupan.dealer.v1 import service_pb2 as dealer
from fupan.pairing.v1 import events_pb2 as pairing_events
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.table.v1 import events_pb2 as pb
from services.ledger import dealing, digests, keys, seals
from services.ledger import record as ledger
from services.runtime.identity import private_key
from services.runtime.streams import stream_of
from tests.platform import Platform

Event: Any = pb.Event
WRITER = ledger.Writer("table", "t1", "test")

Scores = Callable[[int, int, int], tuple[int, ...]]
"""Raw scores by seat of (round, board, number of the table)."""


def even(round_: int, board: int, number: int) -> tuple[int, ...]:
    """Scores that differ from table to table and sum to zero."""
    a, b = (7 * number + 3 * board + round_) % 23 - 11, (5 * number + board) % 19 - 9
    return a, b, -a - b


def lines(round_: int, board: int, number: int) -> tuple[int, ...]:
    """Scores of a table of four: those of seats 0 and 2, and of seats 1 and 3, sum to zero (S9.6)."""
    score = (7 * number + 3 * board + 5 * round_) % 23 * 5 - 55
    return score, -score, score, -score


Ends = Callable[[int, int], tuple[int | None, tuple[str, str]]]
"""Winner's side, None where nothing decided, and levels by side, of (round, number of the table)."""


def first_wins(round_: int, number: int) -> tuple[int | None, tuple[str, str]]:
    """Side 0 always rises past A, against levels that differ from table to table."""
    return 0, ("A", "23456789TJQK"[(3 * number + round_) % 12])


class Tables:
    """Tables of one championship."""

    def __init__(
        self, platform: Platform, championship: str, ruleset: str = "paohuzi/competitive-2017"
    ) -> None:
        self.heads: dict[str, ledger.Head] = {}
        self.aside: list[bytes] | None = None
        """Where records go instead of the stream, if anywhere."""
        self._platform = platform
        self._championship = championship
        self._ruleset = ruleset
        self._signer = private_key(platform.keys, "sign-table").private_bytes_raw()

    def subject(self, table: str) -> str:
        return self._platform.epoch.table_subject(self._championship, table)

    async def play(self, round_: int, scores: Scores = even, only: Iterable[int] | None = None) -> None:
        """Play a round at all its tables, or at some numbered ones, from opening to seal."""
        public = self._platform.of(None).pairing
        told = await public.GetRound(pairing.GetRoundRequest(championship=self._championship, round=round_))
        chosen = range(1, len(told.tables) + 1) if only is None else only
        await asyncio.gather(
            *(self._play(told.tables[number - 1], round_, number, scores) for number in chosen)
        )

    async def _play(self, told: pairing.TableProgress, round_: int, number: int, scores: Scores) -> None:
        table = told.table.table
        await self.open(table, round_, told.table.group, told.table.entrants, told.boards)
        for board in range(1, told.boards + 1):
            opened = await self.open_board(table, board)
            leaf = await self.leaf(table, round_, board, opened.sequence)
            await self.close_board(table, round_, board, leaf, scores(round_, board, number))
        await self.seal(table)

    async def open(
        self, table: str, round_: int, group: int, entrants: Iterable[int], boards: int, attempt: int = 1
    ) -> ledger.Head:
        seats = [pb.Seat(entrant=one, person_id=f"p-{one}" if one else "") for one in entrants]
        slots = [pb.BoardSlot(board=board, attempt=attempt) for board in range(1, boards + 1)]
        opened = pb.TableOpened(
            championship=self._championship,
            table=table,
            round=round_,
            group=group,
            seats=seats,
            boards=slots,
            ruleset=self._ruleset,
            params="{}",
        )
        return await self.write(self.subject(table), [Event(table_opened=opened)])

    async def open_board(self, table: str, board: int, attempt: int = 1) -> ledger.Head:
        opened = pb.BoardOpened(board=board, attempt=attempt)
        return await self.write(self.subject(table), [Event(board_opened=opened)])

    async def leaf(self, table: str, round_: int, board: int, sequence: int, attempt: int = 1) -> bytes:
        """The leaf, asked from the dealer as the table service asks."""
        opened = dealer.OpenedBoard(
            championship=self._championship,
            table=table,
            path=dealer_events.BoardPath(round=round_, board=board, attempt=attempt),
            stream=stream_of(self.subject(table)),
            sequence=sequence,
        )
        asked = dealer.GetDealsRequest(boards=[opened])
        answer = await self._platform.of("service:table").dealer.GetDeals(asked)
        leaf: bytes = answer.leaves[0].leaf
        return leaf

    async def give_seat(
        self, table: str, round_: int, board: int, leaf: bytes, people: tuple[str, ...], seat: int
    ) -> ledger.Head:
        """A referee gives a seat away while a board is open; `people` sit there from then on (C1.6)."""
        path = dealing.board_path(round_, board, 1)
        given = Event(seat_replaced=pb.SeatReplaced(seat=seat, person_id=people[seat], reason="ill"))
        key = dealing.log_key(leaf, table, path)
        return await self.write(self.subject(table), [given], path, key, people=people)

    async def close_board(
        self,
        table: str,
        round_: int,
        board: int,
        leaf: bytes,
        scores: tuple[int, ...],
        attempt: int = 1,
        people: tuple[str, ...] = (),
    ) -> ledger.Head:
        """Close a board with a result; without scores it is closed unfinished (C2.2). `people` sit there from then on (C1.6)."""
        path = dealing.board_path(round_, board, attempt)
        times = tuple(1_000_000 * (1 + seat) + abs(score) for seat, score in enumerate(scores))
        closing = ledger.BoardClosing(round_, board, attempt, not scores, scores, times, (), times, people)
        kind = (
            Event(board_finished=pb.BoardFinished(board=board, attempt=attempt, scores=scores))
            if scores
            else Event(
                board_closed_unfinished=pb.BoardClosedUnfinished(
                    board=board, attempt=attempt, reason="deadline"
                )
            )
        )
        return await self.write(
            self.subject(table), [kind], path, dealing.log_key(leaf, table, path), closing
        )

    async def play_matches(
        self, round_: int, ends: Ends = first_wins, only: Iterable[int] | None = None
    ) -> None:
        """Play a round of matches at all its tables, or at some numbered ones, from opening to seal (C8.2)."""
        public = self._platform.of(None).pairing
        told = await public.GetRound(pairing.GetRoundRequest(championship=self._championship, round=round_))
        for number in range(1, len(told.tables) + 1) if only is None else only:
            table = told.tables[number - 1].table
            await self.open(table.table, round_, table.group, table.entrants, 0)
            await self.end_match(table.table, round_, *ends(round_, number))
            await self.seal(table.table)

    async def end_match(
        self, table: str, round_: int, winner: int | None, levels: tuple[str, str]
    ) -> ledger.Head:
        """Say how a match came out."""
        clause = "C2.2" if winner is None else "S9.5"
        ended = pb.MatchEnded(round=round_, winner=winner, levels=levels, clause=clause, deals=9)
        return await self.write(self.subject(table), [Event(match_ended=ended)])

    async def seal(self, table: str) -> ledger.Head:
        subject = self.subject(table)
        head = self.heads[subject]
        public = keys.signing_public_key(self._signer)
        sealed = pb.TableSealed(
            head_version=head.version,
            head=head.hash,
            signature=keys.sign(self._signer, seals.table_head(subject, head.version, head.hash)),
            key=keys.fingerprint(public),
            public_key=public,
        )
        return await self.write(subject, [Event(table_sealed=sealed)])

    async def decide(self, table: str, version: int, *records: bytes) -> None:
        """The chief referee decides that records stand from a version on, in place of all that the stream holds (C9.2)."""
        subject = self.subject(table)
        told = pairing_events.ForkDecided(
            subject=subject,
            version=version,
            stands=ledger.record_hash(ledger.decode(records[0]).header.prev_hash, records[0]),
            until=self.heads[subject].sequence,
            records=records,
        )
        await self.pairing(pairing_events.Event(fork_decided=told))

    async def pairing(self, event: pairing_events.Event) -> None:
        """Append an event to pairing's log."""
        subject = self._platform.epoch.subject("pairing", self._championship)
        last = await self._platform.store.last(subject)
        assert last is not None
        header = ledger.decode(last.data).header
        digest = ledger.record_hash(header.prev_hash, last.data)
        self.heads[subject] = ledger.Head(header.version, last.sequence, digest, header.time_us)
        await self.write(subject, [event])

    async def write(
        self,
        subject: str,
        events: Iterable[Any],
        path: str = "",
        key: bytes | None = None,
        closing: ledger.BoardClosing | None = None,
        people: tuple[str, ...] = (),
    ) -> ledger.Head:
        """Append one record; `key` seals it."""
        head = self.heads.get(subject, ledger.START)
        version, time_us = head.version + 1, ledger.record_time(head, self._platform.clock())
        content = ledger.encode_body(
            ledger.Body(
                "service:table",
                "",
                "",
                None,
                f"c {version}",
                sha256(b"").digest(),
                b"",
                tuple(event.SerializeToString() for event in events),
            )
        )
        if key is not None:
            content = ledger.seal(key, os.urandom(ledger.NONCE), subject, version, content)
        header = ledger.Header(
            subject,
            version,
            head.hash,
            self._platform.epoch.id,
            WRITER,
            self._ruleset,
            digests.params_digest({}),
            (path,) if path else (),
            time_us,
        )
        data = ledger.encode(ledger.Record(header, content, key is not None, closing, people))
        if self.aside is not None:
            self.aside.append(data)
            sequence = head.sequence + 1
        else:
            sequence = await self._platform.store.append(subject, data, head.sequence)
        self.heads[subject] = ledger.next_head(head, data, sequence, time_us)
        return self.heads[subject]
