"""A championship as pairing knows it: settings, entrants, officials, rounds, seats (C1, C6, C9).

Events and commands carry the names and fields of `protos/fupan/pairing/v1/events.proto`; the state is what their fold keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from services.ledger import digests

ROLES = ("organiser", "chief_referee", "deputy", "referee", "arbitrator")
"""Offices an official may hold (C9.1)."""

VENUE_ITEMS = (
    "software_approved",
    "table_screens",
    "no_mirrors",
    "clear_height_2m",
    "ventilation_and_light",
    "safety_exits",
    "referee_seats",
)
"""The on-site checklist (C11.2)."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything fixed before the first round; fields, units and clauses as in the proto."""

    championship: str
    name: str
    ruleset: str
    params: str
    format: str
    rounds: int
    boards_per_round: int
    groups: int
    layout: str
    compare_within: str
    mp_unit: str
    boards_per_session: int
    tie_on: str
    beaten_scope: str
    thinking_time: str
    play_clock_ms: int
    claim_clock_ms: int
    claim_floor_ms: int
    join_wait_ms: int
    board_pause_ms: int
    board_deadline_ms: int
    final_authority: str
    window_starts: str
    appeal_window_ms: int
    fee_amount: int
    fee_currency: str
    calendar: str
    time_zone: str
    software: str
    venue: str
    automatic_rounds: bool
    demo: bool
    demo_seed: int
    machine_seat: int
    bid_clock_ms: int
    bury_clock_ms: int
    deal_pace_ms: int
    match_time_ms: int
    match_deals: int
    a_is_a_level: bool
    movement: str
    real_cards: bool
    lines: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Member:
    """One person of an entrant, and its unit (club, team, company)."""

    person_id: str
    unit_id: str


@dataclass(frozen=True, slots=True)
class Entrant:
    """An individual, pair or team under its number from 1, which never changes (C1.2)."""

    number: int
    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class SeatedTable:
    """One table of a round: entrant number by seat, 0 for house AI, and which of its members sits there (none: the first)."""

    table: str
    group: int
    entrants: tuple[int, ...]
    members: tuple[int, ...] = ()


# Events


@dataclass(frozen=True, slots=True)
class ChampionshipCreated:
    """A championship exists; the settings stand."""

    settings: Settings
    organiser: str
    epoch: str
    trusted_keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EntrantsImported:
    """A chunk of an import; counts with EntrantsImportClosed only."""

    import_id: str
    chunk: int
    entrants: tuple[Entrant, ...]


@dataclass(frozen=True, slots=True)
class EntrantsImportClosed:
    """All chunks of an import count now."""

    import_id: str
    count: int
    digest: bytes


@dataclass(frozen=True, slots=True)
class EntrantWithdrawn:
    """Keeps its results and is not paired again (C1.6)."""

    entrant: int
    reason: str


@dataclass(frozen=True, slots=True)
class OfficialAppointed:
    """A person holds an office of the event (C9.1)."""

    person_id: str
    role: str
    unit_id: str


@dataclass(frozen=True, slots=True)
class OfficialSuspended:
    """An office ended (C9.2)."""

    person_id: str
    role: str
    reason: str


@dataclass(frozen=True, slots=True)
class RegulationsPublished:
    """Supplementary regulations, versioned (C9.5)."""

    version: int
    digest: bytes
    text: str


@dataclass(frozen=True, slots=True)
class RegistrationClosed:
    """The entrant list of round 1 is final."""

    count: int
    entrants_digest: bytes


@dataclass(frozen=True, slots=True)
class RoundSeated:
    """A chunk of a round's tables; counts with RoundPaired only."""

    round: int
    chunk: int
    tables: tuple[SeatedTable, ...]


@dataclass(frozen=True, slots=True)
class RoundPaired:
    """The seats of a round are fixed, and who has a bye (C1.5); where their order came from."""

    round: int
    tables: int
    digest: bytes
    basis: str
    publication: int
    standings_digest: bytes
    deals_batch: int
    deals_root: bytes
    byes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RoundStarted:
    """Tables open; boards still open at the deadline are closed (C2.2)."""

    round: int
    board_deadline_us: int


@dataclass(frozen=True, slots=True)
class RoundClosed:
    """No board of the round is played any more."""

    round: int
    incomplete: bool
    reason: str


@dataclass(frozen=True, slots=True)
class SeatingOverridden:
    """The chief referee drew the seats up anew before the round started (C9.2)."""

    round: int
    tables: tuple[SeatedTable, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class CompetitionEnded:
    """No round follows; the appeal window of the competition runs (C10.1). A reason where it was not the last round's end."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class ChampionshipSealed:
    """Everything is final, under one signed root (C10.8). `key` is the fingerprint of `public_key`."""

    root: bytes
    signature: bytes
    key: str
    publication: int
    public_key: bytes


@dataclass(frozen=True, slots=True)
class VenueConfirmed:
    """A referee confirmed the on-site checklist (C11.2)."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PersonErased:
    """Names, contacts and writings of a person are gone; what the log holds is its id."""

    person_id: str


@dataclass(frozen=True, slots=True)
class ForkDecided:
    """Which history of a table stands, where its stream and the archive differ; fields as in the proto."""

    subject: str
    version: int
    stands: bytes
    records: tuple[bytes, ...]
    until: int
    close_board: bool
    reason: str


@dataclass(frozen=True, slots=True)
class ReplaySeated:
    """A board is played again by a ruling: the seats of table `replaces` at a table of its own (C10.6). Its deal is committed."""

    round: int
    board: int
    attempt: int
    table: SeatedTable
    replaces: str
    deals_batch: int


@dataclass(frozen=True, slots=True)
class BoardReplayed:
    """A replayed board is closed."""

    table: str


Event = (
    ChampionshipCreated
    | EntrantsImported
    | EntrantsImportClosed
    | EntrantWithdrawn
    | OfficialAppointed
    | OfficialSuspended
    | RegulationsPublished
    | RegistrationClosed
    | RoundSeated
    | RoundPaired
    | RoundStarted
    | RoundClosed
    | SeatingOverridden
    | CompetitionEnded
    | ChampionshipSealed
    | VenueConfirmed
    | PersonErased
    | ForkDecided
    | ReplaySeated
    | BoardReplayed
)

# Commands


@dataclass(frozen=True, slots=True)
class SeatReplay:
    """Seat a board that scoring's log has superseded; its deal stands committed."""

    round: int
    board: int
    attempt: int
    table: str
    replaces: str
    deals_batch: int


@dataclass(frozen=True, slots=True)
class EndReplay:
    """A replay's table has closed its board."""

    table: str


@dataclass(frozen=True, slots=True)
class CreateChampionship:
    """Create it with settings that were resolved and checked."""

    settings: Settings
    trusted_keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ImportEntrants:
    """One chunk of an import, in order from 0."""

    import_id: str
    chunk: int
    entrants: tuple[Entrant, ...]


@dataclass(frozen=True, slots=True)
class CloseImport:
    """Make the chunks of an import count."""

    import_id: str


@dataclass(frozen=True, slots=True)
class WithdrawEntrant:
    """Withdraw an entrant (C1.6)."""

    entrant: int
    reason: str


@dataclass(frozen=True, slots=True)
class AppointOfficial:
    """Appoint a person to an office."""

    person_id: str
    role: str
    unit_id: str


@dataclass(frozen=True, slots=True)
class SuspendOfficial:
    """End an office (C9.2)."""

    person_id: str
    role: str
    reason: str


@dataclass(frozen=True, slots=True)
class PublishRegulations:
    """Publish supplementary regulations before round 1 (C9.5)."""

    text: str


@dataclass(frozen=True, slots=True)
class CloseRegistration:
    """Fix the entrant list of round 1."""


@dataclass(frozen=True, slots=True)
class SeatTables:
    """One chunk of a round's tables, in order; chunk 0 begins anew."""

    round: int
    chunk: int
    tables: tuple[SeatedTable, ...]


@dataclass(frozen=True, slots=True)
class PairRound:
    """Fix the seats that the chunks gave; `seating_digest` says which those must be."""

    round: int
    chunks: int
    basis: str
    publication: int
    standings_digest: bytes
    deals_batch: int
    deals_root: bytes
    seating_digest: bytes
    byes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class StartRound:
    """Let the tables of a paired round open."""

    round: int


@dataclass(frozen=True, slots=True)
class CloseRound:
    """Close a running round; a reason when boards are missing."""

    round: int
    reason: str


@dataclass(frozen=True, slots=True)
class EndCompetition:
    """End the competition between two rounds."""

    reason: str


@dataclass(frozen=True, slots=True)
class OverrideSeating:
    """Change seats before a round starts (C9.2); tables that are not named stay as they are."""

    round: int
    tables: tuple[SeatedTable, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class SealChampionship:
    """Seal: root and signature are made by the service over what the log holds."""

    root: bytes
    signature: bytes
    key: str
    publication: int
    public_key: bytes


@dataclass(frozen=True, slots=True)
class ConfirmVenue:
    """Confirm the on-site checklist (C11.2)."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ErasePerson:
    """Erase what is known of a person beside its id."""

    person_id: str


@dataclass(frozen=True, slots=True)
class DecideFork:
    """Decide which history of a table stands; fields as in the event."""

    subject: str
    version: int
    stands: bytes
    records: tuple[bytes, ...]
    until: int
    close_board: bool
    reason: str


Command = (
    CreateChampionship
    | ImportEntrants
    | CloseImport
    | WithdrawEntrant
    | AppointOfficial
    | SuspendOfficial
    | PublishRegulations
    | CloseRegistration
    | SeatTables
    | PairRound
    | StartRound
    | CloseRound
    | EndCompetition
    | OverrideSeating
    | SealChampionship
    | ConfirmVenue
    | ErasePerson
    | DecideFork
    | SeatReplay
    | EndReplay
)

# State


@dataclass(frozen=True, slots=True)
class Round:
    """One round. `chunks` are tables on their way, `tables` those that count, `paired` those that the pairing gave."""

    number: int
    chunks: tuple[tuple[SeatedTable, ...], ...] = ()
    tables: tuple[SeatedTable, ...] = ()
    paired: tuple[SeatedTable, ...] = ()
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
    regulations: int = 0
    registration: RegistrationClosed | None = None
    registered: tuple[int, ...] = ()
    rounds: tuple[Round, ...] = ()
    ended_us: int = 0
    seal: ChampionshipSealed | None = None
    venue: VenueConfirmed | None = None
    erased: frozenset[str] = frozenset()
    """Persons of whom nothing but the id is known any more."""
    replays: tuple[ReplaySeated, ...] = ()
    replayed: frozenset[str] = frozenset()
    """Tables of replays whose board is closed."""

    @property
    def phase(self) -> str:
        """`registration`, `running`, `ended` or `sealed`."""
        if self.seal:
            return "sealed"
        if self.ended_us:
            return "ended"
        return "running" if self.registration else "registration"

    @property
    def next_round(self) -> int:
        """Number of the round that is paired next."""
        return 1 + sum(1 for one in self.rounds if one.pairing)

    def round(self, number: int) -> Round | None:
        """The round of that number (from 1), if it exists."""
        return self.rounds[number - 1] if 1 <= number <= len(self.rounds) else None

    def replays_of(self, number: int) -> tuple[SeatedTable, ...]:
        """Tables at which boards of a round are played again."""
        return tuple(one.table for one in self.replays if one.round == number)

    def chunks_of(self, import_id: str) -> tuple[tuple[Entrant, ...], ...]:
        """Chunks of an import that is not closed yet."""
        return next((chunks for name, chunks in self.imports if name == import_id), ())

    def active(self) -> tuple[int, ...]:
        """Entrants that are to be seated: not withdrawn, ascending."""
        return tuple(number for number in sorted(self.entrants) if number not in self.withdrawn)


def entrants_digest(entrants: Iterable[Entrant]) -> bytes:
    """Digest of an entrant list, in any order (`ledger.digests`)."""
    listed = sorted(entrants, key=lambda one: one.number)
    return digests.entrants_digest(
        (one.number, [(member.person_id, member.unit_id) for member in one.members]) for one in listed
    )


def seating_digest(tables: Iterable[SeatedTable]) -> bytes:
    """Digest of a round's tables in order (`ledger.digests`)."""
    return digests.seating_digest(
        (one.table, one.group, digests.places(one.entrants, one.members)) for one in tables
    )
