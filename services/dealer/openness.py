"""Whose eyes a championship's dealings are for: everybody's, but while a panel judges a board that others still play, those of
officials who do not play, nor have in another's place, since its opening tells which board an appeal is about (C9.3, C10.1)."""

from __future__ import annotations

from collections.abc import Callable

from services.dealer.model import Dealings
from services.runtime.streams import parse


class Openness:
    """Judges who may read a championship's records. `state_of`: the dealings of a championship; `watches`: whether the caller may
    know what happens at open tables."""

    def __init__(self, state_of: Callable[[str], Dealings], watches: Callable[[str], bool]) -> None:
        self._state_of = state_of
        self._watches = watches

    async def may_read(self, subject: str) -> bool:
        """Whether the caller may read the records of a championship."""
        championship = parse(subject).championship
        state = self._state_of(championship)
        judged = {path for _, path in state.panels}
        return judged <= state.revealed.keys() or self._watches(championship)
