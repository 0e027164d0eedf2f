"""Whose eyes a championship's pairing is for: everybody's, but once the history of a table was decided on whose boards are still
played, those of officials who do not play: a decision holds records, which tell how boards ended (C9.2, C9.3)."""

from __future__ import annotations

from services.directory import Championship, Directory
from services.runtime.identity import caller
from services.runtime.streams import parse
from services.substitutes import Substitutes


class Openness:
    """Judges who may read a championship's records."""

    def __init__(self, directory: Directory, substitutes: Substitutes) -> None:
        self._directory = directory
        self._substitutes = substitutes

    async def may_read(self, subject: str) -> bool:
        """Whether the caller may read the records of a championship."""
        championship = parse(subject).championship
        await self._directory.refresh()
        known = self._directory.get(championship)
        if not any(_plays(known, parse(decided).item) for decided in known.rulings):
            return True
        return await self._substitutes.watches_now(championship, caller())


def _plays(known: Championship, table: str) -> bool:
    """Whether a table's boards are played yet, there or at others."""
    replay = known.replays.get(table)
    if replay is not None:
        return not known.over(replay)
    return any(table in one.tables and not one.closed_us for one in known.rounds.values())
