"""Substitutes: who was given an entrant's seat (C1.6), as the tables' records tell in the clear.

For services that go by who plays: pairing knows entrants alone. Who is given a seat on an open board is told when that is closed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fupan.table.v1 import events_pb2
from services.runtime.follower import Read
from services.runtime.streams import parse


class Substitutes:
    """Of all championships. `plays` says who is a member of an entrant, whose seats the pairing tells."""

    def __init__(self, plays: Callable[[str, str], bool]) -> None:
        self._plays = plays
        self._rounds: dict[tuple[str, str], int] = {}
        """By championship and table: its round."""
        self._tables: dict[tuple[str, str], frozenset[tuple[int, str]]] = {}
        """By championship and person: round and table of every seat they were given."""

    def tables(self, championship: str, person: str) -> frozenset[tuple[int, str]]:
        """Round and table of every seat that somebody who is no entrant was given."""
        return self._tables.get((championship, person), frozenset())

    def read(self, reads: Iterable[Read]) -> None:
        """Tables' records."""
        for read in reads:
            address = parse(read.stored.subject)
            table = address.championship, address.item
            for data in read.body.events if read.body else ():
                event = events_pb2.Event.FromString(data)
                match event.WhichOneof("kind"):
                    case "table_opened":
                        self._rounds[table] = event.table_opened.round
                    case "seat_replaced":
                        self._sat(*table, self._rounds.get(table, 0), event.seat_replaced.person_id)
            if read.record.closing is not None:
                for person in (*read.record.closing.people, *read.record.closing.left):
                    self._sat(*table, read.record.closing.round, person)

    def _sat(self, championship: str, table: str, round_: int, person: str) -> None:
        if person and not self._plays(championship, person):
            key = championship, person
            self._tables[key] = self.tables(*key) | {(round_, table)}
