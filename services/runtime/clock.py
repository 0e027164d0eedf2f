"""The time of day, handed in wherever it is needed so that tests can set it."""

from __future__ import annotations

import time
from collections.abc import Callable

Clock = Callable[[], int]
"""Microseconds since 1970 (UTC)."""


def now_us() -> int:
    """The system's clock, microseconds since 1970 (UTC)."""
    return time.time_ns() // 1000
