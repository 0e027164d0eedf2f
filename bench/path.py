"""The whole path of a move: client, gRPC, rules, sealed record, fsynced append, views, clients; beside a bare sketch."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from bench import peers, spent
from bench.measure import Case, Result, Run, Watch, cores, interleaved, table
from bench.servers import RULESET, SHENGJI, Pairing, Program, Servers, dealer, servers
from services.runtime.embedded import nats
from services.runtime.streams import PARTITIONS, StreamSpec, ensure_streams

ABOUT = "moves/s and latency of the table service beside a bare sketch without rules (NATS with fsync)"

BOARDS = 1000
VIEW = 200
"""Bytes a view that the telling sketch shows."""


@dataclass(slots=True)
class Ground:
    """Everything a case runs on."""

    servers: Servers
    pairing: Pairing
    table: str
    sketches: dict[int, tuple[Program, str]]
    championships: int = 0
    spying: bool = False
    shares: dict[str, float] = field(default_factory=dict)

    async def service(self, plan: dict[str, Any]) -> Run:
        """One run of the table service: a new championship for a new crowd."""
        self.championships += 1
        name = f"c{self.championships}"
        await self.pairing.begin(name, plan["tables"], BOARDS, plan.get("ruleset", RULESET))
        pids = {name: self.servers.pid(name) for name in ("table", "nats", "postgres")}
        return await self._crowd(pids, address=self.table, championship=name, **plan)

    async def sketch(self, plan: dict[str, Any], tell: int = 0) -> Run:
        """One run of the sketch."""
        self.championships += 1
        server, address = self.sketches[tell]
        pids = {"sketch": server.pid, "nats": self.servers.pid("nats")}
        name = f"s{self.championships}"
        return await self._crowd(pids, address=address, championship=name, sketch=True, **plan)

    async def profile(self, plan: dict[str, Any]) -> tuple[Run, dict[str, float]]:
        """One run of the table service, and what it spent its CPU on."""
        self.spying = True
        try:
            run = await self.service(plan)
        finally:
            self.spying = False
        return run, self.shares

    async def _crowd(self, pids: dict[str, int], **plan: Any) -> Run:
        crowd = await Program.start("bench.crowd", keys=str(self.servers.keys), **plan)
        try:
            assert await crowd.line() == "begin"
            watch = Watch(client=crowd.pid, **pids)
            if self.spying:
                self.shares = await spent.shares(pids["table"], plan["seconds"] - 1)
            figures = json.loads(await crowd.line())
            return Run(figures, watch.end())
        finally:
            await crowd.stop()


@asynccontextmanager
async def ground(tell: bool = True) -> AsyncIterator[Ground]:
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
            yield Ground(running, Pairing(store), address, sketches)
        finally:
            await store.close()
            for program, _ in sketches.values():
                await program.stop()


def tell(title: str, results: dict[str, Result]) -> None:
    """Print the cases beside the first one."""
    base = next(iter(results.values()))["moves"]
    print(title)
    table(
        ("", "moves/s", "of sketch", "p50 ms", "p99 ms", "refused/s", "cores"),
        [
            (
                name,
                f"{one['moves']:.0f}",
                f"{one['moves'] / base:.2f}",
                f"{one['p50']:.1f}",
                f"{one['p99']:.1f}",
                f"{one['refused']:.0f}",
                cores(one),
            )
            for name, one in results.items()
        ],
    )


def tell_stages(run: Run, shares: dict[str, float]) -> None:
    """Print the table service's CPU a move by stages."""
    each = 1e6 * run.window.cpu["table"] / run.figures["moves"]
    print(
        f"the table service's CPU: {each:.0f} us a move at {run.figures['moves']:.0f} moves/s, while sampled"
    )
    if not shares:
        print(f"  not split into stages: py-spy is not installed; {peers.HOW}")
    table(
        ("stage", "us", "share"), [(name, f"{each * one:.0f}", f"{one:.0%}") for name, one in shares.items()]
    )


async def measure(quick: bool) -> None:
    times, warm, seconds = (3, 2, 4) if quick else (3, 4, 8)
    flat: dict[str, Any] = {"tables": 200, "warm": warm, "seconds": seconds}
    steady: dict[str, Any] = {"tables": 800, "rate": 400, "warm": 3 * warm, "seconds": 2 * seconds}
    async with ground() as on:
        fast: dict[str, Case] = {
            "sketch": lambda: on.sketch(flat),
            "table service": lambda: on.service(flat),
            "table service, deliveries reported": lambda: on.service(flat | {"delivered": True}),
            "table service, first option": lambda: on.service(flat | {"first": True}),
            "table service, Shengji": lambda: on.service(flat | {"ruleset": SHENGJI}),
            "sketch that shows the others": lambda: on.sketch(flat, VIEW),
            "sketch, unary": lambda: on.sketch(flat | {"unary": True}),
            "table service, unary": lambda: on.service(flat | {"unary": True}),
        }
        slow: dict[str, Case] = {
            "sketch": lambda: on.sketch(steady),
            "table service": lambda: on.service(steady | {"delivered": True}),
            "sketch, unary": lambda: on.sketch(steady | {"unary": True}),
            "table service, unary": lambda: on.service(steady | {"unary": True, "delivered": True}),
        }
        runs = f"medians of {times} runs of {seconds} s"
        tell(f"200 tables, as fast as it goes; {runs}", await interleaved(fast, times))
        tell_stages(*await on.profile(flat))
        tell(f"800 tables, a steady 400 moves/s; {runs}", await interleaved(slow, times))


def run(quick: bool) -> None:
    """See ABOUT."""
    asyncio.run(measure(quick))
