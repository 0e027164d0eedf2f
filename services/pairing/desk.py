"""Pairing's working parts together: the log, the tables' progress, scoring's publications, and the loop that takes due steps."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import structlog

from fupan.pairing.v1 import service_pb2 as pb
from fupan.scoring.v1 import events_pb2 as scoring_events
from services.directory import Directory
from services.domain import Rejected
from services.pairing import intake
from services.pairing import model as m
from services.pairing.persons import Persons
from services.pairing.progress import Progress
from services.pairing.rounds import PairingLog, Publication, Rounds
from services.runtime.errors import Unavailable
from services.runtime.follower import Read
from services.runtime.identity import caller
from services.runtime.log import Answer, Applied, Envelope
from services.runtime.positions import parse_position
from services.runtime.streams import parse

RETRY_SECONDS = (0.1, 0.3, 1.0, 3.0, 10.0)
"""Waits before a step that failed is taken again; the last one for ever."""

POSITION_SECONDS = 5.0

_log = structlog.get_logger(__name__)


class Desk:
    """What the RPCs work with."""

    def __init__(
        self,
        log: PairingLog,
        rounds: Rounds,
        progress: Progress,
        persons: Persons,
        directory: Directory,
        subject_of: Callable[[str], str],
        trusted_keys: tuple[str, ...],
        demo_allowed: bool,
        stopping: asyncio.Event,
    ) -> None:
        self.rounds = rounds
        self.progress = progress
        self.persons = persons
        self.trusted_keys = trusted_keys
        self.demo_allowed = demo_allowed
        self.stopping = stopping
        self._log = log
        self._directory = directory
        self._subject_of = subject_of
        self._dirty: set[str] = set()
        self._wake = asyncio.Event()
        self._waiting: dict[str, list[asyncio.Event]] = {}
        self._retries: dict[str, int] = {}
        log.listen(self._applied)

    # Commands

    async def handle(self, championship: str, command: m.Command, command_id: str) -> Answer[m.Event]:
        """Handle a command of the caller."""
        return await self._log.handle(
            self._subject_of(championship), command, self._envelope(championship, command_id)
        )

    async def enter(
        self, championship: str, command_id: str, rows: Sequence[pb.ImportRow]
    ) -> tuple[Answer[m.Event], int]:
        """Import rows, all or none; the answer and how many."""
        state = self.rounds.state(championship)
        if command_id in state.imported:
            return await self.handle(championship, m.CloseImport(command_id), f"{command_id}-close"), len(
                rows
            )
        checked = intake.check(state, rows)
        await self.persons.keep(championship, checked.people)
        for number, chunk in enumerate(checked.chunks()):
            await self.handle(
                championship, m.ImportEntrants(command_id, number, chunk), f"{command_id}-{number}"
            )
        answer = await self.handle(championship, m.CloseImport(command_id), f"{command_id}-close")
        return answer, len(checked.entrants)

    def _envelope(self, championship: str, command_id: str) -> Envelope:
        who = caller()
        authority = ""
        if self._directory.known(championship):
            for role in (*m.ROLES, "player"):
                authority = authority or self._directory.authority(championship, who.person, role)
        return Envelope(who.subject, command_id, authority=authority)

    async def seal(self, championship: str, command_id: str) -> tuple[Answer[m.Event], m.ChampionshipSealed]:
        """Seal a championship whose window is closed and whose appeals are decided (C10.8)."""
        raise Rejected("NOT_BUILT", "C10.8", "sealing a championship comes with the arbitration desk")

    # Knowing

    def championships(self) -> list[str]:
        """Ids of all championships."""
        return [parse(subject).championship for subject in self._log.subjects()]

    async def reached(self, position: str) -> None:
        """Wait until `position` (empty: none) is folded here. Raises Unavailable("POSITION_NOT_REACHED")."""
        if not position:
            return
        stream, sequence = parse_position(position)
        try:
            async with asyncio.timeout(POSITION_SECONDS):
                await self._log.wait_for(stream, sequence)
        except TimeoutError:
            raise Unavailable("POSITION_NOT_REACHED") from None

    def moved(self, championship: str) -> asyncio.Event:
        """An event that is set when anything of the championship changes."""
        event = asyncio.Event()
        self._waiting.setdefault(championship, []).append(event)
        return event

    async def first_of(self, event: asyncio.Event) -> None:
        """Wait for `event` or for the service's stop."""
        waits = [asyncio.create_task(event.wait()), asyncio.create_task(self.stopping.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    def _applied(self, applied: Applied[m.Championship, m.Event]) -> None:
        self._touch(parse(applied.stored.subject).championship)

    def _touch(self, championship: str) -> None:
        self._dirty.add(championship)
        self._wake.set()
        for event in self._waiting.pop(championship, ()):
            event.set()

    async def read_tables(self, reads: list[Read]) -> None:
        """Tables' records: closed boards."""
        for read in reads:
            closing = read.record.closing
            if closing is not None:
                address = parse(read.stored.subject)
                self.progress.closed(address.championship, address.item, closing, read.record.header.time_us)
                self._touch(address.championship)

    async def read_scoring(self, reads: list[Read]) -> None:
        """Scoring's records: publications."""
        for read in reads:
            for data in read.body.events if read.body else ():
                event = scoring_events.Event.FromString(data)
                if event.WhichOneof("kind") == "standings_published":
                    published = event.standings_published
                    championship = parse(read.stored.subject).championship
                    self.rounds.publications[championship] = Publication(
                        published.number, published.after_round, published.digest
                    )
                    self._touch(championship)

    # The loop

    async def run(self) -> None:
        """Take the steps that are due, championship by championship, until the service stops."""
        while not self.stopping.is_set():
            await self.first_of(self._wake)
            self._wake.clear()
            while self._dirty and not self.stopping.is_set():
                await self._step(self._dirty.pop())

    async def _step(self, championship: str) -> None:
        step = None
        try:
            while (step := self.rounds.due(championship)) is not None and not self.stopping.is_set():
                await self.rounds.take(championship, step)
                self._retries.pop(championship, None)
        except Exception as error:  # whatever stood in the way, the step is due until it is taken
            self._again(championship, step, error)

    def _again(self, championship: str, step: Any, error: Exception) -> None:
        tries = self._retries.get(championship, 0)
        self._retries[championship] = tries + 1
        wait = RETRY_SECONDS[min(tries, len(RETRY_SECONDS) - 1)]
        _log.warning(
            "step failed", championship=championship, step=str(step), error=type(error).__name__, again=wait
        )
        asyncio.get_running_loop().call_later(wait, self._touch, championship)
