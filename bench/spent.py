"""What a process spends its CPU on, by stages of a move: samples of its stacks by py-spy, which reads them from outside."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections import Counter
from pathlib import Path

from bench import peers

RATE = 500

REST = "gRPC, event loop"
"""Everything that has no Python frame of ours: grpc's C core and its Cython, uvloop, garbage collection; and what calls them."""

_STAGES = (
    # The first one that fits any frame from the innermost outward gives the stage.
    (REST, r"_many\.<locals>\.call \(services/runtime/interceptors"),
    ("archive", r"services/runtime/(projector|archive|postgres)|asyncpg/"),
    ("decide and evolve", r"services/(table/decider|games)/"),
    ("views", r"services/table/(views|painting|stage)|paint|_update \(services/table/(line|codec)"),
    ("encode and seal", r"services/ledger/"),
    ("append and follow", r"services/runtime/(writer|acks|jetstream|wire|follow|sharing)|nats/"),
    ("decode and check", r"services/runtime/(limits|interceptors)|services/table/api.py:|action_of"),
    ("send", r"services/table/(line|watch)"),
    ("log, hall, steward", r"services/(?!runtime/app|(table/)?__main__)"),
)
"""Stage and what a frame `function (file)` of it looks like. Rules and views call the ledger's code for nothing, so a view's frames
under `views` come before."""


def stage_of(stack: str) -> str:
    """The stage of one stack, frames outermost first and separated by `;`."""
    frames = stack.split(";")
    for frame in reversed(frames):
        for name, pattern in _STAGES:
            # Views of a game are the game's code, called from the table's views.
            if re.search(pattern, frame):
                return "views" if name == "decide and evolve" and _shown(frames) else name
    return REST


def _shown(frames: list[str]) -> bool:
    return any("services/table/views.py" in frame for frame in frames)


def _counted(path: Path) -> Counter[str]:
    """Samples by stage of a file of stacks."""
    counted: Counter[str] = Counter()
    for line in path.read_text().splitlines():
        stack, _, count = line.rpartition(" ")
        counted[stage_of(stack)] += int(count)
    return counted


async def shares(pid: int, seconds: float) -> dict[str, float]:
    """Share of each stage in what process `pid` does for the next seconds; empty without py-spy."""
    folder = peers.environment()
    spy = None if folder is None else folder / "bin/py-spy"
    if spy is None or not spy.exists():
        return {}
    with tempfile.NamedTemporaryFile(suffix=".raw") as out:
        arguments = ("record", "--pid", str(pid), "--duration", str(int(seconds)), "--rate", str(RATE))
        process = await asyncio.create_subprocess_exec(
            *(spy, *arguments, "--nonblocking", "--format", "raw", "--output", out.name),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        await process.wait()
        counted = _counted(Path(out.name))
    total = sum(counted.values())
    return {name: number / total for name, number in counted.most_common()} if total else {}
