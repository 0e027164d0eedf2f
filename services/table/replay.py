"""A revealed board played over again from the log: one step a record, with all hands or with one seat's knowledge."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

from services.domain import Meta
from services.ledger import record as ledger
from services.ledger.dealing import log_key, parse_board_path
from services.ledger.games import GAMES
from services.ledger.record import Body, Record, Stored
from services.runtime.even import evenly
from services.runtime.streams import parse
from services.table.codec import COMMANDS, EVENTS
from services.table.decider import TableDecider
from services.table.leaves import Leaves, Opened
from services.table.model import commands as c
from services.table.model.events import Acted, BoardDealt, BoardOpened, BoardSlot, Event
from services.table.model.state import Table
from services.table.stage import newest
from services.table.views import Shown, seat

T = TypeVar("T")

NO_TABLE = Table()
_DECIDER = TableDecider()


@dataclass(frozen=True, slots=True)
class Step:
    """One record of a board. `action` is what a seat, or its clock, answered, as text; empty where nobody did."""

    number: int
    time_us: int
    acted: Acted | None
    action: str
    events: tuple[str, ...]
    table: Table
    deal: bytes = b""
    """What was dealt in this step, one byte a card."""

    def seen_by(self, number: int) -> Shown:
        """What a seat sees after this step."""
        return seat(self.table, newest(self.table), number)


class Taken(NamedTuple):
    """A record that was opened, and the table after it."""

    body: Body
    events: tuple[Event, ...]
    meta: Meta
    table: Table


def taken(table: Table, record: Record, key: bytes | None) -> Taken:
    """Go on from a table by one record. Raises WrongKey, UnknownEvent."""
    body, header = ledger.body_of(record, key), record.header
    events = tuple([EVENTS.decode(event) for event in body.events])
    meta = Meta(header.subject, header.version, header.time_us, body.actor, body.command_id)
    return Taken(body, events, meta, _DECIDER.evolve_record(table, events, meta))


class Replay:
    """One board of a table, from the table as it was before: the board named by the path of its leaf, opened with its key."""

    def __init__(self, path: str, key: bytes, table: Table = NO_TABLE) -> None:
        self._path = path
        self._key = key
        self._table = table
        self._taken = 0

    def take(self, data: bytes) -> Step | None:
        """Go on by the table's next record: a step if it is one of the board. Other boards' sealed records are passed over.

        Raises Malformed, WrongKey, UnknownEvent.
        """
        record = ledger.decode(data)
        if record.sealed and record.header.key_ids != (self._path,):
            return None
        before = self._table
        read = taken(before, record, self._key)
        self._table = read.table
        if not record.sealed:
            return None
        self._taken += 1
        return _step(self._taken, before, read)


class Records(Protocol):
    """Where a table's records are read."""

    def read(self, subject: str, /) -> AsyncIterator[Stored]:
        """All that stand, in order."""


async def steps(records: Records, subject: str, path: str, key: bytes) -> AsyncIterator[Step]:
    """The steps of one board of a table, read from the table's first record on to the board's last; see `Replay`."""
    replay = Replay(path, key)
    async for stored in records.read(subject):
        step = replay.take(stored.data)
        if step is not None:
            yield step
            if step.table.live is None:
                return


async def evenly_read(table: Table, reading: Awaitable[T]) -> T:
    """What is read of a table's records. How long it takes shall not count those of a board that it plays by now."""
    return await (reading if table.slot is None else evenly(reading))


async def key_of(leaves: Leaves, records: Records, subject: str, path: str) -> bytes | None:
    """The key of a board that a table has opened, its leaf asked from the dealer where it is not known; None of one that it has not
    opened. Raises Unavailable."""
    address, place = parse(subject), parse_board_path(path)
    leaf = leaves.known(address.championship, path)
    if leaf is None:
        opened = await _opened_in(records, subject, BoardSlot(place.board, place.attempt))
        if opened is None:
            return None
        leaf = await leaves.fetch(Opened(subject, path, opened.sequence))
    return log_key(leaf.leaf, address.item, path)


async def _opened_in(records: Records, subject: str, slot: BoardSlot) -> Stored | None:
    async for stored in records.read(subject):
        record = ledger.decode(stored.data)
        for event in () if record.sealed else map(EVENTS.decode, ledger.body_of(record).events):
            if isinstance(event, BoardOpened) and BoardSlot(event.board, event.attempt) == slot:
                return stored
    return None


def _step(number: int, before: Table, read: Taken) -> Step:
    body, events, meta, after = read
    rules = after.rules
    game = GAMES[rules.game].events.members
    acted = next((event for event in events if isinstance(event, Acted)), None)
    told = tuple([rules.tell(event) for event in events if type(event) in game])
    deal = next((event.deal for event in events if isinstance(event, BoardDealt)), b"")
    return Step(number, meta.time_us, acted, _action(before, body), told, after, deal)


def _action(before: Table, body: Body) -> str:
    """The text of what was answered; a clock's answer is the fallback player's."""
    command, board, rules = COMMANDS.decode(body.command), before.board, before.rules
    if isinstance(command, c.Act):
        return rules.show(command.action)
    if isinstance(command, c.ExpireClock) and board is not None:
        return rules.show(rules.fallback(board.game, command.seat))
    return ""
