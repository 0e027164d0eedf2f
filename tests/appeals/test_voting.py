"""Panel and vote on real servers (C10.3, C10.4)."""

from __future__ import annotations

from typing import Any

from grpc import StatusCode

from clients.appealing import sealed_vote
from fupan.appeals.v1 import service_pb2 as pb
from fupan.dealer.v1 import service_pb2 as dealer
from fupan.pairing.v1 import service_pb2 as pairing
from services.ledger import keys
from tests.appeals.courts import BOARD, WORSE, ended
from tests.cup import ARBITRATORS, CHIEF, HOUR_US, Cup
from tests.platform import Platform, refused


async def test_C9_1_a_committee_of_two_appoints_no_panel(platform: Platform) -> None:
    await platform.start()
    two = [(one, "arbitrator") for one in ARBITRATORS[:2]]
    cup = await Cup.create(platform, entrants=6, rounds=1, officials=[(CHIEF, "chief_referee"), *two])
    await cup.ended()
    filed = await cup.file(1)
    await cup.pay(filed.appeal)
    for members in (ARBITRATORS[:2], ARBITRATORS[:3]):
        told = await refused(cup.appoint(filed.appeal, members))
        assert (told.reason, told.clause) == ("COMMITTEE_TOO_SMALL", "C9.1")
    await cup.officials((ARBITRATORS[2], "arbitrator"))
    await cup.appoint(filed.appeal)


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
    told = await refused(cup.appoint(filed.appeal, deadline_us=-(2**62)))
    assert (told.reason, told.fields[0].path) == ("MALFORMED", "voting_deadline_us")
    told = await refused(cup.appoint(filed.appeal, deadline_us=2**63 - 1))
    assert told.clause == "C10.5"
    assert await platform.events.of("appeal_key_created") == []
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


async def test_who_comes_to_have_a_conflict_before_voting_makes_room_for_a_reserve(
    platform: Platform,
) -> None:
    """C10.3: a member of whom it is known only now that it shares a unit with the appellant."""
    cup, _ = await ended(platform)
    filed = await cup.file(1)
    await cup.pay(filed.appeal)
    a, b, c, d, _ = ARBITRATORS
    await cup.appoint(filed.appeal, (a, b, c), (d,))
    for member in (a, b):
        if member == b:
            await cup.vote(filed.appeal, b, uphold=True)
        request = pairing.AppointOfficialRequest(
            command_id=f"unit-{member}", championship="cup", person_id=member, role="referee", unit_id="u-1"
        )
        await cup.boss.pairing.AppointOfficial(request)
    told = await refused(cup.vote(filed.appeal, a, uphold=True))
    assert (told.reason, told.clause) == ("CONFLICT", "C10.3")
    assert "shares a unit with a party" in told.message
    back = (await platform.events.wait("conflict_declared")).event
    assert (back.person_id, "shares a unit with a party" in back.reason) == (a, True)
    case = await cup.case(filed.appeal)
    assert (list(case.members), list(case.voted)) == ([d, b, c], [b])
    assert (await refused(cup.vote(filed.appeal, a, uphold=True))).reason == "NOT_ON_PANEL"
    await cup.vote(filed.appeal, d, uphold=True)
    await cup.vote(filed.appeal, c, uphold=True)
    await platform.events.wait("appeal_decided")


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
    assert await platform.events.of("appeal_key_released") == []
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
    case = await cup.case(filed.appeal)
    # The reserve gets a day (C10.4), and everybody is told so; the answer is overdue meanwhile (C10.5).
    assert case.voting_deadline_us == replaced.header.time_us + 24 * HOUR_US
    assert (case.panel.voting_deadline_us, case.overdue) == (due, True)
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
    first = await cup.case(filed.appeal)
    assert (first.voting_deadline_us, first.overdue) == (due, False)
    platform.clock.stand(due)
    rejected = await platform.events.wait("ballot_rejected", count=2)
    reminded = await platform.events.wait("reminder_given", about="overdue")
    since = reminded.event.deadline_us, list(reminded.event.persons)
    assert since == (rejected.header.time_us, [])
    dissolved = await cup.case(filed.appeal)
    assert (dissolved.phase, dissolved.voting_deadline_us, dissolved.overdue) == ("received", 0, True)
    assert (await refused(cup.appoint(filed.appeal, (a, b, d)))).reason == "CONFLICT"
    # Nobody names a deadline, and the one that the first panel had has passed: a day from now.
    second = await cup.appoint(filed.appeal, (a, d, e))
    case = await cup.case(filed.appeal)
    assert case.voting_deadline_us == due + 24 * HOUR_US
    for member in (a, d, e):
        await cup.vote(filed.appeal, member, uphold=True)
    await platform.events.wait("appeal_decided", upheld=True)
    # C10.4: the count frees its own ballots alone, not the one cast before the panel that it was cast in was dissolved.
    assert second.ballot_key != first.panel.ballot_key
    (released,) = await platform.events.of("appeal_key_released")
    assert released.event.public_key == keys.box_public_key(released.event.private_key) == second.ballot_key
    assert not (await cup.case(filed.appeal)).overdue


async def test_a_panel_is_appointed_after_the_answer_was_due(platform: Platform) -> None:
    """C10.5: nobody did in time, and the case can still be heard."""
    cup, _ = await ended(platform)
    filed = await cup.file(1)
    due = (await cup.pay(filed.appeal)).answer_due_us
    platform.clock.stand(due + 5 * HOUR_US)
    await cup.appoint(filed.appeal)
    case = await cup.case(filed.appeal)
    assert (case.phase, case.voting_deadline_us) == ("voting", due + 29 * HOUR_US)


async def test_a_ballot_sealed_for_another_is_refused_and_its_sender_may_still_vote(
    platform: Platform,
) -> None:
    """C10.4: counted, it would not open, and would dissolve the panel."""
    cup, _ = await ended(platform)
    filed = await cup.file(1)
    await cup.pay(filed.appeal)
    await cup.appoint(filed.appeal)
    a, b, c, _, _ = ARBITRATORS
    appeal = await cup.case(filed.appeal)
    told = await refused(platform.of(b).appeals.CastVote(sealed_vote("v", cup.id, appeal, c, uphold=True)))
    assert (told.reason, told.clause) == ("WRONG_BALLOT", "C10.4")
    for member in (a, b, c):
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
    assert len(await platform.events.of("appeal_key_released")) == 1
    await cup.vote(filed.appeal, d, uphold=True)
    released = await platform.events.wait("appeal_key_released", count=2)
    assert keys.box_public_key(released.event.private_key) == second.ballot_key
    decided = await platform.events.wait("appeal_decided")
    assert (decided.event.votes_for, decided.event.votes_against) == (2, 1)
