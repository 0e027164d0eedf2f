"""What destructive runs have in common: the seed of their moments, and the table of what came of them."""

from __future__ import annotations

import logging
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

SEED = os.environ.get("FUPAN_CHAOS_SEED") or str(random.randrange(10**6))
"""Decides the moments; given, a run is repeated."""

_log = logging.getLogger(__name__)

_HEAD = "| run | what was done | longest silence of the tables, s | receipts, all found | whole run, s |\n|---|---|---|---|---|"


class Report:
    """Rows of `docs/chaos.md`."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, ...]] = []

    def add(self, *cells: object) -> None:
        """A row."""
        self.rows.append(tuple(map(str, cells)))

    def text(self) -> str:
        """The table."""
        return "\n".join([_HEAD, *(f"| {' | '.join(row)} |" for row in self.rows)]) + "\n"


@pytest.fixture(scope="session")
def report() -> Iterator[Report]:
    """Collects rows, and writes the table into the file that FUPAN_CHAOS_REPORT names."""
    made = Report()
    yield made
    path = os.environ.get("FUPAN_CHAOS_REPORT")
    if path and made.rows:
        Path(path).write_text(f"Seed {SEED}.\n\n{made.text()}")


@pytest.fixture
def chance(request: pytest.FixtureRequest) -> random.Random:
    """The moments of one test; its seed stands in the output of a test that fails."""
    _log.warning("to repeat this: FUPAN_CHAOS_SEED=%s", SEED)
    return random.Random(f"{SEED} {request.node.name}")
