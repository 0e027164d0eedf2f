"""Where a championship stands: what the fold of its events keeps (C1, C6, C9)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from services.pairing.model.events import (
    ChampionshipSealed,
    ConductRecorded,
    Entrant,
    OfficialAppointed,
    RegistrationClosed,
    RegulationsPublished,
    RoundPaired,
    SealWithdrawn,
    SeatedTable,
    Settings,
    VenueConfirmed,
)

SERVICE = "service:pairing"
"""Who acts where pairing does by itself; seats that a committee ruled are changed in this name."""


@dataclass(frozen=True, slots=True)
class SeatsChanged:
    """Other seats after the pairing: when, why, the tables that changed as they were `before`, and whether a committee ruled it."""

    time_us: int
    reason: str
    before: tuple[SeatedTable, ...]
    ruled: bool


@dataclass(frozen=True, slots=True)
class Round:
    """One round. `chunks` are tables on their way, `tables` those that count, `paired` those that the pairing gave; `ruled` names
    those that a committee seated, or left as they were, which stay so (C10.7); `changes`: other seats after the pairing."""

    number: int
    chunks: tuple[tuple[SeatedTable, ...], ...] = ()
    tables: tuple[SeatedTable, ...] = ()
    paired: tuple[SeatedTable, ...] = ()
    ruled: frozenset[str] = frozenset()
    changes: tuple[SeatsChanged, ...] = ()
    pairing: RoundPaired | None = None
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
        return "paired" if self.pairing else "seating"


Deal = tuple[int, int, int]
"""Round, board and attempt."""


@dataclass(frozen=True, slots=True)
class Again:
    """A board that is played again: at how many tables, those of them that are seated, and how many have closed it (C10.6)."""

    tables: int
    seated: tuple[SeatedTable, ...] = ()
    closed: int = 0

    @property
    def over(self) -> bool:
        """Whether all of them have."""
        return self.closed >= self.tables


@dataclass(frozen=True, slots=True)
class Conduct:
    """What a referee recorded at no table, and when (C11.1). `name` is the record's, under which its reason is kept."""

    recorded: ConductRecorded
    referee: str
    time_us: int
    name: str
    erased: bool = False
    """Whether its reason is, with the person whom it was about."""

    def concerns(self, person: str, entrant: int) -> bool:
        """Whether it is about a person, or the entrant that the person is a member of (0: of none)."""
        return bool(person) and (self.recorded.person_id == person or 0 < entrant == self.recorded.entrant)


@dataclass(frozen=True, slots=True)
class Regulations:
    """One version of the supplementary regulations, by whom and when (C9.5)."""

    published: RegulationsPublished
    organiser: str
    time_us: int


@dataclass(frozen=True, slots=True)
class Championship:
    """The fold of one championship's events."""

    settings: Settings | None = None
    organiser: str = ""
    epoch: str = ""
    created_us: int = 0
    entrants: Mapping[int, Entrant] = field(default_factory=lambda: MappingProxyType({}))
    persons: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    imports: tuple[tuple[str, tuple[tuple[Entrant, ...], ...]], ...] = ()
    imported: frozenset[str] = frozenset()
    withdrawn: frozenset[int] = frozenset()
    officials: tuple[OfficialAppointed, ...] = ()
    regulations: tuple[Regulations, ...] = ()
    registration: RegistrationClosed | None = None
    registered: tuple[int, ...] = ()
    rounds: tuple[Round, ...] = ()
    ended_us: int = 0
    announced: int = 0
    """How often its seal was announced."""
    seals_withdrawn: tuple[SealWithdrawn, ...] = ()
    seal: ChampionshipSealed | None = None
    venue: VenueConfirmed | None = None
    commissioned: frozenset[str] = frozenset()
    """Everybody who ever held an office."""
    conduct: tuple[Conduct, ...] = ()
    overturned: frozenset[str] = frozenset()
    """Rulings that were overturned after their round."""
    erased: frozenset[str] = frozenset()
    """Persons of whom nothing but the id is known any more."""
    again: Mapping[Deal, Again] = field(default_factory=lambda: MappingProxyType({}))
    replays: Mapping[str, Deal] = field(default_factory=lambda: MappingProxyType({}))
    """What is played again, by the replay's table."""
    replayed: frozenset[str] = frozenset()
    """Tables of replays whose board is closed."""
    replayed_us: int = 0
    """When the last of them closed it."""

    @property
    def phase(self) -> str:
        """`registration`, `running`, `ended` or `sealed`."""
        if self.seal:
            return "sealed"
        if self.ended_us:
            return "ended"
        return "running" if self.registration else "registration"

    @property
    def sealing(self) -> int:
        """The announcement that is followed by neither a seal nor its withdrawal, 0 for none."""
        over = self.seal is not None or self.announced == len(self.seals_withdrawn)
        return 0 if over else self.announced

    @property
    def next_round(self) -> int:
        """Number of the round that is paired next."""
        return 1 + sum(1 for one in self.rounds if one.pairing)

    @property
    def newest(self) -> Round | None:
        """The round that was paired last, play-offs included."""
        return next((one for one in reversed(self.rounds) if one.pairing), None)

    def round(self, number: int) -> Round | None:
        """The round of that number (from 1), if it exists; play-offs follow the last that the event has, played or not (C4.5)."""
        return next((one for one in self.rounds if one.number == number), None)

    def replays_of(self, number: int) -> tuple[SeatedTable, ...]:
        """Tables at which boards of a round are played again."""
        return tuple(one for deal, again in self.again.items() if deal[0] == number for one in again.seated)

    def chunks_of(self, import_id: str) -> tuple[tuple[Entrant, ...], ...]:
        """Chunks of an import that is not closed yet."""
        return next((chunks for name, chunks in self.imports if name == import_id), ())

    def said_of(self, person: str) -> tuple[Conduct, ...]:
        """Conduct of a person, or of somebody of its entrant, nobody knows whom, with a reason that is kept."""
        concerned = (one for one in self.conduct if one.concerns(person, self.persons.get(person, 0)))
        return tuple(one for one in concerned if not one.erased and one.recorded.person_id in ("", person))

    def active(self) -> tuple[int, ...]:
        """Entrants that are to be seated: not withdrawn, ascending."""
        return tuple(number for number in sorted(self.entrants) if number not in self.withdrawn)
