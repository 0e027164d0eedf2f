"""Whose eyes a championship's pairing is for: everybody's, but once the history of a table was decided on whose boards are still
played, those of officials who do not play: a decision holds records, which tell how boards ended (C9.2, C9.3)."""

from __future__ import annotations

from collections.abc import Callable

from services.directory import Championship, Directory
from services.runtime.streams import parse


class Openness:
    """Judges who may read a championship's records. `watches`: whether the caller may know what happens at open tables."""

    def __init__(self, directory: Directory, watches: Callable[[str], bool]) -> None:
        self._directory = directory
        self._watches = watches

    async def may_read(self, subject: str) -> bool:
        """Whether the caller may read the records of a championship."""
        championship = parse(subject).championship
        await self._directory.refresh()
        known = self._directory.get(championship)
        return self._watches(championship) or not any(
            _plays(known, parse(decided).item) for decided in known.rulings
        )


def _plays(known: Championship, table: str) -> bool:
    """Whether a table's boards are played yet, there or at others."""
    replay = known.replays.get(table)
    if replay is not None:
        return not known.over(replay)
    return any(table in one.tables and not one.closed_us for one in known.rounds.values())
