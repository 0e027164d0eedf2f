"""Reading the log: a championship's tables folded whole, every record opened, beside a bare nats-py callback that counts.

In one process and in two, each with its share of the streams; from the sources, and compiled where there is a compiled tree.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass

from bench import history
from bench.measure import Case, Run, Watch, cores, interleaved, table
from bench.path import COMPILED, TREE
from bench.servers import NOTHING, Program, Servers, servers
from services.runtime.embedded import nats

ABOUT = "records/s of a full fold of all tables beside a bare nats-py callback read"


@dataclass(frozen=True, slots=True)
class Mode:
    """A way to read: what `bench.fold` does, in how many processes, and whether they run compiled code."""

    what: str
    processes: int = 1
    compiled: bool = False


async def reading(on: Servers, mode: Mode, records: int) -> Run:
    """One run of `bench.fold`, the streams shared among processes."""
    user = nats.OPERATOR
    where = {"url": on.nats_url, "user": user, "password": on.directory.secret(f"nats/{user}")}
    environment, parts = COMPILED if mode.compiled else NOTHING, mode.processes
    watch = Watch(nats=on.pid("nats"))
    programs = [
        await Program.start(
            "bench.fold", environment, mode=mode.what, records=records, part=part, parts=parts, **where
        )
        for part in range(parts)
    ]
    try:
        seconds = max([json.loads(await program.line())["seconds"] for program in programs])
        return Run({"seconds": seconds, "records": records / seconds}, watch.end())
    finally:
        for program in programs:
            await program.stop()


async def measure(records: int, modes: dict[str, Mode], times: int = 3) -> None:
    """Write a log of so many records and read it in all `modes`, the first one being the baseline."""
    async with servers(with_postgres=False) as on:
        store = await on.store("table")
        there = await history.write(store, "read", records)
        await store.close()
        cases: dict[str, Case] = {
            name: lambda mode=mode: reading(on, mode, there)  # type: ignore[misc]
            for name, mode in modes.items()
        }
        results = await interleaved(cases, times)
        base = next(iter(results.values()))
        print(f"{there} records in {history.BOARDS} boards a table; medians of {times} runs")
        table(
            ("", "records/s", "of the bare read", "seconds", "cores"),
            [
                (
                    name,
                    f"{one['records']:.0f}",
                    f"{one['records'] / base['records']:.2f}",
                    f"{one['seconds']:.2f}",
                    cores(one),
                )
                for name, one in results.items()
            ],
        )


def run(quick: bool) -> None:
    """See ABOUT."""
    modes = {"bare read": Mode("bare"), "full fold": Mode("full"), "in two processes": Mode("full", 2)}
    if TREE.exists():
        modes |= {"compiled": Mode("full", 1, True), "compiled, in two processes": Mode("full", 2, True)}
    else:
        print("nothing is compiled: make compile")
    asyncio.run(measure(20_000 if quick else 200_000, modes))
