"""Appeals' working parts together: filing, fees and panels; what is due by itself is in `counting`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import grpc

from fupan.dealer.v1 import service_pb2 as dealer
from fupan.scoring.v1 import service_pb2 as scoring
from services.appeals import committees, decider, matters
from services.appeals.codec import REMEDIES
from services.appeals.conflicts import conflicts
from services.appeals.contesting import Contesting, alone, check_seats
from services.appeals.deadlines import answer_due_us, beyond, calendar_version, told_until
from services.appeals.files import Files
from services.appeals.model import commands as c
from services.appeals.model import events as e
from services.appeals.model.state import Appeal
from services.appeals.openness import Openness
from services.appeals.sittings import Sittings
from services.appeals.windows import Windows
from services.directory import Championship, Directory
from services.domain import Rejected
from services.runtime.clock import Clock
from services.runtime.errors import Denied, Malformed, NotFound, read_status
from services.runtime.identity import caller
from services.runtime.log import Answer, Envelope, Log
from services.runtime.streams import Epoch
from services.runtime.writings import Writings
from services.substitutes import Substitutes

if TYPE_CHECKING:  # stub classes that exist for the type checker only
    from fupan.dealer.v1.service_pb2_grpc import DealerServiceAsyncStub
    from fupan.scoring.v1.service_pb2_grpc import ScoringServiceAsyncStub

PEER_SECONDS = 20.0
MAX_GROUNDS = 20_000

AppealsLog = Log[Appeal, c.Command, e.Event]
Same = Callable[[c.Command], bool]


class Desk:
    """What the RPCs work with."""

    def __init__(
        self,
        log: AppealsLog,
        epoch: Epoch,
        directory: Directory,
        dealer_stub: DealerServiceAsyncStub,
        scoring_stub: ScoringServiceAsyncStub,
        windows: Windows,
        contesting: Contesting,
        substitutes: Substitutes,
        openness: Openness,
        sittings: Sittings,
        grounds: Writings,
        files: Files,
        clock: Clock,
        catch_up: Callable[[], Awaitable[None]],
        lost: Callable[[str], None],
    ) -> None:
        self.directory = directory
        self.grounds = grounds
        self._files = files
        self._log = log
        self._epoch = epoch
        self._dealer = dealer_stub
        self._scoring = scoring_stub
        self._windows = windows
        self._contesting = contesting
        self._substitutes = substitutes
        self._openness = openness
        self._sittings = sittings
        self._clock = clock
        self._catch_up = catch_up
        self._lost = lost
        self._appointing = asyncio.Lock()

    async def _current(self, championship: str) -> Championship:
        """The championship after everything that is in others' streams now: windows depend on it. Raises NotFound, Unavailable."""
        await self.directory.refresh()
        await self._catch_up()
        return self.directory.get(championship)

    # Knowing

    def appeal(self, championship: str, appeal: str) -> Appeal:
        """One appeal. Raises NotFound."""
        self.directory.get(championship)
        state = self._log.state(self._epoch.appeal_subject(championship, appeal))
        if state is None:
            raise NotFound("appeal", appeal)
        return state

    def appeals(self, championship: str) -> list[Appeal]:
        """All appeals of a championship, in the order filed."""
        self.directory.get(championship)
        prefix = self._epoch.appeal_subject(championship, "a").removesuffix("a")
        subjects = (subject for subject in self._log.subjects() if subject.startswith(prefix))
        return [state for state in map(self._log.state, subjects) if state is not None]

    def deadlines(self, championship: str, state: Appeal) -> tuple[int, bool]:
        """When the window of an appeal ends, 0 while it does not run, and whether its answer is overdue."""
        assert state.filed is not None
        known = self.directory.get(championship)
        return self._windows.end_of(known, state.filed.contested), state.overdue(self._clock())

    async def open_case(
        self, championship: str, appeal: str, command_id: str
    ) -> tuple[Answer[e.Event], Appeal, bytes]:
        """Hand the newest edition of the case file to the caller; the appeal, and the file as it was frozen. It is logged."""
        state, person = self.appeal(championship, appeal), caller().person
        self._check_opens(await self._current(championship), state, person)
        if state.case is None:
            raise Rejected("CASE_NOT_READY", "C10.1", "the case file is not assembled yet")
        file = await self._files.read(championship, appeal, state.case.digest)
        if file is None:
            self._lost(self._epoch.appeal_subject(championship, appeal))
            raise Rejected("CASE_NOT_READY", "C10.1", "the case file is lost, and is assembled anew")
        roles = ("arbitrator", "chief_referee", "deputy", "organiser", "player")
        envelope = self._envelope(championship, command_id, *roles)
        answer = await self._handle(championship, appeal, c.OpenCase(state.case.edition), envelope, None)
        return answer, self.appeal(championship, appeal), file

    def _check_opens(self, known: Championship, state: Appeal, person: str) -> None:
        """Whether somebody may see a case file. Who plays the event, or has, sees none of a board that others still play. Raises
        Denied, Rejected."""
        assert state.filed is not None
        panel = {one.person_id for one in (*state.members, *state.reserves)}
        heads = {"organiser", "chief_referee", "deputy"}
        appellant = known.entrant_of.get(person) == state.filed.entrant
        if not (appellant or person in panel or known.roles(person) & heads):
            raise Denied("NOT_IN_ROLE", "only for the panel, the heads of the event and the appellant")
        plays = person in known.entrant_of or self._substitutes.tables(known.id, person)
        if plays and not (state.case is not None and state.case.complete):
            raise Rejected("BOARD_OPEN", "C10.1", "the board is not revealed: not all tables have closed it")

    # Filing

    async def file(
        self,
        championship: str,
        command_id: str,
        contested: e.Contested,
        text: str,
        sought: Sequence[e.Remedy],
    ) -> tuple[Answer[e.Event], e.AppealFiled]:
        """File an appeal for the caller's entrant (C10.1)."""
        known = self.directory.get(championship)
        if known.settings.final_authority == "chief_referee":
            raise Rejected(
                "CHIEF_REFEREE_FINAL", "C10.0", "in this event the chief referee's ruling is final"
            )
        person = caller().person
        entrant = known.entrant_of.get(person)
        if entrant is None:
            raise Rejected("NOT_IN_ROLE", "C10.1", "only entrants appeal")
        if not text.strip() or len(text) > MAX_GROUNDS:
            raise Malformed(
                "grounds", f"must say in writing what is contested, in at most {MAX_GROUNDS} characters"
            )
        appeal = f"a-{sha256(f'{person} {command_id}'.encode()).hexdigest()[:12]}"
        asked = contested, tuple(_ruled_in(appeal, one) for one in sought)
        digests = await self.grounds.digests(championship, appeal, text)

        def same(accepted: c.Command) -> bool:
            return (
                isinstance(accepted, c.FileAppeal)
                and (accepted.contested, accepted.sought) == asked
                and accepted.grounds_digest in digests
            )

        envelope = self._envelope(championship, command_id, "player")
        answer = await self._repeated(championship, appeal, envelope, same)
        if answer is None:
            command = await self._filing(await self._current(championship), entrant, appeal, *asked)
            async with self.grounds.kept(championship, appeal, text) as digest:
                digests |= {digest}
                command = replace(command, grounds_digest=digest)
                answer = await self._handle(championship, appeal, command, envelope, same)
        return answer, next(one for one in answer.events if isinstance(one, e.AppealFiled))

    async def named(self, championship: str, appeal: str) -> Collection[bytes]:
        """By which digests the log names the grounds of an appeal, if it was filed. Raises NotFound, Rejected where that cannot be
        told."""
        self.directory.get(championship)
        subject = self._epoch.appeal_subject(championship, appeal)
        await self._log.unlock(subject)
        state = self._log.state(subject)
        return () if state is None or state.filed is None else (state.filed.grounds_digest,)

    async def _filing(
        self,
        known: Championship,
        entrant: int,
        appeal: str,
        contested: e.Contested,
        sought: tuple[e.Remedy, ...],
    ) -> c.FileAppeal:
        """The command to file, but for the digest of its grounds, with what the event's settings, calendar and facts say.

        Raises Rejected, NotFound, and what scoring refuses of the remedies sought.
        """
        contested = await self._contesting.located(known, contested)
        self._contesting.check(known, caller().person, contested)
        ends_us, settings = self._windows.end_of(known, contested), known.settings
        try:
            decider.check_window(ends_us, self._clock(), "C10.1")
        except Rejected as error:
            raise self._with_deadline(known.id, error) from None
        check_seats(contested, sought)
        await self._check_sought(known, contested, sought)
        # Of boards that others still play nobody is told that a committee has ruled on them.
        self._check_not_ruled(known, contested, sought)
        return c.FileAppeal(
            appeal,
            entrant,
            contested,
            b"",
            sought,
            ends_us,
            settings.fee_amount,
            settings.fee_currency,
            *self._answer_due(known),
        )

    def _answer_due(self, known: Championship) -> tuple[int, str, bool]:
        """When an answer to what is received now is due, by which calendar, and whether beyond what that knows (C10.5)."""
        settings = known.settings
        place = settings.calendar, settings.time_zone
        due_us = answer_due_us(self._clock(), *place)
        return due_us, calendar_version(settings.calendar), beyond(due_us, *place)

    def _check_not_ruled(
        self, known: Championship, contested: e.Contested, sought: Sequence[e.Remedy]
    ) -> None:
        """Whether no committee has ruled on anything that an appeal would be about (C10.7). Raises Rejected."""
        own = matters.about(known, contested, sought)
        for one in self._ruled(known.id):
            if own & matters.about(known, one.contested, one.sought):
                raise self._ruled_on(known.id, one.appeal)

    def _check_to_be_judged(self, known: Championship, state: Appeal) -> None:
        """Whether something is left to be judged, and no other panel, or none that was appointed before, judges it: what that rules
        is final (C10.7). Raises Rejected."""
        assert state.filed is not None
        if appeal := matters.settled_by(known, state.filed, self._ruled(known.id)):
            raise self._ruled_on(known.id, appeal)
        if sitting := self._sittings.before(known, state.filed):
            other = sitting.filed.appeal
            if not self._told(known.id, self.appeal(known.id, other)):
                raise Rejected("PANEL_SITS", "C10.7", "a panel judges this already")
            raise Rejected("PANEL_SITS", "C10.7", f"a panel judges this already, in appeal {other}")

    def _told(self, championship: str, state: Appeal) -> bool:
        """Whether a refusal may tell the caller what an appeal is about."""
        return self._openness.told(championship, state, caller())

    def _ruled_on(self, championship: str, appeal: str) -> Rejected:
        if not self._told(championship, self.appeal(championship, appeal)):
            return Rejected("RULING_FINAL", "C10.7", "the committee has ruled on this")
        return Rejected("RULING_FINAL", "C10.7", f"the committee has ruled on this in appeal {appeal}")

    def _ruled(self, championship: str) -> list[e.AppealFiled]:
        """The appeals on which committees have ruled."""
        appeals = self.appeals(championship)
        return [one.filed for one in appeals if one.filed is not None and one.decision is not None]

    async def _check_sought(
        self, known: Championship, contested: e.Contested, sought: Sequence[e.Remedy]
    ) -> None:
        """Whether what is asked for could be applied: scoring lays it over the facts and writes nothing. Raises AioRpcError.

        A remedy on the contested board itself, at its own table, may come before all tables have closed that, or while it is
        played again; scoring then waits with it.
        """
        remedies = [REMEDIES.to_proto(one) for one in sought]
        if not remedies:  # which is refused when it is filed
            return
        request = scoring.WhatIfRequest(championship=known.id, remedies=remedies)
        try:
            await self._scoring.WhatIf(request, timeout=PEER_SECONDS)
        except grpc.aio.AioRpcError as error:
            told, board = read_status(error), e.board_of(contested)
            if (
                told is None
                or told.reason not in ("BOARD_OPEN", "REPLAY_RUNNING")
                or not (board and alone(known, board, sought))
            ):
                raise

    # After filing

    async def pay(
        self, championship: str, appeal: str, command_id: str, amount: int, currency: str, reference: str
    ) -> tuple[Answer[e.Event], e.FeeRecorded]:
        """Record the fee (C10.2)."""
        asked = amount, currency, reference

        def same(accepted: c.Command) -> bool:
            return (
                isinstance(accepted, c.RecordFee)
                and (accepted.amount, accepted.currency, accepted.reference) == asked
            )

        envelope = self._envelope(championship, command_id, "organiser")
        answer = await self._repeated(championship, appeal, envelope, same)
        if answer is None:
            known = await self._current(championship)
            filed = self.appeal(championship, appeal).filed
            assert filed is not None
            ends_us = self._windows.end_of(known, filed.contested)
            command = c.RecordFee(*asked, ends_us, *self._answer_due(known))
            answer = await self._handle(championship, appeal, command, envelope, same)
        return answer, next(one for one in answer.events if isinstance(one, e.FeeRecorded))

    async def appoint(
        self,
        championship: str,
        appeal: str,
        command_id: str,
        members: Sequence[str],
        reserves: Sequence[str],
        deadline_us: int,
    ) -> tuple[Answer[e.Event], e.PanelAppointed]:
        """Appoint a panel of arbitrators without conflicts (C10.3); its ballots are encrypted to a key of the dealer's."""

        def same(accepted: c.Command) -> bool:
            return (
                isinstance(accepted, c.AppointPanel)
                and [one.person_id for one in accepted.members] == list(members)
                and [one.person_id for one in accepted.reserves] == list(reserves)
                and deadline_us in (0, accepted.voting_deadline_us)
            )

        envelope = self._envelope(championship, command_id, "organiser", "arbitrator")
        answer = await self._repeated(championship, appeal, envelope, same)
        if answer is None:
            known = await self._current(championship)
            committees.check(known)
            state = self.appeal(championship, appeal)
            command = c.AppointPanel(
                tuple(self._member(known, state, one) for one in members),
                tuple(self._member(known, state, one) for one in reserves),
                deadline_us or decider.latest_us(state, self._clock()),
                b"",
            )
            try:  # before a key is made for it
                decider.check_panel(state, command, self._clock())
            except Rejected as error:
                raise self._with_deadline(championship, error, state) from None
            # Each panel its own: what frees the ballots of one opens nobody else's.
            of = sha256(f"{envelope.actor} {command_id}".encode()).hexdigest()[:24]
            request = dealer.CreateAppealKeyRequest(
                command_id=f"key-{appeal}-{of}", championship=championship, appeal=appeal
            )
            async with self._appointing:  # of those that come at once, one is first
                self._check_to_be_judged(known, state)
                created = await self._dealer.CreateAppealKey(request, timeout=PEER_SECONDS)
                command = replace(command, ballot_key=created.public_key)
                answer = await self._handle(championship, appeal, command, envelope, same)
        return answer, next(one for one in answer.events if isinstance(one, e.PanelAppointed))

    def _member(self, known: Championship, state: Appeal, person: str) -> e.PanelMember:
        """A member of the arbitration committee who may judge this appeal. Raises Rejected."""
        official = committees.member(known, person)
        if why := self._conflict(known, state, person):
            raise self._in_conflict(known.id, state, person, why)
        return e.PanelMember(person, official.unit_id)

    def _conflict(self, known: Championship, state: Appeal, person: str) -> str:
        assert state.filed is not None
        why = conflicts(known, state.filed, person, self._substitutes.tables(known.id, person))
        return f"{person} may not judge this: {' and '.join(why)}" if why else ""

    def _in_conflict(self, championship: str, state: Appeal, person: str, why: str) -> Rejected:
        """What stands against a member. Who may not know what the appeal is about is told what the clause says."""
        if self._told(championship, state):
            return Rejected("CONFLICT", "C10.3", why)
        detail = f"whoever played that board, met a party or shares a unit with one does not judge: {person}"
        return Rejected("CONFLICT", "C10.3", detail)

    async def cast(
        self, championship: str, appeal: str, command: c.CastBallot, command_id: str
    ) -> Answer[e.Event]:
        """Cast the caller's ballot (C10.4). Who has come to have a conflict since the panel was appointed steps back (C10.3); of
        panels that were appointed at once the first votes (C10.7)."""
        known, person = await self._current(championship), caller().person
        envelope = self._envelope(championship, command_id, "arbitrator")
        state = self.appeal(championship, appeal)
        if state.phase == "voting" and any(one.person_id == person for one in state.missing):
            self._check_to_be_judged(known, state)
            if why := self._conflict(known, state, person):
                stepping_back = envelope._replace(command_id=f"conflict {command_id}")
                await self._handle(championship, appeal, c.DeclareConflict(person, why), stepping_back, None)
                raise self._in_conflict(championship, state, person, why)
        return await self._handle(championship, appeal, command, envelope, None)

    async def handle(
        self, championship: str, appeal: str, command: c.Command, command_id: str, *roles: str
    ) -> Answer[e.Event]:
        """Handle a command of the caller, who acts by the first of `roles` that it holds."""
        self.appeal(championship, appeal)
        envelope = self._envelope(championship, command_id, *roles)
        return await self._handle(championship, appeal, command, envelope, None)

    # How

    def _envelope(self, championship: str, command_id: str, *roles: str) -> Envelope:
        who = caller()
        authority = self.directory.authority(championship, who.person, *roles)
        return Envelope(who.subject, command_id, authority=authority)

    async def _repeated(
        self, championship: str, appeal: str, envelope: Envelope, same: Same
    ) -> Answer[e.Event] | None:
        return await self._log.repeated(self._epoch.appeal_subject(championship, appeal), envelope, same)

    async def _handle(
        self, championship: str, appeal: str, command: c.Command, envelope: Envelope, same: Same | None
    ) -> Answer[e.Event]:
        subject = self._epoch.appeal_subject(championship, appeal)
        try:
            return await self._log.handle(subject, command, envelope, same=same)
        except Rejected as error:
            raise self._with_deadline(championship, error, self._log.state(subject)) from None

    def _with_deadline(self, championship: str, error: Rejected, state: Appeal | None = None) -> Rejected:
        """The same refusal with its deadline, if it has one, in the event's own time. Who may not know what an appeal is about is
        told of none: its window may begin when a table is done (C10.1)."""
        hidden = state is not None and state.filed is not None and not self._told(championship, state)
        return told_until(error, "" if hidden else self.directory.settings(championship).time_zone)


def _ruled_in(appeal: str, remedy: e.Remedy) -> e.Remedy:
    """The remedy as the committee rules it, on the chief referee's authority (C10.6)."""
    changed: Any = replace(
        remedy, authority=e.RemedyAuthority("arbitration", appeal, f"ruling in appeal {appeal}")
    )
    return changed  # type: ignore[no-any-return]
