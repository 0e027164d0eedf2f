"""Whose eyes a table's records are for: everybody's once all its boards are closed everywhere, before that officials' who do not
play."""

from __future__ import annotations

from services.directory import Directory
from services.runtime.identity import caller
from services.runtime.streams import parse
from services.table.framing import path_of
from services.table.hall import TableLog
from services.table.leaves import Leaves
from services.table.model.events import BoardSlot
from services.table.model.state import Table
from services.table.players import Players


class Openness:
    """Judges who may read which table's records. A sealed record's closing is in the clear, so records are not for all."""

    def __init__(self, log: TableLog, leaves: Leaves, directory: Directory, players: Players) -> None:
        self._log = log
        self._leaves = leaves
        self._directory = directory
        self._players = players

    async def may_read(self, subject: str) -> bool:
        """Whether the caller may read the records of `subject`. What all may, all may later. Raises Unavailable."""
        return self._public(subject) or await self._players.watches_now(parse(subject).championship, caller())

    def _public(self, subject: str) -> bool:
        table = self._log.state(subject)
        if table is None or table.opened is None or table.slot is not None:
            return False
        return all(public(table, slot, self._leaves, self._directory) for slot in table.slots)


def public(table: Table, slot: BoardSlot, leaves: Leaves, directory: Directory) -> bool:
    """Whether everybody has closed a board; with real cards, which reveal nothing, the round tells (C1.3)."""
    facts, known = table.facts, directory.get(table.facts.championship)
    if not table.real_cards:
        return leaves.revealed(facts.championship, path_of(facts, slot)) is not None
    if table.course is not None:
        return table.course.ended is not None
    replay, played = known.replays.get(facts.table), known.rounds.get(facts.round)
    if replay is not None:
        return known.over(replay)
    return played is not None and played.closed_us > 0
