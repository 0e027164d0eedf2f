"""What happens in a championship. Names and fields as in `protos/fupan/pairing/v1/events.proto`."""

from __future__ import annotations

from dataclasses import dataclass

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
    interpreter: str = ""
    line_method: int = 0


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
    reason: str = ""


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
    """The seats of a round are fixed, and who has a bye (C1.5); where their order came from; of a play-off the rank, and why."""

    round: int
    tables: int
    digest: bytes
    basis: str
    publication: int
    standings_digest: bytes
    deals_batch: int
    deals_root: bytes
    byes: tuple[int, ...] = ()
    rank: int = 0
    reason: str = ""


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
class SealAnnounced:
    """The championship is about to be sealed (C10.8): until it is, or this announcement is withdrawn, nothing changes."""

    number: int


@dataclass(frozen=True, slots=True)
class SealWithdrawn:
    """What was announced cannot be sealed, and why."""

    number: int
    reason: str
    clause: str
    detail: str


@dataclass(frozen=True, slots=True)
class ChampionshipSealed:
    """Everything is final, under one signed root (C10.8). `key` is the fingerprint of `public_key`; `announcement` is that which it
    follows, 0 in older records."""

    root: bytes
    signature: bytes
    key: str
    publication: int
    public_key: bytes
    announcement: int = 0


@dataclass(frozen=True, slots=True)
class VenueConfirmed:
    """A referee confirmed the on-site checklist (C11.2)."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RulingOverturned:
    """The chief referee overturned a ruling after the round of its table was closed (C9.2); the new one is appealed as `ruling`."""

    ruling: str
    overturns: str
    text: str
    clause: str
    reason: str


@dataclass(frozen=True, slots=True)
class ConductRecorded:
    """A referee recorded conduct of the catalogue at no table (C11.1); fields as in the proto. `reason` of older versions."""

    code: str
    outcome: str
    reason: str = ""
    entrant: int = 0
    person_id: str = ""
    round: int = 0
    reason_digest: bytes = b""


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
    """A board is played again by a ruling: the seats of table `replaces` at a table of its own (C10.6). Its deal is committed.

    `tables`: how many play this attempt; 0, in older records, is this one alone.
    """

    round: int
    board: int
    attempt: int
    table: SeatedTable
    replaces: str
    deals_batch: int
    tables: int = 1


@dataclass(frozen=True, slots=True)
class ReseatingRefused:
    """A committee ruled seats that a round cannot have any more; the chief referee must see to it (C10.6)."""

    appeal: str
    reason: str
    clause: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class SeatsConfirmed:
    """A committee rejected an appeal that asked for other seats: these tables of a round stay as they are (C10.7)."""

    appeal: str
    round: int
    tables: tuple[str, ...]


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
    | SealAnnounced
    | SealWithdrawn
    | ChampionshipSealed
    | VenueConfirmed
    | PersonErased
    | ForkDecided
    | ReplaySeated
    | BoardReplayed
    | ReseatingRefused
    | SeatsConfirmed
    | ConductRecorded
    | RulingOverturned
)
