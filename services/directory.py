"""Who is who: championships, officials, entrants and seats, folded from pairing's events by every service.

`evolve` is a pure fold over stored events; `Directory` feeds it from pairing's stream and answers questions. Bulk (entrants,
tables) comes in chunks and counts with its closing event only, so that 100,000 entrants are merged once and not per chunk.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, TypeVar

from fupan.pairing.v1 import events_pb2
from services.runtime.catchup import within
from services.runtime.errors import NotFound
from services.runtime.follower import Follower, Read
from services.runtime.forks import Ruled, Rulings
from services.runtime.identity import Caller
from services.runtime.store import EventStore
from services.runtime.streams import Epoch, parse

K = TypeVar("K")
V = TypeVar("V")

PLAYER = "player"

Deal = tuple[int, int, int]
"""Round, board and attempt."""


@dataclass(frozen=True, slots=True)
class Member:
    """A person of an entrant and the unit it plays for."""

    person_id: str
    unit_id: str


@dataclass(frozen=True, slots=True)
class Entrant:
    """An entrant of one or more people. `authority` is the record that let it in, `subject@version`."""

    number: int
    members: tuple[Member, ...]
    authority: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a round: entrant number by seat, 0 for house AI; and which of its members sits there (none: the first)."""

    table: str
    group: int
    entrants: tuple[int, ...]
    members: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Replay:
    """A board that is played again at a table of its own (C9.2, C10.6)."""

    round: int
    board: int
    attempt: int
    table: Table

    @property
    def deal(self) -> Deal:
        """What is dealt there."""
        return self.round, self.board, self.attempt


@dataclass(frozen=True, slots=True)
class Again:
    """A board that is played again: at how many tables, those of them that are seated, and how many have closed it."""

    of: int
    tables: tuple[str, ...] = ()
    closed: int = 0

    @property
    def over(self) -> bool:
        """Whether every one has."""
        return self.closed >= self.of


@dataclass(frozen=True, slots=True)
class Round:
    """One round. Times in microseconds since 1970, 0 for not yet; `incoming` are tables that do not count yet."""

    number: int
    tables: Mapping[str, Table]
    table_of: Mapping[int, str]
    """Entrant number to table id; of a team one of its two."""
    incoming: tuple[Table, ...] = ()
    paired: bool = False
    started_us: int = 0
    board_deadline_us: int = 0
    closed_us: int = 0

    @property
    def phase(self) -> str:
        """`seating`, `paired`, `running` or `closed`."""
        if self.closed_us:
            return "closed"
        if self.started_us:
            return "running"
        return "paired" if self.paired else "seating"

    def tables_of(self, entrant: int) -> tuple[Table, ...]:
        """Every table at which an entrant sits; a team has two (C7.2)."""
        return tuple(one for one in self.tables.values() if entrant in one.entrants)


@dataclass(frozen=True, slots=True)
class Official:
    """Somebody who holds an office; `authority` is the record that gave it."""

    person_id: str
    role: str
    unit_id: str
    authority: str


def _none() -> Mapping[Any, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Championship:
    """One championship as its events say."""

    id: str
    settings: events_pb2.Settings
    """As stored; not to be changed."""
    organiser: str
    epoch: str
    trusted_keys: tuple[str, ...]
    created_us: int
    officials: Mapping[tuple[str, str], Official] = field(default_factory=_none)
    """By person and role."""
    former: frozenset[str] = frozenset()
    """People whose commission for an office was ended."""
    entrants: Mapping[int, Entrant] = field(default_factory=_none)
    entrant_of: Mapping[str, int] = field(default_factory=_none)
    """Person to entrant number."""
    withdrawn: frozenset[int] = frozenset()
    imports: Mapping[str, tuple[Entrant, ...]] = field(default_factory=_none)
    """Entrants that do not count yet, by import."""
    registered: bool = False
    rounds: Mapping[int, Round] = field(default_factory=_none)
    replays: Mapping[str, Replay] = field(default_factory=_none)
    """By the replay's table."""
    again: Mapping[Deal, Again] = field(default_factory=_none)
    ended_us: int = 0
    sealing: int = 0
    """The seal's announcement that is followed by neither a seal nor its withdrawal, and when it was written; 0 for none."""
    sealing_us: int = 0
    sealed_us: int = 0
    conduct: tuple[tuple[Place, events_pb2.ConductRecorded], ...] = ()
    overturned: tuple[tuple[Place, events_pb2.RulingOverturned], ...] = ()
    rulings: Mapping[str, Rulings] = field(default_factory=_none)
    """By table's subject: what was decided on its history (C9.2)."""

    @property
    def phase(self) -> str:
        """`registration`, `running`, `ended` or `sealed`."""
        if self.sealed_us:
            return "sealed"
        if self.ended_us:
            return "ended"
        return "running" if self.registered else "registration"

    @property
    def played(self) -> bool:
        """Whether nothing is left to play: the competition and every play-off have ended, every board played again is over."""
        playing = any(one.paired and not one.closed_us for one in self.rounds.values())
        return self.ended_us > 0 and not playing and all(one.over for one in self.again.values())

    def over(self, replay: Replay) -> bool:
        """Whether every table that plays the deal of a replay has closed it."""
        return self.again[replay.deal].over

    def playing_again(self, round_: int, board: int, attempt: int) -> frozenset[str]:
        """The tables that play a deal, an attempt which is not the first; none while not all of them are seated."""
        again = self.again.get((round_, board, attempt))
        return frozenset(again.tables if again is not None and len(again.tables) >= again.of else ())

    @property
    def current_round(self) -> Round | None:
        """The newest round that is paired."""
        paired = (one for one in self.rounds.values() if one.paired)
        return max(paired, key=lambda one: one.number, default=None)

    def roles(self, person: str) -> frozenset[str]:
        """The offices a person holds, and `player`."""
        held = {role for who, role in self.officials if who == person}
        return frozenset(held | {PLAYER} if person in self.entrant_of else held)

    def person_at(self, table: Table, seat: int) -> str:
        """Whom the pairing seats there; empty for house AI."""
        entrant = self.entrants.get(table.entrants[seat])
        member = table.members[seat] if table.members else 0
        return "" if entrant is None else entrant.members[member].person_id

    def authority(self, person: str, role: str) -> str:
        """The record that gave a person a role, `subject@version`; empty without the role."""
        if role == PLAYER:
            number = self.entrant_of.get(person)
            return "" if number is None else self.entrants[number].authority
        official = self.officials.get((person, role))
        return "" if official is None else official.authority


@dataclass(frozen=True, slots=True)
class Place:
    """Where an event stands: its record's subject, version, time and actor."""

    subject: str
    version: int
    time_us: int
    actor: str = ""

    @property
    def authority(self) -> str:
        """The record as others cite it."""
        return f"{self.subject}@{self.version}"


def create(event: events_pb2.ChampionshipCreated, place: Place) -> Championship:
    """The championship that a first event creates; its creator is its organiser."""
    organiser = Official(event.organiser, "organiser", "", place.authority)
    return Championship(
        parse(place.subject).championship,
        event.settings,
        event.organiser,
        event.epoch,
        tuple(event.trusted_keys),
        place.time_us,
        MappingProxyType({(event.organiser, "organiser"): organiser}),
    )


def evolve(state: Championship, kind: str, event: Any, place: Place) -> Championship:
    """The championship after one event; `kind` is its name in `Event`'s oneof. What says nothing here changes nothing."""
    match kind:
        case "official_appointed":
            official = Official(event.person_id, event.role, event.unit_id, place.authority)
            return replace(state, officials=_with(state.officials, {(event.person_id, event.role): official}))
        case "official_suspended":
            rest, person = _without(state.officials, (event.person_id, event.role)), event.person_id
            return replace(state, officials=rest, former=state.former | {person})
        case "entrants_imported":
            chunks = state.imports.get(event.import_id, ()) + tuple(_entrants(event.entrants, place))
            return replace(state, imports=_with(state.imports, {event.import_id: chunks}))
        case "entrants_import_closed":
            return _enter(state, event.import_id, place)
        case "entrant_withdrawn":
            return replace(state, withdrawn=state.withdrawn | {event.entrant})
        case "conduct_recorded":
            return replace(state, conduct=(*state.conduct, (place, event)))
        case "ruling_overturned":
            return replace(state, overturned=(*state.overturned, (place, event)))
        case "registration_closed":
            return replace(state, registered=True)
        case "competition_ended":
            return replace(state, ended_us=place.time_us)
        case "championship_sealed":
            return replace(state, sealed_us=place.time_us, sealing=0, sealing_us=0)
        case "seal_announced":
            return replace(state, sealing=event.number, sealing_us=place.time_us)
        case "seal_withdrawn":
            return replace(state, sealing=0, sealing_us=0)
        case "fork_decided":
            ruled = Ruled(event.version, event.until, tuple(event.records))
            rulings = _with(state.rulings.get(event.subject, _none()), {event.version: ruled})
            return replace(state, rulings=_with(state.rulings, {event.subject: rulings}))
        case "replay_seated":
            replay = Replay(event.round, event.board, event.attempt, *_tables([event.table]))
            again = state.again.get(replay.deal) or Again(event.tables or 1)
            again = replace(again, tables=(*again.tables, replay.table.table))
            more = _with(state.replays, {replay.table.table: replay})
            return replace(state, replays=more, again=_with(state.again, {replay.deal: again}))
        case "board_replayed":
            deal = state.replays[event.table].deal
            again = replace(state.again[deal], closed=state.again[deal].closed + 1)
            return replace(state, again=_with(state.again, {deal: again}))
    changed = _round(state.rounds.get(getattr(event, "round", 0)), kind, event, place)
    return state if changed is None else replace(state, rounds=_with(state.rounds, {changed.number: changed}))


def _round(state: Round | None, kind: str, event: Any, place: Place) -> Round | None:
    """The round after one event, None when the event is about no round."""
    now = state or Round(getattr(event, "round", 0), _none(), _none())
    match kind:
        case "round_seated":
            before = now.incoming if event.chunk else ()
            return replace(now, incoming=before + tuple(_tables(event.tables)))
        case "round_paired":
            return replace(_seat(now, now.incoming), incoming=(), paired=True)
        case "seating_overridden":
            return _seat(now, tuple(_tables(event.tables)))
        case "round_started":
            return replace(now, started_us=place.time_us, board_deadline_us=event.board_deadline_us)
        case "round_closed":
            return replace(now, closed_us=place.time_us)
    return None


def _seat(state: Round, tables: tuple[Table, ...]) -> Round:
    by_id = {one.table: one for one in tables}
    table_of = {entrant: one.table for one in tables for entrant in one.entrants if entrant}
    return replace(state, tables=MappingProxyType(by_id), table_of=MappingProxyType(table_of))


def _enter(state: Championship, import_id: str, place: Place) -> Championship:
    new = state.imports.get(import_id, ())
    return replace(
        state,
        entrants=_with(state.entrants, {one.number: one for one in new}),
        entrant_of=_with(state.entrant_of, {m.person_id: one.number for one in new for m in one.members}),
        imports=_without(state.imports, import_id),
    )


def _entrants(messages: Iterable[events_pb2.Entrant], place: Place) -> Iterator[Entrant]:
    authority = place.authority
    for message in messages:
        members = tuple(Member(member.person_id, member.unit_id) for member in message.members)
        yield Entrant(message.number, members, authority)


def _tables(messages: Iterable[events_pb2.SeatedTable]) -> Iterator[Table]:
    for message in messages:
        yield Table(message.table, message.group, tuple(message.entrants), tuple(message.members))


def _with(mapping: Mapping[K, V], more: Mapping[K, V]) -> Mapping[K, V]:
    assert isinstance(mapping, MappingProxyType)  # copied at once, not key by key
    return MappingProxyType(mapping | dict(more))


def _without(mapping: Mapping[K, V], key: K) -> Mapping[K, V]:
    return MappingProxyType({name: value for name, value in mapping.items() if name != key})


@dataclass(frozen=True, slots=True)
class Noticed:
    """An event of pairing's that the directory has just folded, by its name in `Event`'s oneof, and the championship after it."""

    championship: Championship
    kind: str
    event: Any
    place: Place


class Directory:
    """All championships of an epoch, as far as pairing's stream has been read."""

    def __init__(self, store: EventStore, epoch: Epoch) -> None:
        self._follower = Follower(store, epoch.stream("pairing"), self._deliver)
        self._championships: dict[str, Championship] = {}
        self._listeners: list[Callable[[Noticed], None]] = []
        self.skipped = 0  # events that this version does not know

    async def start(self) -> None:
        """Read all there is, then follow."""
        await self._follower.start()

    async def stop(self) -> None:
        """Stop following."""
        await self._follower.stop()

    @property
    def task(self) -> asyncio.Task[None] | None:
        """The following task; when it ends this service no longer knows who is who."""
        return self._follower.task

    async def refresh(self) -> None:
        """Read everything that is in the stream now. Raises Unavailable after `catchup.PATIENCE`, StoreUnavailable."""
        async with within():
            await self._follower.catch_up()

    def listen(self, listener: Callable[[Noticed], None]) -> None:
        """Call `listener` after every event, from the first one when it is added before `start`. It must not raise or block."""
        self._listeners.append(listener)

    def championships(self) -> list[str]:
        """Ids of all championships, oldest first."""
        return list(self._championships)

    def known(self, championship: str) -> bool:
        """Whether there is such a championship."""
        return championship in self._championships

    def get(self, championship: str) -> Championship:
        """The championship. Raises NotFound."""
        found = self._championships.get(championship)
        if found is None:
            raise NotFound("championship", championship)
        return found

    def settings(self, championship: str) -> events_pb2.Settings:
        """What is fixed for it. Raises NotFound."""
        return self.get(championship).settings

    def roles(self, championship: str, person: str) -> frozenset[str]:
        """Offices of a person, and `player`; empty for a championship there is not."""
        found = self._championships.get(championship)
        return frozenset() if found is None else found.roles(person)

    def authority(self, championship: str, person: str, *roles: str) -> str:
        """The record that gave a person the first of `roles` that it holds, `subject@version`; empty without one.

        Raises NotFound.
        """
        known = self.get(championship)
        return next(filter(None, (known.authority(person, role) for role in roles)), "")

    def plays(self, championship: str, person: str) -> bool:
        """Whether the person is a member of one of its entrants, withdrawn or not."""
        found = self._championships.get(championship)
        return found is not None and person in found.entrant_of

    def watches(self, championship: str, who: Caller) -> bool:
        """Whether a caller may know what happens at open tables: services, and officials who do not play (P13, C9.3)."""
        office = self.roles(championship, who.person) - {"player"}
        return bool(who.service) or (bool(office) and not self.plays(championship, who.person))

    async def _deliver(self, reads: list[Read]) -> None:
        for read in reads:
            if read.body is None:
                continue
            header = read.record.header
            place = Place(header.subject, header.version, header.time_us, read.body.actor)
            for data in read.body.events:
                self._fold(data, place)

    def _fold(self, data: bytes, place: Place) -> None:
        message = events_pb2.Event.FromString(data)
        kind = message.WhichOneof("kind")
        championship = parse(place.subject).championship
        before = self._championships.get(championship)
        if kind is None or (before is None and kind != "championship_created"):
            self.skipped += 1
            return
        event = getattr(message, kind)
        after = create(event, place) if before is None else evolve(before, kind, event, place)
        self._championships[championship] = after
        for listener in self._listeners:
            listener(Noticed(after, kind, event, place))
