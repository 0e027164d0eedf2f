"""The table service's clock: one steady clock for records, deadlines and thinking times, and alarms on it (design: clocks)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from services.runtime.clock import Clock

T = TypeVar("T")


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


async def no_earlier(answer: Awaitable[T], time: Timekeeper, at_us: int) -> T:
    """What is awaited, or its refusal, no earlier than at a time."""
    try:
        result = await answer
    except Exception:
        await _come(time, at_us)
        raise
    await _come(time, at_us)
    return result


async def _come(time: Timekeeper, at_us: int) -> None:
    if time.now_us() < at_us:
        rung = asyncio.Event()
        alarm = time.alarm(at_us, rung.set)
        try:
            await rung.wait()
        finally:
            alarm.cancel()
