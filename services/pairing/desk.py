"""Pairing's working parts together: the log, tables' progress, publications, the seal, and the steps that are due."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from fupan.appeals.v1 import events_pb2 as appeals_events
from fupan.common.v1 import log_service_pb2 as log_pb
from fupan.pairing.v1 import service_pb2 as pb
from fupan.scoring.v1 import events_pb2 as scoring_events
from fupan.table.v1 import events_pb2 as table_events
from services.directory import Directory
from services.domain import Cause, Rejected
from services.ledger.replays import superseded
from services.pairing import decider, forks, intake
from services.pairing.announcing import Announcing
from services.pairing.model import commands as c
from services.pairing.model import events as e
from services.pairing.model.digests import conduct_name
from services.pairing.model.state import Championship, Conduct
from services.pairing.overturning import Overturning
from services.pairing.persons import Persons
from services.pairing.playoffs import Playoffs
from services.pairing.progress import FIRST_ATTEMPT, Progress
from services.pairing.replays import Replays
from services.pairing.reseating import Reseating
from services.pairing.rounds import PairingLog, Publication, Rounds, Step
from services.pairing.sealing import Sealing, events_of
from services.runtime.clock import Clock
from services.runtime.errors import Unavailable
from services.runtime.follower import Read
from services.runtime.identity import caller
from services.runtime.log import Answer, Applied, Envelope
from services.runtime.streams import Epoch, parse
from services.runtime.worklist import Worklist
from services.runtime.writings import Writings
from services.substitutes import Substitutes

if TYPE_CHECKING:  # a stub class that exists for the type checker only
    from fupan.common.v1.log_service_pb2_grpc import LogServiceAsyncStub


SEAL_SECONDS = 10.0
"""How long a seal that was announced is waited for; it is made later all the same."""


@dataclass(slots=True)
class Desk:
    """What the RPCs work with. `catch_up` returns when everything that is in others' streams now was read, and raises Unavailable;
    `caught_up` when everything in pairing's own was."""

    log: PairingLog
    rounds: Rounds
    replays: Replays
    reseating: Reseating
    playoffs: Playoffs
    overturning: Overturning
    announcing: Announcing
    progress: Progress
    persons: Persons
    reasons: Writings
    sealing: Sealing
    tables_log: Callable[[], LogServiceAsyncStub]
    directory: Directory
    substitutes: Substitutes
    epoch: Epoch
    clock: Clock
    trusted_keys: tuple[str, ...]
    demo_allowed: bool
    catch_up: Callable[[], Awaitable[None]]
    caught_up: Callable[[], Awaitable[None]]
    steps: Worklist[str] = field(init=False)
    _moved: dict[str, asyncio.Event] = field(default_factory=dict)
    _erased: set[tuple[Persons | Writings, str, str]] = field(default_factory=set)
    """Whom, and what was said of them, was erased since the start, of which championship."""

    def __post_init__(self) -> None:
        self.steps = Worklist("step of a championship", self._step)
        self.log.listen(self._applied)

    def subject(self, championship: str) -> str:
        """Pairing's subject of a championship."""
        return self.epoch.subject("pairing", championship)

    def championships(self) -> list[str]:
        """Ids of all championships."""
        return [parse(subject).championship for subject in self.log.subjects()]

    def watches(self, championship: str) -> bool:
        """Whether the caller may know what happens at open tables: nobody who plays, or has played in another's place (C1.6)."""
        return self.substitutes.watches(championship, caller())

    # Commands

    def envelope(self, championship: str, command_id: str, *roles: str) -> Envelope:
        """The caller's envelope, acting by the first of `roles` that it holds."""
        who = caller()
        authority = ""
        if roles and self.directory.known(championship):
            authority = self.directory.authority(championship, who.person, *roles)
        return Envelope(who.subject, command_id, authority=authority)

    async def handle(
        self, championship: str, command: c.Command, command_id: str, *roles: str
    ) -> Answer[e.Event]:
        """Handle a command of the caller, who acts by the first of `roles` that it holds."""
        envelope = self.envelope(championship, command_id, *roles)
        try:
            return await self.log.handle(self.subject(championship), command, envelope)
        except Rejected as refused:
            if refused.reason == "RECORD_TOO_LARGE" and isinstance(command, c.OverrideSeating):
                raise decider.too_many_seats() from refused
            raise

    async def enter(
        self, championship: str, command_id: str, rows: Sequence[pb.ImportRow]
    ) -> tuple[Answer[e.Event], int]:
        """Import rows, all or none; the answer and how many. `command_id` names the import."""
        async with self.persons.entering(championship):
            await self.caught_up()  # what another replica has entered meanwhile
            answer = await self._enter(championship, command_id, rows)
        count = next(one.count for one in answer.events if isinstance(one, e.EntrantsImportClosed))
        persons = (member.person_id for row in rows for member in row.members)
        if count != len(rows) or not self.rounds.state(championship).persons.keys() >= set(persons):
            raise Rejected(
                "COMMAND_ID_REUSED", "", "this command id was used for another list; send a new one"
            )
        return answer, count

    async def _enter(
        self, championship: str, command_id: str, rows: Sequence[pb.ImportRow]
    ) -> Answer[e.Event]:
        state = self.rounds.state(championship)
        close, closing = c.CloseImport(command_id), f"{command_id} close"
        if command_id in state.imported:
            return await self.handle(championship, close, closing, "organiser")
        decider.check_entry(state)
        checked = await asyncio.to_thread(intake.check, state, rows)
        # Before they are entered, so that nobody is ever without a name.
        await self.persons.keep(championship, checked.people)
        try:
            for number, chunk in enumerate(checked.chunks()):
                command = c.ImportEntrants(command_id, number, chunk)
                await self.handle(championship, command, f"{command_id} {number}", "organiser")
            return await self.handle(championship, close, closing, "organiser")
        except Rejected:
            entered = self.rounds.state(championship).persons.keys()
            await self.persons.erase(championship, *{one.person_id for one in checked.people} - entered)
            raise

    async def erase(self, championship: str, command_id: str, person_id: str) -> Answer[e.Event]:
        """Erase what is known of a person beside its id, first saying so in the log: what fails is done again at the next start.

        Of who was never entered nothing stays either, should an import have broken off.
        """
        async with self.persons.entering(championship):
            try:
                answer = await self.handle(championship, c.ErasePerson(person_id), command_id)
            except Rejected as refused:
                if refused.reason == "NO_SUCH_PERSON":
                    await self.persons.erase(championship, person_id)
                raise
        await self._erase(championship)
        return answer

    async def _erase(self, championship: str) -> None:
        state = self.rounds.state(championship)
        said = (one.name for one in state.conduct if one.erased)
        for kept, names in ((self.persons, state.erased), (self.reasons, said)):
            for name in names:
                if (done := (kept, championship, name)) not in self._erased:
                    await kept.erase(championship, name)
                    self._erased.add(done)

    async def record_conduct(
        self, championship: str, command: c.RecordConduct, reason: str, command_id: str, *roles: str
    ) -> Answer[e.Event]:
        """Record conduct (C11.1), with its reason outside the log. Raises Rejected."""
        if not reason.strip():
            raise Rejected("REASON_MISSING", "C9.4", "every act of an official states its reason")
        subject, envelope = self.subject(championship), self.envelope(championship, command_id, *roles)
        name = conduct_name(envelope.actor, command_id)
        digests = await self.reasons.digests(championship, name, reason)

        def same(accepted: c.Command) -> bool:
            return (
                isinstance(accepted, c.RecordConduct)
                and replace(accepted, reason="", reason_digest=b"") == command
                and (accepted.reason == reason or accepted.reason_digest in digests)
            )

        answer = await self.log.repeated(subject, envelope, same)
        if answer is None:
            async with self.reasons.kept(championship, name, reason) as digest:
                digests |= {digest}
                recording = replace(command, reason_digest=digest)
                answer = await self.log.handle(subject, recording, envelope, same=same)
        return answer

    async def named(self, championship: str, name: str) -> Collection[bytes]:
        """By which digests the log names the reason of a record of conduct, if there is one. Raises NotFound, Rejected where that
        cannot be told."""
        await self.log.unlock(self.subject(championship))
        conduct = self.rounds.state(championship).conduct
        return [one.recorded.reason_digest for one in conduct if one.name == name]

    async def conduct(self, championship: str, person: str, watches: bool) -> list[tuple[Conduct, str]]:
        """What was recorded, with its reason, empty where that is erased: everything to who `watches`, else what concerns a
        person."""
        state = self.rounds.state(championship)
        entrant = state.persons.get(person, 0)
        told = [one for one in state.conduct if watches or one.concerns(person, entrant)]
        texts = await self.reasons.texts(
            championship, {one.recorded.reason_digest: one.name for one in told if not one.erased}
        )
        return [(one, one.recorded.reason or texts.get(one.recorded.reason_digest, "")) for one in told]

    async def seal(self, championship: str, command_id: str) -> tuple[Answer[e.Event], e.ChampionshipSealed]:
        """Announce the seal of a championship whose window is closed and whose appeals are decided, and wait for it (C10.8).

        The answer is that to the record that seals. Raises Rejected where it is withdrawn, Unavailable where it comes later.
        """
        envelope = self.envelope(championship, command_id, "chief_referee", "deputy")
        answer = await self.announcing.announce(championship, envelope)
        try:
            async with asyncio.timeout(SEAL_SECONDS):
                while True:
                    moved = self.moved(championship)
                    if (sealed := await self.announcing.fate(championship, answer)) is not None:
                        break
                    await moved.wait()
        except TimeoutError:
            raise Unavailable("TIMED_OUT") from None
        return sealed, next(one for one in sealed.events if isinstance(one, e.ChampionshipSealed))

    async def decide_fork(self, request: pb.DecideForkRequest) -> tuple[Answer[e.Event], e.ForkDecided]:
        """Decide which history of a table stands, where its stream and the archive differ."""
        forks.check(request)
        subject = self.subject(request.championship)
        envelope = self.envelope(request.championship, request.command_id, "chief_referee")
        answer = await self.log.repeated(subject, envelope, lambda accepted: forks.same(accepted, request))
        if answer is None:
            table = self.epoch.table_subject(request.championship, request.table)
            asked = log_pb.GetForkRequest(subject=table, version=request.version)
            command = forks.decision(table, request, await self.tables_log().GetFork(asked))
            answer = await self.log.handle(subject, command, envelope)
        return answer, next(one for one in answer.events if isinstance(one, e.ForkDecided))

    # What arrives

    def moved(self, championship: str) -> asyncio.Event:
        """An event that is set when anything of the championship changes from now on."""
        return self._moved.setdefault(championship, asyncio.Event())

    def _touch(self, championship: str) -> None:
        self.steps.add(championship)
        waiting = self._moved.pop(championship, None)
        if waiting is not None:
            waiting.set()

    def _applied(self, applied: Applied[Championship, e.Event]) -> None:
        championship = parse(applied.stored.subject).championship
        if any(isinstance(event, e.BoardReplayed) for event in applied.events):
            self.sealing.of(championship).replayed = applied.stored.sequence
        self._touch(championship)

    async def read_tables(self, reads: list[Read]) -> None:
        """Tables' records: closed boards, ended matches and signed heads."""
        told = list(events_of(reads, table_events.Event))
        self.sealing.read_tables(reads, told)
        self.substitutes.read(reads)
        for read in reads:
            closing = read.record.closing
            if closing is not None:
                address, header = parse(read.stored.subject), read.record.header
                record = Cause(read.stored.subject, header.version)
                self.progress.closed(address.championship, address.item, closing, header.time_us, record)
                if closing.attempt != FIRST_ATTEMPT:
                    self.replays.closed(address.championship, address.item, record)
                self._touch(address.championship)
        for read, kind, event in told:
            if kind == "match_ended":
                address, header = parse(read.stored.subject), read.record.header
                record = Cause(read.stored.subject, header.version)
                self.progress.ended(address.championship, address.item, event.round, header.time_us, record)
                self._touch(address.championship)

    async def read_scoring(self, reads: list[Read]) -> None:
        """Scoring's records: publications, and boards that are played again."""
        told = list(events_of(reads, scoring_events.Event))
        self.sealing.read_scoring(told)
        for read, kind, event in told:
            championship = parse(read.stored.subject).championship
            record = Cause(read.stored.subject, read.record.header.version)
            match kind:
                case "board_superseded":
                    self.replays.ordered(championship, [event], record)
                case "replay_ordered":
                    self.replays.ordered(championship, superseded(event), record)
                case "standings_published":
                    self.rounds.publications[championship] = Publication(
                        event.number, event.after_round, event.digest, record
                    )
                case "standings_fixed":
                    pass  # which the seal waits for
                case _:
                    continue
            self._touch(championship)

    async def read_appeals(self, reads: list[Read]) -> None:
        """Appeals' records: what stands between a championship and its seal, and seats that were ruled."""
        told = list(events_of(reads, appeals_events.Event))
        self.sealing.read_appeals(told)
        for read, kind, event in told:
            address, version = parse(read.stored.subject), read.record.header.version
            if kind == "appeal_filed":
                self.reseating.filed(address.championship, address.item, event)
                self.overturning.filed(address.championship, address.item, event)
            elif kind == "appeal_decided":
                self.overturning.decided(address.championship, address.item)
                record = Cause(read.stored.subject, version)
                if self.reseating.ruled(address.championship, address.item, event, record):
                    self._touch(address.championship)

    # Steps that are due

    async def _step(self, championship: str) -> None:
        if self.log.state(self.subject(championship)) is None:
            return
        await self._erase(championship)
        if self.rounds.state(championship).sealing:
            await self.announcing.conclude(championship)
            return
        await self.reseating.step(championship)
        await self.replays.step(championship)
        while (step := self.rounds.due(championship)) is not None and not self._waits(championship, step):
            await self.rounds.take(championship, step)

    def _waits(self, championship: str, step: Step) -> bool:
        """Whether a step comes after the boards that are played again: no round begins before they have been, and none is seated
        before what they came to is published (C10.6)."""
        published = self.sealing.published(championship) or step.kind != "pair"
        waiting = self.replays.waiting(self.rounds.state(championship))
        return step.kind in ("pair", "start") and (waiting > 0 or not published)
