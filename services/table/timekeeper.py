"""The table service's clock: one steady clock for records, deadlines and thinking times, and alarms on it (design: clocks)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

from services.runtime.clock import Clock


class Alarm(Protocol):
    """Something that will be called."""

    def cancel(self) -> None:
        """Do not call it."""


class Timekeeper(Protocol):
    """What tells the time and calls back; tests have one they wind themselves."""

    def now_us(self) -> int:
        """Microseconds since 1970, never going back."""

    def alarm(self, at_us: int, ring: Callable[[], None]) -> Alarm:
        """Call `ring` at a time, or soon when that has passed."""


class SteadyTime:
    """The system's clock as it was at the start, and the monotonic clock since: a correction of the system's clock in the
    middle of a decision is nobody's thinking time."""

    def __init__(self, clock: Clock) -> None:
        self._offset_us = clock() - time.monotonic_ns() // 1000

    def now_us(self) -> int:
        """See Timekeeper."""
        return self._offset_us + time.monotonic_ns() // 1000

    def alarm(self, at_us: int, ring: Callable[[], None]) -> Alarm:
        """See Timekeeper. Needs a running loop."""
        return asyncio.get_running_loop().call_later(max(0, at_us - self.now_us()) / 1e6, ring)
