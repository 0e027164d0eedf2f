"""The whole path of a move: client, gRPC, rules, sealed record, fsynced append, views, clients; beside a bare sketch."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from bench.measure import Case, Run, Watch, cores, interleaved, table
from bench.servers import Pairing, Program, Servers, dealer, servers
from services.runtime.embedded import nats
from services.runtime.streams import PARTITIONS, StreamSpec, ensure_streams

ABOUT = "moves/s and latency of the table service beside a bare sketch without rules (NATS with fsync)"

BOARDS = 1000
VIEW = 200
"""Bytes a view that the telling sketch shows."""


@dataclass(slots=True)
class Field:
    """Everything a case runs on."""

    servers: Servers
    pairing: Pairing
    table: str
    sketches: dict[int, tuple[Program, str]]
    championships: int = 0

    async def service(self, plan: dict[str, Any]) -> Run:
        """One run of the table service: a new championship for a new crowd."""
        self.championships += 1
        name = f"c{self.championships}"
        await self.pairing.begin(name, plan["tables"], BOARDS)
        pids = {name: self.servers.pid(name) for name in ("table", "nats", "postgres")}
        return await self._crowd(pids, address=self.table, championship=name, **plan)

    async def sketch(self, plan: dict[str, Any], tell: int = 0) -> Run:
        """One run of the sketch."""
        self.championships += 1
        server, address = self.sketches[tell]
        pids = {"sketch": server.pid, "nats": self.servers.pid("nats")}
        name = f"s{self.championships}"
        return await self._crowd(pids, address=address, championship=name, sketch=True, **plan)

    async def _crowd(self, pids: dict[str, int], **plan: Any) -> Run:
        crowd = await Program.start("bench.crowd", keys=str(self.servers.keys), **plan)
        try:
            assert await crowd.line() == "begin"
            watch = Watch(client=crowd.pid, **pids)
            figures = json.loads(await crowd.line())
            return Run(figures, watch.end())
        finally:
            await crowd.stop()


@asynccontextmanager
async def field(tell: bool = True) -> AsyncIterator[Field]:
    """Servers, the table service, the sketch with and without telling others."""
    async with servers() as running, dealer() as port:
        operator = await running.store(nats.OPERATOR)
        await ensure_streams(
            operator.js, [StreamSpec(f"SKETCH-{p}", (f"sketch.{p}.>",)) for p in range(PARTITIONS)]
        )
        await operator.close()
        address = await running.start_table(port)
        password = running.directory.secret(f"nats/{nats.OPERATOR}")
        sketches = {}
        for size in (0, VIEW) if tell else (0,):
            program = await Program.start(
                "bench.sketch", url=running.nats_url, user=nats.OPERATOR, password=password, tell=size
            )
            sketches[size] = program, f"127.0.0.1:{await program.line()}"
        store = await running.store("pairing")
        try:
            yield Field(running, Pairing(store), address, sketches)
        finally:
            await store.close()
            for program, _ in sketches.values():
                await program.stop()


async def measure(quick: bool) -> None:
    times, warm, seconds = (3, 2, 4) if quick else (5, 4, 10)
    flat: dict[str, Any] = {"tables": 200, "warm": warm, "seconds": seconds}
    steady: dict[str, Any] = {"tables": 800, "rate": 400, "warm": warm, "seconds": 2 * seconds}
    async with field() as on:
        fast: dict[str, Case] = {
            "sketch, stream": lambda: on.sketch(flat),
            "table service, stream": lambda: on.service(flat),
            "sketch that shows the others, stream": lambda: on.sketch(flat, VIEW),
            "sketch, unary": lambda: on.sketch(flat | {"unary": True}),
            "table service, unary": lambda: on.service(flat | {"unary": True}),
        }
        slow: dict[str, Case] = {
            "sketch, stream": lambda: on.sketch(steady),
            "table service, stream": lambda: on.service(steady),
            "sketch, unary": lambda: on.sketch(steady | {"unary": True}),
            "table service, unary": lambda: on.service(steady | {"unary": True}),
        }
        for title, cases in (
            ("200 tables, as fast as it goes", fast),
            ("800 tables, a steady 400 moves/s", slow),
        ):
            results = await interleaved(cases, times)
            base = results["sketch, stream"]["moves"]
            print(f"{title}; medians of {times} runs of {seconds} s; cores used by each process")
            table(
                ("", "moves/s", "of sketch", "p50 ms", "p99 ms", "cores"),
                [
                    (
                        name,
                        f"{result['moves']:.0f}",
                        f"{result['moves'] / base:.2f}",
                        f"{result['p50']:.1f}",
                        f"{result['p99']:.1f}",
                        cores(result),
                    )
                    for name, result in results.items()
                ],
            )


def run(quick: bool) -> None:
    """See ABOUT."""
    asyncio.run(measure(quick))
