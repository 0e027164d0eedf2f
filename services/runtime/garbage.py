"""When the garbage collector looks at what. A service stands still meanwhile, and players wait.

States are trees of tuples that reference counting frees; hardly anything is ever left to collect, mostly of streams that ended.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import psutil

_WATCHED = 10.0
_QUIET = 0.02
_SELDOM = 600.0
_LONGEST = 24 * 3600.0
_GROWN = 1.5

T = TypeVar("T")


def spare() -> None:
    """Let what is there by now alone for good, and look at what comes in small portions; for the rest see `collect_in_lulls`.

    What decides when the youngest are looked at is not how many were made but how many more than were freed, and a table frees
    what it makes: with the usual threshold tens of thousands come together, two milliseconds. So it is low, and a collection takes
    some ten microseconds. All that lives takes a second where some thousand tables were played."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20, 3, 2**31 - 1)
    gc.enable()


def rarely(answers: Iterable[T], every: int = 10_000) -> Iterator[T]:
    """The answers of a process that does nothing else and makes no garbage, which is looked for after so many of them: the usual
    thresholds have it look in vain again and again, and while memory grows at all that lives, for tens of milliseconds."""
    gc.collect()
    gc.freeze()
    gc.disable()
    for number, answer in enumerate(answers, 1):
        yield answer
        if number % every == 0:
            gc.collect()


@dataclass(frozen=True, slots=True)
class Since:
    """What happened since all that lives was looked at."""

    seconds: float
    busy: float
    """The share of a core that the process has used of late."""
    grown: float
    """How many times the memory that it had in use then it has now."""


def due(since: Since) -> bool:
    """Whether to look at all that lives: in a lull. Where none comes, garbage would grow without end, so it is also looked at as
    memory grows, and once a day."""
    lull = since.seconds >= _SELDOM and since.busy < _QUIET
    return lull or since.grown >= _GROWN or since.seconds >= _LONGEST


async def collect_in_lulls() -> None:
    """Look at all that lives when nobody waits for this process, for ever."""
    process = psutil.Process()
    looked, held = time.monotonic(), process.memory_info().rss
    while True:
        used = time.process_time()
        await asyncio.sleep(_WATCHED)
        busy = (time.process_time() - used) / _WATCHED
        if due(Since(time.monotonic() - looked, busy, process.memory_info().rss / held)):
            gc.collect()
            looked, held = time.monotonic(), process.memory_info().rss
