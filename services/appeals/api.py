"""Appeals' RPCs: parse, handle, reply."""

from __future__ import annotations

from typing import Any

from fupan.appeals.v1 import events_pb2, service_pb2_grpc
from fupan.appeals.v1 import service_pb2 as pb
from services.appeals.carrying import Carrying
from services.appeals.codec import CONTESTED, EVENTS, REMEDIES
from services.appeals.desk import Desk
from services.appeals.filing import Filing
from services.appeals.judging import Judging
from services.appeals.model import commands as c
from services.appeals.model import events as e
from services.appeals.model.state import Appeal
from services.appeals.openings import Openings
from services.appeals.openness import Openness
from services.runtime.answers import Waits, reached, receipt
from services.runtime.errors import Malformed
from services.runtime.identity import caller

MAX_REMEDIES = 16
MAX_SOUGHT = 128 * 1024
"""Bytes of all remedies sought: a ruling holds them twice, and is one record."""


class AppealsApi(service_pb2_grpc.AppealsServiceServicer):
    """Appeals, panels, ballots, rulings."""

    def __init__(
        self,
        desk: Desk,
        filing: Filing,
        judging: Judging,
        openings: Openings,
        carrying: Carrying,
        openness: Openness,
        waits: Waits,
    ) -> None:
        self._desk = desk
        self._filing = filing
        self._judging = judging
        self._openings = openings
        self._openness = openness
        self._carrying = carrying
        self._waits = waits

    async def FileAppeal(self, request: pb.FileAppealRequest, context: Any) -> Any:
        if request.contested.WhichOneof("kind") is None:
            raise Malformed("contested", "must say what is contested")
        if len(request.sought) > MAX_REMEDIES or any(
            one.WhichOneof("kind") is None for one in request.sought
        ):
            raise Malformed(
                "sought",
                f"must be at most {MAX_REMEDIES} remedies, each of one kind; the chief referee has a board played again by the "
                "whole field (C9.2)",
            )
        if sum(one.ByteSize() for one in request.sought) > MAX_SOUGHT:
            raise Malformed("sought", f"must be at most {MAX_SOUGHT} bytes in all")
        answer, filed = await self._filing.file(
            request.championship,
            request.command_id,
            CONTESTED.from_proto(request.contested),
            request.grounds,
            [REMEDIES.from_proto(one) for one in request.sought],
        )
        return pb.FileAppealResponse(
            receipt=receipt(answer),
            appeal=filed.appeal,
            window_ends_us=filed.window_ends_us,
            fee_amount=filed.fee_amount,
            fee_currency=filed.fee_currency,
        )

    async def RecordFee(self, request: pb.RecordFeeRequest, context: Any) -> Any:
        answer, fee = await self._filing.pay(
            request.championship,
            request.appeal,
            request.command_id,
            request.amount,
            request.currency,
            request.reference,
        )
        return pb.RecordFeeResponse(
            receipt=receipt(answer), answer_due_us=fee.answer_due_us, beyond_calendar=fee.beyond_calendar
        )

    async def AppointPanel(self, request: pb.AppointPanelRequest, context: Any) -> Any:
        if request.voting_deadline_us < 0:
            raise Malformed("voting_deadline_us", f"must be 0 to {2**63 - 1}")
        answer, panel = await self._judging.appoint(
            request.championship,
            request.appeal,
            request.command_id,
            request.members,
            request.reserves,
            request.voting_deadline_us,
        )
        return pb.AppointPanelResponse(
            receipt=receipt(answer),
            ballot_key=panel.ballot_key,
            voting_deadline_us=panel.voting_deadline_us,
        )

    async def DeclareConflict(self, request: pb.DeclareConflictRequest, context: Any) -> Any:
        answer = await self._judging.step_back(
            request.championship, request.appeal, request.reason, request.command_id
        )
        return pb.DeclareConflictResponse(receipt=receipt(answer))

    async def CastVote(self, request: pb.CastVoteRequest, context: Any) -> Any:
        command = c.CastBallot(request.commitment, request.sealed_opening, request.member, request.ballot_key)
        answer = await self._judging.cast(request.championship, request.appeal, command, request.command_id)
        return pb.CastVoteResponse(receipt=receipt(answer))

    async def WithdrawAppeal(self, request: pb.WithdrawAppealRequest, context: Any) -> Any:
        answer = await self._desk.handle(
            request.championship, request.appeal, c.WithdrawAppeal(), request.command_id, "player"
        )
        return pb.WithdrawAppealResponse(receipt=receipt(answer))

    async def SettleRuling(self, request: pb.SettleRulingRequest, context: Any) -> Any:
        await self._desk.current(request.championship)
        parts = {one.refused_us for one in self._carrying.refused(request.championship, request.appeal)}
        command = c.SettleRuling(request.text, request.refused_us if request.refused_us in parts else 0)
        answer = await self._desk.handle(
            request.championship, request.appeal, command, request.command_id, "chief_referee", "deputy"
        )
        return pb.SettleRulingResponse(receipt=receipt(answer))

    async def GetAppeal(self, request: pb.GetAppealRequest, context: Any) -> Any:
        await reached(request.min_position, self._waits)
        await self._openness.catch_up(request.championship, caller(context))
        state = self._desk.appeal(request.championship, request.appeal)
        grounds = await self._filing.grounds(request.championship, state, caller(context).person)
        return pb.GetAppealResponse(appeal=self._appeal(request.championship, state, grounds))

    async def ListAppeals(self, request: pb.ListAppealsRequest, context: Any) -> Any:
        await reached(request.min_position, self._waits)
        await self._openness.catch_up(request.championship, caller(context))
        return pb.ListAppealsResponse(
            appeals=[
                self._appeal(request.championship, state)
                for state in self._desk.appeals(request.championship)
            ]
        )

    def _appeal(self, championship: str, state: Appeal, grounds: str = "") -> pb.Appeal:
        told = _appeal(state, grounds)
        told.window_ends_us, told.overdue = self._desk.deadlines(championship, state)
        for refused in self._carrying.refused(championship, told.appeal):
            told.not_carried_out.append(_settled(refused, state))
        if not self._openness.told(championship, state, caller()):
            _hide(told)
        return told

    async def GetCase(self, request: pb.GetCaseRequest, context: Any) -> Any:
        answer, case, file = await self._openings.open(
            request.championship, request.appeal, request.command_id
        )
        return pb.GetCaseResponse(
            receipt=receipt(answer),
            assembled=_case(case),
            case_file=file,
            openings=[
                pb.CaseOpening(person_id=one.person_id, opened_us=one.opened_us, edition=one.edition)
                for one in self._desk.appeal(request.championship, request.appeal).openings
            ],
        )


def _appeal(state: Appeal, grounds: str) -> pb.Appeal:
    filed = state.filed
    assert filed is not None
    return pb.Appeal(
        appeal=filed.appeal,
        phase=state.phase,
        filed=EVENTS.to_proto(filed).appeal_filed,
        filed_us=state.filed_us,
        fee=EVENTS.to_proto(state.fee).fee_recorded if state.fee else None,
        panel=EVENTS.to_proto(state.panel).panel_appointed if state.panel else None,
        voted=[ballot.member for ballot in state.ballots],
        decision=_decision(state.decision),
        fee_outcome=state.fee_outcome,
        grounds=grounds,
        members=[member.person_id for member in state.members],
        case_file=_case(state.case),
        voting_deadline_us=state.voting_deadline_us if state.members else 0,
        reminders=[EVENTS.to_proto(one).reminder_given for one in state.reminders],
    )


def _settled(refused: pb.NotCarriedOut, state: Appeal) -> pb.NotCarriedOut:
    """What was not carried out, and how that has been dealt with."""
    told = pb.NotCarriedOut()
    told.CopyFrom(refused)
    if (one := state.settlement(refused.refused_us)) is not None:
        told.settled, told.settled_by, told.settled_us = one.text, one.person_id, one.settled_us
    return told


def _hide(told: pb.Appeal) -> None:
    """Leave out what an appeal is about and why, who filed it, and whatever else would tell how far a table is."""
    filed = told.filed
    told.filed.CopyFrom(
        type(filed)(appeal=filed.appeal, fee_amount=filed.fee_amount, fee_currency=filed.fee_currency)
    )
    if told.HasField("decision"):
        told.decision.ClearField("remedies")
        told.decision.ClearField("left")
    told.ClearField("grounds")
    told.ClearField("case_file")
    told.ClearField("not_carried_out")


def _case(case: e.CaseAssembled | None) -> events_pb2.CaseAssembled | None:
    return None if case is None else EVENTS.to_proto(case).case_assembled


def _decision(decision: e.AppealDecided | None) -> events_pb2.AppealDecided | None:
    return None if decision is None else EVENTS.to_proto(decision).appeal_decided
