"""What referees ruled at a table: told to who sat there, so that it can be appealed (C9.3, C10.1), and to appeals. Officials are
told of calls, pauses and infringements as well.

A ruling is sealed with the board it was made on, and may tell of it: others learn it once that is closed everywhere.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Generic, TypeVar

from fupan.table.v1 import service_pb2 as pb
from services.directory import Directory
from services.ledger import record as ledger
from services.ledger.dealing import log_key
from services.ledger.record import Stored
from services.runtime.even import evenly
from services.runtime.identity import Caller
from services.runtime.streams import parse
from services.table.admission import Admission
from services.table.codec import EVENTS
from services.table.hall import Hall
from services.table.leaves import Leaves, Opened
from services.table.model.events import (
    BoardOpened,
    BoardSlot,
    InfringementRecorded,
    RefereeCalled,
    RulingMade,
    TablePaused,
    TableResumed,
)
from services.table.openness import public
from services.table.players import Players

FIRST = BoardSlot(1, 1)


def ruling_id(subject: str, command_id: str) -> str:
    """What a ruling is called: by its table, and so that the same command makes the same."""
    return f"{parse(subject).item}.{sha256(f'{subject}|{command_id}'.encode()).hexdigest()[:12]}"


Kind = RefereeCalled | TablePaused | TableResumed | InfringementRecorded | RulingMade
K = TypeVar("K", bound=Kind, covariant=True)


@dataclass(frozen=True, slots=True)
class RefereeAct(Generic[K]):
    """What somebody did, and on which board: the one that was open, else the one before; before the first, that."""

    event: K
    slot: BoardSlot
    person: str
    made_us: int


def act_told(done: RefereeAct[Any]) -> pb.RefereeAct:
    """An act as officials are told of it."""
    event = EVENTS.to_proto(done.event)
    kind = str(event.WhichOneof("kind"))
    act = pb.RefereeAct(person_id=done.person, time_us=done.made_us)
    act.board, act.attempt = done.slot.board, done.slot.attempt
    getattr(act, kind).CopyFrom(getattr(event, kind))
    return act


def rulings_told(made: Sequence[RefereeAct[RulingMade]], round_: int) -> Iterator[pb.Ruling]:
    """Rulings of a table in a round as everybody is told of them, each with that by which it was overturned (C9.2)."""
    overturned = {
        one.event.overturns: pb.Overturning(
            ruling=one.event.ruling,
            text=one.event.text,
            reason=one.event.reason,
            referee=one.person,
            made_us=one.made_us,
        )
        for one in reversed(made)  # of two that were made at once the first counts
    }
    for one in made:
        event = one.event
        yield pb.Ruling(
            ruling=event.ruling,
            round=round_,
            board=one.slot.board,
            attempt=one.slot.attempt,
            text=event.text,
            clause=event.clause,
            referee=one.person,
            made_us=one.made_us,
            overturns=event.overturns,
            reason=event.reason,
            overturned=overturned.get(event.ruling),
        )


class Rulings:
    """Reads rulings, and what else referees did and why they were called, off the tables' records."""

    def __init__(
        self, hall: Hall, leaves: Leaves, directory: Directory, players: Players, admission: Admission
    ) -> None:
        self._hall = hall
        self._leaves = leaves
        self._directory = directory
        self._players = players
        self._admission = admission

    async def of(self, subject: str, who: Caller) -> list[RefereeAct[RulingMade]]:
        """What a caller may know of the rulings at a table, oldest first. Raises Unavailable, StoreUnavailable."""
        table, everything = self._hall.table(subject), await self._knows(subject, who)
        return [
            RefereeAct(act.event, act.slot, act.person, act.made_us)
            async for act in self._acts(subject, everything)
            if isinstance(act.event, RulingMade)
            and (everything or public(table, act.slot, self._leaves, self._directory))
        ]

    async def acts(self, subject: str) -> list[RefereeAct[Kind]]:
        """All that was done at a table, oldest first: for officials. Raises Unavailable, StoreUnavailable."""
        return [act async for act in self._acts(subject, True)]

    async def _acts(self, subject: str, everything: bool) -> AsyncIterator[RefereeAct[Kind]]:
        """What stands in a table's records; of boards that are not revealed only where `everything` is wanted. Then the rulings by
        which rulings of those were overturned after their round, which pairing's log holds (C9.2)."""
        facts = self._hall.table(subject).facts
        slot = facts.boards[0] if facts.boards else FIRST
        ruled: dict[str, BoardSlot] = {}
        opened: Stored | None = None
        async for stored in self._hall.log.read(subject):
            record, key = ledger.decode(stored.data), None
            if record.sealed:
                key = await self._key(subject, record.header.key_ids[0], opened if everything else None)
                if key is None:
                    continue
            body = ledger.body_of(record, key)
            for event in map(EVENTS.decode, body.events):
                match event:
                    case BoardOpened():
                        slot, opened = BoardSlot(event.board, event.attempt), stored
                    case (
                        RefereeCalled()
                        | TablePaused()
                        | TableResumed()
                        | InfringementRecorded()
                        | RulingMade()
                    ):
                        if isinstance(event, RulingMade):
                            ruled[event.ruling] = slot
                        yield RefereeAct(event, slot, body.actor, record.header.time_us)
        for place, made in self._directory.get(facts.championship).overturned:
            if made.overturns in ruled:
                ruled[made.ruling] = slot = ruled[made.overturns]
                event = RulingMade(made.ruling, made.text, made.clause, made.overturns, made.reason)
                yield RefereeAct(event, slot, place.actor, place.time_us)

    async def _knows(self, subject: str, who: Caller) -> bool:
        """Whether somebody sits at a table, or has sat there, or watches all of them. Who was given a seat there is let in."""
        championship, person = parse(subject).championship, who.person
        if person and any(seat.person_id == person for seat in self._hall.table(subject).facts.seats):
            return True
        if subject in self._hall.seating.substituted(championship, person):
            await self._hall.read(subject)
            await evenly(self._admission.settled(championship, person))
            if subject in self._hall.seating.substituted(championship, person):
                return True
        return self._players.watches(championship, who)

    async def _key(self, subject: str, path: str, opened: Stored | None) -> bytes | None:
        """The key of a board: of one that is not revealed, asked from the dealer by the record that opened it."""
        address = parse(subject)
        leaf = self._leaves.revealed(address.championship, path)
        if leaf is None and opened is not None:
            leaf = await self._leaves.fetch(Opened(subject, path, opened.sequence))
        return None if leaf is None else log_key(leaf.leaf, address.item, path)
