"""Small Shengji championships of every format, played, ruled on, rebuilt and verified."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import fupan

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def played(form: str, entrants: int, audit: Path) -> Any:
    size = ("--entrants", entrants, "--rounds", 2, "--boards", 1, "--seed", 7)
    kind = ("--game", "shengji", "--format", form)
    done = await asyncio.to_thread(fupan, "demo", *kind, *size, "--exit", "--json", "--audit-out", audit)
    return done.told


@pytest.mark.parametrize(("form", "entrants"), [("individual", 8), ("pairs", 4), ("teams", 4)])
async def test_a_championship_with_an_appeal(form: str, entrants: int, tmp_path: Path) -> None:
    told = await played(form, entrants, tmp_path)
    assert {row["entrant"] for row in told["standings"]} == set(range(1, entrants + 1))
    assert told["appeal"]["phase"] == "upheld"
    assert told["correction"] is None
    assert [row["entrant"] for row in told["standings"]] != [row["entrant"] for row in told["rebuilt"]]
    assert told["rebuilt_same"]
    assert told["log"]["verified"]
    assert (tmp_path / "demo-1.fupan").exists()


async def test_in_points_the_chief_referee_has_the_last_word(tmp_path: Path) -> None:
    """C10.0: nobody appeals; a correction changes the order (C9.2)."""
    told = await played("points", 4, tmp_path)
    assert told["appeal"] is None
    assert told["correction"]
    assert [row["entrant"] for row in told["standings"]] != [row["entrant"] for row in told["rebuilt"]]
    assert told["rebuilt_same"]
    assert told["log"]["verified"]
