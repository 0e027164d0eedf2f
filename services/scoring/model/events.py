"""Scoring's decisions: corrections, voids, assigned percentages, penalties, publications (C2.2, C9.2, C10.6, C10.8).

Raw results are no decisions and stand in the tables' logs. Names and fields as in `protos/fupan/scoring/v1/events.proto`.
"""

from __future__ import annotations

from dataclasses import dataclass

from services.games.championship.results import replay_table

OFFICES = ("chief_referee", "deputy")
"""Who corrects a result by an act of its own (C9.2)."""

COMMITTEE = "arbitration"
"""Whose rulings are final (C10.7)."""


@dataclass(frozen=True, slots=True)
class Authority:
    """Where a decision comes from: `by` one of OFFICES, or COMMITTEE in an `appeal`."""

    by: str
    appeal: str
    reason: str


@dataclass(frozen=True, slots=True)
class StreamPosition:
    """Last sequence of a stream that counts."""

    stream: str
    sequence: int


@dataclass(frozen=True, slots=True)
class Cut:
    """How far each input stream was read: tables' and pairing's, which facts come from, and scoring's own, for the rulings."""

    positions: tuple[StreamPosition, ...]

    def at(self, stream: str) -> int | None:
        """How far a stream was read, None where it is not named."""
        return next((one.sequence for one in self.positions if one.stream == stream), None)

    def upto(self, stream: str, sequence: int) -> Cut:
        """The cut with one stream more."""
        return Cut((*self.positions, StreamPosition(stream, sequence)))

    def without(self, stream: str) -> Cut:
        """The cut of the other streams."""
        return Cut(tuple(one for one in self.positions if one.stream != stream))


@dataclass(frozen=True, slots=True)
class ResultCorrected:
    """Raw scores that count instead of the recorded ones."""

    table: str
    round: int
    board: int
    attempt: int
    scores: tuple[int, ...]
    authority: Authority


@dataclass(frozen=True, slots=True)
class BoardVoided:
    """No raw score counts; tenths of a percent by seat (C2.2)."""

    table: str
    round: int
    board: int
    attempt: int
    tenths: tuple[int, ...]
    authority: Authority


@dataclass(frozen=True, slots=True)
class PercentAssigned:
    """One entrant's percentage for a board."""

    entrant: int
    round: int
    board: int
    tenths: int
    authority: Authority


@dataclass(frozen=True, slots=True)
class PenaltySet:
    """A penalty on R; 0 lifts it."""

    penalty: str
    entrant: int
    tenths: int
    authority: Authority


@dataclass(frozen=True, slots=True)
class StandingsPublished:
    """Standings inside a cut, fixed under a number from 1."""

    number: int
    after_round: int
    cut: Cut
    digest: bytes
    entrants: int
    cause: str


@dataclass(frozen=True, slots=True)
class BoardSuperseded:
    """A replayed attempt counts instead of an earlier one."""

    table: str
    round: int
    board: int
    attempt: int
    by_table: str
    by_attempt: int
    authority: Authority


@dataclass(frozen=True, slots=True)
class ReplayOrdered:
    """Tables play a board again with one new deal, a new attempt; `instead_of`: by table, the attempt that it counts instead of."""

    round: int
    board: int
    attempt: int
    tables: tuple[str, ...]
    instead_of: tuple[int, ...]
    authority: Authority

    @property
    def boards(self) -> tuple[BoardSuperseded, ...]:
        """What that comes to at each table."""
        at, by = (self.round, self.board), self.attempt
        each = zip(self.tables, self.instead_of, strict=True)
        again = ((one, *at, earlier, replay_table(one, by), by, self.authority) for one, earlier in each)
        return tuple([BoardSuperseded(*one) for one in again])


@dataclass(frozen=True, slots=True)
class StandingsFixed:
    """A seal was announced (C10.8): every ruling before is in this publication, and nothing is decided until the seal or its
    withdrawal."""

    announcement: int
    publication: int


@dataclass(frozen=True, slots=True)
class StandingsReopened:
    """The announcement was withdrawn."""

    announcement: int


@dataclass(frozen=True, slots=True)
class StandingsSealed:
    """A publication became final."""

    publication: int
    digest: bytes


@dataclass(frozen=True, slots=True)
class CorrectionRefused:
    """A ruling that cannot be applied to the facts; the chief referee must see to it."""

    appeal: str
    reason: str
    clause: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class MatchCorrected:
    """The side that won a match and the levels of both sides, instead of what the table said (C8.2, C8.4)."""

    table: str
    round: int
    winner: int
    levels: tuple[str, ...]
    authority: Authority


@dataclass(frozen=True, slots=True)
class RulingRecalculated:
    """Arithmetic in a committee's ruling put right (C9.2, C10.7): its figures are what the workings come to.

    `ruling` is its number among all rulings, from 1; `figures` are scores, or tenths of a percent.
    """

    ruling: int
    working: tuple[str, ...]
    figures: tuple[int, ...]
    authority: Authority


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What a committee left as it is: a penalty by its name, an entrant's board, a table's board, or without a board its match."""

    table: str = ""
    round: int = 0
    board: int = 0
    entrant: int = 0
    penalty: str = ""


@dataclass(frozen=True, slots=True)
class ResultsConfirmed:
    """A committee rejected an appeal: what it was about stays as it is (C10.7)."""

    appeal: str
    confirmed: tuple[Confirmed, ...]


Ruling = ResultCorrected | BoardVoided | PercentAssigned | PenaltySet | BoardSuperseded | MatchCorrected
Event = (
    Ruling
    | ReplayOrdered
    | RulingRecalculated
    | StandingsPublished
    | StandingsFixed
    | StandingsReopened
    | StandingsSealed
    | CorrectionRefused
    | ResultsConfirmed
)
