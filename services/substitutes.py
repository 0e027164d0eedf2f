"""Substitutes: who was given an entrant's seat (C1.6), as the tables' records tell in the clear.

For services that go by who plays: pairing knows entrants alone. Who is given a seat on an open board is told when that is closed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from fupan.table.v1 import events_pb2
from services.ledger.seats import sat
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

    async def played(self, championship: str, person: str) -> bool:
        """Whether somebody who is no entrant was given a seat (`services.access`)."""
        return bool(self.tables(championship, person))

    def read(self, reads: Iterable[Read]) -> None:
        """Tables' records."""
        for read in reads:
            address = parse(read.stored.subject)
            table, events = (address.championship, address.item), _events(read)
            for kind, message in events:
                if kind == "table_opened":
                    self._rounds[table] = message.round
            closing = read.record.closing
            round_ = self._rounds.get(table, 0) if closing is None else closing.round
            for person in sat(closing, events):
                if not self._plays(address.championship, person):
                    key = address.championship, person
                    self._tables[key] = self.tables(*key) | {(round_, address.item)}


def _events(read: Read) -> list[tuple[str, Any]]:
    """A record's events by kind; none of a sealed one."""
    told = [events_pb2.Event.FromString(data) for data in (read.body.events if read.body else ())]
    return [(kind, getattr(event, kind)) for event in told if (kind := event.WhichOneof("kind"))]
