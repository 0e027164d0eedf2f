"""Appeals' working parts together: the log, deadlines, panels, and the loop that counts votes and watches clocks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import structlog

from fupan.dealer.v1 import service_pb2 as dealer
from fupan.scoring.v1 import service_pb2 as scoring
from services.appeals import model as m
from services.appeals import texts
from services.appeals.codec import REMEDIES
from services.appeals.conflicts import conflicts
from services.appeals.deadlines import answer_due_us, calendar_version, shown, window_ends_us
from services.appeals.grounds import Grounds
from services.directory import Directory
from services.domain import Rejected
from services.ledger import ballot
from services.runtime.errors import Denied, Malformed, NotFound, Unavailable
from services.runtime.follower import Read
from services.runtime.identity import caller
from services.runtime.log import Answer, Applied, Envelope, Log
from services.runtime.positions import parse_position
from services.runtime.streams import Epoch, parse

if TYPE_CHECKING:  # stub classes that exist for the type checker only
    from fupan.dealer.v1.service_pb2_grpc import DealerServiceAsyncStub
    from fupan.scoring.v1.service_pb2_grpc import ScoringServiceAsyncStub

SERVICE = "service:appeals"
RETRY_SECONDS = 1.0
CLOCK_SECONDS = 0.5
"""How often deadlines are looked at."""

POSITION_SECONDS = 5.0
MAX_GROUNDS = 20_000

AppealsLog = Log[m.Appeal, m.Command, m.Event]

_log = structlog.get_logger(__name__)


class Desk:
    """What the RPCs work with."""

    def __init__(
        self,
        log: AppealsLog,
        epoch: Epoch,
        directory: Directory,
        dealer_stub: DealerServiceAsyncStub,
        scoring_stub: ScoringServiceAsyncStub,
        grounds: Grounds,
        clock: Callable[[], int],
        stopping: asyncio.Event,
    ) -> None:
        self.directory = directory
        self.grounds = grounds
        self._log = log
        self._epoch = epoch
        self._dealer = dealer_stub
        self._scoring = scoring_stub
        self._clock = clock
        self._stopping = stopping
        self._closed: dict[tuple[str, int, int, str], int] = {}
        self._by_championship: dict[str, list[str]] = {}
        self._open: set[str] = set()
        log.listen(self._applied)

    # Knowing

    def appeal(self, championship: str, appeal: str) -> m.Appeal:
        """One appeal. Raises NotFound."""
        state = self._log.state(self._epoch.appeal_subject(championship, appeal))
        if state is None or not state.phase:
            raise NotFound("appeal", appeal)
        return state

    def appeals(self, championship: str) -> list[m.Appeal]:
        """All appeals of a championship, in the order filed."""
        self.directory.get(championship)
        states = (self._log.state(subject) for subject in self._by_championship.get(championship, ()))
        return [state for state in states if state is not None and state.phase]

    async def reached(self, position: str) -> None:
        """Wait until `position` (empty: none) is known here. Raises Unavailable("POSITION_NOT_REACHED")."""
        if not position:
            return
        stream, sequence = parse_position(position)
        if stream != self._epoch.stream("appeals"):
            return
        try:
            async with asyncio.timeout(POSITION_SECONDS):
                await self._log.wait_for(stream, sequence)
        except TimeoutError:
            raise Unavailable("POSITION_NOT_REACHED") from None

    def window_of(self, championship: str, contested: m.Contested) -> int:
        """End of the window for what is contested, exclusive; 0 while it has not begun to run (C10.1)."""
        known = self.directory.get(championship)
        settings = known.settings
        begins = known.ended_us
        if settings.window_starts != "competition":
            round_ = _round_of(contested)
            played = known.rounds.get(round_) if round_ else None
            if played is not None:
                begins = played.closed_us
            if settings.window_starts == "match" and isinstance(contested, m.ContestedBoard):
                last = [
                    time_us
                    for (where, in_round, _, table), time_us in self._closed.items()
                    if (where, in_round, table) == (championship, contested.round, contested.table)
                ]
                done = len(last) >= settings.boards_per_round
                begins = max(last) if done else 0
        return window_ends_us(begins, settings.appeal_window_ms)

    # Filing

    async def file(
        self,
        championship: str,
        command_id: str,
        contested: m.Contested,
        text: str,
        sought: Sequence[m.Remedy],
    ) -> tuple[Answer[m.Event], m.AppealFiled]:
        """File an appeal for the caller's entrant."""
        known = self.directory.get(championship)
        settings = known.settings
        if settings.final_authority == "chief_referee":
            raise Rejected(
                "CHIEF_REFEREE_FINAL", "C10.0", "in this event the chief referee's ruling is final"
            )
        person = caller().person
        entrant = known.entrant_of.get(person)
        if entrant is None:
            raise Denied("NOT_IN_ROLE", "only entrants appeal")
        if not 1 <= len(text) <= MAX_GROUNDS:
            raise Malformed(
                "grounds", f"must say in writing what is contested, in at most {MAX_GROUNDS} characters"
            )
        appeal = f"a-{sha256(f'{person} {command_id}'.encode()).hexdigest()[:12]}"
        if self._log.state(self._epoch.appeal_subject(championship, appeal)) is None:
            self._check_contested(championship, contested)
            self._check_not_ruled(championship, contested)
            sought = [_with_authority(one, appeal) for one in sought]
            await self._check_sought(championship, sought)
            await self.grounds.keep(championship, appeal, text)
        command = m.FileAppeal(
            appeal,
            entrant,
            contested,
            sha256(text.encode()).digest(),
            tuple(_with_authority(one, appeal) for one in sought),
            self.window_of(championship, contested),
            settings.fee_amount,
            settings.fee_currency,
            answer_due_us(self._clock(), settings.calendar, settings.time_zone),
            calendar_version(settings.calendar),
        )
        try:
            answer = await self.handle(championship, appeal, command, command_id, "player")
        except Rejected as error:
            raise self._with_deadline(championship, error) from None
        filed = next(one for one in answer.events if isinstance(one, m.AppealFiled))
        return answer, filed

    def _with_deadline(self, championship: str, error: Rejected) -> Rejected:
        """The same refusal with its deadline in the event's own time."""
        deadline = error.facts.get("deadline_us")
        if deadline is None:
            return error
        when = shown(int(deadline), self.directory.settings(championship).time_zone)
        return Rejected(error.reason, error.clause, f"{error.detail}: it ended at {when}", deadline=when)

    def _check_contested(self, championship: str, contested: m.Contested) -> None:
        """Whether what is contested exists. Raises NotFound, Rejected."""
        known = self.directory.get(championship)
        match contested:
            case m.ContestedBoard():
                played = known.rounds.get(contested.round)
                if played is None or contested.table not in played.tables:
                    raise NotFound("table", contested.table)
                key = (championship, contested.round, contested.board, contested.table)
                if key not in self._closed:
                    raise Rejected("BOARD_OPEN", "C10.1", "this table has not closed the board")
            case m.ContestedPairing():
                if contested.round not in known.rounds or not known.rounds[contested.round].paired:
                    raise NotFound("round", contested.round)
            case m.ContestedRuling():
                if not contested.ruling:
                    raise Malformed("contested.ruling", "must name the ruling")
            case m.ContestedPublication():
                if not contested.publication:
                    raise Malformed("contested.publication", "must be a publication's number")

    def _check_not_ruled(self, championship: str, contested: m.Contested) -> None:
        for other in self.appeals(championship):
            if other.filed is not None and other.filed.contested == contested and other.decision is not None:
                raise Rejected(
                    "RULING_FINAL", "C10.7", f"the committee has ruled on this in appeal {other.filed.appeal}"
                )

    async def _check_sought(self, championship: str, sought: Sequence[m.Remedy]) -> None:
        """Whether what is asked for could be applied: scoring lays it over the facts and writes nothing. Raises what it says."""
        if sought:
            remedies = [REMEDIES.to_proto(one) for one in sought]
            request = scoring.WhatIfRequest(championship=championship, remedies=remedies)
            await self._scoring.WhatIf(request, timeout=20.0)

    # After filing

    async def pay(
        self, championship: str, appeal: str, command_id: str, amount: int, currency: str, reference: str
    ) -> tuple[Answer[m.Event], m.FeeRecorded]:
        """Record the fee (C10.2)."""
        state = self.appeal(championship, appeal)
        assert state.filed is not None
        settings = self.directory.settings(championship)
        command = m.RecordFee(
            amount,
            currency,
            reference,
            self.window_of(championship, state.filed.contested),
            answer_due_us(self._clock(), settings.calendar, settings.time_zone),
            calendar_version(settings.calendar),
        )
        try:
            answer = await self.handle(championship, appeal, command, command_id, "organiser")
        except Rejected as error:
            raise self._with_deadline(championship, error) from None
        return answer, next(one for one in answer.events if isinstance(one, m.FeeRecorded))

    async def appoint(
        self,
        championship: str,
        appeal: str,
        command_id: str,
        members: Sequence[str],
        reserves: Sequence[str],
        deadline_us: int,
    ) -> tuple[Answer[m.Event], bytes]:
        """Appoint a panel of arbitrators without conflicts (C10.3); the key its ballots are encrypted to."""
        state = self.appeal(championship, appeal)
        assert state.filed is not None
        known = self.directory.get(championship)
        for person in (*members, *reserves):
            if "arbitrator" not in known.roles(person):
                raise Rejected(
                    "NOT_AN_ARBITRATOR", "C9.1", f"{person} is no member of the arbitration committee"
                )
            if why := conflicts(known, state.filed, person):
                raise Rejected("CONFLICT", "C10.3", f"{person} {' and '.join(why)}")
        answer_due = state.fee.answer_due_us if state.fee else 0
        key = await self._dealer.CreateAppealKey(
            dealer.CreateAppealKeyRequest(
                command_id=f"key-{appeal}", championship=championship, appeal=appeal
            ),
            timeout=10.0,
        )
        command = m.AppointPanel(
            tuple(self._member(championship, one) for one in members),
            tuple(self._member(championship, one) for one in reserves),
            deadline_us or answer_due,
            key.public_key,
        )
        answer = await self.handle(championship, appeal, command, command_id, "organiser")
        return answer, key.public_key

    def _member(self, championship: str, person: str) -> m.PanelMember:
        official = self.directory.get(championship).officials[(person, "arbitrator")]
        return m.PanelMember(person, official.unit_id)

    async def handle(
        self, championship: str, appeal: str, command: m.Command, command_id: str, role: str
    ) -> Answer[m.Event]:
        """Handle a command of the caller, acting by `role`."""
        who = caller()
        authority = self.directory.authority(championship, who.person, role) if who.person else ""
        return await self._log.handle(
            self._epoch.appeal_subject(championship, appeal),
            command,
            Envelope(who.subject, command_id, authority=authority),
        )

    # What arrives

    def _applied(self, applied: Applied[m.Appeal, m.Event]) -> None:
        subject = applied.stored.subject
        known = self._by_championship.setdefault(parse(subject).championship, [])
        if applied.record.header.version == 1:
            known.append(subject)
        if applied.after.open:
            self._open.add(subject)
        else:
            self._open.discard(subject)

    async def read_tables(self, reads: list[Read]) -> None:
        """Tables' records: when boards were closed."""
        for read in reads:
            closing = read.record.closing
            if closing is not None:
                address = parse(read.stored.subject)
                key = (address.championship, closing.round, closing.board, address.item)
                self._closed[key] = read.record.header.time_us

    # The loop

    async def run(self) -> None:
        """Lapse, close, count: what is due by itself, until the service stops."""
        while not self._stopping.is_set():
            for subject in list(self._open):
                try:
                    await self._step(subject)
                except Rejected as error:
                    _log.info("appeal step refused", subject=subject, reason=error.reason)
                except Exception as error:  # a peer or the log is away: the step is due until it is taken
                    _log.warning("appeal step failed", subject=subject, error=type(error).__name__)
            try:
                await asyncio.wait_for(self._stopping.wait(), CLOCK_SECONDS)
            except TimeoutError:
                continue

    async def _step(self, subject: str) -> None:
        state = self._log.state(subject)
        if state is None or state.filed is None:
            return
        championship, now = parse(subject).championship, self._clock()
        if state.phase == "filed":
            ends = self.window_of(championship, state.filed.contested)
            if ends and now >= ends:
                await self._log.handle(subject, m.LapseAppeal(ends), Envelope(SERVICE, "lapse"))
        elif state.phase == "voting" and now >= state.voting_deadline_us:
            envelope = Envelope(SERVICE, f"close-{state.voting_deadline_us}")
            await self._log.handle(subject, m.CloseVoting(), envelope)
        elif state.phase == "counting":
            await self._count(subject, state)

    async def _count(self, subject: str, state: m.Appeal) -> None:
        """Ask the dealer for the key that voting has set free, open the ballots, count (C10.4)."""
        assert state.filed is not None
        championship, appeal = parse(subject).championship, state.filed.appeal
        released = await self._dealer.ReleaseAppealKey(
            dealer.ReleaseAppealKeyRequest(
                command_id=f"release-{appeal}", championship=championship, appeal=appeal
            ),
            timeout=10.0,
        )
        opened, unreadable = [], []
        for cast in state.ballots:
            sealed = ballot.SealedBallot(cast.commitment, cast.sealed_opening)
            try:
                vote = ballot.open_ballot(appeal, cast.member, sealed, released.private_key)
                opened.append(m.OpenedBallot(cast.member, vote.uphold, vote.opening))
            except Rejected:
                unreadable.append(cast.member)
        votes_for = sum(one.uphold for one in opened)
        votes_against = len(opened) - votes_for
        text, text_zh = texts.ruling(appeal, votes_for > votes_against, votes_for, votes_against)
        command = m.DecideAppeal(tuple(opened), tuple(unreadable), text, text_zh)
        version = self._log.head(subject).version
        await self._log.handle(subject, command, Envelope(SERVICE, f"decide-{version}"))


def _round_of(contested: m.Contested) -> int:
    match contested:
        case m.ContestedBoard() | m.ContestedPairing():
            return contested.round
        case _:
            return 0


def _with_authority(remedy: m.Remedy, appeal: str) -> m.Remedy:
    """The remedy as the committee rules it, on the chief referee's authority (C10.6)."""
    authority = m.RemedyAuthority("arbitration", appeal, f"ruling in appeal {appeal}")
    changed: Any = replace(remedy, authority=authority)
    return changed  # type: ignore[no-any-return]
