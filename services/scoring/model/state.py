"""What was decided about a championship: the fold of scoring's events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from services.scoring.model.events import (
    COMMITTEE,
    BoardSuperseded,
    ResultsConfirmed,
    Ruling,
    RulingRecalculated,
    StandingsPublished,
    StandingsSealed,
)


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
    fixed: int = 0
    """The seal's announcement for which nothing was decided any more last, and that which was withdrawn last."""
    reopened: int = 0
    sealed: StandingsSealed | None = None
    refused: frozenset[str] = frozenset()
    confirmed: tuple[ResultsConfirmed, ...] = ()

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
