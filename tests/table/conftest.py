"""Running table services for tests: the dealer they ask, and the service."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.runtime.identity import create_keys
from tests.table.serving import Service, World, dealer, serving


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys")
    create_keys(folder)
    return folder


@pytest.fixture
async def world(keys: Path, database: str) -> AsyncIterator[World]:
    async with dealer() as port:
        yield World(keys, database, port)


@pytest.fixture
async def service(world: World) -> AsyncIterator[Service]:
    async with serving(world) as running:
        yield running


@pytest.fixture(autouse=True)
def shadow_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shadow referee's process runs beside all others: one that gives way would be waited for until the machine is idle."""
    monkeypatch.setattr("services.table.shadow._give_way", lambda pid: None)
