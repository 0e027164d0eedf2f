"""The whole path of a move: client, gRPC, rules, sealed record, fsynced append, views, clients; beside a bare sketch."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from bench import peers, spent
from bench.measure import Case, Result, Run, Watch, cores, interleaved, table
from bench.servers import RULESET, SHENGJI, Pairing, Program, Servers, dealer, known_to_tables, servers
from services.runtime.embedded import nats
from services.runtime.streams import PARTITIONS, StreamSpec, ensure_streams

ABOUT = "moves/s and latency of the table service beside a bare sketch without rules (NATS with fsync)"

BOARDS = 1000
VIEW = 200
"""Bytes a view that the telling sketch shows."""

TREE = Path(__file__).resolve().parent.parent / "build/compiled"
COMPILED = {
    "PYTHONSAFEPATH": "1",
    "PYTHONPATH": os.pathsep.join([str(TREE), os.environ.get("PYTHONPATH", "")]),
}
"""Variables of a process that takes the compiled tree in place of the sources."""
SOURCES = {"PYTHONSAFEPATH": "", "PYTHONPATH": ""}
"""Variables of one that takes the sources, whatever this process takes."""


@dataclass(slots=True)
class Ground:
    """Everything a case runs on."""

    servers: Servers
    pairing: Pairing
    dealer: int
    sketches: dict[int, list[tuple[Program, str]]]
    """By the bytes that they show of a move."""
    tables: dict[str, str] = field(default_factory=dict)
    """Table services that run: addresses by name."""
    compiled: bool = False
    championships: int = 0
    spying: bool = False
    shares: dict[str, float] = field(default_factory=dict)

    async def service(self, plan: dict[str, Any], replicas: int = 1, compiled: bool = False) -> Run:
        """One run of the table service: a new championship for a new crowd."""
        await self._have(replicas, compiled)
        self.championships += 1
        name = f"c{self.championships}"
        await self.pairing.begin(name, plan["tables"], BOARDS, plan.get("ruleset", RULESET))
        pids = {name: self.servers.pid(name) for name in (*self.tables, "nats", "postgres")}
        pids |= {f"shadow of {name}": shadow(pids[name]) for name in self.tables}
        return await self._crowd(pids, addresses=[*self.tables.values()], championship=name, **plan)

    async def sketch(self, plan: dict[str, Any], tell: int = 0, processes: int = 1) -> Run:
        """One run of the sketch."""
        self.championships += 1
        chosen = self.sketches[tell][:processes]
        pids = {f"sketch {number}": server.pid for number, (server, _) in enumerate(chosen, 1)}
        name, addresses = f"s{self.championships}", [address for _, address in chosen]
        pids |= {"nats": self.servers.pid("nats")}
        return await self._crowd(pids, addresses=addresses, championship=name, sketch=True, **plan)

    async def _have(self, replicas: int, compiled: bool) -> None:
        """Let so many replicas of the table service run, and no others."""
        if (len(self.tables), self.compiled) == (replicas, compiled):
            return
        for name in self.tables:
            await self.servers.supervisor.dismiss(name)
        environment = COMPILED if compiled else {}
        self.tables, self.compiled = {}, compiled
        for number in range(1, replicas + 1):
            name, known = f"table {number}", known_to_tables(self.dealer)
            self.tables[name] = await self.servers.start("table", known, name, environment)

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
                self.shares = await spent.shares(pids["table 1"], plan["seconds"] - 1)
            figures = json.loads(await crowd.line())
            return Run(figures, watch.end())
        finally:
            await crowd.stop()


def shadow(pid: int) -> int:
    """The process of a table service's shadow referee."""
    return next(
        child.pid for child in psutil.Process(pid).children() if "services.table.shadowing" in child.cmdline()
    )


@asynccontextmanager
async def ground(tell: bool = True, processes: int = 1) -> AsyncIterator[Ground]:
    """Servers, so many processes of the sketch, and one that tells the others."""
    async with servers() as running, dealer() as port:
        operator = await running.store(nats.OPERATOR)
        await ensure_streams(
            operator.js, [StreamSpec(f"SKETCH-{p}", (f"sketch.{p}.>",)) for p in range(PARTITIONS)]
        )
        await operator.close()
        login = {"user": nats.OPERATOR, "password": running.directory.secret(f"nats/{nats.OPERATOR}")}
        sketches: dict[int, list[tuple[Program, str]]] = {0: [], VIEW: []}
        for size in (0,) * processes + ((VIEW,) if tell else ()):
            program = await Program.start("bench.sketch", url=running.nats_url, **login, tell=size)
            sketches[size].append((program, f"127.0.0.1:{await program.line()}"))
        store = await running.store("pairing")
        try:
            yield Ground(running, Pairing(store), port, sketches)
        finally:
            await store.close()
            for program, _ in (*sketches[0], *sketches[VIEW]):
                await program.stop()


def tell(title: str, results: dict[str, Result]) -> None:
    """Print the cases beside the first one."""
    base = next(iter(results.values()))["moves"]
    print(title)
    table(
        ("", "moves/s", "of sketch", "p50 ms", "p99 ms", "refused/s", "us a move", "cores"),
        [
            (
                name,
                f"{one['moves']:.0f}",
                f"{one['moves'] / base:.2f}",
                f"{one['p50']:.1f}",
                f"{one['p99']:.1f}",
                f"{one['refused']:.0f}",
                f"{cost(one):.0f}",
                cores(one),
            )
            for name, one in results.items()
        ],
    )


def cost(result: Result) -> float:
    """CPU of the servers a move, microseconds: of the table service's processes or the sketch's, shadow referees apart."""
    used = sum(cpu for name, cpu in result.cpu.items() if name.startswith(("table", "sketch")))
    return 1e6 * used / result["moves"]


def tell_stages(run: Run, shares: dict[str, float]) -> None:
    """Print the table service's CPU a move by stages."""
    each = 1e6 * run.window.cpu["table 1"] / run.figures["moves"]
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
