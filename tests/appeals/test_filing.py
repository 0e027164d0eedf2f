"""Filing an appeal on real servers: who, when, about what, for how much (C10.0, C10.1, C10.2)."""

from __future__ import annotations

import asyncio

import pytest
from grpc import StatusCode

from fupan.appeals.v1 import events_pb2 as events
from fupan.appeals.v1 import service_pb2 as pb
from fupan.pairing.v1 import events_pb2 as pairing_events
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import events_pb2 as scoring_events
from fupan.scoring.v1 import service_pb2 as scoring
from tests.appeals.behind import Behind
from tests.appeals.courts import BOARD, WORSE, about, ended
from tests.cup import ARBITRATORS, CHIEF, FEE, HOUR_US, SEALABLE_US, Cup
from tests.platform import OPERATOR, Platform, refused


async def test_where_the_chief_referee_is_final_no_appeal_is_filed(platform: Platform) -> None:
    cup, _ = await ended(platform, appeals="{final_authority: chief_referee}")
    told = await refused(cup.file(1))
    assert (told.reason, told.clause) == ("CHIEF_REFEREE_FINAL", "C10.0")


async def test_the_window_closes_to_the_microsecond(platform: Platform) -> None:
    cup, at = await ended(platform)
    platform.clock.stand(at + 3 * HOUR_US - 1)
    heard = await cup.file(1, command_id="last-moment")
    assert (await platform.events.wait("appeal_filed")).header.time_us == at + 3 * HOUR_US - 1
    platform.clock.stand(at + 3 * HOUR_US)
    late = await refused(cup.file(2))
    assert (late.code, late.reason, late.clause) == (
        StatusCode.FAILED_PRECONDITION,
        "WINDOW_CLOSED",
        "C10.1",
    )
    assert late.facts["deadline"].endswith("+08:00")
    assert late.facts["deadline"] in late.message
    assert late.facts["deadline"] in late.message_zh
    # The one that was heard is told so again; C10.2: but it is unpaid, and so not filed.
    assert (await cup.file(1, command_id="last-moment")) == heard
    late = await refused(cup.pay(heard.appeal))
    assert late.clause == "C10.2"
    await platform.events.wait("appeal_lapsed")
    case = await cup.case(heard.appeal)
    assert case.phase == "lapsed"
    told = await refused(cup.pay(heard.appeal))
    assert (told.reason, told.clause, told.facts["deadline"]) == (
        "WINDOW_CLOSED",
        "C10.2",
        late.facts["deadline"],
    )


async def test_C10_8_nothing_is_filed_once_the_championship_is_sealed_whatever_a_clock_says(
    platform: Platform,
) -> None:
    """That of the replica that is asked may be behind the one by which the window was over."""
    cup, at = await ended(platform)
    platform.clock.stand(at + SEALABLE_US)
    seal = pairing.SealChampionshipRequest(command_id="s", championship="cup")
    await platform.of(CHIEF).pairing.SealChampionship(seal)
    platform.clock.stand(at + 3 * HOUR_US - 1)
    late = await refused(cup.file(1))
    assert (late.reason, late.clause) == ("WINDOW_CLOSED", "C10.1")
    assert await platform.events.of("appeal_filed") == []


async def test_a_fee_paid_in_the_last_microsecond_counts(platform: Platform) -> None:
    cup, at = await ended(platform)
    filed = await cup.file(1)
    await platform.events.wait("case_assembled")
    platform.clock.stand(at + 3 * HOUR_US - 1)
    for amount, currency in ((FEE - 1, "CNY"), (FEE, "EUR"), (2**64 - 1, "CNY"), (0, "")):
        told = await refused(cup.pay(filed.appeal, amount, currency))
        assert (told.reason, told.clause) == ("WRONG_FEE", "C10.2")
        assert told.message == f"500.00 CNY is due within the window: {told.facts['deadline']}"
        assert (
            told.message_zh == f"须在申诉期内缴纳 500.00 CNY（截止 {told.facts['deadline']}）（依据 C10.2）"
        )
    told = await refused(
        platform.of("p-1").appeals.RecordFee(
            pb.RecordFeeRequest(
                command_id="x", championship="cup", appeal=filed.appeal, amount=FEE, currency="CNY"
            )
        )
    )
    assert told.reason == "NOT_IN_ROLE"
    first = await cup.pay(filed.appeal, command_id="fee")
    # Sent again two days later it gets its first answer.
    platform.clock.advance(2 * 24 * 3600)
    assert (await cup.pay(filed.appeal, command_id="fee")) == first
    assert (await refused(cup.pay(filed.appeal))).reason == "FEE_NOT_DUE"
    assert (await refused(cup.pay(filed.appeal, 1, command_id="fee"))).reason == "COMMAND_ID_REUSED"
    assert await platform.events.of("appeal_lapsed") == []


async def test_no_appeal_lapses_whose_window_was_opened_again_where_that_is_not_read_yet(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C4.5, C10.2: by a play-off that was paired in the last minute, say; the replica that looks at deadlines is behind."""
    behind = Behind(monkeypatch)
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    fine = scoring.SetPenaltyRequest(
        command_id="fine", championship="cup", penalty="late-1", entrant=1, tenths=10, reason="late"
    )
    await platform.of(CHIEF).scoring.SetPenalty(fine)
    assert (await platform.events.wait("standings_published")).event.after_round == 0
    at = await cup.ended()
    filed = await cup.file(1)
    behind.begin()
    platform.clock.stand(at + 3 * HOUR_US - 1)
    tables = [pairing_events.SeatedTable(table="r2-t1", entrants=[1, 2, 3])]
    for event in (
        pairing_events.Event(round_seated=pairing_events.RoundSeated(round=2, tables=tables)),
        pairing_events.Event(round_paired=pairing_events.RoundPaired(round=2)),
    ):
        await cup.tables.pairing(event)
    platform.clock.stand(at + 3 * HOUR_US)
    lapsed = asyncio.ensure_future(platform.events.wait("appeal_lapsed"))
    looked = asyncio.ensure_future(behind.asked.wait())
    await asyncio.wait({lapsed, looked}, return_when=asyncio.FIRST_COMPLETED)
    lapsed.cancel()
    looked.cancel()
    await cup.pay(filed.appeal)
    assert (await cup.case(filed.appeal)).phase == "received"


async def test_what_was_filed_just_now_is_known_wherever_somebody_asks(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is withdrawn, somebody steps back from it, its case file is asked for: at another replica, which has not read it yet."""
    behind = Behind(monkeypatch)
    cup, _ = await ended(platform)
    second = await platform.start(["appeals"], "r2")
    ports = platform.ports | second.ports
    for person in ("p-1", ARBITRATORS[0], CHIEF):
        asked = platform.of(person, ports).appeals
        behind.begin("r2")
        appeal = (await cup.file(1)).appeal
        name = {"command_id": cup.command(), "championship": "cup", "appeal": appeal}
        if person == "p-1":
            await asked.WithdrawAppeal(pb.WithdrawAppealRequest(**name))
        elif person == CHIEF:
            await platform.events.wait("case_assembled", about(appeal))
            assert (await asked.GetCase(pb.GetCaseRequest(**name))).assembled.edition == 1
        else:
            await asked.DeclareConflict(pb.DeclareConflictRequest(**name, reason="a pupil"))


async def test_what_was_accepted_gets_its_first_answer_at_another_replica(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever would be refused by now, and though it has not read that yet."""
    behind = Behind(monkeypatch)
    cup, at = await ended(platform)
    second = await platform.start(["appeals"], "r2")
    platform.clock.stand(at + 3 * HOUR_US - 1_000)
    file = pb.FileAppealRequest(
        command_id="file", championship="cup", contested=BOARD, grounds="so", sought=[WORSE]
    )
    behind.begin("r2")
    filed = await platform.of("p-1").appeals.FileAppeal(file)
    await cup.pay(filed.appeal)
    platform.clock.stand(at + 3 * HOUR_US)
    ports = platform.ports | second.ports
    assert await platform.of("p-1", ports).appeals.FileAppeal(file) == filed
    appoint = pb.AppointPanelRequest(
        command_id="panel", championship="cup", appeal=filed.appeal, members=ARBITRATORS[:3]
    )
    behind.begin("r2")
    appointed = await cup.boss.appeals.AppointPanel(appoint)
    assert await platform.of(OPERATOR, ports).appeals.AppointPanel(appoint) == appointed


async def test_an_appeal_may_be_filed_while_the_competition_runs(platform: Platform) -> None:
    await platform.start()
    cup = await Cup.create(platform)
    await cup.pair()
    await cup.play(1)
    filed = await cup.file(1, BOARD)
    assert filed.window_ends_us == 0
    # The first answer again, after the window has begun to run.
    again = await cup.file(2, command_id="early")
    await cup.play(2)
    assert (await cup.file(2, command_id="early")) == again
    assert (await refused(cup.file(2, BOARD, command_id="early"))).reason == "COMMAND_ID_REUSED"
    assert (await refused(cup.file(2, command_id="early", grounds="other"))).reason == "COMMAND_ID_REUSED"


async def test_what_is_contested_must_exist(platform: Platform) -> None:
    """C10.1: a ruling, a result, a publication, a pairing."""
    cup, _ = await ended(platform)
    board = events.ContestedBoard
    for contested, reason in (
        (events.Contested(), "MALFORMED"),
        (events.Contested(board=board()), "NOT_FOUND"),
        (events.Contested(board=board(table="r1-t9", round=1, board=1, attempt=1)), "NOT_FOUND"),
        (events.Contested(board=board(table="r1-t1", round=2, board=1, attempt=1)), "NOT_FOUND"),
        (events.Contested(board=board(table="r1-t1", round=1, board=9, attempt=1)), "BOARD_OPEN"),
        (events.Contested(board=board(table="r1-t1", round=1, board=1, attempt=2)), "NOT_FOUND"),
        (events.Contested(ruling=events.ContestedRuling()), "MALFORMED"),
        (events.Contested(ruling=events.ContestedRuling(ruling="r-doesnotexist")), "NOT_FOUND"),
        (events.Contested(ruling=events.ContestedRuling(ruling="r1-t9.0123456789ab")), "NOT_FOUND"),
        (events.Contested(publication=events.ContestedPublication()), "NOT_FOUND"),
        (events.Contested(publication=events.ContestedPublication(publication=2)), "NOT_FOUND"),
        (events.Contested(pairing=events.ContestedPairing(round=2**32 - 1)), "NOT_FOUND"),
    ):
        assert (await refused(cup.file(1, contested))).reason == reason, contested
    for contested in (
        BOARD,
        events.Contested(publication=events.ContestedPublication(publication=1)),
        events.Contested(pairing=events.ContestedPairing(round=1)),
    ):
        await cup.file(1, contested)
    listed = await cup.boss.appeals.ListAppeals(pb.ListAppealsRequest(championship="cup"))
    assert [one.filed.contested.WhichOneof("kind") for one in listed.appeals] == [
        "board",
        "publication",
        "pairing",
    ]


async def test_what_is_asked_for_must_fit_the_facts(platform: Platform) -> None:
    """C10.6: a remedy that could not be applied is refused when it is filed, not when it is ruled."""
    cup, _ = await ended(platform)
    remedy, correct = scoring_events.Remedy, scoring_events.CorrectResult
    for sought, reason in (
        (remedy(), "MALFORMED"),
        (remedy(correct_result=correct()), "RULING_OF_WRONG_LENGTH"),
        (remedy(correct_result=correct(table="r1-t1", round=1, board=9, scores=[0, 0, 0])), "BOARD_OPEN"),
        (
            remedy(correct_result=correct(table="r1-t1", round=1, board=1, scores=[1, -1])),
            "RULING_OF_WRONG_LENGTH",
        ),
        (
            remedy(correct_result=correct(table="r1-t1", round=1, board=1, scores=[1, 1, 1])),
            "SCORES_NOT_ZERO",
        ),
        (
            remedy(correct_result=correct(table="r1-t1", round=1, board=1, scores=[3, -1, -2])),
            "SCORES_OF_NO_BOARD",
        ),
        (remedy(correct_result=correct(table="r1-t9", round=1, board=1, scores=[0, 0, 0])), "NOT_FOUND"),
        (
            remedy(void_board=scoring_events.VoidBoard(table="r1-t1", round=1, board=1, tenths=[1001, 0, 0])),
            "PERCENT_OUT_OF_RANGE",
        ),
        (remedy(assign_percent=scoring_events.AssignPercent(entrant=99, round=1, board=1)), "NOT_FOUND"),
        (remedy(set_penalty=scoring_events.SetPenalty(penalty="", entrant=1)), "PENALTY_MISSING"),
    ):
        told = await refused(cup.file(1, BOARD, [sought]))
        assert (told.reason, told.code is StatusCode.INTERNAL) == (reason, False), sought
    assert (await refused(cup.file(1, BOARD, [WORSE] * 17))).reason == "MALFORMED"
    huge = remedy(correct_result=correct(table="r1-t1", round=1, board=1, scores=[1 << 30] * 30_000))
    assert (await refused(cup.file(1, BOARD, [huge]))).fields[0].path == "sought"
    for grounds in ("", "  ", "x" * 20_001):
        assert (await refused(cup.file(1, grounds=grounds))).reason == "MALFORMED"
    assert await platform.events.of("appeal_filed") == []
    for person in ("nobody", CHIEF):
        request = pb.FileAppealRequest(command_id="f", championship="cup", contested=BOARD, grounds="x")
        told = await refused(platform.of(person).appeals.FileAppeal(request))
        assert told.code is StatusCode.PERMISSION_DENIED


async def test_of_two_filed_at_once_under_one_id_the_grounds_of_the_filed_one_stay(
    platform: Platform,
) -> None:
    cup, _ = await ended(platform)
    sought = [scoring_events.SetPenalty(penalty="late-1", entrant=1, tenths=tenths) for tenths in range(4)]
    calls = [
        cup.file(
            1,
            sought=[scoring_events.Remedy(set_penalty=one)],
            command_id="f",
            grounds="第一副记错了",
        )
        for one in sought
    ]
    (filed,) = (
        one
        for one in await asyncio.gather(*calls, return_exceptions=True)
        if not isinstance(one, BaseException)
    )
    request = pb.GetAppealRequest(championship="cup", appeal=filed.appeal)
    assert (await platform.of("p-1").appeals.GetAppeal(request)).appeal.grounds == "第一副记错了"


async def test_grounds_are_read_by_the_appellant_and_its_panel_alone(platform: Platform) -> None:
    cup, _ = await ended(platform)
    filed = await cup.file(1, grounds="第一副记错了")
    await cup.pay(filed.appeal)
    await cup.appoint(filed.appeal)
    request = pb.GetAppealRequest(championship="cup", appeal=filed.appeal)
    for person, seen in (
        ("p-1", True),
        (ARBITRATORS[0], True),
        (ARBITRATORS[4], False),
        ("p-2", False),
        ("operator", False),
        (None, False),
    ):
        case = await platform.of(person).appeals.GetAppeal(request)
        assert case.appeal.grounds == ("第一副记错了" if seen else ""), person
