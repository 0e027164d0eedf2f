"""What may happen in an appeal, and when: every clause of C10 that is decided here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from services.appeals import decider
from services.appeals.model import commands as c
from services.appeals.model import events as e
from services.appeals.model.state import Opening
from tests.appeals.given import (
    APPEAL,
    APPOINTED,
    COUNTING,
    DAY,
    DUE,
    ENDS,
    FILE,
    FILED,
    HOUR,
    IN_HAND,
    OPENED,
    PAID,
    PANEL,
    PAY,
    VOTING,
    cast,
    closed,
    counted,
    decided,
    people,
    vote,
)
from tests.specification import NOON, Fact

# C10.1: the window


def test_an_appeal_is_heard_until_the_last_microsecond_of_its_window() -> None:
    past = APPEAL.given().when(FILE, at=ENDS - 1, by="p-3").then(FILED)
    assert (past.state.phase, past.state.appellant, past.state.filed_us) == ("filed", "p-3", ENDS - 1)
    late = APPEAL.given().when(FILE, at=ENDS).rejected("WINDOW_CLOSED", "C10.1")
    assert late.facts == {"deadline_us": str(ENDS)}


def test_an_appeal_may_come_before_its_window_begins_to_run() -> None:
    early = replace(FILE, window_ends_us=0)
    APPEAL.given().when(early, at=NOON + 99 * DAY).then(replace(FILED, window_ends_us=0))


def test_an_appeal_says_what_it_asks_for() -> None:
    """C10.6: upheld, it would bring nothing."""
    APPEAL.given().when(replace(FILE, sought=()), at=ENDS - 1).rejected("NOTHING_SOUGHT", "C10.6")


def test_an_appeal_is_filed_once() -> None:
    APPEAL.given(FILED).when(FILE).rejected("APPEAL_EXISTS", "C10.1")
    for command in (PAY, PANEL, vote("a"), c.CloseVoting(), c.WithdrawAppeal(), counted("")):
        APPEAL.given().when(command).rejected("NO_SUCH_APPEAL", "C10.1")


# C10.2: the fee


def test_the_fee_is_due_with_the_filing() -> None:
    filed = APPEAL.given(FILED)
    assert filed.when(PAY, at=ENDS - 1).then(PAID).state.phase == "received"
    late = filed.when(PAY, at=ENDS).rejected("WINDOW_CLOSED", "C10.2")
    assert late.facts == {"deadline_us": str(ENDS)}
    filed.when(replace(PAY, amount=499)).rejected("WRONG_FEE", "C10.2")
    filed.when(replace(PAY, amount=2**63)).rejected("WRONG_FEE", "C10.2")
    filed.when(replace(PAY, currency="EUR")).rejected("WRONG_FEE", "C10.2")
    APPEAL.given(*IN_HAND).when(PAY).rejected("FEE_NOT_DUE", "C10.2")
    unpaid = filed.when(PANEL).rejected("PANEL_NOT_DUE", "C10.3")
    assert unpaid.detail == "the appeal is filed: its fee is not paid yet"


def test_what_is_unpaid_at_the_end_of_the_window_is_not_filed() -> None:
    filed = APPEAL.given(FILED)
    filed.when(c.LapseAppeal(ENDS), at=ENDS - 1).rejected("WINDOW_OPEN", "C10.2")
    filed.when(c.LapseAppeal(0), at=ENDS).rejected("WINDOW_OPEN", "C10.2")
    lapsed = filed.when(c.LapseAppeal(ENDS), at=ENDS).then(e.AppealLapsed())
    assert (lapsed.state.phase, lapsed.state.open) == ("lapsed", False)
    # Also where the window was opened again since, for a board that is played again.
    for window_us in (ENDS, 0, ENDS + DAY):
        late = lapsed.when(replace(PAY, window_ends_us=window_us), at=ENDS + HOUR)
        assert late.rejected("WINDOW_CLOSED", "C10.2").facts == {"deadline_us": str(ENDS)}
    assert lapsed.when(PANEL).rejected("WINDOW_CLOSED", "C10.2").facts == {"deadline_us": str(ENDS)}
    APPEAL.given(*IN_HAND).when(c.LapseAppeal(ENDS), at=ENDS).then()


def test_an_event_without_a_fee_receives_an_appeal_at_once() -> None:
    free = replace(FILE, fee_amount=0)
    fee = e.FeeRecorded(0, "CNY", "", DUE, "CN holidays 1")
    assert APPEAL.given().when(free).then(replace(FILED, fee_amount=0), fee).state.phase == "received"
    late = replace(free, beyond_calendar=True)
    APPEAL.given().when(late).then(replace(FILED, fee_amount=0), replace(fee, beyond_calendar=True))


# C10.3: the panel


def test_a_panel_is_appointed_and_votes() -> None:
    past = APPEAL.given(*IN_HAND).when(PANEL).then(APPOINTED, OPENED)
    assert (past.state.phase, past.state.voting_deadline_us) == ("voting", DUE)
    past.when(PANEL).rejected("PANEL_NOT_DUE", "C10.3")


@pytest.mark.parametrize("size", [0, 1, 2, 4, 6, 17])
def test_a_panel_is_odd_and_has_three_members_at_least(size: int) -> None:
    panel = replace(PANEL, members=people(*(f"m{number}" for number in range(size))))
    APPEAL.given(*IN_HAND).when(panel).rejected("PANEL_NOT_ODD", "C10.3")


def test_nobody_sits_on_a_panel_twice() -> None:
    for members, reserves in (("aab", ""), ("abc", "cd"), ("abc", "dd")):
        panel = replace(PANEL, members=people(*members), reserves=people(*reserves))
        APPEAL.given(*IN_HAND).when(panel).rejected("MEMBER_TWICE", "C10.3")


def test_who_has_declared_a_conflict_is_not_appointed() -> None:
    conflict = e.ConflictDeclared("b", "my nephew")
    for past in (APPEAL.given(FILED), APPEAL.given(*IN_HAND)):
        past.when(c.DeclareConflict("b", "my nephew"), by="b").then(conflict)
    declared = APPEAL.given(*IN_HAND, conflict)
    declared.when(PANEL).rejected("CONFLICT", "C10.3")
    declared.when(replace(PANEL, members=people("a", "c", "d"), reserves=people("b"))).rejected(
        "CONFLICT", "C10.3"
    )
    declared.when(c.DeclareConflict("b", "again")).rejected("CONFLICT", "C10.3")


def test_a_member_who_steps_back_is_replaced_by_a_reserve() -> None:
    replaced = e.MemberReplaced("b", people("d")[0], "conflict")
    past = (
        APPEAL.given(*VOTING)
        .when(c.DeclareConflict("b", "my nephew"))
        .then(e.ConflictDeclared("b", "my nephew"), replaced)
    )
    assert [one.person_id for one in past.state.members] == ["a", "d", "c"]
    assert [one.person_id for one in past.state.reserves] == ["e"]
    past.when(vote("b"), by="b").rejected("NOT_ON_PANEL", "C10.4")
    past.when(vote("d"), by="d").then(*cast("d"))


def test_a_panel_that_loses_a_member_without_a_reserve_is_appointed_anew() -> None:
    alone = APPEAL.given(*IN_HAND, replace(APPOINTED, reserves=()), OPENED, *cast("a"))
    past = alone.when(c.DeclareConflict("b", "my nephew")).then(e.ConflictDeclared("b", "my nephew"))
    assert (past.state.phase, past.state.members, past.state.ballots) == ("received", (), ())
    past.when(replace(PANEL, members=people("a", "b", "c"), reserves=())).rejected("CONFLICT", "C10.3")
    past.when(replace(PANEL, members=people("a", "d", "c"), reserves=())).then(
        replace(APPOINTED, members=people("a", "d", "c"), reserves=()), e.VotingOpened(("a", "d", "c"))
    )


def test_a_reserve_may_step_back_too_and_nobody_else() -> None:
    past = (
        APPEAL.given(*VOTING).when(c.DeclareConflict("d", "cousin")).then(e.ConflictDeclared("d", "cousin"))
    )
    assert [one.person_id for one in past.state.reserves] == ["e"]
    past.when(c.DeclareConflict("x", "cousin")).rejected("NOT_ON_PANEL", "C10.3")
    past.when(c.DeclareConflict("a", "")).rejected("REASON_MISSING", "C9.4")
    voted = APPEAL.given(*VOTING, *cast("a"))
    voted.when(c.DeclareConflict("a", "cousin")).rejected("VOTED_ALREADY", "C10.4")
    APPEAL.given(*COUNTING).when(c.DeclareConflict("a", "x")).rejected("VOTING_NOT_OPEN", "C10.4")


# C10.4: the vote


def test_the_voting_closes_with_the_last_ballot() -> None:
    past = APPEAL.given(*VOTING)
    past = past.when(vote("a"), by="a").then(*cast("a"))
    past = past.when(vote("c"), by="c").then(*cast("c"))
    past = past.when(vote("b"), by="b").then(*cast("b"), closed("a", "c", "b"))
    assert past.state.phase == "counting"
    past.when(vote("a"), by="a").rejected("VOTING_NOT_OPEN", "C10.4")


def test_one_vote_a_member() -> None:
    past = APPEAL.given(*VOTING, *cast("a"))
    past.when(vote("a"), by="a").rejected("VOTED_ALREADY", "C10.4")
    past.when(vote("d"), by="d").rejected("NOT_ON_PANEL", "C10.4")  # a reserve
    past.when(vote("p-3"), by="p-3").rejected("NOT_ON_PANEL", "C10.4")


def test_a_vote_comes_before_the_deadline() -> None:
    past = APPEAL.given(*VOTING)
    past.when(vote("a"), at=DUE - 1, by="a").then(*cast("a"))
    late = past.when(vote("a"), at=DUE, by="a").rejected("VOTING_OVER", "C10.4")
    assert late.facts == {"deadline_us": str(DUE)}


@pytest.mark.parametrize(
    "ballot",
    [
        c.CastBallot(b"", b"sealed", "a", b"key"),
        c.CastBallot(b"x" * 31, b"sealed", "a", b"key"),
        c.CastBallot(b"x" * 32, b"", "a", b"key"),
        c.CastBallot(b"x" * 32, b"x" * 513, "a", b"key"),
    ],
)
def test_a_ballot_is_a_commitment_and_its_sealed_opening(ballot: c.CastBallot) -> None:
    APPEAL.given(*VOTING).when(ballot, by="a").rejected("MALFORMED_BALLOT", "C10.4")


@pytest.mark.parametrize("misfit", [{"member": "b"}, {"member": ""}, {"ballot_key": b"another"}])
def test_a_ballot_that_would_not_open_as_its_senders_is_refused_before_the_count(misfit: Any) -> None:
    """C10.4: counted, it would have dissolved the panel."""
    past = APPEAL.given(*VOTING)
    past.when(replace(vote("a"), **misfit), by="a").rejected("WRONG_BALLOT", "C10.4")
    past.when(vote("a"), by="a").then(*cast("a"))


def test_who_is_absent_at_the_deadline_is_replaced_by_a_reserve() -> None:
    past = APPEAL.given(*VOTING, *cast("a"))
    past.when(c.CloseVoting(), at=DUE - 1).rejected("VOTING_OPEN", "C10.4")
    dan, eva = people("d", "e")
    past = past.when(c.CloseVoting(), at=DUE).then(
        e.MemberReplaced("b", dan, "absent"), e.MemberReplaced("c", eva, "absent")
    )
    assert [one.person_id for one in past.state.members] == ["a", "d", "e"]
    for late in "bc":
        told = past.when(vote(late), at=DUE + 1, by=late).rejected("VOTING_OVER", "C10.4")
        assert told.facts == {"deadline_us": str(DUE)}
    # They get a day, and the ballot that was cast stands.
    assert past.state.voting_deadline_us == DUE + DAY
    past = past.when(vote("d"), at=DUE + 1, by="d").then(*cast("d"))
    past.when(vote("e"), at=DUE + 1, by="e").then(*cast("e"), closed("a", "d", "e"))
    APPEAL.given(*COUNTING).when(c.CloseVoting(), at=DUE).then()


def test_C10_7_a_panel_beside_another_one_is_dissolved_unless_it_has_begun_to_vote() -> None:
    """Nobody has failed the appeal: the same members may be appointed again."""
    dissolved = APPEAL.given(*VOTING).when(c.DissolvePanel("a-2")).then(e.PanelDissolved("a-2"))
    assert (dissolved.state.phase, dissolved.state.members, dissolved.state.conflicts) == (
        "received",
        (),
        frozenset(),
    )
    dissolved.when(PANEL).then(APPOINTED, OPENED)
    for past in ((*VOTING, *cast("a")), IN_HAND, COUNTING):
        APPEAL.given(*past).when(c.DissolvePanel("a-2")).then()


def test_without_enough_reserves_a_panel_is_dissolved_lest_a_tie_decide() -> None:
    short = (*IN_HAND, replace(APPOINTED, reserves=people("d")), OPENED, *cast("a"))
    why = "absent at the deadline, and no reserve is left"
    past = (
        APPEAL.given(*short)
        .when(c.CloseVoting(), at=DUE)
        .then(e.BallotRejected("b", why), e.BallotRejected("c", why))
    )
    assert (past.state.phase, past.state.members, past.state.reserves) == ("received", (), ())
    past.when(PANEL, at=DUE).rejected("CONFLICT", "C10.3")
    for late in "bc":
        told = past.when(vote(late), at=DUE + 1, by=late).rejected("VOTING_OVER", "C10.4")
        assert told.facts == {"deadline_us": str(DUE)}
    past.when(vote("a"), at=DUE + 1, by="a").rejected("VOTING_NOT_OPEN", "C10.4")
    anew = replace(PANEL, members=people("a", "e", "f"), reserves=(), voting_deadline_us=DUE + HOUR)
    appointed = e.PanelAppointed(anew.members, (), b"key", DUE + HOUR)
    again = past.when(anew, at=DUE + 1).then(appointed, e.VotingOpened(("a", "e", "f")))
    again.when(vote("b"), at=DUE + 2, by="b").rejected("NOT_ON_PANEL", "C10.4")


# C10.5: the answer


def test_the_vote_ends_when_the_answer_is_due() -> None:
    past = APPEAL.given(*IN_HAND)
    past.when(replace(PANEL, voting_deadline_us=NOON)).rejected("DEADLINE_PASSED", "C10.4")
    late = past.when(replace(PANEL, voting_deadline_us=DUE + 1)).rejected("DEADLINE_TOO_LATE", "C10.5")
    assert late.facts == {"deadline_us": str(DUE)}
    past.when(replace(PANEL, voting_deadline_us=2**63 - 1)).rejected("DEADLINE_TOO_LATE", "C10.5")
    # What is late already is still answered, within a day.
    overdue = replace(PANEL, voting_deadline_us=DUE + 6 * HOUR)
    past.when(overdue, at=DUE + HOUR).then(replace(APPOINTED, voting_deadline_us=DUE + 6 * HOUR), OPENED)


def test_the_latest_deadline_is_when_the_answer_is_due_or_a_day_from_now() -> None:
    state = APPEAL.given(*IN_HAND).state
    for at, latest in ((NOON, DUE), (DUE - HOUR, DUE - HOUR + DAY), (DUE + 9 * DAY, DUE + 10 * DAY)):
        assert decider.latest_us(state, at) == latest
        panel = replace(PANEL, voting_deadline_us=latest)
        appointed = replace(APPOINTED, voting_deadline_us=latest)
        APPEAL.given(*IN_HAND).when(panel, at=at).then(appointed, OPENED)


# C10.4, C10.6: the count


@pytest.mark.parametrize("uphold", ["abc", "ab"])
def test_the_majority_upholds(uphold: str) -> None:
    past = APPEAL.given(*COUNTING).when(counted(uphold)).then(decided(uphold), e.FeeRefunded(500, "CNY"))
    assert (past.state.phase, past.state.fee_outcome) == ("upheld", "refunded")
    assert past.state.decision.remedies == FILED.sought
    # C10.7: but for those on which another committee has ruled.
    left = replace(counted(uphold), remedies=())
    ruled = replace(decided(uphold), remedies=())
    APPEAL.given(*COUNTING).when(left).then(ruled, e.FeeRefunded(500, "CNY"))


@pytest.mark.parametrize("uphold", ["", "c"])
def test_the_majority_rejects(uphold: str) -> None:
    past = APPEAL.given(*COUNTING).when(counted(uphold)).then(decided(uphold), e.FeeKept(500, "CNY"))
    assert (past.state.phase, past.state.fee_outcome) == ("rejected", "kept")
    assert past.state.decision.remedies == ()


def test_every_ballot_is_counted_and_no_other() -> None:
    past = APPEAL.given(*COUNTING)
    for members in ("ab", "abcd", "abd", "aab"):
        past.when(counted("a", members)).rejected("BALLOTS_MISSING", "C10.4")
    APPEAL.given(*VOTING).when(counted("")).then()  # counted by another replica, or not yet


def test_a_ballot_that_does_not_open_sends_the_appeal_to_another_panel() -> None:
    why = "does not open to what it committed to"
    past = APPEAL.given(*COUNTING).when(counted("a", unreadable=("b",))).then(e.BallotRejected("b", why))
    assert (past.state.phase, past.state.ballots) == ("received", ())
    again = replace(PANEL, members=people("a", "c", "d"), reserves=(), ballot_key=b"key 2")
    appointed = replace(APPOINTED, members=people("a", "c", "d"), reserves=(), ballot_key=b"key 2")
    past.when(PANEL).rejected("CONFLICT", "C10.3")
    past.when(vote("b"), at=DUE, by="b").rejected("VOTING_NOT_OPEN", "C10.4")
    past = past.when(again).then(appointed, e.VotingOpened(("a", "c", "d")))
    # What was sealed while the first panel sat.
    past.when(vote("a"), by="a").rejected("WRONG_BALLOT", "C10.4")
    for member in "ac":
        past = past.when(vote(member, b"key 2"), by=member).then(*cast(member))
    past.when(vote("d", b"key 2"), by="d").then(*cast("d"), closed("a", "c", "d"))


# C10.7: final


@pytest.mark.parametrize("uphold", ["abc", ""])
def test_a_ruling_is_final(uphold: str) -> None:
    fee = e.FeeRefunded(500, "CNY") if uphold else e.FeeKept(500, "CNY")
    ruled = APPEAL.given(*COUNTING, decided(uphold), fee)
    assert not ruled.state.open
    for command in (PAY, PANEL, vote("a"), c.DeclareConflict("a", "x")):
        ruled.when(command, by="a").rejected("RULING_FINAL", "C10.7")
    ruled.when(vote("stranger"), by="stranger").rejected("NOT_ON_PANEL", "C10.4")
    ruled.when(c.DeclareConflict("stranger", "x")).rejected("NOT_ON_PANEL", "C10.3")
    ruled.when(counted("abc")).then()
    ruled.when(c.WithdrawAppeal(), by="p-3").rejected("TOO_LATE", "C10.4")


@pytest.mark.parametrize("before", [(FILED,), IN_HAND, VOTING, COUNTING])
def test_a_ruling_on_the_same_thing_dismisses_an_appeal_and_its_fee_goes_back(
    before: tuple[Any, ...],
) -> None:
    """C10.7: filed after the ruling it would have been refused without a fee."""
    past = APPEAL.given(*before).when(c.DismissAppeal("a-1"))
    refund = () if before == (FILED,) else (e.FeeRefunded(500, "CNY"),)
    over = past.then(e.AppealDismissed("a-1"), *refund)
    assert (over.state.phase, over.state.open) == ("dismissed", False)
    over.when(c.DismissAppeal("a-1")).then()
    for command in (PAY, PANEL, vote("a")):
        over.when(command, by="a").rejected("RULING_FINAL", "C10.7")
    ruled = APPEAL.given(*COUNTING, decided("abc"))
    ruled.when(c.DismissAppeal("a-2")).then()


def test_who_filed_an_appeal_may_withdraw_it_before_the_vote() -> None:
    filed = APPEAL.given(Fact(FILED, by="p-3"))
    filed.when(c.WithdrawAppeal(), by="p-4").rejected("NOT_YOURS", "C10.1")
    assert not filed.when(c.WithdrawAppeal(), by="p-3").then(e.AppealWithdrawn()).state.open
    paid = APPEAL.given(*IN_HAND).when(c.WithdrawAppeal(), by="p-3")
    assert paid.then(e.AppealWithdrawn(), e.FeeKept(500, "CNY")).state.fee_outcome == "kept"
    APPEAL.given(*VOTING).when(c.WithdrawAppeal(), by="p-3").rejected("TOO_LATE", "C10.4")


# The case file


def test_whoever_assembles_an_edition_first_has_frozen_it() -> None:
    first = c.AssembleCase(1, b"digest", 7, complete=False)
    frozen = APPEAL.given(*IN_HAND).when(first).then(e.CaseAssembled(1, b"digest", 7, complete=False))
    frozen.when(replace(first, digest=b"other")).then()
    frozen.when(replace(first, edition=3)).then()
    second = frozen.when(c.AssembleCase(2, b"second", 9, complete=True))
    assert second.then(e.CaseAssembled(2, b"second", 9, complete=True)).state.phase == "received"


def test_who_opens_a_case_is_kept() -> None:
    """C9.4: with the time."""
    past = APPEAL.given(*IN_HAND)
    past.when(c.OpenCase(1), by="chief").rejected("CASE_NOT_READY", "C10.1")
    frozen = APPEAL.given(*IN_HAND, e.CaseAssembled(1, b"digest", 7, complete=True))
    frozen.when(c.OpenCase(2), by="chief").rejected("CASE_NOT_READY", "C10.1")
    opened = frozen.when(c.OpenCase(1), at=NOON + HOUR, by="chief").then(e.CaseOpened(1))
    assert opened.state.openings == (Opening("chief", NOON + HOUR, 1),)
    # Another edition may be frozen while this one is handed out.
    first, second = (
        e.CaseAssembled(1, b"digest", 7, complete=False),
        e.CaseAssembled(2, b"next", 9, complete=True),
    )
    APPEAL.given(*IN_HAND, first, second).when(c.OpenCase(1), by="a").then(e.CaseOpened(1))


# C10.6: what was not carried out


def test_what_was_not_carried_out_is_settled_part_by_part_by_who_says_how() -> None:
    past = APPEAL.given(*COUNTING, decided("abc"), e.FeeRefunded(500, "CNY"))
    settle = c.SettleRuling("voided by hand", NOON + DAY)
    settled = past.when(settle, at=NOON + 2 * DAY, by="chief").then(
        e.RulingSettled("voided by hand", NOON + DAY, alone=True)
    )
    told = settled.state.settlement(NOON + DAY)
    assert told is not None
    assert (told.text, told.person_id, told.settled_us) == ("voided by hand", "chief", NOON + 2 * DAY)
    assert settled.state.settlement(NOON + DAY + 1) is None
    assert settled.state.settlement(NOON + DAY - 1) is None, "nobody had seen it, whenever it was refused"
    again = settled.when(replace(settle, text="again")).rejected("NOTHING_TO_SETTLE", "C10.6")
    assert again.detail == "this part of the ruling has been dealt with already"
    none = past.when(replace(settle, refused_us=0)).rejected("NOTHING_TO_SETTLE", "C10.6")
    assert none.detail == "this is no part of the ruling that was not carried out"
    past.when(replace(settle, text=" ")).rejected("REASON_MISSING", "C9.4")
    settled.when(replace(settle, refused_us=NOON + DAY + 1)).then(
        e.RulingSettled("voided by hand", NOON + DAY + 1, alone=True)
    )


def test_records_of_older_versions_settled_all_that_was_refused_until_then() -> None:
    old = APPEAL.given(*COUNTING, decided("abc"), e.RulingSettled("voided by hand", NOON)).state
    assert [old.settlement(at) is None for at in (NOON - 1, NOON, NOON + 1)] == [False, False, True]


@pytest.mark.parametrize(
    ("past", "told"),
    [
        ((FILED,), "nothing is ruled in this appeal yet"),
        (COUNTING, "nothing is ruled in this appeal yet"),
        ((FILED, e.AppealLapsed()), "nothing was ruled in this appeal"),
    ],
)
def test_before_there_is_a_ruling_there_is_nothing_of_it_to_settle(
    past: Sequence[e.Event], told: str
) -> None:
    settle = c.SettleRuling("voided by hand", 0)
    refused = APPEAL.given(*past).when(settle, by="chief").rejected("NOTHING_TO_SETTLE", "C10.6")
    assert refused.detail == told
