"""Appeals from filing to ruling on real servers (C10.1 to C10.9)."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
import pytest
from grpc import StatusCode

from fupan.appeals.v1 import events_pb2 as events
from fupan.appeals.v1 import service_pb2 as pb
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import events_pb2 as scoring_events
from fupan.scoring.v1 import service_pb2 as scoring
from services.ledger.audit.verify import verify_file
from services.ledger.auditfile import About, AuditFile
from services.ledger.ballot import OpenBallot, fits
from services.runtime import catchup
from services.runtime.errors import Unavailable, read_status
from services.scoring.committees import Committees, Decided
from tests.appeals.courts import BOARD, WORSE, about, ended, standings
from tests.cup import ARBITRATORS, CHIEF, FEE, HOUR_US, SEALABLE_US, Cup
from tests.platform import Platform, refused


async def test_an_appeal_upheld(platform: Platform) -> None:
    """C10.1 to C10.9 in one piece."""
    cup, at = await ended(platform)
    before = await standings(cup)
    filed = await cup.file(1, BOARD, [WORSE], command_id="file")
    assert (filed.window_ends_us, filed.fee_amount, filed.fee_currency) == (at + 3 * HOUR_US, FEE, "CNY")
    event = await platform.events.wait("appeal_filed")
    assert (event.body.actor, event.event.entrant) == ("p-1", 1)
    entered = await platform.events.wait("entrants_import_closed")
    assert event.body.authority == f"{entered.header.subject}@{entered.header.version - 1}"
    # Free text stands nowhere in the log.
    assert "记分".encode() not in b"".join([one.stored.data for one in await platform.events.all()])

    paid = await cup.pay(filed.appeal)
    assert paid.answer_due_us > at
    await cup.appoint(filed.appeal, ARBITRATORS[:3], ARBITRATORS[3:4])
    for member, uphold in zip(ARBITRATORS[:3], (True, False, True), strict=True):
        await cup.vote(filed.appeal, member, uphold)
    decided = await platform.events.wait("appeal_decided")
    assert (decided.event.upheld, decided.event.votes_for, decided.event.votes_against) == (True, 2, 1)
    assert decided.body.actor == "service:appeals"
    for text in (decided.event.text, decided.event.text_zh):
        assert "C10.9" in text
        assert "C10.7" in text
    # Votes are public now, and are those that were committed to.
    cast = {one.event.member: one.event for one in await platform.events.of("ballot_cast")}
    for opened in decided.event.ballots:
        vote = OpenBallot(opened.uphold, opened.opening)
        assert fits(filed.appeal, opened.member, cast[opened.member].commitment, vote)
    # C10.6: the remedy is an event on the committee's authority, the ranking is rebuilt, the fee refunded.
    ruled = await platform.events.wait("result_corrected")
    assert (ruled.event.authority.by, ruled.event.authority.appeal) == ("arbitration", filed.appeal)
    assert ruled.body.cause is not None
    assert ruled.body.cause.subject == decided.header.subject
    assert ruled.body.cause.version == decided.header.version
    published = await platform.events.wait("standings_published", number=2)
    assert published.event.cause == "ruling"
    await platform.events.wait("fee_refunded", amount=FEE)
    after = await standings(cup, position=published.position)
    assert after.digest != before.digest
    assert (await standings(cup, "1")).digest == before.digest
    rebuilt = await cup.boss.scoring.RebuildStandings(
        scoring.RebuildStandingsRequest(championship="cup", publication=2)
    )
    assert rebuilt.same
    case = await cup.case(filed.appeal)
    assert (case.phase, case.fee_outcome) == ("upheld", "refunded")
    # C10.7: final. No second appeal on it, no correction by the chief referee.
    told = await refused(cup.file(2, BOARD, [WORSE]))
    assert (told.reason, told.clause) == ("RULING_FINAL", "C10.7")
    undo = scoring.CorrectResultRequest(
        command_id="u", championship="cup", round=1, table="r1-t1", board=1, scores=[0, 0, 0], reason="no"
    )
    told = await refused(platform.of(CHIEF).scoring.CorrectResult(undo))
    assert (told.reason, told.clause) == ("RULING_FINAL", "C10.7")
    # Nor by another way to the same result: what entrants of that table get for the board.
    seated = (await cup.boss.pairing.GetRound(pairing.GetRoundRequest(championship="cup"))).tables[0].table
    assign = scoring.AssignPercentRequest(
        command_id="v",
        championship="cup",
        entrant=seated.entrants[0],
        round=1,
        board=1,
        tenths=1000,
        reason="no",
    )
    told = await refused(platform.of(CHIEF).scoring.AssignPercent(assign))
    assert (told.reason, told.clause) == ("RULING_FINAL", "C10.7")


async def test_an_appeal_rejected(platform: Platform) -> None:
    """C10.6: the fee is kept, nothing changes."""
    cup, _ = await ended(platform)
    before = await standings(cup)
    filed = await cup.file(1, BOARD, [WORSE])
    case = await cup.panel(filed.appeal, (False, True, False))
    assert (case.phase, case.fee_outcome, case.decision.remedies) == (
        "rejected",
        "kept",
        [],
    )
    assert (await standings(cup)).digest == before.digest
    assert len(await platform.events.of("standings_published")) == 1
    # C10.7: what the committee left as it is nobody changes.
    at: Any = {"championship": "cup", "round": 1, "table": "r1-t1", "board": 1, "reason": "otherwise"}
    chief, tenths = platform.of(CHIEF).scoring, [600, 600, 600]
    for undo in (
        chief.CorrectResult(scoring.CorrectResultRequest(command_id="c", scores=[-10, 20, -10], **at)),
        chief.VoidBoard(scoring.VoidBoardRequest(command_id="v", tenths=tenths, **at)),
    ):
        told = await refused(undo)
        assert (told.reason, told.clause) == ("RULING_FINAL", "C10.7")
    (left,) = await platform.events.of("results_confirmed")
    assert left.event.appeal == filed.appeal
    other = scoring.VoidBoardRequest(command_id="o", tenths=tenths, **at | {"board": 2})
    await chief.VoidBoard(other)
    file = AuditFile(About("championship", "cup", "cup"), tuple(await platform.events.stored()))
    assert not [one for one in verify_file(file, ()).findings if one.code == "RULING_FINAL"]


async def test_all_remedies_of_one_ruling_are_published_together(platform: Platform) -> None:
    cup, _ = await ended(platform)
    fine = scoring_events.Remedy(set_penalty=scoring_events.SetPenalty(penalty="x", entrant=2, tenths=50))
    void = scoring_events.Remedy(
        void_board=scoring_events.VoidBoard(
            table="r1-t2", round=1, board=2, attempt=1, tenths=[600, 600, 600]
        )
    )
    filed = await cup.file(1, BOARD, [WORSE, fine, void])
    await cup.panel(filed.appeal)
    published = await platform.events.wait("standings_published", number=2)
    ruled = [one for one in await platform.events.all() if one.service == "scoring"]
    assert [one.kind for one in ruled[1:4]] == ["result_corrected", "penalty_set", "board_voided"]
    assert {one.header.version for one in ruled[1:4]} == {2}
    assert published.header.version == 3


async def test_a_ruling_that_waits_elsewhere_keeps_nobody_waiting(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is told of one event, as carried out or not, does not hang on another one's rulings."""
    cup, _ = await ended(platform)
    other = await Cup.create(platform, entrants=6, rounds=1, name="other")
    apply = Committees._apply

    async def stuck(committees: Committees, championship: str, decided: Decided) -> bool:
        if championship == "other":
            raise Unavailable("POSITION_NOT_REACHED")
        return await apply(committees, championship, decided)

    monkeypatch.setattr(Committees, "_apply", stuck)
    fine = scoring_events.Remedy(set_penalty=scoring_events.SetPenalty(penalty="x", entrant=2, tenths=50))
    await other.pair()
    seats = events.Contested(pairing=events.ContestedPairing(round=1))
    elsewhere = await other.file(1, seats, [fine])
    await other.panel(elsewhere.appeal)
    await cup.panel((await cup.file(1, BOARD, [WORSE])).appeal)
    decided = await platform.events.wait("appeal_decided", lambda one: one.championship == "cup")
    asked = scoring.GetStandingsRequest(championship="cup", min_position=decided.position)
    told = await cup.boss.scoring.GetStandings(asked)
    assert told.digest == (await standings(cup)).digest
    assert await platform.events.of("result_corrected")
    asked.championship = "other"
    monkeypatch.setattr(catchup, "PATIENCE", 0.5)
    assert (await refused(other.boss.scoring.GetStandings(asked))).reason == "POSITION_NOT_REACHED"


# C10.7, C10.8


async def test_several_appeals_on_one_board_get_one_ruling(platform: Platform) -> None:
    """C10.7: one panel at a time; the ruling dismisses the others, whose fees go back, and nothing blocks the seal."""
    cup, at = await ended(platform)
    first, second, third = [await cup.file(one, BOARD, [WORSE]) for one in (1, 2, 3)]
    await cup.pay(second.appeal)
    await cup.pay(first.appeal)
    await cup.appoint(first.appeal)
    told = await refused(cup.appoint(second.appeal))
    assert (told.reason, told.clause) == ("PANEL_SITS", "C10.7")
    for member in ARBITRATORS[:3]:
        await cup.vote(first.appeal, member, uphold=True)
    decided = await platform.events.wait("appeal_decided")
    for appeal, fee in ((second.appeal, "refunded"), (third.appeal, "")):
        dismissed = await platform.events.wait("appeal_dismissed", about(appeal))
        assert dismissed.event.ruled_in == first.appeal
        assert dismissed.body.cause is not None
        assert (dismissed.body.cause.subject, dismissed.body.cause.version) == (
            decided.header.subject,
            decided.header.version,
        )
        case = await cup.case(appeal)
        assert (case.phase, case.fee_outcome) == ("dismissed", fee)
        assert (await refused(cup.appoint(appeal))).reason == "RULING_FINAL"
    await platform.events.wait("standings_published", number=2)
    platform.clock.stand(at + SEALABLE_US)
    seal = pairing.SealChampionshipRequest(command_id="s", championship="cup")
    assert (await platform.of(CHIEF).pairing.SealChampionship(seal)).seal.publication == 2


BETTER = scoring_events.Remedy(
    correct_result=scoring_events.CorrectResult(
        table="r1-t1", round=1, board=1, attempt=1, scores=[20, -10, -10]
    )
)


@pytest.mark.parametrize("uphold", [True, False])
async def test_one_result_is_judged_once_in_whatever_words_it_is_contested(
    platform: Platform, uphold: bool
) -> None:
    """C10.7: a board, and the publication in which its result stands."""
    cup, _ = await ended(platform)
    fine = scoring_events.Remedy(set_penalty=scoring_events.SetPenalty(penalty="x", entrant=2, tenths=50))
    first = await cup.file(1, BOARD, [WORSE])
    second = await cup.file(2, None, [BETTER])
    third = await cup.file(3, None, [fine, BETTER])
    for one in (first, second, third):
        await cup.pay(one.appeal)
    await cup.appoint(first.appeal)
    for other in (second, third):
        told = await refused(cup.appoint(other.appeal))
        assert (told.reason, told.clause) == ("PANEL_SITS", "C10.7")
    for member in ARBITRATORS[:3]:
        await cup.vote(first.appeal, member, uphold)
    dismissed = await platform.events.wait("appeal_dismissed", about(second.appeal))
    assert dismissed.event.ruled_in == first.appeal
    for sought in ([BETTER], [fine, WORSE]):
        told = await refused(cup.file(4, None, sought))
        assert (told.reason, told.clause) == ("RULING_FINAL", "C10.7")
    # What is asked for besides is heard, and that alone is ruled.
    assert (await cup.case(third.appeal)).phase == "received"
    await cup.appoint(third.appeal)
    for member in ARBITRATORS[:3]:
        await cup.vote(third.appeal, member, uphold=True)
    decided = await platform.events.wait("appeal_decided", about(third.appeal))
    assert [one.set_penalty.penalty for one in decided.event.remedies] == ["x"]
    await platform.events.wait("penalty_set")
    assert len(await platform.events.of("result_corrected")) == uphold
    assert await platform.events.of("correction_refused") == []
    assert [one.phase for one in await cup.appeals()][1:] == ["dismissed", "upheld"]


async def test_of_two_panels_appointed_at_once_one_sits(platform: Platform) -> None:
    """C10.7."""
    cup, _ = await ended(platform)
    filed = [await cup.file(1, BOARD, [WORSE]), await cup.file(2, None, [BETTER])]
    for one in filed:
        await cup.pay(one.appeal)
    answers = await asyncio.gather(*(cup.appoint(one.appeal) for one in filed), return_exceptions=True)
    (late,) = [one for one in answers if isinstance(one, grpc.aio.AioRpcError)]
    told = read_status(late)
    assert told is not None
    assert (told.reason, told.clause) == ("PANEL_SITS", "C10.7")
    assert len(await platform.events.of("appeal_key_created")) == 1


async def test_who_filed_may_withdraw_before_the_vote(platform: Platform) -> None:
    cup, _ = await ended(platform)
    filed = await cup.file(1)
    await cup.pay(filed.appeal)
    withdraw = pb.WithdrawAppealRequest(command_id="w", championship="cup", appeal=filed.appeal)
    assert (await refused(platform.of("p-2").appeals.WithdrawAppeal(withdraw))).reason == "NOT_YOURS"
    await platform.of("p-1").appeals.WithdrawAppeal(withdraw)
    await platform.events.wait("fee_kept")
    case = await cup.case(filed.appeal)
    assert case.phase == "withdrawn"


async def test_no_seal_while_an_appeal_is_open(platform: Platform) -> None:
    """C10.8."""
    cup, at = await ended(platform)
    filed = await cup.file(1, BOARD, [WORSE])
    await cup.pay(filed.appeal)
    platform.clock.stand(at + SEALABLE_US)
    chief = platform.of(CHIEF).pairing

    def seal() -> Any:
        return chief.SealChampionship(pairing.SealChampionshipRequest(command_id="s", championship="cup"))

    told = await refused(seal())
    assert (told.reason, told.clause) == ("APPEALS_OPEN", "C10.8")
    await cup.appoint(filed.appeal)
    for member in ARBITRATORS[:3]:
        await cup.vote(filed.appeal, member, uphold=True)
    await platform.events.wait("standings_published", number=2)
    sealed = await seal()
    assert sealed.seal.publication == 2
    late = await refused(cup.file(2))
    assert late.reason == "WINDOW_CLOSED"
    await platform.events.wait("standings_sealed")
    fine = scoring.SetPenaltyRequest(
        command_id="p", championship="cup", penalty="x", entrant=1, tenths=10, reason="x"
    )
    told = await refused(platform.of(CHIEF).scoring.SetPenalty(fine))
    assert (told.reason, told.clause) == ("STANDINGS_SEALED", "C10.8")


async def test_nothing_is_known_of_an_appeal_that_there_is_not(platform: Platform) -> None:
    await ended(platform)
    player, boss, arbiter = (platform.of(one).appeals for one in ("p-1", "operator", ARBITRATORS[0]))
    for name in ("none", ""):
        for call in (
            player.GetAppeal(pb.GetAppealRequest(championship="cup", appeal=name)),
            player.WithdrawAppeal(pb.WithdrawAppealRequest(command_id="c", championship="cup", appeal=name)),
            boss.RecordFee(pb.RecordFeeRequest(command_id="c", championship="cup", appeal=name)),
            boss.AppointPanel(pb.AppointPanelRequest(command_id="c", championship="cup", appeal=name)),
            arbiter.CastVote(pb.CastVoteRequest(command_id="c", championship="cup", appeal=name)),
            arbiter.DeclareConflict(
                pb.DeclareConflictRequest(command_id="c", championship="cup", appeal=name, reason="x")
            ),
        ):
            assert (await refused(call)).code in (StatusCode.NOT_FOUND, StatusCode.INVALID_ARGUMENT)
        for call in (
            player.GetAppeal(pb.GetAppealRequest(championship=name, appeal="a")),
            player.ListAppeals(pb.ListAppealsRequest(championship=name)),
        ):
            assert (await refused(call)).code is StatusCode.NOT_FOUND
