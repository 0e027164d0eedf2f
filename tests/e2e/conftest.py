"""A small championship that was played undisturbed, on a platform that still runs: what other runs are compared with."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest_asyncio

from tests.e2e.command import Ended, Running, folder, fupan
from tests.e2e.directory import Inside

SMALL = ("--entrants", 6, "--rounds", 2, "--boards", 1, "--seed", 7, "--json")


@dataclass(frozen=True)
class Played:
    """A demo that is over, on a platform that still runs."""

    told: Any
    inside: Inside
    audit: Path
    receipts: Path

    async def fupan(self, *arguments: object) -> Ended:
        """The command, pointed at the platform."""
        return await asyncio.to_thread(fupan, *arguments, "--server", self.inside.data)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def played() -> AsyncIterator[Played]:
    with folder() as place:
        data, audit, receipts = place / "data", place / "audit", place / "receipts.ndjson"
        keeping = ("--data", data, "--audit-out", audit, "--receipts", receipts)
        async with Running("demo", *SMALL, *keeping) as demo:
            yield Played(await demo.prints(), Inside(data), audit, receipts)
            assert (await demo.interrupt()).code == 0
