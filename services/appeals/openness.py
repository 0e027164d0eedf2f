"""Whose eyes an appeal is for: while others still play a board that it is about, those of its own entrant's people who have played
that, and of officials who do not play, since it tells how far a table is and how a board ended there (C9.3, C10.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from services.appeals.conflicts import sits_at
from services.appeals.matters import FIRST_ATTEMPT, attempt_at
from services.appeals.model import events as e
from services.appeals.model.state import Appeal
from services.appeals.windows import Windows
from services.directory import Championship, Directory
from services.runtime.identity import Caller, caller
from services.runtime.streams import parse
from services.substitutes import Substitutes


class Openness:
    """Judges who may know what an appeal is about, and read its records. `state_of`: the appeal of a subject."""

    def __init__(
        self,
        state_of: Callable[[str], Appeal | None],
        directory: Directory,
        windows: Windows,
        substitutes: Substitutes,
    ) -> None:
        self._state_of = state_of
        self._directory = directory
        self._windows = windows
        self._substitutes = substitutes

    async def catch_up(self, championship: str, who: Caller) -> None:
        """Take in up to now what `told` depends on, for a caller who holds an office. Raises Unavailable."""
        await self._substitutes.watches_now(championship, who)

    def told(self, championship: str, appeal: Appeal, who: Caller) -> bool:
        """Whether a caller may know what an appeal is about, as far as was read."""
        filed, known = appeal.filed, self._directory.get(championship)
        if filed is None:
            return False
        still = [one for one in boards(known, filed) if not self._windows.revealed(known, one)]
        if not still or (who.person and who.person == appeal.appellant):
            return True
        if known.entrant_of.get(who.person) == filed.entrant and all(
            sits_at(known, who.person, one.round, one.table) for one in still
        ):
            return True
        return self._substitutes.watches(championship, who)

    async def may_read(self, subject: str) -> bool:
        """Whether the caller may read the records of an appeal."""
        appeal, championship, who = self._state_of(subject), parse(subject).championship, caller()
        if appeal is None or not self.told(championship, appeal, who):
            return False
        await self.catch_up(championship, who)
        return self.told(championship, appeal, who)


def boards(known: Championship, filed: e.AppealFiled) -> Iterator[e.ContestedBoard]:
    """The boards that an appeal is about, at their tables."""
    contested = e.board_of(filed.contested)
    if contested is not None:
        yield contested
    for sought in filed.sought:
        match sought:
            case e.CorrectResult() | e.VoidBoard() | e.ReplayBoard():
                attempt = attempt_at(known, sought.table)
                yield e.ContestedBoard(sought.table, sought.round, sought.board, attempt)
            case e.AssignPercent() if sought.round in known.rounds:
                for one in known.rounds[sought.round].tables_of(sought.entrant):
                    yield e.ContestedBoard(one.table, sought.round, sought.board, FIRST_ATTEMPT)
