"""Projecting the log into PostgreSQL, fsync on: the archive's projector beside a bare callback and unnest loop."""

from __future__ import annotations

import asyncio
import itertools
import json

from bench import history
from bench.measure import Case, Run, Watch, cores, interleaved, table
from bench.servers import Program, Servers, servers
from services.runtime.embedded import nats

ABOUT = "records/s of the archive's projector beside a bare nats-py callback + unnest loop, checkpoint in the transaction"

_runs = itertools.count(1)


async def projecting(on: Servers, mode: str, records: int) -> Run:
    """One run of `bench.project` into a schema of its own."""
    user = nats.OPERATOR
    given = {
        "url": on.nats_url,
        "user": user,
        "password": on.directory.secret(f"nats/{user}"),
        "dsn": on.superuser_dsn(),
        "schema": f"{mode}_{next(_runs)}",
    }
    watch = Watch(nats=on.pid("nats"), postgres=on.pid("postgres"))
    program = await Program.start("bench.project", mode=mode, records=records, **given)
    try:
        seconds = json.loads(await program.line())["seconds"]
        return Run({"seconds": seconds, "records": records / seconds}, watch.end())
    finally:
        await program.stop()


async def measure(records: int) -> None:
    async with servers() as on:
        store = await on.store("table")
        there = await history.write(store, "project", records)
        await store.close()
        cases: dict[str, Case] = {
            name: lambda mode=mode: projecting(on, mode, there)  # type: ignore[misc]
            for mode, name in (("bare", "bare callback and unnest loop"), ("ours", "projector"))
        }
        results = await interleaved(cases)
        base = results["bare callback and unnest loop"]
        print(f"{there} records; medians of 3 runs")
        table(
            ("", "records/s", "of the bare loop", "cores"),
            [
                (name, f"{one['records']:.0f}", f"{one['records'] / base['records']:.2f}", cores(one))
                for name, one in results.items()
            ],
        )


def run(quick: bool) -> None:
    """See ABOUT."""
    asyncio.run(measure(20_000 if quick else 200_000))
