"""When the garbage collector looks at what. A service stands still meanwhile, and players wait.

States are trees of tuples that reference counting frees; hardly anything is ever left to collect, mostly of streams that ended.
"""

from __future__ import annotations

import asyncio
import gc
import time

_WATCHED = 10.0
_QUIET = 0.02
_SELDOM = 600.0
_LONGEST = 24 * 3600.0


def spare() -> None:
    """Let what is there by now alone for good, and look at what comes in small portions; for the rest see `collect_in_lulls`.

    What decides when the youngest are looked at is not how many were made but how many more than were freed, and a table frees
    what it makes: with the usual threshold tens of thousands come together, two milliseconds. So it is low, and a collection takes
    some ten microseconds. All that lives takes a second where some thousand tables were played."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20, 3, 2**31 - 1)
    gc.enable()


def due(busy: float, since: float) -> bool:
    """Whether to look at all that lives: `busy` is the share of a core that the process has used of late, and so many seconds ago
    it was looked at. Where there is never a lull it is once a day, or garbage would grow without end."""
    return since >= _LONGEST or (since >= _SELDOM and busy < _QUIET)


async def collect_in_lulls() -> None:
    """Look at all that lives when nobody waits for this process, for ever."""
    looked = time.monotonic()
    while True:
        used = time.process_time()
        await asyncio.sleep(_WATCHED)
        if due((time.process_time() - used) / _WATCHED, time.monotonic() - looked):
            gc.collect()
            looked = time.monotonic()
