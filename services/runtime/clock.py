"""The time of day, handed in wherever it is needed so that tests can set it, and how it is shown to people."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

Clock = Callable[[], int]
"""Microseconds since 1970 (UTC)."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def now_us() -> int:
    """The system's clock, microseconds since 1970 (UTC)."""
    return time.time_ns() // 1000


def shown(time_us: int, time_zone: str) -> str:
    """An instant for people: RFC 3339 in a time zone, to the second. Raises ZoneInfoNotFoundError, OverflowError."""
    moment = (_EPOCH + timedelta(microseconds=time_us)).astimezone(ZoneInfo(time_zone))
    return moment.isoformat(timespec="seconds")
