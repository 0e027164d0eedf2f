"""Substitutes: who was given an entrant's seat (C1.6), as the tables' records tell in the clear, also while their board is open.

For services that go by who plays: pairing knows entrants alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from fupan.table.v1 import events_pb2
from services.directory import Directory
from services.ledger.seats import sat
from services.runtime.follower import Read
from services.runtime.identity import Caller
from services.runtime.streams import parse


class Substitutes:
    """Of all championships. `catch_up` returns when everything that is in the tables' streams now was read; raises Unavailable."""

    def __init__(self, directory: Directory, catch_up: Callable[[], Awaitable[None]]) -> None:
        self.catch_up = catch_up
        self._directory = directory
        self._rounds: dict[tuple[str, str], int] = {}
        """By championship and table: its round."""
        self._tables: dict[tuple[str, str], frozenset[tuple[int, str]]] = {}
        """By championship and person: round and table of every seat they were given."""

    def tables(self, championship: str, person: str) -> frozenset[tuple[int, str]]:
        """Round and table of every seat that somebody who is no entrant was given, as far as was read."""
        return self._tables.get((championship, person), frozenset())

    def plays(self, championship: str, person: str) -> bool:
        """Whether somebody is a member of an entrant, or was given a seat, as far as was read."""
        return bool(self.tables(championship, person)) or self._directory.plays(championship, person)

    def watches(self, championship: str, who: Caller) -> bool:
        """Whether a caller may know what happens at open tables: services, and officials who neither play nor have (P13, C9.3)."""
        return self._directory.watches(championship, who) and not self.tables(championship, who.person)

    async def watches_now(self, championship: str, who: Caller) -> bool:
        """`watches`, after all that was written up to now. Raises Unavailable."""
        if self.watches(championship, who) and not who.service:
            await asyncio.gather(self._directory.refresh(), self.catch_up())
        return self.watches(championship, who)

    async def played(self, championship: str, person: str) -> bool:
        """Whether somebody who is no entrant was given a seat, up to now (`services.access`). Raises Unavailable."""
        await self.catch_up()
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
            for person in sat(read.record, events):
                if not self._directory.plays(address.championship, person):
                    key = address.championship, person
                    self._tables[key] = self.tables(*key) | {(round_, address.item)}


def _events(read: Read) -> list[tuple[str, Any]]:
    """A record's events by kind; none of a sealed one."""
    told = [events_pb2.Event.FromString(data) for data in (read.body.events if read.body else ())]
    return [(kind, getattr(event, kind)) for event in told if (kind := event.WhichOneof("kind"))]
