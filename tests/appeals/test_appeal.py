"""Appeals from filing to ruling on real servers: every clause of C10."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grpc import StatusCode

from fupan.appeals.v1 import events_pb2 as events
from fupan.appeals.v1 import service_pb2 as pb
from fupan.dealer.v1 import service_pb2 as dealer
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import events_pb2 as scoring_events
from fupan.scoring.v1 import service_pb2 as scoring
from services.ledger import keys
from services.ledger.ballot import OpenBallot, fits
from tests.cup import ARBITRATORS, CHIEF, FEE, HOUR_US, Cup
from tests.platform import Platform, Seen, refused

BOARD = events.Contested(board=events.ContestedBoard(table="r1-t1", round=1, board=1, attempt=1))
WORSE = scoring_events.Remedy(
    correct_result=scoring_events.CorrectResult(
        table="r1-t1", round=1, board=1, attempt=1, scores=[-20, 10, 10]
    )
)


async def ended(platform: Platform, **document: Any) -> tuple[Cup, int]:
    """An event of one round that has ended, and when; an appeal's sender is entrant 1."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1, **document)
    return cup, await cup.ended()


def about(appeal: str) -> Callable[[Seen], bool]:
    return lambda seen: seen.stored.subject.endswith(appeal)


async def standings(cup: Cup, as_of: str = "") -> Any:
    return await cup.boss.scoring.GetStandings(scoring.GetStandingsRequest(championship=cup.id, as_of=as_of))


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
    assert "记分".encode() not in b"".join([one.stored.data for one in platform.events.all])

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
    cast = {one.event.member: one.event for one in platform.events.of("ballot_cast")}
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
    after = await standings(cup)
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
    assert len(platform.events.of("standings_published")) == 1


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
    ruled = [one for one in platform.events.all if one.service == "scoring"]
    assert [one.kind for one in ruled[1:4]] == ["result_corrected", "penalty_set", "board_voided"]
    assert {one.header.version for one in ruled[1:4]} == {2}
    assert published.header.version == 3


# C10.0, C10.1: who, when, what


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


async def test_a_fee_paid_in_the_last_microsecond_counts(platform: Platform) -> None:
    cup, at = await ended(platform)
    filed = await cup.file(1)
    await platform.events.wait("case_assembled")
    platform.clock.stand(at + 3 * HOUR_US - 1)
    for amount, currency in ((FEE - 1, "CNY"), (FEE, "EUR"), (2**64 - 1, "CNY"), (0, "")):
        told = await refused(cup.pay(filed.appeal, amount, currency))
        assert (told.reason, told.clause) == ("WRONG_FEE", "C10.2")
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
    assert platform.events.of("appeal_lapsed") == []


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
        (events.Contested(publication=events.ContestedPublication()), "NOT_FOUND"),
        (events.Contested(publication=events.ContestedPublication(publication=2)), "NOT_FOUND"),
        (events.Contested(pairing=events.ContestedPairing(round=2**32 - 1)), "NOT_FOUND"),
    ):
        assert (await refused(cup.file(1, contested))).reason == reason, contested
    for contested in (
        BOARD,
        events.Contested(ruling=events.ContestedRuling(ruling="r-1")),
        events.Contested(publication=events.ContestedPublication(publication=1)),
        events.Contested(pairing=events.ContestedPairing(round=1)),
    ):
        await cup.file(1, contested)
    listed = await cup.boss.appeals.ListAppeals(pb.ListAppealsRequest(championship="cup"))
    assert [one.filed.contested.WhichOneof("kind") for one in listed.appeals] == [
        "board",
        "ruling",
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
    for grounds in ("", "  ", "x" * 20_001):
        assert (await refused(cup.file(1, grounds=grounds))).reason == "MALFORMED"
    assert platform.events.of("appeal_filed") == []
    for person in ("nobody", CHIEF):
        request = pb.FileAppealRequest(command_id="f", championship="cup", contested=BOARD, grounds="x")
        told = await refused(platform.of(person).appeals.FileAppeal(request))
        assert told.code is StatusCode.PERMISSION_DENIED


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


# C10.3: the panel


async def test_a_panel_without_conflicts(platform: Platform) -> None:
    await platform.start()
    cup = await Cup.create(
        platform,
        entrants=6,
        rounds=1,
        officials=[(CHIEF, "chief_referee"), *((one, "arbitrator") for one in (*ARBITRATORS, "p-2", "p-1"))],
    )
    await cup.boss.pairing.AppointOfficial(
        pairing.AppointOfficialRequest(
            command_id="cousin", championship="cup", person_id="cousin", role="arbitrator", unit_id="u-1"
        )
    )
    at = await cup.ended()
    filed = await cup.file(1)
    told = await refused(cup.appoint(filed.appeal))
    assert (told.reason, told.clause) == ("PANEL_NOT_DUE", "C10.3")
    await cup.pay(filed.appeal)
    a, b, c, d, e = ARBITRATORS
    for members, reserves, reason, clause in (
        ((), (), "PANEL_NOT_ODD", "C10.3"),
        ((a, b), (), "PANEL_NOT_ODD", "C10.3"),
        ((a, b, c, d), (), "PANEL_NOT_ODD", "C10.3"),
        ((a, b, a), (), "MEMBER_TWICE", "C10.3"),
        ((a, b, c), (c,), "MEMBER_TWICE", "C10.3"),
        ((a, b, CHIEF), (), "NOT_AN_ARBITRATOR", "C9.1"),
        ((a, b, c), ("nobody",), "NOT_AN_ARBITRATOR", "C9.1"),
        ((a, b, "p-1"), (), "CONFLICT", "C10.3"),
        ((a, b, "cousin"), (), "CONFLICT", "C10.3"),
        ((a, b, c), ("cousin",), "CONFLICT", "C10.3"),
    ):
        told = await refused(cup.appoint(filed.appeal, members, reserves))
        assert (told.reason, told.clause) == (reason, clause), members
    # C10.4, C10.5: a deadline in the future, before the answer is due.
    told = await refused(cup.appoint(filed.appeal, deadline_us=at))
    assert (told.reason, "deadline" in told.facts) == ("DEADLINE_PASSED", True)
    told = await refused(cup.appoint(filed.appeal, deadline_us=2**63 - 1))
    assert told.clause == "C10.5"
    assert platform.events.of("appeal_key_created") == []
    first = await cup.appoint(filed.appeal, (a, b, c), (d,), command_id="panel")
    assert (await cup.appoint(filed.appeal, (a, b, c), (d,), command_id="panel")) == first
    assert (
        await refused(cup.appoint(filed.appeal, (a, b, e), (d,), command_id="panel"))
    ).reason == "COMMAND_ID_REUSED"
    # A member steps back and its reserve follows; who has voted stays.
    await cup.vote(filed.appeal, a, uphold=True)

    def step_back(person: str) -> Any:
        request = pb.DeclareConflictRequest(
            command_id="back", championship="cup", appeal=filed.appeal, reason="my nephew"
        )
        return platform.of(person).appeals.DeclareConflict(request)

    assert (await refused(step_back(a))).reason == "VOTED_ALREADY"
    assert (await refused(step_back(e))).reason == "NOT_ON_PANEL"
    await step_back(b)
    case = await cup.case(filed.appeal)
    assert list(case.members) == [a, d, c]


# C10.4: the vote


async def test_one_sealed_vote_a_member(platform: Platform) -> None:
    cup, _ = await ended(platform)
    filed = await cup.file(1)
    await cup.pay(filed.appeal)
    panel = await cup.appoint(filed.appeal)
    created = await platform.events.wait("appeal_key_created")
    assert created.event.public_key == panel.ballot_key
    a, b, c, d, _ = ARBITRATORS
    await cup.vote(filed.appeal, a, uphold=True)
    assert (await refused(cup.vote(filed.appeal, a, uphold=False))).reason == "VOTED_ALREADY"
    assert (await refused(cup.vote(filed.appeal, d, uphold=False))).reason == "NOT_ON_PANEL"
    assert (await refused(cup.vote(filed.appeal, "p-1", uphold=True))).reason == "NOT_IN_ROLE"
    spoilt = pb.CastVoteRequest(command_id="s", championship="cup", appeal=filed.appeal, commitment=b"x")
    assert (await refused(platform.of(b).appeals.CastVote(spoilt))).reason == "MALFORMED_BALLOT"
    # Until all are in nobody has the key, whoever asks.
    release = dealer.ReleaseAppealKeyRequest(command_id="r", championship="cup", appeal=filed.appeal)
    for who in ("operator", CHIEF, a, "service:scoring"):
        told = await refused(platform.of(who).dealer.ReleaseAppealKey(release))
        assert told.code is StatusCode.PERMISSION_DENIED
    told = await refused(platform.of("service:appeals").dealer.ReleaseAppealKey(release))
    assert (told.reason, told.clause) == ("VOTING_OPEN", "C10.4")
    assert platform.events.of("appeal_key_released") == []
    await cup.vote(filed.appeal, b, uphold=True)
    await cup.vote(filed.appeal, c, uphold=True)
    released = await platform.events.wait("appeal_key_released")
    assert keys.box_public_key(released.event.private_key) == panel.ballot_key
    closed = await platform.events.wait("voting_closed")
    assert closed.header.time_us < released.header.time_us


async def test_absent_members_are_replaced_by_reserves(platform: Platform) -> None:
    cup, _ = await ended(platform)
    a, b, c, d, _ = ARBITRATORS
    filed = await cup.file(1)
    due = (await cup.pay(filed.appeal)).answer_due_us
    await cup.appoint(filed.appeal, (a, b, c), (d,))
    await cup.vote(filed.appeal, a, uphold=True)
    await cup.vote(filed.appeal, b, uphold=False)
    platform.clock.stand(due)
    late = await refused(cup.vote(filed.appeal, c, uphold=True))
    assert late.reason in ("VOTING_OVER", "NOT_ON_PANEL")
    replaced = await platform.events.wait("member_replaced")
    assert (replaced.event.person_id, replaced.event.by.person_id, replaced.event.cause) == (c, d, "absent")
    await cup.vote(filed.appeal, d, uphold=True)
    await platform.events.wait("appeal_decided", upheld=True)


async def test_a_panel_that_cannot_be_filled_is_dissolved(platform: Platform) -> None:
    cup, _ = await ended(platform)
    a, b, c, d, e = ARBITRATORS
    filed = await cup.file(1)
    due = (await cup.pay(filed.appeal)).answer_due_us
    await cup.appoint(filed.appeal, (a, b, c))
    await cup.vote(filed.appeal, a, uphold=True)
    platform.clock.stand(due)
    await platform.events.wait("ballot_rejected", count=2)
    overdue = due + HOUR_US
    assert (await refused(cup.appoint(filed.appeal, (a, b, d), deadline_us=overdue))).reason == "CONFLICT"
    await cup.appoint(filed.appeal, (a, d, e), deadline_us=overdue)
    for member in (a, d, e):
        await cup.vote(filed.appeal, member, uphold=True)
    await platform.events.wait("appeal_decided", upheld=True)


async def test_a_spoilt_ballot_sends_the_appeal_to_another_panel_under_another_key(
    platform: Platform,
) -> None:
    """C10.4: the first key is public by then, and the new votes are sealed all the same."""
    cup, _ = await ended(platform)
    a, b, c, d, _ = ARBITRATORS
    filed = await cup.file(1, BOARD, [WORSE])
    await cup.pay(filed.appeal)
    first = await cup.appoint(filed.appeal, (a, b, c))
    await cup.vote(filed.appeal, a, uphold=True)
    await cup.vote(filed.appeal, b, uphold=True, spoil=True)
    await cup.vote(filed.appeal, c, uphold=False)
    rejected = await platform.events.wait("ballot_rejected")
    assert rejected.event.member == b
    told = await refused(cup.appoint(filed.appeal, (a, b, c)))
    assert (told.reason, told.clause) == ("CONFLICT", "C10.3")
    second = await cup.appoint(filed.appeal, (a, c, d))
    assert second.ballot_key != first.ballot_key
    await cup.vote(filed.appeal, a, uphold=True)
    await cup.vote(filed.appeal, c, uphold=False)
    assert len(platform.events.of("appeal_key_released")) == 1
    await cup.vote(filed.appeal, d, uphold=True)
    released = await platform.events.wait("appeal_key_released", count=2)
    assert keys.box_public_key(released.event.private_key) == second.ballot_key
    decided = await platform.events.wait("appeal_decided")
    assert (decided.event.votes_for, decided.event.votes_against) == (2, 1)


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
    platform.clock.stand(at + 3 * HOUR_US)
    seal = pairing.SealChampionshipRequest(command_id="s", championship="cup")
    assert (await platform.of(CHIEF).pairing.SealChampionship(seal)).seal.publication == 2


async def test_a_ruling_that_contradicts_another_is_put_before_the_chief_referee(platform: Platform) -> None:
    """C10.7: another matter, the same result."""
    cup, _ = await ended(platform)
    better = scoring_events.Remedy(
        correct_result=scoring_events.CorrectResult(
            table="r1-t1", round=1, board=1, attempt=1, scores=[20, -10, -10]
        )
    )
    first, second = await cup.file(1, BOARD, [WORSE]), await cup.file(2, None, [better])
    await cup.panel(first.appeal)
    await platform.events.wait("standings_published", number=2)
    ruled = (await standings(cup)).digest
    await cup.panel(second.appeal)
    refusal = await platform.events.wait("correction_refused")
    assert (refusal.event.appeal, refusal.event.reason) == (second.appeal, "RULING_FINAL")
    assert (await standings(cup)).digest == ruled


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
    platform.clock.stand(at + 3 * HOUR_US)
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
