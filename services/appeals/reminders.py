"""Which reminder an appeal is due, if any: before its fee is too late, its answer, or the ballots of its panel, and once the answer
is overdue and no panel sits. Pure."""

from __future__ import annotations

from services.appeals.model import commands as c
from services.appeals.model.state import Appeal

MINUTE_US = 60 * 1_000_000
HOUR_US = 60 * MINUTE_US

FEE_US = 30 * MINUTE_US
"""How long before the window ends who filed is reminded of the fee (C10.2)."""

PANEL_US = 12 * HOUR_US
"""How long before the answer is due the organiser is reminded of the panel (C10.5)."""

VOTE_US = 6 * HOUR_US
"""How long before the voting deadline members are reminded whose ballots are not in (C10.4)."""

LATEST_US = MINUTE_US
"""Who is reminded later than this before a deadline cannot act on it any more."""


def due(appeal: Appeal, window_ends_us: int, now_us: int) -> c.GiveReminder | None:
    """The reminder to give now; `window_ends_us` is 0 while the window has not begun to run."""
    match appeal.phase:
        case "filed" if window_ends_us:
            reminder, lead_us = c.GiveReminder("fee", window_ends_us, (appeal.appellant,)), FEE_US
        case "received" if appeal.fee is not None and appeal.overdue(now_us):
            # No deadline is left: once when it passes, and once for every panel that is dissolved after it.
            since_us = max(appeal.fee.answer_due_us, appeal.dissolved_us)
            reminder, lead_us = c.GiveReminder("overdue", since_us, ()), 0
        case "received" if appeal.fee is not None:
            reminder, lead_us = c.GiveReminder("panel", appeal.fee.answer_due_us, ()), PANEL_US
        case "voting":
            missing = tuple(one.person_id for one in appeal.missing)
            reminder, lead_us = c.GiveReminder("vote", appeal.voting_deadline_us, missing), VOTE_US
        case _:
            return None
    timely = reminder.about == "overdue" or LATEST_US <= reminder.deadline_us - now_us <= lead_us
    given = appeal.reminded(reminder.about, reminder.deadline_us)
    return reminder if timely and not given else None
