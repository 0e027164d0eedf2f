"""Whose eyes a championship's dealings are for: everybody's, but while a panel judges a board that others still play, those of
officials who do not play, nor have in another's place, since its opening tells which board an appeal is about (C9.3, C10.1)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from services.dealer.model import Dealings
from services.runtime.identity import caller
from services.runtime.streams import parse
from services.substitutes import Substitutes


class Openness:
    """Judges who may read a championship's records. `state_of`: the dealings of a championship; `caught_up` returns when all that
    was written of them up to now is in those."""

    def __init__(
        self,
        state_of: Callable[[str], Dealings],
        caught_up: Callable[[], Awaitable[None]],
        substitutes: Substitutes,
    ) -> None:
        self._state_of = state_of
        self._caught_up = caught_up
        self._substitutes = substitutes

    async def may_read(self, subject: str) -> bool:
        """Whether the caller may read the records of a championship."""
        championship = parse(subject).championship
        await self._caught_up()
        state = self._state_of(championship)
        judged = {path for _, path in state.panels}
        if judged <= state.revealed.keys():
            return True
        return await self._substitutes.watches_now(championship, caller())
