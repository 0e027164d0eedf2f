"""What happens at a table: facts, one to one with `Event` in protos/fupan/table/v1/events.proto.

The game's own events stand between these as they are (`services.games`). Times are microseconds since 1970, lists go by seat.
What comes with every move is a named tuple, which is made at a third of the price of a frozen dataclass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True)
class Seat:
    """One seat: the entrant it counts for, 0 for house AI, and the person that may act there."""

    entrant: int
    person_id: str


@dataclass(frozen=True, slots=True)
class BoardSlot:
    """A board that the table will play."""

    board: int
    attempt: int


class Question(NamedTuple):
    """A question open to a seat: `play`, `claim`, `bid` or `bury`. `ask` counts the seat's questions on this board from 1."""

    seat: int
    ask: int
    question: str
    shown_us: int
    deadline_us: int
    demo_thinking_us: int = 0


@dataclass(frozen=True, slots=True)
class MatchTerms:
    """What ends a match beside rising past A (C8.2, C8.3): its time, ms, and its number of scored deals; 0: no limit.

    With `real_cards` nothing is dealt here, and a score sheet says how it came out (C8.6).
    """

    time_ms: int
    deals: int
    a_is_a_level: bool
    real_cards: bool = False


@dataclass(frozen=True, slots=True)
class MatchDeal:
    """How a deal of a match came out, and the levels after it, by side."""

    deal: int
    level: str
    declarer: int
    trump: str
    points: int
    voided: bool
    levels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MatchStanding:
    """Where a match stands before a deal; fields as in the proto."""

    levels: tuple[str, ...]
    reached: tuple[int, ...]
    declarer: int | None
    first_drawer: int
    deals: int
    voided: int
    last: MatchDeal | None
    started_us: int
    ends_us: int
    deciding: str


@dataclass(frozen=True, slots=True)
class TableOpened:
    """A table of a paired round begins to exist; everything it needs to play stands here."""

    championship: str
    table: str
    round: int
    group: int
    seats: tuple[Seat, ...]
    boards: tuple[BoardSlot, ...]
    ruleset: str
    params: str
    play_clock_ms: int
    claim_clock_ms: int
    claim_floor_ms: int
    join_wait_ms: int
    board_pause_ms: int
    board_deadline_us: int
    demo: bool
    demo_seed: int
    bury_clock_ms: int = 0
    deal_pace_ms: int = 0
    bid_clock_ms: int = 0
    match: MatchTerms | None = None
    real_cards: bool = False
    """Of boards: nothing is dealt here, and a referee enters how each came out (C1.3)."""
    tells_seats: bool = False
    """Who is given a seat while a board is open is told in the clear; older versions do not."""
    confirms_seats: bool = False
    """Nobody who is given a seat answers there before that is confirmed; in older versions who sat down did."""


@dataclass(frozen=True, slots=True)
class BoardEntered:
    """How a board with real cards came out, as a referee entered it; fields as in the proto (S9.6)."""

    board: int
    attempt: int
    points: int
    agreed: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class SeatJoined:
    """A player has sat down."""

    seat: int


@dataclass(frozen=True, slots=True)
class BoardOpened:
    """The board's deal may be fetched; from here on its records are sealed. In a match boards are its deals."""

    board: int
    attempt: int
    match: MatchStanding | None = None


@dataclass(frozen=True, slots=True)
class BoardDealt:
    """The deal of the board's leaf, one byte a card in dealing order (P3, S3.1), and of a match's first deal the first drawer by
    lot (S3.2)."""

    deal: bytes
    first_drawer: int | None = None


@dataclass(frozen=True, slots=True)
class DealingStarted:
    """A card is drawn every `pace_us` from `start_us` on: which one is the newest follows from time (S3.1)."""

    start_us: int
    pace_us: int


class Acted(NamedTuple):
    """A seat answered a question, or its clock or house AI answered for it; fields as in the proto."""

    seat: int
    automatic: bool
    thinking_us: int
    question: str
    asked_us: int
    delivered_us: int
    received_us: int
    rtt_us: int
    reconnects: int


class Asked(NamedTuple):
    """Every question open from here on; what is not listed is closed."""

    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Paced:
    """When each tile of this record is shown, one entry a tile played or drawn."""

    shown_us: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BoardFinished:
    """The board was played to its end (C2.1); times are all thinking and the part spent on plays (C4.3)."""

    board: int
    attempt: int
    scores: tuple[int, ...]
    drawn: bool
    thinking_us: tuple[int, ...]
    playing_us: tuple[int, ...]
    taken_over: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BoardClosedUnfinished:
    """The board has no raw score (C2.2)."""

    board: int
    attempt: int
    reason: str


@dataclass(frozen=True, slots=True)
class TablePaused:
    """Clocks stand still and nobody may act."""

    reason: str


@dataclass(frozen=True, slots=True)
class TableResumed:
    """Play goes on; open questions with what was left of their time, and the end of a match moved by the pause."""

    questions: tuple[Question, ...]
    match_ends_us: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ClockExtended:
    """An outage on our side does not count; open questions with their new deadlines."""

    questions: tuple[Question, ...]
    outage_us: int
    reason: str
    match_ends_us: int = 0


@dataclass(frozen=True, slots=True)
class InfringementRecorded:
    """A referee recorded an infringement of the catalogue (C11.1, S10); `fine` points are moved in the running deal (S9.2)."""

    seat: int
    code: str
    outcome: str
    reason: str
    fine: int = 0


@dataclass(frozen=True, slots=True)
class RulingMade:
    """A referee ruled (C9.3); `ruling` is the id by which it is appealed. The chief referee may overturn an earlier one (C9.2)."""

    ruling: str
    text: str
    clause: str
    overturns: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SeatReplaced:
    """From the next decision on somebody else acts for the seat; no person: house AI (C1.6).

    `sits_at`: the table where who sat here was given a seat in the same moment, which counts; nothing was shown here yet.
    """

    seat: int
    person_id: str
    reason: str
    sits_at: str = ""


@dataclass(frozen=True, slots=True)
class SeatConfirmed:
    """The seat that a person was given counts: none at another table keeps it from this one (C1.6, C6.4)."""

    seat: int


@dataclass(frozen=True, slots=True)
class RefereeCalled:
    """A player asked for a referee (C9.3)."""

    seat: int
    reason: str


@dataclass(frozen=True, slots=True)
class TableSealed:
    """The table is finished: `head`, the hash of the record before this one, signed."""

    head_version: int
    head: bytes
    signature: bytes
    key: str
    public_key: bytes


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """A match is over (C8.2, C8.3); fields as in the proto, no winner when nothing decided it."""

    round: int
    winner: int | None
    levels: tuple[str, ...]
    past_a: tuple[bool, ...]
    net_levels: int
    deals: int
    clause: str
    started_us: int
    ended_us: int


Event = Any
"""One of the classes above, or an event of the game that is played."""
