"""One and two replicas of the table service, from the sources and compiled, beside one and two processes of the bare sketch."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from bench import path
from bench.measure import Case, interleaved
from bench.servers import RULESET, SHENGJI

ABOUT = (
    "moves/s of one and two table services, from the sources and compiled, beside one and two bare sketches"
)

GAMES = {"Paohuzi": RULESET, "Shengji": SHENGJI}


async def measure(quick: bool) -> None:
    """Seats have their streams at the replicas in turn, as behind a load balancer: half of what a seat sees came by another."""
    times, warm, seconds = (1, 2, 4) if quick else (3, 4, 8)
    flat: dict[str, Any] = {"tables": 200, "warm": warm, "seconds": seconds}
    compiled = (False, True) if path.TREE.exists() else (False,)
    async with path.ground(tell=False, processes=2) as on:
        cases: dict[str, Case] = {
            "sketch": lambda: on.sketch(flat),
            "sketch, two processes": lambda: on.sketch(flat, processes=2),
        }
        for machine_code in compiled:
            for replicas in (1, 2):
                for game, ruleset in GAMES.items():
                    name = f"{game}{', compiled' * machine_code}{', two replicas' * (replicas - 1)}"
                    cases[name] = partial(on.service, flat | {"ruleset": ruleset}, replicas, machine_code)
        results = await interleaved(cases, times)
    path.tell(f"200 tables, as fast as it goes; medians of {times} runs of {seconds} s", results)
    if len(compiled) == 1:
        print("  nothing is compiled: make compile")


def run(quick: bool) -> None:
    """See ABOUT."""
    asyncio.run(measure(quick))
