"""What an appeal waits for, as every client tells it: the deadline, and the reminder that still holds."""

from __future__ import annotations

from typing import Any

import pytest

from clients.appealing import deadline_us, reminded, to_do
from fupan.appeals.v1 import events_pb2 as events
from fupan.appeals.v1 import service_pb2 as pb

WINDOW, ANSWER, VOTE = 10, 20, 30


def appeal(phase: str, *reminders: events.ReminderGiven, **more: Any) -> pb.Appeal:
    """An appeal whose window began to run after it was filed, and whose panel got a reserve at its first deadline."""
    return pb.Appeal(
        appeal="a-1",
        phase=phase,
        filed=events.AppealFiled(window_ends_us=0),
        window_ends_us=WINDOW,
        fee=events.FeeRecorded(answer_due_us=ANSWER),
        panel=events.PanelAppointed(voting_deadline_us=ANSWER),
        voting_deadline_us=VOTE,
        members=["a", "b", "c"],
        reminders=reminders,
        **more,
    )


def given(about: str, deadline_us: int, *persons: str) -> events.ReminderGiven:
    return events.ReminderGiven(about=about, deadline_us=deadline_us, persons=persons)


FEE, PANEL, LATE = given("fee", WINDOW, "p-1"), given("panel", ANSWER), given("overdue", ANSWER)


@pytest.mark.parametrize(
    ("phase", "due"),
    [("filed", WINDOW), ("received", ANSWER), ("voting", VOTE), ("counting", VOTE), ("upheld", 0)],
)
def test_what_is_due_is_told_as_it_stands_now(phase: str, due: int) -> None:
    assert deadline_us(appeal(phase)) == due


@pytest.mark.parametrize(
    ("told", "holds"),
    [
        (appeal("filed"), None),
        (appeal("filed", FEE), FEE),
        (appeal("filed", given("fee", WINDOW - 1, "p-1")), None),  # the window ends later now
        (appeal("received", FEE), None),
        (appeal("received", FEE, PANEL), PANEL),
        (appeal("received", FEE, PANEL, LATE), LATE),
        (appeal("received", LATE, given("overdue", VOTE)), given("overdue", VOTE)),
        (appeal("voting", PANEL, LATE), None),
        (appeal("voting", given("vote", ANSWER, "a")), None),  # of the deadline before the reserve came
        (appeal("voting", given("vote", VOTE, "a", "b")), given("vote", VOTE, "a", "b")),
        (appeal("voting", given("vote", VOTE, "a", "b"), voted=["a"]), given("vote", VOTE, "b")),
        (appeal("voting", given("vote", VOTE, "a", "x"), voted=["a"]), None),  # x stepped back
        (appeal("upheld", FEE, PANEL, given("vote", VOTE, "a"), LATE), None),
    ],
)
def test_a_reminder_holds_as_long_as_somebody_can_act_on_it(
    told: pb.Appeal, holds: events.ReminderGiven | None
) -> None:
    assert reminded(told) == holds


def test_what_is_to_be_done_is_said_in_both_languages() -> None:
    for about in ("fee", "panel", "vote", "overdue"):
        english, chinese = to_do(about)
        assert english.isascii()
        assert not any(letter.isascii() and letter.isalpha() for letter in chinese)
