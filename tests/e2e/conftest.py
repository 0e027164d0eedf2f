"""What costs too much for one test: a championship played undisturbed, which others are compared with, and two tables in the
middle of their boards."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from services.runtime.identity import create_keys
from tests.e2e.command import Ended, Running, folder, fupan
from tests.e2e.directory import Inside
from tests.e2e.scene import Scene, set_up
from tests.table.serving import World, dealer

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


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def scene() -> AsyncIterator[Scene]:
    async with set_up() as made:
        yield made


@pytest.fixture
async def world(tmp_path: Path, database: str) -> AsyncIterator[World]:
    """What a table service alone needs around it."""
    create_keys(tmp_path / "keys")
    async with dealer() as port:
        yield World(tmp_path / "keys", database, port)
