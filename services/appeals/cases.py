"""Case files: put together by themselves when an appeal is filed, frozen, and again once the contested board is revealed."""

from __future__ import annotations

from services.appeals.casefile import Assembler
from services.appeals.desk import SERVICE, AppealsLog
from services.appeals.files import Files
from services.appeals.model import commands as c
from services.appeals.model import events as e
from services.appeals.model.state import Appeal
from services.appeals.windows import Windows
from services.directory import Directory
from services.runtime.clock import Clock
from services.runtime.log import Applied, Envelope
from services.runtime.streams import parse
from services.runtime.worklist import Worklist

NOT_HEARD = frozenset({"lapsed", "withdrawn", "dismissed"})
"""Phases of appeals that nobody judges."""


class Cases:
    """Assembles what is due. `due` is to be run; `look` is called when boards were revealed."""

    def __init__(
        self,
        log: AppealsLog,
        directory: Directory,
        windows: Windows,
        assembler: Assembler,
        files: Files,
        clock: Clock,
    ) -> None:
        self.due: Worklist[str] = Worklist("assemble a case file", self._assemble)
        self._log = log
        self._directory = directory
        self._windows = windows
        self._assembler = assembler
        self._files = files
        self._clock = clock
        self._waiting: set[str] = set()
        """Subjects of appeals whose file is not complete."""
        self._lacking: dict[str, e.ContestedBoard] = {}
        """By subject: a board that is lacking in an appeal's file until it is revealed."""
        self._lost: set[str] = set()
        """Subjects of appeals whose file is not kept any more."""
        log.listen(self._applied)

    def look(self) -> None:
        """See whether files can be completed."""
        for subject in self._waiting:
            self.due.add(subject)

    def renew(self, subject: str) -> None:
        """A file is lost: one more edition is put together from the log."""
        self._lost.add(subject)
        self.due.add(subject)

    def _applied(self, applied: Applied[Appeal, e.Event]) -> None:
        subject, appeal = applied.stored.subject, applied.after
        if appeal.phase in NOT_HEARD or (appeal.case is not None and appeal.case.complete):
            self._waiting.discard(subject)
            self._lacking.pop(subject, None)
        elif subject not in self._waiting:
            self._waiting.add(subject)
            self.due.add(subject)

    async def _assemble(self, subject: str) -> None:
        appeal, championship = self._log.state(subject), parse(subject).championship
        if appeal is None or appeal.filed is None:
            return
        known = self._directory.get(championship)
        waited_for = self._lacking.get(subject, appeal.filed.contested)
        due = appeal.case is None or self._windows.revealed(known, waited_for)
        ready, lost = subject in self._waiting and due and not known.sealed_us, subject in self._lost
        if not (ready or lost):
            return
        file, lacking = await self._assembler.file(known, appeal)
        complete = lacking is None
        if lacking is not None:
            self._lacking[subject] = lacking
            if appeal.case is not None and not lost:
                return
        file.edition = len(appeal.editions) + 1
        file.assembled_us = self._clock()
        data = file.SerializeToString(deterministic=True)
        digest = await self._files.keep(championship, appeal.filed.appeal, data)
        command = c.AssembleCase(file.edition, digest, len(data), complete)
        answer = await self._log.handle(
            subject,
            command,
            Envelope(SERVICE, f"case {file.edition}"),
            same=lambda one: isinstance(one, c.AssembleCase) and one.edition == command.edition,
        )
        if not any(isinstance(one, e.CaseAssembled) and one.digest == digest for one in answer.events):
            # Another replica was faster.
            await self._files.drop(championship, appeal.filed.appeal, digest)
        self._lost.discard(subject)
