"""How far a round is, read off the tables' own records: every closed board is in the clear (C2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from services.ledger.record import BoardClosing

FIRST_ATTEMPT = 1


@dataclass(slots=True)
class TableProgress:
    """Boards a table has closed, and when the last one was (µs since 1970)."""

    boards: set[int] = field(default_factory=set)
    last_us: int = 0


class Progress:
    """Closed boards by championship, round and table. Attempts beyond the first belong to rulings, not to the round."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, int], int] = {}
        self._rounds: dict[tuple[str, int], dict[str, TableProgress]] = {}

    def closed(self, championship: str, table: str, closing: BoardClosing, time_us: int) -> None:
        """Note one closed board."""
        if closing.attempt != FIRST_ATTEMPT:
            return
        tables = self._rounds.setdefault((championship, closing.round), {})
        progress = tables.setdefault(table, TableProgress())
        if closing.board not in progress.boards:
            progress.boards.add(closing.board)
            key = (championship, closing.round)
            self._counts[key] = self._counts.get(key, 0) + 1
        progress.last_us = max(progress.last_us, time_us)

    def of(self, championship: str, round_: int, table: str) -> TableProgress:
        """One table's progress in a round."""
        return self._rounds.get((championship, round_), {}).get(table) or TableProgress()

    def boards_closed(self, championship: str, round_: int) -> int:
        """Boards closed in a round, all tables together."""
        return self._counts.get((championship, round_), 0)

    def done(self, championship: str, round_: int, tables: Iterable[str], boards: int) -> int:
        """How many of `tables` have closed all `boards` of the round."""
        known = self._rounds.get((championship, round_), {})
        return sum(1 for table in tables if table in known and len(known[table].boards) >= boards)
