"""Panels and their ballots: who may judge, and votes while it may (C10.3, C10.4)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from fupan.dealer.v1 import service_pb2 as dealer
from services.appeals import committees, decider
from services.appeals.conflicts import conflicts
from services.appeals.desk import PEER_SECONDS, Desk
from services.appeals.finality import Finality
from services.appeals.model import commands as c
from services.appeals.model import events as e
from services.appeals.model.state import Appeal
from services.directory import Championship
from services.domain import Rejected
from services.runtime.clock import Clock
from services.runtime.errors import Denied
from services.runtime.identity import caller
from services.runtime.log import Answer
from services.substitutes import Substitutes

if TYPE_CHECKING:  # a stub class that exists for the type checker only
    from fupan.dealer.v1.service_pb2_grpc import DealerServiceAsyncStub


class Judging:
    """Appoints panels and takes their ballots."""

    def __init__(
        self,
        desk: Desk,
        finality: Finality,
        substitutes: Substitutes,
        dealer_stub: DealerServiceAsyncStub,
        clock: Clock,
    ) -> None:
        self._desk = desk
        self._finality = finality
        self._substitutes = substitutes
        self._dealer = dealer_stub
        self._clock = clock
        self._appointing = asyncio.Lock()

    async def appoint(
        self,
        championship: str,
        appeal: str,
        command_id: str,
        members: Sequence[str],
        reserves: Sequence[str],
        deadline_us: int,
    ) -> tuple[Answer[e.Event], e.PanelAppointed]:
        """Appoint a panel of arbitrators without conflicts (C10.3); its ballots are encrypted to a key of the dealer's. Whoever may
        not know what the appeal is about appoints none: who may not judge it would tell. Raises Denied, Rejected."""

        def same(accepted: c.Command) -> bool:
            return (
                isinstance(accepted, c.AppointPanel)
                and [one.person_id for one in accepted.members] == list(members)
                and [one.person_id for one in accepted.reserves] == list(reserves)
                and deadline_us in (0, accepted.voting_deadline_us)
            )

        known = await self._desk.current(championship)
        envelope = self._desk.envelope(championship, command_id, "organiser", "arbitrator")
        answer = await self._desk.repeated(championship, appeal, envelope, same)
        if answer is None:
            committees.check(known)
            state = self._desk.appeal(championship, appeal)
            self._check_told(championship, state)
            command = c.AppointPanel(
                tuple(self._member(known, state, one) for one in members),
                tuple(self._member(known, state, one) for one in reserves),
                deadline_us or decider.latest_us(state, self._clock()),
                b"",
            )
            try:  # before a key is made for it
                decider.check_panel(state, command, self._clock())
            except Rejected as error:
                raise self._desk.with_deadline(championship, error) from None
            # Each panel its own: what frees the ballots of one opens nobody else's.
            of = sha256(f"{envelope.actor} {command_id}".encode()).hexdigest()[:24]
            request = dealer.CreateAppealKeyRequest(
                command_id=f"key-{appeal}-{of}", championship=championship, appeal=appeal
            )
            async with self._appointing:  # of those that come at once, one is first
                self._finality.check_to_be_judged(known, state)
                created = await self._dealer.CreateAppealKey(request, timeout=PEER_SECONDS)
                command = replace(command, ballot_key=created.public_key)
                answer = await self._desk.submit(championship, appeal, command, envelope, same)
        return answer, next(one for one in answer.events if isinstance(one, e.PanelAppointed))

    async def step_back(
        self, championship: str, appeal: str, reason: str, command_id: str
    ) -> Answer[e.Event]:
        """Declare a conflict of the caller's (C10.3). Of what it may not know only whoever was called steps back. Raises Denied,
        Rejected."""
        await self._desk.current(championship)
        state, person = self._desk.appeal(championship, appeal), caller().person
        if person not in state.called:
            self._check_told(championship, state)
        envelope = self._desk.envelope(championship, command_id, "arbitrator")
        command = c.DeclareConflict(person, reason)
        return await self._desk.submit(championship, appeal, command, envelope)

    def _check_told(self, championship: str, state: Appeal) -> None:
        if not self._desk.told(championship, state):
            raise Denied("PLAYS_THE_EVENT")

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
        if self._desk.told(championship, state):
            return Rejected("CONFLICT", "C10.3", why)
        detail = f"whoever played that board, met a party or shares a unit with one does not judge: {person}"
        return Rejected("CONFLICT", "C10.3", detail)

    async def cast(
        self, championship: str, appeal: str, command: c.CastBallot, command_id: str
    ) -> Answer[e.Event]:
        """Cast the caller's ballot (C10.4). Who has come to have a conflict since the panel was appointed steps back (C10.3); of
        panels that were appointed at once the first votes (C10.7)."""
        known, person = await self._desk.current(championship), caller().person
        envelope = self._desk.envelope(championship, command_id, "arbitrator")
        state = self._desk.appeal(championship, appeal)
        if state.phase == "voting" and any(one.person_id == person for one in state.missing):
            self._finality.check_to_be_judged(known, state)
            if why := self._conflict(known, state, person):
                stepping_back = envelope._replace(command_id=f"conflict {command_id}")
                await self._desk.submit(championship, appeal, c.DeclareConflict(person, why), stepping_back)
                raise self._in_conflict(championship, state, person, why)
        return await self._desk.submit(championship, appeal, command, envelope)
