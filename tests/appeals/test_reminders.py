"""Who is reminded of what, and when: once a deadline, while there is time to act on it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from services.appeals.model import commands as c
from services.appeals.model import events as e
from services.appeals.reminders import FEE_US, LATEST_US, PANEL_US, VOTE_US, due
from tests.appeals.given import (
    APPEAL,
    APPOINTED,
    COUNTING,
    DUE,
    ENDS,
    FILED,
    HOUR,
    IN_HAND,
    OPENED,
    VOTING,
    cast,
    decided,
)
from tests.appeals.given import PANEL as APPOINT
from tests.cup import ARBITRATORS, HOUR_US, Cup
from tests.platform import Platform
from tests.specification import Fact

FEE = c.GiveReminder("fee", ENDS, ("p-3",))
PANEL = c.GiveReminder("panel", DUE, ())
VOTE = c.GiveReminder("vote", DUE, ("b", "c"))
PANEL_OF_THREE = replace(APPOINT, reserves=())
FILED_BY = (Fact(FILED, by="p-3"),)


def absent(member: str) -> e.BallotRejected:
    return e.BallotRejected(member, "absent at the deadline, and no reserve is left")


@pytest.mark.parametrize(
    ("past", "reminder", "lead_us"),
    [
        (FILED_BY, FEE, FEE_US),  # C10.2
        (IN_HAND, PANEL, PANEL_US),  # C10.5
        ((*VOTING, *cast("a")), VOTE, VOTE_US),  # C10.4
    ],
)
def test_a_reminder_is_due_a_while_before_its_deadline(
    past: tuple[Any, ...], reminder: c.GiveReminder, lead_us: int
) -> None:
    state, deadline = APPEAL.given(*past).state, reminder.deadline_us
    assert due(state, ENDS, deadline - lead_us - 1) is None
    assert due(state, ENDS, deadline - lead_us) == reminder
    assert due(state, ENDS, deadline - LATEST_US) == reminder
    assert due(state, ENDS, deadline - LATEST_US + 1) is None
    given = (
        APPEAL.given(*past).when(reminder).then(e.ReminderGiven(reminder.about, deadline, reminder.persons))
    )
    given.when(reminder).then()
    assert due(given.state, ENDS, deadline - LATEST_US) is None


def test_another_deadline_brings_another_reminder() -> None:
    given = APPEAL.given(*FILED_BY, e.ReminderGiven("fee", ENDS, ("p-3",))).state
    assert due(given, ENDS + HOUR, ENDS) is None
    assert due(given, ENDS + HOUR, ENDS + HOUR - FEE_US) == replace(FEE, deadline_us=ENDS + HOUR)


def test_an_answer_that_is_overdue_is_told_once_and_again_when_a_panel_is_dissolved() -> None:
    """C10.5: there is no deadline left that could come near, and nothing else would tell the organiser."""
    waiting, overdue = APPEAL.given(*IN_HAND), c.GiveReminder("overdue", DUE, ())
    assert due(waiting.state, 0, DUE - 1) is None
    assert due(waiting.state, 0, DUE) == due(waiting.state, 0, DUE + HOUR) == overdue
    told = waiting.when(overdue, at=DUE).then(e.ReminderGiven("overdue", DUE, ()))
    assert due(told.state, 0, DUE + HOUR) is None
    appointed = replace(PANEL_OF_THREE, voting_deadline_us=DUE + HOUR)
    voting = told.when(appointed, at=DUE + 1).then(
        replace(APPOINTED, reserves=(), voting_deadline_us=DUE + HOUR), OPENED
    )
    dissolved = voting.when(c.CloseVoting(), at=DUE + HOUR + 5).then(*map(absent, "abc"))
    assert due(dissolved.state, 0, DUE + 2 * HOUR) == replace(overdue, deadline_us=DUE + HOUR + 5)
    backed = voting.when(c.DeclareConflict("a", "cousin"), at=DUE + 7).then(e.ConflictDeclared("a", "cousin"))
    assert due(backed.state, 0, DUE + 8) == replace(overdue, deadline_us=DUE + 7)


def test_nobody_is_reminded_of_what_has_no_deadline_or_is_over() -> None:
    assert due(APPEAL.given(*FILED_BY).state, 0, ENDS - FEE_US) is None
    for past in (COUNTING, (*COUNTING, decided("ab")), (*FILED_BY, e.AppealLapsed())):
        for now in (DUE - LATEST_US, DUE + HOUR):
            assert due(APPEAL.given(*past).state, ENDS, now) is None
    APPEAL.given(*COUNTING, decided("ab")).when(VOTE).then()


async def test_reminders_and_expiry_survive_a_restart(platform: Platform) -> None:
    """C10.2, C10.4: a deadline that passes while the service is away is seen to when it is back."""
    replica = await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    at = await cup.ended()
    unpaid, paid = await cup.file(1), await cup.file(2)
    due_us = (await cup.pay(paid.appeal)).answer_due_us
    await cup.appoint(paid.appeal, ARBITRATORS[:3], ARBITRATORS[3:4])
    for member in ARBITRATORS[:2]:
        await cup.vote(paid.appeal, member, uphold=True)
    await replica.stop()
    platform.clock.stand(at + 3 * HOUR_US - FEE_US + 1)
    replica = await platform.start()
    fee = await platform.events.wait("reminder_given", about="fee")
    assert (fee.event.deadline_us, list(fee.event.persons)) == (at + 3 * HOUR_US, ["p-1"])
    await replica.stop()
    platform.clock.stand(due_us - VOTE_US)
    replica = await platform.start()
    await platform.events.wait("appeal_lapsed")
    vote = await platform.events.wait("reminder_given", about="vote")
    assert (vote.event.deadline_us, list(vote.event.persons)) == (due_us, [ARBITRATORS[2]])
    await replica.stop()
    platform.clock.stand(due_us)
    await platform.start()
    replaced = await platform.events.wait("member_replaced")
    assert (replaced.event.person_id, replaced.event.cause) == (ARBITRATORS[2], "absent")
    assert [one.event.about for one in await platform.events.of("reminder_given")] == ["fee", "vote"]
    assert (await cup.case(unpaid.appeal)).phase == "lapsed"
