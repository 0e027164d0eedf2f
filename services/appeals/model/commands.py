"""What an appeal is asked to do (C10)."""

from __future__ import annotations

from dataclasses import dataclass

from services.appeals.model.events import Contested, OpenedBallot, PanelMember, Remedy


@dataclass(frozen=True, slots=True)
class FileAppeal:
    """File; window, fee and calendar as the service resolved them from the event's settings."""

    appeal: str
    entrant: int
    contested: Contested
    grounds_digest: bytes
    sought: tuple[Remedy, ...]
    window_ends_us: int
    fee_amount: int
    fee_currency: str
    answer_due_us: int
    calendar: str
    beyond_calendar: bool = False


@dataclass(frozen=True, slots=True)
class RecordFee:
    """Record the fee; window and due time as they stand now."""

    amount: int
    currency: str
    reference: str
    window_ends_us: int
    answer_due_us: int
    calendar: str
    beyond_calendar: bool = False


@dataclass(frozen=True, slots=True)
class LapseAppeal:
    """The window ended without the fee."""

    window_ends_us: int


@dataclass(frozen=True, slots=True)
class AppointPanel:
    """Appoint a panel whose members were checked for conflicts."""

    members: tuple[PanelMember, ...]
    reserves: tuple[PanelMember, ...]
    voting_deadline_us: int
    ballot_key: bytes


@dataclass(frozen=True, slots=True)
class DeclareConflict:
    """A member declares a conflict of its own."""

    person_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class CastBallot:
    """Cast the actor's sealed ballot; for whom it was sealed, and to which key."""

    commitment: bytes
    sealed_opening: bytes
    member: str
    ballot_key: bytes


@dataclass(frozen=True, slots=True)
class CloseVoting:
    """The deadline passed: reserves take the places of those who did not vote."""


@dataclass(frozen=True, slots=True)
class DissolvePanel:
    """Dissolve a panel beside which another one, appointed before, judges the same thing (C10.7)."""

    judged_in: str


@dataclass(frozen=True, slots=True)
class DecideAppeal:
    """Count the ballots that the released key opened. `remedies`: those sought on which no committee has ruled (C10.7)."""

    ballots: tuple[OpenedBallot, ...]
    unreadable: tuple[str, ...]
    text: str
    text_zh: str
    remedies: tuple[Remedy, ...]


@dataclass(frozen=True, slots=True)
class WithdrawAppeal:
    """Withdraw before the vote."""


@dataclass(frozen=True, slots=True)
class DismissAppeal:
    """Another appeal has brought the committee's ruling on what is contested here."""

    ruled_in: str


@dataclass(frozen=True, slots=True)
class AssembleCase:
    """Freeze an edition of the case file, whose bytes are kept already."""

    edition: int
    digest: bytes
    size: int
    complete: bool


@dataclass(frozen=True, slots=True)
class OpenCase:
    """Hand an edition of the case file to the actor."""

    edition: int


@dataclass(frozen=True, slots=True)
class GiveReminder:
    """Remind of a deadline, once."""

    about: str
    deadline_us: int
    persons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SettleRuling:
    """Say how a part that was not carried out has been dealt with; when that was refused (µs since 1970), 0: there is none."""

    text: str
    refused_us: int


Command = (
    FileAppeal
    | RecordFee
    | LapseAppeal
    | AppointPanel
    | DeclareConflict
    | CastBallot
    | CloseVoting
    | DissolvePanel
    | DecideAppeal
    | WithdrawAppeal
    | DismissAppeal
    | AssembleCase
    | OpenCase
    | GiveReminder
    | SettleRuling
)
