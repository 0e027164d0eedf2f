"""Scoring's decisions: corrections, voids, assigned percentages, penalties, publications (C2.2, C9.2, C10.6, C10.8).

Raw results are no decisions and stand in the tables' logs. Names and fields as in `protos/fupan/scoring/v1/events.proto`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

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
    """How far each input stream was read."""

    positions: tuple[StreamPosition, ...]


# Events


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


Ruling = ResultCorrected | BoardVoided | PercentAssigned | PenaltySet | BoardSuperseded | MatchCorrected
Event = Ruling | ReplayOrdered | RulingRecalculated | StandingsPublished | StandingsSealed | CorrectionRefused

# Commands


@dataclass(frozen=True, slots=True)
class CorrectResult:
    """Correct raw scores; they sum to zero."""

    table: str
    round: int
    board: int
    attempt: int
    scores: tuple[int, ...]
    authority: Authority


@dataclass(frozen=True, slots=True)
class VoidBoard:
    """Void a table's board."""

    table: str
    round: int
    board: int
    attempt: int
    tenths: tuple[int, ...]
    authority: Authority


@dataclass(frozen=True, slots=True)
class AssignPercent:
    """Assign a percentage."""

    entrant: int
    round: int
    board: int
    tenths: int
    authority: Authority


@dataclass(frozen=True, slots=True)
class SetPenalty:
    """Set or lift a penalty."""

    penalty: str
    entrant: int
    tenths: int
    authority: Authority


@dataclass(frozen=True, slots=True)
class PublishStandings:
    """Fix standings the service computed inside a cut."""

    cause: str
    after_round: int
    cut: Cut
    digest: bytes
    entrants: int
    rulings: int


@dataclass(frozen=True, slots=True)
class SupersedeBoard:
    """Let a replayed attempt count."""

    table: str
    round: int
    board: int
    attempt: int
    by_table: str
    by_attempt: int
    authority: Authority


@dataclass(frozen=True, slots=True)
class ReplayBoard:
    """Have a board played again; that attempt counts instead."""

    table: str
    round: int
    board: int
    attempt: int
    authority: Authority


@dataclass(frozen=True, slots=True)
class OrderReplay:
    """Have a board played again at some tables, with one new deal for all of them (C9.2).

    `after`: the newest attempt at it that they have played, 1 where none was played again. What was ordered since comes first.
    """

    round: int
    board: int
    tables: tuple[str, ...]
    authority: Authority
    after: int = 1


@dataclass(frozen=True, slots=True)
class RecalculateRuling:
    """Put the arithmetic of a committee's ruling right: which of the remedies it ruled in an appeal, from 1, and the workings."""

    appeal: str
    remedy: int
    working: tuple[str, ...]
    authority: Authority


@dataclass(frozen=True, slots=True)
class SealStandings:
    """Make a publication final."""

    publication: int


@dataclass(frozen=True, slots=True)
class CorrectMatch:
    """Correct the winner of a match, a side, and the levels."""

    table: str
    round: int
    winner: int
    levels: tuple[str, ...]
    authority: Authority


@dataclass(frozen=True, slots=True)
class TableSeats:
    """Entrants of a table by seat, 0 for house AI."""

    table: str
    entrants: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReseatRound:
    """Seat a round that has not begun otherwise: pairing's to carry out, and no ruling of ours."""

    round: int
    tables: tuple[TableSeats, ...]
    authority: Authority


Result = CorrectResult | VoidBoard | AssignPercent | SetPenalty | CorrectMatch
Remedy = Result | ReplayBoard
Correction = Result | SupersedeBoard
Order = Correction | OrderReplay | RecalculateRuling
"""What a chief referee commands (C9.2)."""


@dataclass(frozen=True, slots=True)
class ApplyRuling:
    """All remedies of an upheld appeal at once; `refused`: why they do not fit the facts, empty where they do, as was found out
    when there were so many `rulings`; with its clause and English sentence."""

    appeal: str
    remedies: tuple[Remedy, ...]
    refused: str
    rulings: int = 0
    clause: str = ""
    detail: str = ""


Command = Order | ApplyRuling | PublishStandings | SealStandings

# State


@dataclass(frozen=True, slots=True)
class Ruled:
    """One ruling with its place among the rulings (from 1), its record's version and time.

    Where it puts another one's arithmetic right, `event` is that one with its new figures.
    """

    number: int
    version: int
    time_us: int
    event: Ruling
    recalculated: RulingRecalculated | None = None


@dataclass(frozen=True, slots=True)
class Published:
    """A publication with its record's version and time."""

    version: int
    time_us: int
    event: StandingsPublished


@dataclass(frozen=True)
class Ledger:
    """The fold of one championship's decisions. `refused`: appeals whose remedies could not be applied.

    Without slots: what is looked up in it is put in order once. A whole field may have played a board again.
    """

    rulings: tuple[Ruled, ...] = ()
    publications: tuple[Published, ...] = ()
    sealed: StandingsSealed | None = None
    refused: frozenset[str] = frozenset()

    @property
    def unpublished(self) -> bool:
        """Whether a ruling is younger than the newest publication."""
        if not self.rulings:
            return False
        return not self.publications or self.rulings[-1].version > self.publications[-1].version

    @property
    def after_round(self) -> int:
        """The last round that is published, 0 for none."""
        return max((one.event.after_round for one in self.publications), default=0)

    def publication(self, number: int) -> Published | None:
        """The publication of that number."""
        return self.publications[number - 1] if 1 <= number <= len(self.publications) else None

    def published_at(self, time_us: int) -> Published | None:
        """The last publication at or before a time."""
        earlier = [one for one in self.publications if one.time_us <= time_us]
        return earlier[-1] if earlier else None

    def replay(self, table: str) -> BoardSuperseded | None:
        """The ruling that had a board played again at this table, None where it is one of a round's own."""
        return self._at.get(table)

    def again(self, table: str, round_: int, board: int) -> BoardSuperseded | None:
        """The ruling that had a table's board played again last, None where none had."""
        return self._again.get((table, round_, board))

    def attempt(self, table: str, round_: int, board: int) -> int:
        """The attempt of a table's board that was ordered last, 1 where none was."""
        order = self.again(table, round_, board)
        return 1 if order is None else order.by_attempt

    def attempts(self, round_: int) -> int:
        """The newest attempt of any board of a round: so every one has tables and a deal of its own."""
        return self._attempts.get(round_, 1)

    def final(self, appeal: str) -> tuple[Ruled, ...]:
        """The committee's rulings in other appeals than `appeal` (C10.7)."""
        return tuple(one for one in self._committees if one.event.authority.appeal != appeal)

    @cached_property
    def _at(self) -> Mapping[str, BoardSuperseded]:
        orders = (one.event for one in self.rulings if isinstance(one.event, BoardSuperseded))
        return {one.by_table: one for one in orders}

    @cached_property
    def _again(self) -> Mapping[tuple[str, int, int], BoardSuperseded]:
        return {(one.table, one.round, one.board): one for one in self._at.values()}

    @cached_property
    def _attempts(self) -> Mapping[int, int]:
        ascending = sorted(self._at.values(), key=lambda one: one.by_attempt)
        return {one.round: one.by_attempt for one in ascending}

    @cached_property
    def _committees(self) -> tuple[Ruled, ...]:
        return tuple(one for one in self.rulings if one.event.authority.by == COMMITTEE)

    def before(self, version: int) -> tuple[Ruled, ...]:
        """The rulings in records before a version."""
        return tuple(one for one in self.rulings if one.version < version)
