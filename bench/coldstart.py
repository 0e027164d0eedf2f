"""Cold start: the table service's log caught up from record 1, beside one bare scan of the same streams."""

from __future__ import annotations

import asyncio

from bench import replay

ABOUT = "cold start of the table service's log on 1 M records (quick: 100 k) beside a bare scan"


def run(quick: bool) -> None:
    """See ABOUT."""
    modes = {"bare scan": replay.Mode("bare"), "cold start": replay.Mode("cold")}
    asyncio.run(replay.measure(100_000 if quick else 1_000_000, modes))
