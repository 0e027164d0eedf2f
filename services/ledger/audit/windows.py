"""When the window for what an appeal contests ends, as others' logs in the file tell (C10.1)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from services.games.championship.tables import POINTS
from services.ledger.audit.evidence import Evidence
from services.ledger.audit.ruled import LATE_US

Deal = tuple[int, int, int]
"""Round, board and attempt."""


class _Untold(Exception):
    """The file does not hold what decides."""


class Windows:
    """What begins windows: boards closed, rounds closed, the end of the competition, boards played again."""

    def __init__(self, evidence: Evidence) -> None:
        self.settings: Any = None
        self._ended_us = 0
        self._rounds: dict[int, dict[str, int]] = {}
        """By round, when it was seated, paired and closed."""
        self._tables: dict[int, tuple[str, ...]] = {}
        """By round, those that play it."""
        self._replays: dict[str, tuple[Deal, int]] = {}
        """By table, what is played again there and since when."""
        self._published: list[tuple[int, int]] = []
        self._boards: dict[str, dict[int, int]] = {}
        """By table in the file, when its boards were closed."""
        self._matches: dict[str, int] = {}
        for entry, event in evidence.events("pairing"):
            self._told(event.kind, event.message, entry.time_us)
        for entry, event in evidence.events("scoring"):
            if event.kind == "standings_published":
                self._published.append((entry.time_us, event.message.after_round))
        for _, subject, entries in evidence.of("table", play=False):
            boards = self._boards.setdefault(subject.id, {})
            for entry in entries:
                if entry.closing is not None:
                    boards[entry.closing.board] = entry.time_us
                if any(event.kind == "match_ended" for event in entry.events):
                    self._matches[subject.id] = entry.time_us
        times = [self._ended_us, *self._matches.values(), *(one for one, _ in self._published)]
        times += [since_us for _, since_us in self._replays.values()]
        times += [one for told in self._rounds.values() for one in told.values()]
        times += [one for told in self._boards.values() for one in told.values()]
        self._times = sorted(times)

    def _told(self, kind: str, message: Any, time_us: int) -> None:
        match kind:
            case "championship_created":
                self.settings = self.settings or message.settings
            case "competition_ended":
                self._ended_us = self._ended_us or time_us
            case "replay_seated":
                self._replays[message.table.table] = (
                    (message.round, message.board, message.attempt),
                    time_us,
                )
            case "seating_overridden":
                self._tables[message.round] = tuple(one.table for one in message.tables)
            case "round_seated" | "round_paired" | "round_closed":
                if kind == "round_seated":
                    before = self._tables.get(message.round, ()) if message.chunk else ()
                    self._tables[message.round] = (*before, *(one.table for one in message.tables))
                self._rounds.setdefault(message.round, {}).setdefault(kind, time_us)

    def ends(self, contested: Any, at_us: int) -> frozenset[int]:
        """When the window ends (exclusive), by all that somebody may have known then; 0 where it had not begun; none where the file
        does not tell."""
        if self.settings is None or not self.settings.window_starts:
            return frozenset()
        first, last = at_us - LATE_US, at_us + LATE_US
        known = self._times[bisect_left(self._times, first) : bisect_right(self._times, last)]
        try:
            begins = {begin for one in {first, last, *known} for begin in _At(self, one).begins(contested)}
        except _Untold:
            return frozenset()
        return frozenset(one + self.settings.appeal_window_ms * 1000 if one else 0 for one in begins)


class _At:
    """What was told up to a moment."""

    def __init__(self, windows: Windows, at_us: int) -> None:
        self._windows = windows
        self._at_us = at_us

    def begins(self, contested: Any) -> Collection[int]:
        """When the window for something begins, 0 where it has not. A match was over with its own table's boards in older versions,
        and is when all tables have closed them."""
        windows, settings = self._windows, self._windows.settings
        if not contested.HasField("board"):
            return {self._of_round(self._round_of(contested))}
        board, starts = contested.board, settings.window_starts
        deal, again_us = windows._replays.get(board.table, (None, 0))
        if self._told(again_us):
            again = [table for table, (played, _) in windows._replays.items() if played == deal]
            ends = {self._over([board.table], [board.board]), self._over(again, [board.board])}
            if starts == "match":
                return ends
            others_us = self._of_round(board.round)
            return {max(others_us, one) if others_us and one else 0 for one in ends}
        if starts != "match":
            return {self._of_round(board.round)}
        if settings.format == POINTS:
            return {self._told(windows._matches.get(board.table, 0))}
        boards, tables = range(1, settings.boards_per_round + 1), windows._tables.get(board.round, ())
        return {self._over([board.table], boards), self._over(tables, boards)}

    def _over(self, tables: Iterable[str], boards: Sequence[int]) -> int:
        """When the last of tables closed the last of boards, 0 where they have not. Raises _Untold."""
        ends = [closed.get(board, 0) for closed in map(self._closed, tables) for board in boards]
        return max(ends, default=0) if all(ends) else 0

    def _of_round(self, number: int) -> int:
        """Of what belongs to a round; a play-off comes after the competition."""
        windows, settings = self._windows, self._windows.settings
        told = windows._rounds.get(number, {})
        if not self._told(min(told.values(), default=0)):
            return self._last()
        if settings.window_starts == "competition" and number <= settings.rounds:
            return self._told(windows._ended_us)
        return self._told(told.get("round_closed", 0))

    def _last(self) -> int:
        """Of what belongs to no round: all there is to play is over."""
        windows = self._windows
        offs = [
            self._told(told.get("round_closed", 0))
            for number, told in windows._rounds.items()
            if number > windows.settings.rounds and self._told(told.get("round_paired", 0))
        ]
        again = [
            self._closed(table).get(board, 0)
            for table, ((_, board, _), since_us) in windows._replays.items()
            if self._told(since_us)
        ]
        ends = [self._told(windows._ended_us), *offs, *again]
        return max(ends) if all(ends) else 0

    def _round_of(self, contested: Any) -> int:
        if contested.HasField("publication"):
            told = [after for since, after in self._windows._published if since <= self._at_us]
            number = contested.publication.publication
            return told[number - 1] if 0 < number <= len(told) else 0
        return int(contested.pairing.round)

    def _closed(self, table: str) -> dict[int, int]:
        """When a table's boards were closed, of those that were. Raises _Untold."""
        if table not in self._windows._boards:
            raise _Untold
        return {board: us for board, us in self._windows._boards[table].items() if us <= self._at_us}

    def _told(self, time_us: int) -> int:
        return time_us if time_us <= self._at_us else 0
