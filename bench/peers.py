"""Other people's libraries that ours is measured beside. They live in an environment of their own and are no dependency."""

from __future__ import annotations

import json
import os
from pathlib import Path

from bench.measure import Case, printed

PACKAGES = ("rlcard", "open-spiel", "mahjong", "swisspair", "py4swiss", "'eventsourcing[postgres]'", "py-spy")
HOW = f"python3 -m venv .bench && .bench/bin/pip install {' '.join(PACKAGES)}"
_PROGRAMS = Path(__file__).parent / "peer"


def environment() -> Path | None:
    """The peers' environment: `.bench`, or what FUPAN_BENCH_PEERS says; None when it is not there."""
    folder = Path(os.environ.get("FUPAN_BENCH_PEERS", ".bench"))
    return folder if (folder / "bin/python").exists() else None


def missing() -> None:
    """Say how to get the peers."""
    print(f"  no baseline: the peers are not installed; {HOW}")


def case(program: str, **given: object) -> Case:
    """A case that runs a program of `peer/` in the peers' environment; it prints its figures as JSON."""

    folder = environment() or Path(".bench")
    return printed(folder / "bin/python", _PROGRAMS / f"{program}.py", json.dumps(given))
