"""Working days (C10.5): when the committee's answer is due, by an event's calendar and time zone. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.metadata import version
from zoneinfo import ZoneInfo

import holidays

ANSWER_DAYS = 2
"""Working days within which the committee answers (C10.5)."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@cache
def calendar_version(country: str) -> str:
    """The calendar used, as it stands in the log: country and version of its data."""
    return f"{country} holidays {version('holidays')}"


def answer_due_us(received_us: int, country: str, time_zone: str) -> int:
    """The instant by which an appeal received at `received_us` is answered: the end of the second working day after.

    Days are those of the event's time zone; China's calendar counts moved working days (调休) as working days.
    """
    zone = ZoneInfo(time_zone)
    day = (_EPOCH + timedelta(microseconds=received_us)).astimezone(zone).date()
    days = holidays.country_holidays(country)
    for _ in range(ANSWER_DAYS):
        day = day + timedelta(days=1)
        while not days.is_working_day(day):
            day = day + timedelta(days=1)
    end = datetime.combine(day + timedelta(days=1), datetime.min.time(), zone)
    return (end - _EPOCH) // timedelta(microseconds=1)


def beyond(due_us: int, country: str, time_zone: str) -> bool:
    """Whether the last day before `due_us` is of a year whose moved working days the calendar does not know yet.

    Some countries, China among them, announce them year by year; beyond, a deadline counts what can be worked out ahead.
    """
    days = holidays.country_holidays(country)
    if not days.has_substituted_holidays:
        return False
    last = (_EPOCH + timedelta(microseconds=due_us - 1)).astimezone(ZoneInfo(time_zone)).date()
    known: int = max(days.special_public_holidays)
    return last.year > known
