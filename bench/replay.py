"""Reading the log: a championship's tables folded whole, every record opened, beside a bare nats-py callback that counts."""

from __future__ import annotations

import asyncio
import json

from bench import history
from bench.measure import Case, Run, Watch, cores, interleaved, table
from bench.servers import Program, Servers, servers
from services.runtime.embedded import nats

ABOUT = "records/s of a full fold of all tables beside a bare nats-py callback read"


async def reading(on: Servers, mode: str, records: int, processes: int = 1) -> Run:
    """One run of `bench.fold`, the streams shared among processes."""
    user = nats.OPERATOR
    where = {"url": on.nats_url, "user": user, "password": on.directory.secret(f"nats/{user}")}
    watch = Watch(nats=on.pid("nats"))
    programs = [
        await Program.start("bench.fold", mode=mode, records=records, part=part, parts=processes, **where)
        for part in range(processes)
    ]
    try:
        seconds = max([json.loads(await program.line())["seconds"] for program in programs])
        return Run({"seconds": seconds, "records": records / seconds}, watch.end())
    finally:
        for program in programs:
            await program.stop()


async def measure(records: int, modes: dict[str, tuple[str, int]], times: int = 3) -> None:
    """Write a log of so many records and read it in all `modes` (by name: mode and processes), the first one being the baseline."""
    async with servers(with_postgres=False) as on:
        store = await on.store("table")
        there = await history.write(store, "read", records)
        await store.close()
        cases: dict[str, Case] = {
            name: lambda mode=mode, many=many: reading(on, mode, there, many)  # type: ignore[misc]
            for name, (mode, many) in modes.items()
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
    modes = {"bare read": ("bare", 1), "full fold": ("full", 1), "full fold in two processes": ("full", 2)}
    asyncio.run(measure(20_000 if quick else 200_000, modes))
