"""What happens in one appeal from filing to ruling (C10). Names and fields as in `protos/fupan/appeals/v1/events.proto`."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ContestedBoard:
    """A board's result at one table."""

    table: str
    round: int
    board: int
    attempt: int


@dataclass(frozen=True, slots=True)
class ContestedRuling:
    """A referee's ruling. `at`: the board on which it was made, as found when the appeal was filed; it is the same ruling without,
    as in appeals of older versions."""

    ruling: str
    at: ContestedBoard | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ContestedPublication:
    """A publication of standings."""

    publication: int


@dataclass(frozen=True, slots=True)
class ContestedPairing:
    """A round's pairing."""

    round: int


Contested = ContestedBoard | ContestedRuling | ContestedPublication | ContestedPairing


def board_of(contested: Contested) -> ContestedBoard | None:
    """The board that is contested, or on which the contested ruling was made."""
    if isinstance(contested, ContestedRuling):
        return contested.at
    return contested if isinstance(contested, ContestedBoard) else None


@dataclass(frozen=True, slots=True)
class RemedyAuthority:
    """By which authority a remedy is applied."""

    by: str
    appeal: str
    reason: str


@dataclass(frozen=True, slots=True)
class CorrectResult:
    """A corrected score."""

    table: str
    round: int
    board: int
    attempt: int
    scores: tuple[int, ...]
    authority: RemedyAuthority


@dataclass(frozen=True, slots=True)
class VoidBoard:
    """A voided board."""

    table: str
    round: int
    board: int
    attempt: int
    tenths: tuple[int, ...]
    authority: RemedyAuthority


@dataclass(frozen=True, slots=True)
class AssignPercent:
    """An assigned percentage."""

    entrant: int
    round: int
    board: int
    tenths: int
    authority: RemedyAuthority


@dataclass(frozen=True, slots=True)
class SetPenalty:
    """A penalty added or lifted."""

    penalty: str
    entrant: int
    tenths: int
    authority: RemedyAuthority


@dataclass(frozen=True, slots=True)
class CorrectMatch:
    """Another winner of a match, a side, and other levels (C8.2)."""

    table: str
    round: int
    winner: int
    levels: tuple[str, ...]
    authority: RemedyAuthority


@dataclass(frozen=True, slots=True)
class ReplayBoard:
    """A replayed board: the same seats, another deal, at a table of its own."""

    table: str
    round: int
    board: int
    attempt: int
    authority: RemedyAuthority


@dataclass(frozen=True, slots=True)
class TableSeats:
    """Entrants of a table by seat, 0 for house AI."""

    table: str
    entrants: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReseatRound:
    """Other seats for a round that has not begun; tables that are not named stay as they are."""

    round: int
    tables: tuple[TableSeats, ...]
    authority: RemedyAuthority


Remedy = CorrectResult | VoidBoard | AssignPercent | SetPenalty | CorrectMatch | ReplayBoard | ReseatRound


@dataclass(frozen=True, slots=True)
class PanelMember:
    """An arbitrator and its unit."""

    person_id: str
    unit_id: str


@dataclass(frozen=True, slots=True)
class OpenedBallot:
    """A vote with the random bytes that prove it was the one cast."""

    member: str
    uphold: bool
    opening: bytes


# Events


@dataclass(frozen=True, slots=True)
class AppealFiled:
    """Filed in writing, inside the window (C10.1)."""

    appeal: str
    entrant: int
    contested: Contested
    grounds_digest: bytes
    sought: tuple[Remedy, ...]
    window_ends_us: int
    fee_amount: int
    fee_currency: str


@dataclass(frozen=True, slots=True)
class FeeRecorded:
    """Filing and fee are received; the answer is due (C10.2, C10.5), `beyond_calendar` on a day of a year whose moved working days
    the calendar did not know."""

    amount: int
    currency: str
    reference: str
    answer_due_us: int
    calendar: str
    beyond_calendar: bool = False


@dataclass(frozen=True, slots=True)
class AppealLapsed:
    """Unpaid at the end of the window: not filed (C10.2)."""


@dataclass(frozen=True, slots=True)
class PanelAppointed:
    """An odd panel of at least three (C10.3)."""

    members: tuple[PanelMember, ...]
    reserves: tuple[PanelMember, ...]
    ballot_key: bytes
    voting_deadline_us: int


@dataclass(frozen=True, slots=True)
class ConflictDeclared:
    """A member stepped back (C10.3)."""

    person_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class MemberReplaced:
    """A reserve stepped in (C10.4)."""

    person_id: str
    by: PanelMember
    cause: str


@dataclass(frozen=True, slots=True)
class VotingOpened:
    """The panel may vote."""

    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BallotCast:
    """A sealed ballot (C10.4)."""

    member: str
    commitment: bytes
    sealed_opening: bytes


@dataclass(frozen=True, slots=True)
class VotingClosed:
    """All ballots are in."""

    ballots: int
    ballots_digest: bytes


@dataclass(frozen=True, slots=True)
class BallotRejected:
    """A ballot that does not open to what was committed to."""

    member: str
    reason: str


@dataclass(frozen=True, slots=True)
class PanelDissolved:
    """Another panel, appointed before, judges the same thing, in the appeal `judged_in` (C10.7)."""

    judged_in: str


@dataclass(frozen=True, slots=True)
class AppealDecided:
    """The committee's ruling, final (C10.6, C10.7)."""

    upheld: bool
    votes_for: int
    votes_against: int
    ballots: tuple[OpenedBallot, ...]
    remedies: tuple[Remedy, ...]
    text: str
    text_zh: str
    left: tuple[Remedy, ...] = ()


@dataclass(frozen=True, slots=True)
class FeeRefunded:
    """Upheld: the fee goes back (C10.6)."""

    amount: int
    currency: str


@dataclass(frozen=True, slots=True)
class FeeKept:
    """Rejected or withdrawn: the fee is kept (C10.6)."""

    amount: int
    currency: str


@dataclass(frozen=True, slots=True)
class AppealWithdrawn:
    """The appellant withdrew it before the vote."""


@dataclass(frozen=True, slots=True)
class AppealDismissed:
    """The committee ruled on the same thing in another appeal (C10.7)."""

    ruled_in: str


@dataclass(frozen=True, slots=True)
class CaseAssembled:
    """An edition of the case file (from 1), frozen under its SHA-256; after a complete one another follows where that is lost."""

    edition: int
    digest: bytes
    size: int
    complete: bool


@dataclass(frozen=True, slots=True)
class CaseOpened:
    """The actor was handed an edition of the case file."""

    edition: int


@dataclass(frozen=True, slots=True)
class ReminderGiven:
    """A deadline comes near; whom it waits for, the organiser where nobody is named."""

    about: str
    deadline_us: int
    persons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RulingSettled:
    """A chief referee has dealt with the part of the ruling that was refused then (µs since 1970), and says how (C10.6).

    Not `alone`, in records of older versions: with all that was refused until then.
    """

    text: str
    refused_us: int
    alone: bool = False


Event = (
    AppealFiled
    | FeeRecorded
    | AppealLapsed
    | PanelAppointed
    | ConflictDeclared
    | MemberReplaced
    | VotingOpened
    | BallotCast
    | VotingClosed
    | BallotRejected
    | PanelDissolved
    | AppealDecided
    | FeeRefunded
    | FeeKept
    | AppealWithdrawn
    | AppealDismissed
    | CaseAssembled
    | CaseOpened
    | ReminderGiven
    | RulingSettled
)
