"""A finished board looked at over the services and offline: the same replay, the same comparison, and two referees who agree."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import Running, folder, fupan

pytestmark = pytest.mark.asyncio(loop_scope="session")


def proved(lines: str) -> list[Any]:
    """A replay without what seats tried: that is in no log."""
    return [json.loads(line) | {"tried": []} for line in lines.splitlines()]


@pytest.fixture
def place() -> Iterator[Path]:
    with folder() as made:
        yield made


@pytest.mark.parametrize(("game", "entrants"), [("paohuzi", 6), ("shengji", 8)])
async def test_the_services_tell_what_an_audit_file_tells(game: str, entrants: int, place: Path) -> None:
    data, kept = place / "data", place / "round.fupan"
    size = ("--entrants", entrants, "--rounds", 1, "--boards", 1, "--seed", 3)
    await asyncio.to_thread(fupan, "demo", "--game", game, *size, "--exit", "--data", data)
    async with Running("up", "--data", data) as up:
        await up.says("The platform runs")

        async def told(*line: object) -> str:
            done = await asyncio.to_thread(fupan, *line)
            assert done.code == 0, done.err
            return done.out

        there, offline = ("--server", data), ("--from", kept)
        await told("audit", "export", "--round", 1, "--out", kept, *there)
        for seat in ((), ("--seat", 1)):
            board = ("board", "replay", "r1-t1", 1, *seat, "--json")
            assert proved(await told(*board, *there)) == proved(await told(*board, *offline))
        field = ("board", "compare", 1, 1, "--json")
        compared = await told(*field, *there)
        assert compared == await told(*field, *offline)
        assert {one["of"] for one in json.loads(compared)} == {2}
        listed = json.loads(await told("table", "list", "--json", *there))
        assert [table["doubted"] for table in listed] == [[], []]
        checks = json.loads(await told("audit", "verify", kept, "--shadow", "--json"))["checks"]
        assert {one["check"]: one["status"] for one in checks}["shadow referee"] == "ok"
