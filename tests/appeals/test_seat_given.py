"""Whoever is given a seat while a board is open plays the event from that moment, for every service (C1.6, C9.2, C10.3)."""

from __future__ import annotations

from typing import Any

import pytest
from grpc import StatusCode

from fupan.appeals.v1 import service_pb2 as pb
from fupan.common.v1 import log_service_pb2 as log
from fupan.common.v1.log_service_pb2_grpc import LogServiceStub
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import service_pb2 as scoring
from tests.appeals.courts import BOARD, WORSE
from tests.cup import ARBITRATORS, CHIEF, Cup
from tests.platform import Caller, Platform, refused

AT: dict[str, Any] = {"championship": "cup", "round": 1, "table": "r1-t1", "board": 1}


def read(platform: Platform, person: str, service: str, subject: str) -> Any:
    """The first records of a log, as somebody is given them."""
    stub = Caller(LogServiceStub(platform._channel(platform.ports[service])), platform.token(person))
    return anext(aiter(stub.ReadLog(log.ReadLogRequest(subject=subject))))


async def given(platform: Platform, again: bool = False) -> tuple[Cup, str]:
    """Table 1 has played its boards, and one is contested; at table 2 Eva was given a seat on the first board, which goes on, and,
    where it is given back `again`, has left it. The cup, and the appeal."""
    await platform.start()
    cup = await Cup.create(platform, entrants=9, rounds=1)
    await cup.pair()
    await platform.events.wait("round_started")
    tables, (own, *_) = cup.tables, await cup.at("r1-t1")
    await tables.play(1, only=[1])
    filed = await cup.file(own, BOARD, [WORSE])
    await cup.pay(filed.appeal)
    seated = await cup.at("r1-t2")
    people = tuple(f"p-{one}" for one in seated)
    await tables.open("r1-t2", 1, 1, seated, 2)
    opened = await tables.open_board("r1-t2", 1)
    leaf = await tables.leaf("r1-t2", 1, 1, opened.sequence)
    await tables.give_seat("r1-t2", 1, 1, leaf, ("eva", *people[1:]), 0)
    if again:
        await tables.give_seat("r1-t2", 1, 1, leaf, people, 0)
    for office in ("deputy", "arbitrator"):
        await cup.officials(("eva", office), ("fan", office))
    return cup, filed.appeal


@pytest.mark.parametrize("again", [False, True])
async def test_it_judges_nothing_and_learns_nothing_of_open_boards(platform: Platform, again: bool) -> None:
    _, appeal = await given(platform, again)
    eva, fan = platform.of("eva"), platform.of("fan")
    reason: dict[str, Any] = {"reason": "counted again"}
    for call in (
        eva.pairing.RecordConduct(pairing.RecordConductRequest(command_id="1", championship="cup", **reason)),
        eva.pairing.OverrideSeating(
            pairing.OverrideSeatingRequest(command_id="2", championship="cup", round=1)
        ),
        eva.pairing.OrderPlayoff(pairing.OrderPlayoffRequest(command_id="3", championship="cup", rank=1)),
        eva.scoring.CorrectResult(
            scoring.CorrectResultRequest(command_id="4", **AT, scores=[2, -1, -1], **reason)
        ),
        eva.scoring.VoidBoard(scoring.VoidBoardRequest(command_id="5", **AT, tenths=[600] * 3, **reason)),
        eva.scoring.SetPenalty(
            scoring.SetPenaltyRequest(command_id="6", championship="cup", entrant=1, tenths=50, **reason)
        ),
        eva.scoring.OrderReplay(
            scoring.OrderReplayRequest(command_id="7", championship="cup", round=1, board=1)
        ),
    ):
        assert (await refused(call)).reason == "PLAYS_THE_EVENT"
    stayed = pairing.RecordConductRequest(
        command_id="9", championship="cup", code="A6", outcome="warning", entrant=1, round=1, **reason
    )
    await fan.pairing.RecordConduct(stayed)
    listing = pairing.ListConductRequest(championship="cup")
    assert [len((await one.pairing.ListConduct(listing)).conduct) for one in (eva, fan)] == [0, 1]
    # What the appeal is about, and how far tables are, only others learn.
    asked = pb.GetAppealRequest(championship="cup", appeal=appeal)
    assert not (await eva.appeals.GetAppeal(asked)).appeal.filed.entrant
    assert (await fan.appeals.GetAppeal(asked)).appeal.filed.contested == BOARD
    listed = (await eva.appeals.ListAppeals(pb.ListAppealsRequest(championship="cup"))).appeals
    assert [one.filed.entrant for one in listed] == [0]
    subject = platform.epoch.appeal_subject("cup", appeal)
    assert (await read(platform, "fan", "appeals", subject)).records
    denied = await refused(read(platform, "eva", "appeals", subject))
    assert (denied.code, denied.reason) == (StatusCode.PERMISSION_DENIED, "LOG_NOT_OPEN")
    watch = pairing.WatchRoundRequest(championship="cup")
    for person, closed in ((eva, 0), (fan, 2)):
        assert (await anext(aiter(person.pairing.WatchRound(watch)))).boards_closed == closed
        told = await person.pairing.GetRound(pairing.GetRoundRequest(championship="cup"))
        assert sum(one.boards_closed for one in told.tables) == closed
    opening = pb.GetCaseRequest(command_id="8", championship="cup", appeal=appeal)
    assert (await refused(eva.appeals.GetCase(opening))).reason == "BOARD_OPEN"


async def test_it_is_put_on_no_panel_about_a_board_of_that_round(platform: Platform) -> None:
    cup, appeal = await given(platform)
    told = await refused(cup.appoint(appeal, (*ARBITRATORS[:2], "eva")))
    assert told.reason == "CONFLICT"
    await cup.appoint(appeal, (*ARBITRATORS[:2], "fan"))
    await platform.events.wait("board_opened_to_panel")
    subject = platform.epoch.subject("dealer", "cup")
    assert (await read(platform, CHIEF, "dealer", subject)).records
    assert (await refused(read(platform, "eva", "dealer", subject))).reason == "LOG_NOT_OPEN"


async def test_all_services_know_it_after_a_restart(platform: Platform) -> None:
    _, appeal = await given(platform)
    await platform.replicas.pop().stop()
    await platform.start()
    eva = platform.of("eva")
    correct = scoring.CorrectResultRequest(command_id="c", **AT, scores=[2, -1, -1], reason="counted again")
    assert (await refused(eva.scoring.CorrectResult(correct))).reason == "PLAYS_THE_EVENT"
    conduct = pairing.RecordConductRequest(command_id="r", championship="cup")
    assert (await refused(eva.pairing.RecordConduct(conduct))).reason == "PLAYS_THE_EVENT"
    asked = pb.GetAppealRequest(championship="cup", appeal=appeal)
    assert not (await eva.appeals.GetAppeal(asked)).appeal.filed.entrant
