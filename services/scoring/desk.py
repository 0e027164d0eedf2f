"""Scoring's working parts together: decisions, publications that are due, committees' rulings that arrive."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import structlog

from fupan.appeals.v1 import events_pb2 as appeals
from services.directory import Directory, Noticed
from services.domain import Cause, Rejected
from services.runtime.errors import Malformed, NotFound, Unavailable
from services.runtime.follower import Read
from services.runtime.identity import caller
from services.runtime.log import Answer, Applied, Envelope, Log
from services.runtime.positions import parse_position
from services.runtime.streams import parse
from services.scoring import decider
from services.scoring import model as m
from services.scoring.codec import REMEDIES
from services.scoring.tables import Computed, Tables

SERVICE = "service:scoring"
RETRY_SECONDS = 1.0
POSITION_SECONDS = 5.0

ScoringLog = Log[m.Ledger, m.Command, m.Event]

_log = structlog.get_logger(__name__)


class Desk:
    """What the RPCs work with."""

    def __init__(
        self,
        log: ScoringLog,
        tables: Tables,
        directory: Directory,
        subject_of: Callable[[str], str],
        stream: str,
        stopping: asyncio.Event,
    ) -> None:
        self.tables = tables
        self.directory = directory
        self.stopping = stopping
        self._log = log
        self._subject_of = subject_of
        self._stream = stream
        self._dirty: set[str] = set()
        self._wake = asyncio.Event()
        self._sequences: dict[str, dict[int, int]] = {}
        log.listen(self._applied)
        directory.listen(self._noticed)

    # Knowing

    def ledger(self, championship: str) -> m.Ledger:
        """The decisions about a championship. Raises NotFound when there is no such championship."""
        self.directory.get(championship)
        return self._log.state(self._subject_of(championship)) or decider.INITIAL

    async def reached(self, position: str) -> None:
        """Wait until `position` (empty: none) is known here. Raises Unavailable("POSITION_NOT_REACHED")."""
        if not position:
            return
        stream, sequence = parse_position(position)
        try:
            async with asyncio.timeout(POSITION_SECONDS):
                await self.tables.wait_for(stream, sequence)
                if stream == self._stream:
                    await self._log.wait_for(stream, sequence)
        except TimeoutError:
            raise Unavailable("POSITION_NOT_REACHED") from None

    async def as_of(
        self, championship: str, text: str
    ) -> tuple[Computed, m.Published | None, tuple[m.Ruled, ...]]:
        """Standings live (empty), as of a publication number, a time (RFC 3339) or a cut; with the rulings in them.

        Raises Malformed, NotFound.
        """
        ledger = self.ledger(championship)
        if not text:
            return await self._at(championship, self.tables.now(), ledger.rulings), None, ledger.rulings
        if "@" in text:
            cut, rulings = self._cut(championship, ledger, text)
            return await self._at(championship, cut, rulings), None, rulings
        published = self._publication(ledger, text)
        rulings = tuple(one for one in ledger.rulings if one.number < published.version)
        computed = await self._at(championship, published.event.cut, rulings)
        if computed.digest != published.event.digest:
            raise RuntimeError(
                f"{championship}: publication {published.event.number} cannot be computed again"
            )
        return computed, published, rulings

    async def _at(self, championship: str, cut: m.Cut, rulings: tuple[m.Ruled, ...]) -> Computed:
        return await self.tables.compute(championship, cut, rulings)

    def _publication(self, ledger: m.Ledger, text: str) -> m.Published:
        if text.isascii() and text.isdigit():
            found = ledger.publication(int(text))
        else:
            try:
                moment = datetime.fromisoformat(text)
            except ValueError:
                raise Malformed("as_of", "must be a publication number, an RFC 3339 time or a cut") from None
            if moment.tzinfo is None:
                raise Malformed("as_of", "must say its time zone, for example 2026-05-01T12:00:00+08:00")
            found = ledger.published_at(int(moment.timestamp() * 1_000_000))
        if found is None:
            raise NotFound("publication", text)
        return found

    def _cut(self, championship: str, ledger: m.Ledger, text: str) -> tuple[m.Cut, tuple[m.Ruled, ...]]:
        """A cut as text: `STREAM@SEQUENCE,STREAM@SEQUENCE…`; streams left out count whole."""
        positions = {one.stream: one.sequence for one in self.tables.now().positions}
        scoring = None
        for part in text.split(","):
            found = re.fullmatch(r"([A-Z]+-[a-z0-9-]+)@(\d{1,18})", part.strip())
            if found is None:
                raise Malformed("as_of", "must be STREAM@SEQUENCE,… where it is a cut")
            stream, sequence = found[1], int(found[2])
            if stream in positions:
                positions[stream] = min(sequence, positions[stream])
            elif stream.startswith("SCORING-"):
                scoring = sequence
            else:
                raise NotFound("stream", stream)
        rulings = ledger.rulings
        if scoring is not None:
            stored = self._sequences.get(championship, {})
            rulings = tuple(one for one in rulings if stored.get(one.number, 0) <= scoring)
        return m.Cut(tuple(m.StreamPosition(*one) for one in positions.items())), rulings

    # Deciding

    async def correct(self, championship: str, command: m.Correction, command_id: str) -> Answer[m.Event]:
        """A chief referee's own correction (C9.2); published by itself right after."""
        await self._check(championship, command)
        who = caller()
        envelope = Envelope(
            who.subject,
            command_id,
            authority=self.directory.authority(championship, who.person, command.authority.by),
        )
        return await self._log.handle(self._subject_of(championship), command, envelope)

    def authority(self, championship: str, reason: str) -> m.Authority:
        """The office by which the caller corrects."""
        roles = self.directory.roles(championship, caller().person)
        return m.Authority("chief_referee" if "chief_referee" in roles else "deputy", "", reason)

    async def _check(self, championship: str, command: m.Correction) -> None:
        """Whether what is corrected exists and is closed everywhere. Raises Rejected, NotFound."""
        if isinstance(command, m.SetPenalty | m.AssignPercent):
            if command.entrant not in self.directory.get(championship).entrants:
                raise NotFound("entrant", command.entrant)
            if isinstance(command, m.SetPenalty):
                return
        await self._caught_up()
        field = await self.tables.field(championship, self.tables.now())
        if (command.round, command.board) not in field.closed_everywhere():
            raise Rejected("BOARD_OPEN", "C9.2", "a board is corrected once it is closed everywhere")
        if isinstance(command, m.AssignPercent):
            return
        seats = field.seats.get((command.round, command.table))
        if seats is None:
            raise NotFound("table", command.table)
        figures = command.scores if isinstance(command, m.CorrectResult) else ()
        figures = command.tenths if isinstance(command, m.VoidBoard) else figures
        if figures and len(figures) != len(seats[1]):
            raise Rejected("RULING_OF_WRONG_LENGTH", "C10.6", f"this table has {len(seats[1])} seats")

    async def what_if(
        self, championship: str, corrections: tuple[m.Correction, ...]
    ) -> tuple[Computed, Computed]:
        """Live standings, and what they would be with `corrections` ruled; writes nothing."""
        ledger = self.ledger(championship)
        laid = ledger
        for asked in corrections:
            # What a committee might rule: whoever asks need not hold its authority.
            command = replace(asked, authority=m.Authority("arbitration", "", "what if"))
            await self._check(championship, command)
            decider.check(laid, command)
            number = (laid.rulings[-1].number if laid.rulings else 0) + 1_000_000
            laid = m.Ledger((*laid.rulings, m.Ruled(number, 0, decider.ruling(command))), laid.publications)
        cut = self.tables.now()
        field = await self.tables.field(championship, cut)
        before = await self.tables.compute_of(championship, field, ledger.rulings, cut)
        return before, await self.tables.compute_of(championship, field, laid.rulings, cut)

    async def publish(
        self, championship: str, cause: str, after_round: int, actor: str, command_id: str
    ) -> Answer[m.Event]:
        """Fix the standings as they are now."""
        await self._caught_up()
        ledger = self.ledger(championship)
        cut = self.tables.now()
        computed = await self.tables.compute(championship, cut, ledger.rulings)
        command = m.PublishStandings(
            cause, after_round, cut, computed.digest, len(computed.rows), len(ledger.rulings)
        )
        return await self._log.handle(self._subject_of(championship), command, Envelope(actor, command_id))

    async def _caught_up(self) -> None:
        try:
            await self.tables.catch_up()
        except TimeoutError:
            raise Unavailable("POSITION_NOT_REACHED") from None

    # What arrives

    def _applied(self, applied: Applied[m.Ledger, m.Event]) -> None:
        championship = parse(applied.stored.subject).championship
        if applied.meta is not None:
            self._sequences.setdefault(championship, {})[applied.meta.version] = applied.stored.sequence
        self._touch(championship)

    def _noticed(self, noticed: Noticed) -> None:
        if noticed.kind == "round_closed":
            self._touch(noticed.championship.id)

    def _touch(self, championship: str) -> None:
        self._dirty.add(championship)
        self._wake.set()

    async def read_appeals(self, reads: list[Read]) -> None:
        """Appeals' records: upheld appeals bring remedies (C10.6). Applied one by one, each under an id of its own."""
        for read in reads:
            for data in read.body.events if read.body else ():
                event = appeals.Event.FromString(data)
                if event.WhichOneof("kind") == "appeal_decided" and event.appeal_decided.upheld:
                    await self._rule(read, event.appeal_decided)

    async def _rule(self, read: Read, decided: appeals.AppealDecided) -> None:
        address = parse(read.stored.subject)
        cause = Cause(read.stored.subject, read.record.header.version)
        for number, remedy in enumerate(decided.remedies):
            command = REMEDIES.from_proto(remedy)
            envelope = Envelope(SERVICE, f"ruling-{address.item}-{number}", cause=cause)
            while not self.stopping.is_set():
                try:
                    await self._log.handle(self._subject_of(address.championship), command, envelope)
                    break
                except Rejected as error:
                    _log.error("ruling cannot be applied", appeal=address.item, reason=error.reason)
                    break
                except (
                    Exception
                ) as error:  # the log is away: the ruling stands and is applied when it is back
                    _log.warning("ruling waits", appeal=address.item, error=type(error).__name__)
                    await asyncio.sleep(RETRY_SECONDS)

    # The loop

    async def run(self) -> None:
        """Publish what is due, championship by championship, until the service stops."""
        while not self.stopping.is_set():
            wake = asyncio.create_task(self._wake.wait())
            stop = asyncio.create_task(self.stopping.wait())
            await asyncio.wait({wake, stop}, return_when=asyncio.FIRST_COMPLETED)
            wake.cancel()
            stop.cancel()
            self._wake.clear()
            while self._dirty and not self.stopping.is_set():
                await self._step(self._dirty.pop())

    async def _step(self, championship: str) -> None:
        try:
            while (due := await self._due(championship)) is not None and not self.stopping.is_set():
                cause, after_round, command_id = due
                await self.publish(championship, cause, after_round, SERVICE, command_id)
        except Exception as error:  # whatever stood in the way, the publication is due until it is made
            _log.warning("publication failed", championship=championship, error=type(error).__name__)
            asyncio.get_running_loop().call_later(RETRY_SECONDS, self._touch, championship)

    async def _due(self, championship: str) -> tuple[str, int, str] | None:
        """Cause, round and command id of the publication that is due, if any."""
        if not self.directory.known(championship):
            return None
        ledger = self.ledger(championship)
        last = ledger.publications[-1] if ledger.publications else None
        published = max((one.event.after_round for one in ledger.publications), default=0)
        known: Any = self.directory.get(championship)
        closed = max((one.number for one in known.rounds.values() if one.closed_us), default=0)
        number = len(ledger.publications) + 1
        if closed > published:
            await self._caught_up()
            field = await self.tables.field(championship, self.tables.now())
            if not field.complete(closed, known.settings.boards_per_round):
                raise Unavailable("POSITION_NOT_REACHED")
            return "round", closed, f"publish-{number}-round-{closed}"
        if ledger.unpublished and last is not None:
            by = ledger.rulings[-1].event.authority.by
            cause = "ruling" if by == "arbitration" else "correction"
            return cause, published, f"publish-{number}-ruling-{ledger.rulings[-1].number}"
        return None
