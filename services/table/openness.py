"""Whose eyes a table's records are for: everybody's once all its boards are revealed, before that officials' who do not play."""

from __future__ import annotations

from services.runtime.identity import caller
from services.runtime.streams import parse
from services.table.framing import path_of
from services.table.hall import TableLog
from services.table.leaves import Leaves
from services.table.players import Players


class Openness:
    """Judges who may read which table's records. A sealed record's closing is in the clear, so records are not for all."""

    def __init__(self, log: TableLog, leaves: Leaves, players: Players) -> None:
        self._log = log
        self._leaves = leaves
        self._players = players

    async def may_read(self, subject: str) -> bool:
        """Whether the caller may read the records of `subject`."""
        championship = parse(subject).championship
        return self._revealed(subject, championship) or self._players.watches(championship, caller())

    def _revealed(self, subject: str, championship: str) -> bool:
        table = self._log.state(subject)
        if table is None or table.opened is None or table.slot is not None:
            return False
        facts = table.facts
        paths = (path_of(facts, slot) for slot in table.slots)
        return all(self._leaves.revealed(championship, path) is not None for path in paths)
