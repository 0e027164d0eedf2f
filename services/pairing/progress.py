"""How far rounds are, read off the tables' own records: every closed board and every ended match is in the clear (C2, C8.2)."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from services.domain import Cause
from services.ledger.record import BoardClosing
from services.pairing.model.events import SeatedTable

FIRST_ATTEMPT = 1
SLOWEST = 10


@dataclass(slots=True)
class TableProgress:
    """Boards, or deals of a match, that a table has closed; whether its match has ended; when that was (µs since 1970)."""

    boards: set[int] = field(default_factory=set)
    last_us: int = 0
    match_ended: bool = False
    people: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)
    """Person by seat, empty for house AI, at the end of the first board and of each that ended with others (C1.6)."""

    def done(self, boards: int) -> bool:
        """Whether it has closed all `boards` of the round, or, where there are 0, ended its match."""
        return len(self.boards) >= boards if boards else self.match_ended

    def sat(self, closing: BoardClosing) -> None:
        """Note who sits there; whoever is not confirmed does not (`BoardClosing.instead`)."""
        people = closing.people
        if closing.instead:
            each = zip(people, closing.instead, closing.given_us, strict=True)
            people = tuple(before if given else person for person, before, given in each)
        if people and (not self.people or self.people[-1][1] != people):
            self.people.append((closing.board, people))


@dataclass(slots=True)
class RoundProgress:
    """One round; `boards_closed` and `matches_ended` at all tables together."""

    tables: dict[str, TableProgress] = field(default_factory=dict)
    boards_closed: int = 0
    matches_ended: int = 0
    closings: Counter[int] = field(default_factory=Counter)
    """By board: how many tables have closed it."""
    last: Cause | None = None
    """The record that closed a board, or ended a match, last."""

    def of(self, table: str) -> TableProgress:
        """One table's progress."""
        return self.tables.get(table) or TableProgress()

    def done(self, tables: int, boards: int) -> bool:
        """Whether so many tables have closed all `boards` of the round, or, where there are 0, ended their matches."""
        if boards:
            return self.boards_closed >= tables * boards
        return self.matches_ended >= tables

    def everywhere(self, tables: int) -> int:
        """Boards that all of so many tables have closed: all that may be known of an open board's other tables."""
        return len(self.boards_everywhere(tables))

    def boards_everywhere(self, tables: int) -> set[int]:
        """Which boards these are."""
        return {board for board, closed in self.closings.items() if closed >= tables}

    def behind(self, tables: Sequence[SeatedTable], boards: int) -> tuple[int, list[SeatedTable]]:
        """How many of `tables` have not closed all `boards`, and those of them that hold the round up most, SLOWEST at most."""
        played = [self.of(one.table) for one in tables]
        places = [place for place, one in enumerate(played) if not one.done(boards)]
        slowest = heapq.nsmallest(SLOWEST, places, key=lambda place: (len(played[place].boards), place))
        return len(places), [tables[place] for place in slowest]


class Progress:
    """All rounds of all championships. Attempts beyond the first belong to rulings, not to the round."""

    def __init__(self) -> None:
        self._rounds: dict[tuple[str, int], RoundProgress] = {}

    def closed(
        self, championship: str, table: str, closing: BoardClosing, time_us: int, record: Cause | None = None
    ) -> None:
        """Note one closed board and the record that says so."""
        if closing.attempt != FIRST_ATTEMPT:
            return
        played = self._rounds.setdefault((championship, closing.round), RoundProgress())
        progress = played.tables.setdefault(table, TableProgress())
        if closing.board not in progress.boards:
            progress.boards.add(closing.board)
            progress.sat(closing)
            played.boards_closed += 1
            played.closings[closing.board] += 1
            played.last = record
        progress.last_us = max(progress.last_us, time_us)

    def ended(self, championship: str, table: str, round_: int, time_us: int, record: Cause) -> None:
        """Note an ended match and the record that says so."""
        played = self._rounds.setdefault((championship, round_), RoundProgress())
        progress = played.tables.setdefault(table, TableProgress())
        if not progress.match_ended:
            progress.match_ended, progress.last_us = True, time_us
            played.matches_ended += 1
            played.last = record

    def of(self, championship: str, round_: int) -> RoundProgress:
        """One round."""
        return self._rounds.get((championship, round_)) or RoundProgress()
