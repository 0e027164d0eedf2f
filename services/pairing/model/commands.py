"""What a championship is asked to do. Names and fields as in `protos/fupan/pairing/v1/events.proto`."""

from __future__ import annotations

from dataclasses import dataclass

from services.pairing.model.events import Entrant, SeatedTable, Settings


@dataclass(frozen=True, slots=True)
class SeatReplay:
    """Seat a board that scoring's log has superseded; its deal stands committed, `tables` play it."""

    round: int
    board: int
    attempt: int
    table: str
    replaces: str
    deals_batch: int
    tables: int


@dataclass(frozen=True, slots=True)
class ReseatRound:
    """Change seats of a round as a committee ruled in an appeal (C10.6); tables that are not named stay as they are."""

    appeal: str
    round: int
    tables: tuple[SeatedTable, ...]


@dataclass(frozen=True, slots=True)
class ConfirmSeats:
    """Leave tables of a round as they are, for which a rejected appeal asked for other seats (C10.7)."""

    appeal: str
    round: int
    tables: tuple[str, ...]


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
    reason: str = ""


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
class OrderPlayoff:
    """Have a shared rank played off (C4.5): its tables, and who shares it and has withdrawn."""

    round: int
    rank: int
    reason: str
    tables: tuple[SeatedTable, ...]
    absent: tuple[int, ...]
    publication: int
    standings_digest: bytes
    deals_batch: int
    deals_root: bytes


@dataclass(frozen=True, slots=True)
class AnnounceSeal:
    """Say that the championship is about to be sealed (C10.8)."""


@dataclass(frozen=True, slots=True)
class WithdrawSeal:
    """Say why what was announced cannot be sealed; fields as in the event."""

    number: int
    reason: str
    clause: str
    detail: str


@dataclass(frozen=True, slots=True)
class SealChampionship:
    """Seal what was announced: root and signature are made by the service over what the log holds."""

    root: bytes
    signature: bytes
    key: str
    publication: int
    public_key: bytes
    announcement: int = 0


@dataclass(frozen=True, slots=True)
class ConfirmVenue:
    """Confirm the on-site checklist (C11.2)."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecordConduct:
    """Record conduct at no table (C11.1); fields as in the event."""

    code: str
    outcome: str
    reason: str = ""
    entrant: int = 0
    person_id: str = ""
    round: int = 0
    reason_digest: bytes = b""


@dataclass(frozen=True, slots=True)
class OverturnRuling:
    """Overturn a ruling of a referee (C9.2); fields as in the event."""

    ruling: str
    overturns: str
    text: str
    clause: str
    reason: str


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
    | AnnounceSeal
    | WithdrawSeal
    | SealChampionship
    | ConfirmVenue
    | ErasePerson
    | DecideFork
    | SeatReplay
    | EndReplay
    | ReseatRound
    | ConfirmSeats
    | OrderPlayoff
    | RecordConduct
    | OverturnRuling
)
