"""What a table may be told: orders, one to one with `Command` in protos/fupan/table/v1/events.proto."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from services.table.model.events import TableOpened
from services.table.model.sheets import SheetCommand


@dataclass(frozen=True, slots=True)
class OpenTable:
    """Open a table; `params` of it may be overrides only, they are resolved."""

    table: TableOpened


@dataclass(frozen=True, slots=True)
class JoinSeat:
    """Sit down."""

    seat: int


@dataclass(frozen=True, slots=True)
class OpenBoard:
    """Begin the next board."""

    board: int
    attempt: int


@dataclass(frozen=True, slots=True)
class DealBoard:
    """Lay out the deal that the dealer's leaf gives, one byte a card; for a match's first deal with the lot (S3.2)."""

    deal: bytes
    first_drawer: int | None = None


@dataclass(frozen=True, slots=True)
class DrawCards:
    """The last cards are drawn: decide what was bid (S4.4)."""


@dataclass(frozen=True, slots=True)
class Act:
    """Answer question `ask` of `seat` on `board` with an `action` of the game; 0: bid while cards are drawn, unasked.

    Times are microseconds since 1970 on the clock of the process that holds the seat's stream, 0 for unknown. They are no part of
    what was said and are stored in Acted alone.
    """

    board: int
    seat: int
    ask: int
    action: Any
    delivered_us: int = 0
    received_us: int = 0
    rtt_us: int = 0
    reconnects: int = 0


@dataclass(frozen=True, slots=True)
class ExpireClock:
    """The clock of a question has run out: let the fallback player answer (P12)."""

    seat: int
    ask: int


@dataclass(frozen=True, slots=True)
class CloseBoard:
    """Close the open board, or the next one, without a result (C2.2)."""

    reason: str


@dataclass(frozen=True, slots=True)
class PauseTable:
    """Stop play and clocks."""

    reason: str


@dataclass(frozen=True, slots=True)
class ResumeTable:
    """Let play go on; why, where there is something to say."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class ExtendClocks:
    """We were away for `outage_us` until now: open questions get their time back."""

    outage_us: int
    reason: str


@dataclass(frozen=True, slots=True)
class RecordInfringement:
    """Record an infringement: a row of the catalogue and the outcome the referee chose (C11.1, S10); `fine` in points."""

    seat: int
    code: str
    outcome: str
    reason: str
    fine: int = 0


@dataclass(frozen=True, slots=True)
class MakeRuling:
    """Rule on something at this table (C9.3), as the chief referee in place of an earlier ruling (C9.2)."""

    ruling: str
    text: str
    clause: str
    overturns: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ReplaceSeat:
    """Give a seat to another person, or to house AI when none is named (C1.6)."""

    seat: int
    person_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class GiveSeatBack:
    """Give a seat back to who had it before: the person who was given it by a record of that time was given one at another table
    at once, which counts."""

    seat: int
    person_id: str
    sits_at: str
    given_us: int


@dataclass(frozen=True, slots=True)
class ConfirmSeat:
    """Let a seat count that a person was given by a record of that time."""

    seat: int
    person_id: str
    given_us: int


@dataclass(frozen=True, slots=True)
class CallReferee:
    """Ask for a referee."""

    seat: int
    reason: str


@dataclass(frozen=True, slots=True)
class SealTable:
    """Seal the finished table with a signature over its head."""

    head_version: int
    head: bytes
    signature: bytes
    key: str
    public_key: bytes


@dataclass(frozen=True, slots=True)
class EnterBoard:
    """Enter how the next board came out, where it is played with real cards (C1.3): the defenders' P, and who agreed."""

    board: int
    points: int
    agreed: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class EndMatch:
    """Say how a match came out that is decided (C8.2, C8.3); with a reason also one that is not, settled as it stands."""

    reason: str = ""


Command = (
    OpenTable
    | JoinSeat
    | OpenBoard
    | DealBoard
    | DrawCards
    | Act
    | ExpireClock
    | CloseBoard
    | PauseTable
    | ResumeTable
    | ExtendClocks
    | RecordInfringement
    | MakeRuling
    | ReplaceSeat
    | GiveSeatBack
    | ConfirmSeat
    | CallReferee
    | SealTable
    | EndMatch
    | EnterBoard
    | SheetCommand
)
