"""What every command to an appeal goes through: who sends it, on what, and how a refusal is told."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from services.appeals.deadlines import told_until
from services.appeals.model import commands as c
from services.appeals.model import events as e
from services.appeals.model.state import Appeal
from services.appeals.openness import Openness
from services.appeals.windows import Windows
from services.directory import Championship, Directory
from services.domain import Rejected
from services.runtime.clock import Clock
from services.runtime.errors import NotFound
from services.runtime.even import evenly
from services.runtime.identity import caller
from services.runtime.log import Answer, Envelope, Log
from services.runtime.streams import Epoch

PEER_SECONDS = 20.0
"""How long another service is waited for."""

SERVICE = "service:appeals"

AppealsLog = Log[Appeal, c.Command, e.Event]
Same = Callable[[c.Command], bool]


class Desk:
    """The appeals of the log, and the way to them."""

    def __init__(
        self,
        log: AppealsLog,
        epoch: Epoch,
        directory: Directory,
        windows: Windows,
        openness: Openness,
        clock: Clock,
        catch_up: Callable[[], Awaitable[None]],
    ) -> None:
        self.directory = directory
        self._log = log
        self._epoch = epoch
        self._windows = windows
        self._openness = openness
        self._clock = clock
        self._catch_up = catch_up

    # Knowing

    def subject(self, championship: str, appeal: str) -> str:
        """The subject of an appeal."""
        return self._epoch.appeal_subject(championship, appeal)

    async def current(self, championship: str) -> Championship:
        """The championship after everything that is in others' streams now: windows depend on it. Raises NotFound, Unavailable."""
        # Streams are read the slower while a table writes, which nobody who plays is to notice.
        plays = self.directory.plays(championship, caller().person)
        await (evenly(self._read()) if plays else self._read())
        return self.directory.get(championship)

    async def _read(self) -> None:
        await self.directory.refresh()
        await self._catch_up()

    def appeal(self, championship: str, appeal: str) -> Appeal:
        """One appeal. Raises NotFound."""
        self.directory.get(championship)
        state = self._log.state(self.subject(championship, appeal))
        if state is None:
            raise NotFound("appeal", appeal)
        return state

    def appeals(self, championship: str) -> list[Appeal]:
        """All appeals of a championship, in the order filed."""
        self.directory.get(championship)
        prefix = self.subject(championship, "a").removesuffix("a")
        subjects = (subject for subject in self._log.subjects() if subject.startswith(prefix))
        return [state for state in map(self._log.state, subjects) if state is not None]

    def deadlines(self, championship: str, state: Appeal) -> tuple[int, bool]:
        """When the window of an appeal ends, 0 while it does not run, and whether its answer is overdue."""
        assert state.filed is not None
        known = self.directory.get(championship)
        return self._windows.end_of(known, state.filed.contested), state.overdue(self._clock())

    async def whole(self, championship: str, appeal: str) -> Appeal | None:
        """An appeal whose log is whole, None: it was not filed. Raises NotFound of its championship, Rejected."""
        self.directory.get(championship)
        subject = self.subject(championship, appeal)
        await self._log.unlock(subject)
        return self._log.state(subject)

    def told(self, championship: str, state: Appeal) -> bool:
        """Whether a refusal may tell the caller what an appeal is about."""
        return self._openness.told(championship, state, caller())

    # Handling

    async def handle(
        self, championship: str, appeal: str, command: c.Command, command_id: str, *roles: str
    ) -> Answer[e.Event]:
        """Handle a command of the caller, who acts by the first of `roles` that it holds, to an appeal that is filed by now."""
        await self.current(championship)
        self.appeal(championship, appeal)
        envelope = self.envelope(championship, command_id, *roles)
        return await self.submit(championship, appeal, command, envelope)

    def envelope(self, championship: str, command_id: str, *roles: str) -> Envelope:
        """The caller's envelope, acting by the first of `roles` that it holds."""
        who = caller()
        authority = self.directory.authority(championship, who.person, *roles)
        return Envelope(who.subject, command_id, authority=authority)

    async def repeated(
        self, championship: str, appeal: str, envelope: Envelope, same: Same
    ) -> Answer[e.Event] | None:
        """The first answer to a command that was accepted before, once all was read (`current`), as the log's. Raises Rejected."""
        return await self._log.repeated(self.subject(championship, appeal), envelope, same)

    async def submit(
        self,
        championship: str,
        appeal: str,
        command: c.Command,
        envelope: Envelope,
        same: Same | None = None,
    ) -> Answer[e.Event]:
        """Handle a command that somebody sends; `same` as the log's. Raises Rejected, with deadlines told in the event's time."""
        subject = self.subject(championship, appeal)
        try:
            return await self._log.handle(subject, command, envelope, same=same)
        except Rejected as error:
            raise self.with_deadline(championship, error) from None

    def with_deadline(self, championship: str, error: Rejected) -> Rejected:
        """The same refusal with its deadline, if it has one, in the event's own time."""
        return told_until(error, self.directory.settings(championship).time_zone)
