"""Filing an appeal and paying for it (C10.1, C10.2)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import grpc

from fupan.scoring.v1 import service_pb2 as scoring
from services.appeals import decider
from services.appeals.codec import REMEDIES
from services.appeals.contesting import Contesting, alone, check_seats
from services.appeals.desk import PEER_SECONDS, Desk
from services.appeals.finality import Finality
from services.appeals.model import commands as c
from services.appeals.model import events as e
from services.appeals.model.state import Appeal
from services.appeals.windows import Windows
from services.directory import Championship
from services.domain import Rejected
from services.ledger.workdays import answer_due_us, beyond, calendar_version
from services.runtime.clock import Clock
from services.runtime.errors import Malformed, read_status
from services.runtime.identity import caller
from services.runtime.log import Answer
from services.runtime.writings import Writings

if TYPE_CHECKING:  # a stub class that exists for the type checker only
    from fupan.scoring.v1.service_pb2_grpc import ScoringServiceAsyncStub

MAX_GROUNDS = 20_000


class Filing:
    """Takes appeals in, with their grounds and their fees."""

    def __init__(
        self,
        desk: Desk,
        finality: Finality,
        contesting: Contesting,
        windows: Windows,
        scoring_stub: ScoringServiceAsyncStub,
        grounds: Writings,
        clock: Clock,
    ) -> None:
        self._desk = desk
        self._finality = finality
        self._contesting = contesting
        self._windows = windows
        self._scoring = scoring_stub
        self._texts = grounds
        self._clock = clock

    # The grounds

    async def grounds(self, championship: str, state: Appeal, person: str) -> str:
        """The grounds of an appeal, for who filed it or sits on its panel; empty for others, and once they are erased."""
        assert state.filed is not None
        if not person or person not in {state.appellant, *state.judges}:
            return ""
        return await self._texts.read(championship, state.filed.appeal, state.filed.grounds_digest)

    async def named(self, championship: str, appeal: str) -> Collection[bytes]:
        """By which digests the log names the grounds of an appeal, if it was filed. Raises NotFound, Rejected where that cannot be
        told."""
        state = await self._desk.whole(championship, appeal)
        return () if state is None or state.filed is None else (state.filed.grounds_digest,)

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
        known = await self._desk.current(championship)
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
        digests = await self._texts.digests(championship, appeal, text)

        def same(accepted: c.Command) -> bool:
            return (
                isinstance(accepted, c.FileAppeal)
                and (accepted.contested, accepted.sought) == asked
                and accepted.grounds_digest in digests
            )

        envelope = self._desk.envelope(championship, command_id, "player")
        answer = await self._desk.repeated(championship, appeal, envelope, same)
        if answer is None:
            command = await self._filing(known, entrant, appeal, *asked)
            async with self._texts.kept(championship, appeal, text) as digest:
                digests |= {digest}
                command = replace(command, grounds_digest=digest)
                answer = await self._desk.submit(championship, appeal, command, envelope, same)
        return answer, next(one for one in answer.events if isinstance(one, e.AppealFiled))

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
        try:  # by the clock, and a seal is announced and made after all windows, whatever a clock says (C10.8)
            now_us = max(self._clock(), known.sealing_us, known.sealed_us)
            decider.check_window(ends_us, now_us, "C10.1")
        except Rejected as error:
            raise self._desk.with_deadline(known.id, error) from None
        check_seats(contested, sought)
        await self._check_sought(known, contested, sought)
        # Of boards that others still play nobody is told that a committee has ruled on them.
        self._finality.check_not_ruled(known, contested, sought)
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

    # The fee

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

        known = await self._desk.current(championship)
        envelope = self._desk.envelope(championship, command_id, "organiser")
        answer = await self._desk.repeated(championship, appeal, envelope, same)
        if answer is None:
            filed = self._desk.appeal(championship, appeal).filed
            assert filed is not None
            ends_us = self._windows.end_of(known, filed.contested)
            command = c.RecordFee(*asked, ends_us, *self._answer_due(known))
            answer = await self._desk.submit(championship, appeal, command, envelope, same)
        return answer, next(one for one in answer.events if isinstance(one, e.FeeRecorded))


def _ruled_in(appeal: str, remedy: e.Remedy) -> e.Remedy:
    """The remedy as the committee rules it, on the chief referee's authority (C10.6)."""
    changed: Any = replace(
        remedy, authority=e.RemedyAuthority("arbitration", appeal, f"ruling in appeal {appeal}")
    )
    return changed  # type: ignore[no-any-return]
