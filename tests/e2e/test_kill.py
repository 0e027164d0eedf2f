"""SIGKILL in the middle of a championship, of one service of five apart and of the whole platform.

`tests/chaos` does it to every process and at many moments.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.e2e import history
from tests.e2e.command import Running, folder, fupan
from tests.e2e.conftest import SMALL, Played
from tests.e2e.directory import Inside, moves

pytestmark = pytest.mark.asyncio(loop_scope="session")

MIDDLE = 60
"""Of about 130 records that the tables write."""


async def test_five_processes_play_the_same_championship_though_one_is_killed(played: Played) -> None:
    with folder() as place:
        inside = Inside(place / "data")
        async with Running("demo", *_keeping(place), "--processes") as demo:
            await demo.says("championship")
            async with moves(inside) as counted:
                await counted.reach(MIDDLE)
                await inside.kill("table")
            ended = await demo.ended()
        assert "table ended (killed by SIGKILL) and is started again" in ended.err
        _same(ended.told, played.told)
        _whole(place)


async def test_a_killed_platform_is_resumed_by_the_same_command(played: Played) -> None:
    with folder() as place:
        inside = Inside(place / "data")
        async with Running("demo", *_keeping(place)) as demo:
            await demo.says("championship")
            async with moves(inside) as counted:
                await counted.reach(MIDDLE)
            await demo.kill()
        # The second time there is nothing left to do but to tell what came of it.
        for _ in range(2):
            told = (await asyncio.to_thread(fupan, "demo", *_keeping(place))).told
            _same(told, played.told)
            _whole(place)


def _keeping(place: Path) -> tuple[object, ...]:
    where = ("--data", place / "data", "--audit-out", place / "audit")
    return (*SMALL, "--exit", *where, "--receipts", place / "receipts")


def _same(told: object, undisturbed: object) -> None:
    assert isinstance(told, dict)
    assert isinstance(undisturbed, dict)
    assert told["log"]["verified"]
    assert told["rebuilt_same"]
    for part in ("standings", "rebuilt"):
        assert told[part] == undisturbed[part]


def _whole(place: Path) -> None:
    evidence = history.read(place / "audit/demo-1.fupan")
    history.nothing_twice(evidence)
    assert history.nothing_lost(evidence, place / "receipts") > 0
    assert history.boards_finished(evidence) == 4
