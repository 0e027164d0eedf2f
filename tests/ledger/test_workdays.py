"""Working days (C10.5): China's calendar with its moved working days, and others."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import holidays
import pytest

from services.ledger.workdays import answer_due_us, beyond, calendar_version


def us(text: str, zone: str = "Asia/Shanghai") -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp()) * 1_000_000


@pytest.mark.parametrize(
    ("received", "due"),
    [
        ("2025-06-03T09:00", "2025-06-06T00:00"),  # a plain Tuesday
        ("2025-06-05T23:59", "2025-06-10T00:00"),  # a Thursday: Friday and Monday
        ("2025-06-06T00:00", "2025-06-11T00:00"),
        ("2025-06-07T12:00", "2025-06-11T00:00"),  # a Saturday
        # National holiday and Mid-Autumn 2025, 1 to 8 October; 28 September and 11 October are working days.
        ("2025-09-26T18:00", "2025-09-30T00:00"),  # Friday: moved Sunday the 28th, Monday the 29th
        ("2025-09-29T18:00", "2025-10-10T00:00"),  # Monday: Tuesday the 30th, Thursday 9 October
        ("2025-09-30T18:00", "2025-10-11T00:00"),  # Tuesday: 9 and 10 October
        ("2025-10-03T18:00", "2025-10-11T00:00"),  # in the middle of the holiday
        ("2025-10-09T18:00", "2025-10-12T00:00"),  # Thursday: Friday and moved Saturday the 11th
    ],
)
def test_the_answer_is_due_at_the_end_of_the_second_working_day(received: str, due: str) -> None:
    assert answer_due_us(us(received), "CN", "Asia/Shanghai") == us(due)


def test_days_are_those_of_the_event() -> None:
    received = us("2025-06-03T23:30", "UTC")  # 07:30 on the 4th in Shanghai
    assert answer_due_us(received, "CN", "Asia/Shanghai") == us("2025-06-07T00:00")
    assert answer_due_us(received, "CN", "UTC") == us("2025-06-06T00:00", "UTC")


def test_another_countrys_calendar() -> None:
    received = us("2025-10-01T09:00", "Europe/Berlin")
    assert answer_due_us(received, "DE", "Europe/Berlin") == us("2025-10-07T00:00", "Europe/Berlin")


def test_a_day_on_which_clocks_change_ends_at_midnight_too() -> None:
    received = us("2025-10-23T09:00", "Europe/Berlin")
    assert answer_due_us(received, "DE", "Europe/Berlin") == us("2025-10-28T00:00", "Europe/Berlin")


def test_the_calendar_used_is_named_with_its_version() -> None:
    assert calendar_version("CN").startswith("CN holidays 0.")


def test_a_deadline_of_a_year_whose_moved_days_are_not_known_yet_is_told_from_others() -> None:
    """China announces its moved working days year by year; Germany moves none."""
    known = max(holidays.country_holidays("CN").special_public_holidays)
    assert known >= 2026
    ends = f"{known + 1}-01-01T00:00"  # the end of the last day that is known
    assert not beyond(us("2025-10-10T00:00"), "CN", "Asia/Shanghai")
    assert not beyond(us(ends), "CN", "Asia/Shanghai")
    assert beyond(us(ends) + 1, "CN", "Asia/Shanghai")
    assert not beyond(us(ends) + 1, "CN", "UTC")
    assert not beyond(us("2098-06-05T00:00"), "DE", "Europe/Berlin")
