"""Erasing what a person wrote in appeals, once pairing's log says that the person is erased."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from services.appeals.model.state import Appeal
from services.directory import Directory, Noticed
from services.runtime.worklist import Worklist
from services.runtime.writings import Writings


class Erased(NamedTuple):
    """A person, and when it was erased (microseconds since 1970): what it writes later stays."""

    championship: str
    person: str
    at_us: int


class Erasure:
    """Made before the directory starts, so that a restart does again what may have been left undone. `due` is to be run.

    `caught_up` returns when every appeal that is in the log now has been read; `appeals` lists those of a championship.
    """

    def __init__(
        self,
        directory: Directory,
        grounds: Writings,
        caught_up: Callable[[], Awaitable[None]],
        appeals: Callable[[str], list[Appeal]],
    ) -> None:
        self.due: Worklist[Erased] = Worklist("erase a person", self._erase)
        self._grounds = grounds
        self._caught_up = caught_up
        self._appeals = appeals
        directory.listen(self._noticed)

    def _noticed(self, noticed: Noticed) -> None:
        if noticed.kind == "person_erased":
            self.due.add(Erased(noticed.championship.id, noticed.event.person_id, noticed.place.time_us))

    async def _erase(self, erased: Erased) -> None:
        await self._caught_up()
        for state in self._appeals(erased.championship):
            if state.appellant == erased.person and state.filed_us <= erased.at_us:
                assert state.filed is not None
                await self._grounds.erase(erased.championship, state.filed.appeal)
