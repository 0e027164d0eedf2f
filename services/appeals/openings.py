"""Who is handed the case file of an appeal, which is logged."""

from __future__ import annotations

from collections.abc import Callable

from services.appeals.desk import Desk
from services.appeals.files import Files
from services.appeals.model import commands as c
from services.appeals.model import events as e
from services.appeals.model.state import Appeal
from services.directory import Championship
from services.domain import Rejected
from services.runtime.errors import Denied
from services.runtime.identity import caller
from services.runtime.log import Answer
from services.substitutes import Substitutes


class Openings:
    """Hands case files out. `lost` is told the subject of an appeal whose file is not kept any more."""

    def __init__(
        self, desk: Desk, files: Files, substitutes: Substitutes, lost: Callable[[str], None]
    ) -> None:
        self._desk = desk
        self._files = files
        self._substitutes = substitutes
        self._lost = lost

    async def open(
        self, championship: str, appeal: str, command_id: str
    ) -> tuple[Answer[e.Event], e.CaseAssembled, bytes]:
        """Hand the newest edition of the case file to the caller, which is logged: that edition, and the file as it was frozen. Who
        asks again is handed the same."""
        known = await self._desk.current(championship)
        state = self._desk.appeal(championship, appeal)
        self._check_opens(known, state, caller().person)
        if state.case is None:
            raise Rejected("CASE_NOT_READY", "C10.1", "the case file is not assembled yet")
        case, file = state.case, await self._file(championship, appeal, state.case)
        roles = ("arbitrator", "chief_referee", "deputy", "organiser", "player")
        envelope = self._desk.envelope(championship, command_id, *roles)
        answer = await self._desk.submit(championship, appeal, c.OpenCase(case.edition), envelope, _opens)
        opened = next(one.edition for one in answer.events if isinstance(one, e.CaseOpened))
        if opened != case.edition:
            case = self._desk.appeal(championship, appeal).editions[opened - 1]
            file = await self._file(championship, appeal, case)
        return answer, case, file

    async def _file(self, championship: str, appeal: str, case: e.CaseAssembled) -> bytes:
        """The bytes of an edition. Raises Rejected where they are lost."""
        file = await self._files.read(championship, appeal, case.digest)
        if file is None:
            self._lost(self._desk.subject(championship, appeal))
            raise Rejected("CASE_NOT_READY", "C10.1", "the case file is lost, and is assembled anew")
        return file

    def _check_opens(self, known: Championship, state: Appeal, person: str) -> None:
        """Whether somebody may see a case file. Who plays the event, or has, sees none of a board that others still play. Raises
        Denied, Rejected."""
        assert state.filed is not None
        heads = {"organiser", "chief_referee", "deputy"}
        # Of a team, who still plays that board in the other room is told no more than a stranger (C7.2).
        appellant = known.entrant_of.get(person) == state.filed.entrant and self._desk.told(known.id, state)
        if not (appellant or person in state.called or known.roles(person) & heads):
            raise Denied("NOT_IN_ROLE", "only for the panel, the heads of the event and the appellant")
        plays = person in known.entrant_of or self._substitutes.tables(known.id, person)
        if plays and not (state.case is not None and state.case.complete):
            raise Rejected("BOARD_OPEN", "C10.1", "the board is not revealed: not all tables have closed it")


def _opens(command: c.Command) -> bool:
    return isinstance(command, c.OpenCase)
