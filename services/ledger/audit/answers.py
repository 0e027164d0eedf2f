"""Whether an appeal is to be answered when it has to be: by its calendar's working days, its panel by then (C10.4, C10.5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from services.ledger.audit.ruled import LATE_US

RESERVE_US = 24 * 3600 * 1_000_000
"""How long reserves get who step in at a deadline, and a panel that is appointed late."""


def wrongly_due(settings: Any, paid: Any, received_us: int) -> Iterator[tuple[str, str]]:
    """What is wrong with when an answer is told to be due: codes and sentences; no code where it cannot be checked."""
    if settings is None or not settings.calendar:
        return
    # The calendars of all countries take a while to load, and most files hold no appeal.
    from services.ledger.workdays import answer_due_us, beyond, calendar_version

    country, version = settings.calendar, calendar_version(settings.calendar)
    if paid.calendar != version:
        if paid.calendar.startswith(f"{country} "):
            yield "", f"working days of {paid.calendar} are not checked: here there is {version}"
        else:
            yield (
                "OTHER_DEADLINE",
                f"the answer is due by {paid.calendar}, which is not the event's calendar (C10.5)",
            )
        return
    # It was worked out in the moment before.
    times = {
        answer_due_us(at_us, country, settings.time_zone) for at_us in (received_us - LATE_US, received_us)
    }
    if paid.answer_due_us not in times:
        yield (
            "OTHER_DEADLINE",
            "the answer is told to be due at another time than its working days give (C10.5)",
        )
    elif paid.beyond_calendar != beyond(paid.answer_due_us, country, settings.time_zone):
        yield (
            "OTHER_DEADLINE",
            f"whether {version} knows the working days of the answer is not as told (C10.5)",
        )


def wrong_vote(answer_due_us: int, deadline_us: int, appointed_us: int) -> bool:
    """Whether a panel may not have until then to vote."""
    return not appointed_us < deadline_us <= max(answer_due_us, appointed_us + RESERVE_US)
