"""Windows (C10.1): absolute instants. Pure."""

from __future__ import annotations

from services.domain import Rejected
from services.runtime.clock import shown


def window_ends_us(begins_us: int, window_ms: int) -> int:
    """The end of an appeal window, exclusive: that instant is too late (C10.1). 0 while the window has not begun."""
    return begins_us + window_ms * 1000 if begins_us else 0


def told_until(error: Rejected, time_zone: str) -> Rejected:
    """A refusal whose reason is a deadline with that in a time zone; any other as it is."""
    deadline_us = error.facts.get("deadline_us")
    if deadline_us is None:
        return error
    when = shown(int(deadline_us), time_zone)
    return Rejected(
        error.reason, error.clause, f"{error.detail}: {when}", deadline=when, deadline_us=deadline_us
    )
