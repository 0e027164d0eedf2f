"""Measuring beside a baseline: cases run in turn, medians of their figures, CPU of every process, and no run that was disturbed."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

import psutil

OTHERS = 0.12
"""Cores that processes of others may use during a run; a run beside more is thrown away."""

WAIT = float(os.environ.get("FUPAN_BENCH_WAIT", "30"))
"""Seconds that a run waits for the machine to be quiet before it begins all the same."""

PATIENCE = 3
"""So many times a run is made until none of others disturbs it; then the least disturbed one counts, and its case is marked."""

NOTHING: Mapping[str, str] = MappingProxyType({})

_KERNEL_THREADS = 2
_LOOK = 2.0


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of time: `cpu` is cores used by name of a process, `others` cores used by what is not ours."""

    seconds: float
    cpu: Mapping[str, float]
    others: float


class Watch:
    """What processes use from here to `end`. A named process counts with its descendants but those that are named themselves,
    `bench` is all else of ours."""

    def __init__(self, **named: int) -> None:
        self._named = named
        self._began = time.perf_counter()
        self._spent, self._all = self._read()

    def end(self) -> Window:
        """The window since the watch was made."""
        seconds = time.perf_counter() - self._began
        spent, everything = self._read()
        cpu = {name: (spent[name] - self._spent[name]) / seconds for name in spent}
        others = (everything - self._all) / seconds - sum(cpu.values())
        return Window(seconds, cpu, max(others, 0.0))

    def _read(self) -> tuple[dict[str, float], float]:
        pids = frozenset(self._named.values())
        named = {name: _family(pid, pids - {pid}) for name, pid in self._named.items()}
        ours = _family(psutil.Process().pid) - sum(named.values())
        kernel = _family(_KERNEL_THREADS) if psutil.pid_exists(_KERNEL_THREADS) else 0.0
        machine = psutil.cpu_times()
        # Interrupts are nobody's: the loopback network's are ours, mostly.
        everything = machine.user + machine.system + getattr(machine, "nice", 0.0) - kernel
        return {"bench": ours, **named}, everything


def _family(pid: int, without: frozenset[int] = frozenset()) -> float:
    """CPU seconds of a process and its descendants, ended ones included; `without` some that count apart."""
    try:
        process = psutil.Process(pid)
        family = [process, *(one for one in process.children(recursive=True) if one.pid not in without)]
    except psutil.NoSuchProcess:
        return 0.0
    total = 0.0
    for one in family:
        try:
            total += sum(one.cpu_times()[:4])
        except psutil.Error:
            continue
    return total


@dataclass(frozen=True, slots=True)
class Run:
    """What one run of a case gave: figures by name, and the window they were measured in."""

    figures: Mapping[str, float]
    window: Window


@dataclass(slots=True)
class Result:
    """The runs of one case."""

    runs: list[Run] = field(default_factory=list)
    disturbed: bool = False
    """No quiet machine was to be had: the figures are those of the least disturbed runs."""

    def __getitem__(self, figure: str) -> float:
        """The median of a figure."""
        return statistics.median(run.figures[figure] for run in self.runs)

    @property
    def cpu(self) -> dict[str, float]:
        """Median cores used, by process."""
        names = self.runs[0].window.cpu
        return {name: statistics.median(run.window.cpu[name] for run in self.runs) for name in names}


Case = Callable[[], Awaitable[Run]]


async def interleaved(cases: Mapping[str, Case], times: int = 3) -> dict[str, Result]:
    """Run every case `times` times, all of them in turn. A run beside which others used the cores is thrown away and made again."""
    results = {name: Result() for name in cases}
    for _ in range(times):
        for name, case in cases.items():
            tried: list[Run] = []
            while len(tried) < PATIENCE and not (tried and tried[-1].window.others <= OTHERS):
                await quiet()
                tried.append(await case())
                if tried[-1].window.others > OTHERS:
                    others = tried[-1].window.others
                    print(f"  {name}: a run is thrown away, others used {others:.2f} cores", flush=True)
            best = min(tried, key=lambda run: run.window.others)
            results[name].runs.append(best)
            results[name].disturbed |= best.window.others > OTHERS
    return results


async def quiet() -> None:
    """Return when nobody else uses the cores, or after WAIT seconds."""
    until = time.monotonic() + WAIT
    while time.monotonic() < until:
        watch = Watch()
        await asyncio.sleep(_LOOK)
        if watch.end().others <= OTHERS:
            return


def measured(work: Callable[[], Mapping[str, float] | None]) -> Case:
    """A case of work in this process: its figures, and `seconds`."""

    async def case() -> Run:
        watch = Watch()
        began = time.perf_counter()
        figures = work() or {}
        seconds = time.perf_counter() - began
        return Run({"seconds": seconds, **figures}, watch.end())

    return case


def printed(*command: str | Path, environment: Mapping[str, str] = NOTHING) -> Case:
    """A case of a program that prints its figures as JSON; `environment` is laid over this process's."""

    async def case() -> Run:
        process = await asyncio.create_subprocess_exec(
            *command,
            env={**os.environ, **environment},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        watch = Watch()
        out, errors = await process.communicate()
        if process.returncode:
            raise RuntimeError(f"{command[1]} failed: {errors.decode()[-2000:]}")
        return Run(json.loads(out), watch.end())

    return case


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows in columns, the first one to the left and the others to the right."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    for row in (head, *rows):
        cells = [
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  " + "  ".join(cells).rstrip())


def cores(result: Result) -> str:
    """CPU of each process in one cell."""
    told = ", ".join(f"{name} {used:.2f}" for name, used in result.cpu.items() if used >= 0.005)
    return told + (" (DISTURBED)" if result.disturbed else "")
