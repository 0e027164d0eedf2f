"""What is due in appeals by itself: reminders, lapsing at the end of the window, closing the vote at its deadline, counting,
dismissing what was ruled on in another appeal, dissolving a panel where another one sits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from fupan.dealer.v1 import service_pb2 as dealer
from services.appeals import matters, reminders, texts
from services.appeals.desk import PEER_SECONDS, SERVICE, AppealsLog
from services.appeals.model import commands as c
from services.appeals.model import events as e
from services.appeals.model.state import Appeal
from services.appeals.rulings import Rulings
from services.appeals.sittings import Sittings
from services.appeals.windows import Windows
from services.directory import Directory
from services.domain import Cause, Rejected
from services.ledger import ballot
from services.runtime.clock import Clock
from services.runtime.log import Applied, Envelope
from services.runtime.streams import parse
from services.runtime.worklist import Worklist

if TYPE_CHECKING:
    from fupan.dealer.v1.service_pb2_grpc import DealerServiceAsyncStub

CLOCK_SECONDS = 0.5
"""How often deadlines are looked at."""


class Counting:
    """Takes the steps that are due. Command ids hold a space, which no client's can. `catch_up` returns when everything that is in
    others' logs now was read."""

    def __init__(
        self,
        log: AppealsLog,
        directory: Directory,
        dealer_stub: DealerServiceAsyncStub,
        windows: Windows,
        rulings: Rulings,
        sittings: Sittings,
        clock: Clock,
        catch_up: Callable[[str], Awaitable[object]],
    ) -> None:
        self.steps: Worklist[str] = Worklist("step of an appeal", self._step)
        self._log = log
        self._directory = directory
        self._dealer = dealer_stub
        self._windows = windows
        self._rulings = rulings
        self._sittings = sittings
        self._clock = clock
        self._catch_up = catch_up
        self._open: set[str] = set()
        log.listen(self._applied)

    def _applied(self, applied: Applied[Appeal, e.Event]) -> None:
        subject, appeal = applied.stored.subject, applied.after
        if appeal.open:
            self._open.add(subject)
            self.steps.add(subject)
            if any(isinstance(one, e.PanelAppointed) for one in applied.events):
                self._look()
            return
        self._open.discard(subject)
        if appeal.decision is not None:
            self._look()

    def _look(self) -> None:
        """See what is due in all open appeals."""
        for subject in self._open:
            self.steps.add(subject)

    async def watch(self, stopping: asyncio.Event) -> None:
        """Look at the deadlines of open appeals until `stopping` is set."""
        while not stopping.is_set():
            for subject in self._open:
                state = self._log.state(subject)
                if state is not None and self._due(subject, state):
                    self.steps.add(subject)
            try:
                async with asyncio.timeout(CLOCK_SECONDS):
                    await stopping.wait()
            except TimeoutError:
                continue

    def _due(self, subject: str, state: Appeal) -> c.Command | None:
        """What a deadline demands now, if anything."""
        now_us, ends_us = self._clock(), 0
        if state.phase == "filed" and state.filed is not None:
            known = self._directory.get(parse(subject).championship)
            ends_us = self._windows.end_of(known, state.filed.contested)
            if ends_us and now_us >= ends_us:
                return c.LapseAppeal(ends_us)
        if state.phase == "voting" and now_us >= state.voting_deadline_us:
            return c.CloseVoting()
        return reminders.due(state, ends_us, now_us)

    async def _step(self, subject: str) -> None:
        state = self._log.state(subject)
        if state is None or state.filed is None:
            return
        command: c.Command | None
        cause: Cause | None = None
        known = self._directory.get(parse(subject).championship)
        final = self._rulings.filed(known.id)
        if state.open and (settled := matters.settled_by(known, state.filed, final)):
            command, cause = c.DismissAppeal(settled), self._rulings.of(known.id)[settled].record
        elif state.phase == "voting" and (sitting := self._sittings.before(known, state.filed)):
            command, cause = c.DissolvePanel(sitting.filed.appeal), sitting.record
        elif state.phase == "counting":
            command = await self._counted(subject, state, matters.open_remedies(known, state.filed, final))
        else:
            command = self._due(subject, state)
            if isinstance(command, c.LapseAppeal):
                # What opens a window again may stand in a log that was not read yet.
                await self._catch_up(known.id)
                command = self._due(subject, state)
        if command is not None:
            version = self._log.head(subject).version
            envelope = Envelope(SERVICE, f"step after {version}", cause=cause)
            await self._log.handle(subject, command, envelope)

    async def _counted(self, subject: str, state: Appeal, remedies: tuple[e.Remedy, ...]) -> c.DecideAppeal:
        """The count, with the key that voting has set free (C10.4); `remedies`: what no other committee has ruled on."""
        assert state.filed is not None
        appeal, version = state.filed.appeal, self._log.head(subject).version
        request = dealer.ReleaseAppealKeyRequest(
            command_id=f"release-{appeal}-{version}", championship=parse(subject).championship, appeal=appeal
        )
        released = await self._dealer.ReleaseAppealKey(request, timeout=PEER_SECONDS)
        opened, unreadable = [], []
        for cast in state.ballots:
            sealed = ballot.SealedBallot(cast.commitment, cast.sealed_opening)
            try:
                vote = ballot.open_ballot(appeal, cast.member, sealed, released.private_key)
                opened.append(e.OpenedBallot(cast.member, vote.uphold, vote.opening))
            except Rejected:
                unreadable.append(cast.member)
        votes_for = sum(one.uphold for one in opened)
        votes_against = len(opened) - votes_for
        text, text_zh = texts.ruling(appeal, votes_for > votes_against, votes_for, votes_against)
        return c.DecideAppeal(tuple(opened), tuple(unreadable), text, text_zh, remedies)
