"""SIGKILL of every process, at random moments of a whole championship, which must end as if nothing had been."""

from __future__ import annotations

import asyncio
import random
import resource
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from services.ledger.audit.evidence import Evidence
from tests.chaos.conftest import Report
from tests.e2e import history
from tests.e2e.command import Running, folder, fupan
from tests.e2e.directory import Inside, moves

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(900)]

DEMO = ("--entrants", 30, "--rounds", 3, "--boards", 4, "--seed", 7, "--exit", "--json")
BOARDS = 10 * 3 * 4
APART = ("dealer", "pairing", "table", "scoring", "appeals")
SERVERS = ("nats", "postgres")
KILLS = 3
MOST_KIB = 600 * 1024
"""Memory that no process of a run needs, whatever it waits for."""

MIDDLE = (0.02, 0.9)
"""Part of the records in which something is killed. How many there are differs a little: who is late with a claim that others
outrank is not recorded."""


@dataclass(frozen=True)
class Undisturbed:
    """What a run without any accident gives."""

    told: Any
    records: int
    """That the tables write."""

    def moments(self, chance: random.Random, count: int) -> list[int]:
        """Numbers of records after which something happens."""
        first, last = (int(self.records * part) for part in MIDDLE)
        return sorted(chance.sample(range(first, last), count))


class Place:
    """Where a run keeps what it leaves behind."""

    def __init__(self, path: Path) -> None:
        self.inside = Inside(path / "data")
        self._audit = path / "audit"
        self._receipts = path / "receipts"

    @property
    def keeping(self) -> tuple[object, ...]:
        """Options that leave it here."""
        return ("--data", self.inside.data, "--audit-out", self._audit, "--receipts", self._receipts)

    def demo(self, *more: object) -> tuple[object, ...]:
        """The command line."""
        return ("demo", *DEMO, *self.keeping, *more)

    def evidence(self) -> Evidence:
        """The championship's file."""
        return history.read(self._audit / "demo-1.fupan")

    def receipts(self, evidence: Evidence) -> int:
        """Receipts kept, all of which stand in the log."""
        return history.nothing_lost(evidence, self._receipts)


@pytest.fixture
def place() -> Iterator[Place]:
    with folder() as path:
        yield Place(path)


@pytest.fixture(scope="module")
def undisturbed(report: Report) -> Undisturbed:
    started = time.monotonic()
    with folder() as path:
        place = Place(path)
        done = fupan(*place.demo())
        assert done.code == 0, done.err
        evidence = place.evidence()
        records = sum(len(entries) for _, _, entries in evidence.of("table"))
        report.add("undisturbed", "", "", place.receipts(evidence), _since(started))
        return Undisturbed(done.told, records)


@pytest.mark.parametrize("name", ["services", *SERVERS, *APART])
async def test_kills_of_one_process(
    name: str, place: Place, undisturbed: Undisturbed, chance: random.Random, report: Report
) -> None:
    moments = undisturbed.moments(chance, KILLS)
    apart = ("--processes",) if name in APART else ()
    await _disturbed(place, undisturbed, report, [(moment, name) for moment in moments], *apart)


async def test_kills_of_anything(
    place: Place, undisturbed: Undisturbed, chance: random.Random, report: Report
) -> None:
    kills = [(moment, chance.choice(SERVERS + APART)) for moment in undisturbed.moments(chance, 4 * KILLS)]
    await _disturbed(place, undisturbed, report, kills, "--processes")


async def test_kills_of_the_whole_platform(
    place: Place, undisturbed: Undisturbed, chance: random.Random, report: Report
) -> None:
    await _killed_whole(place, undisturbed, report, undisturbed.moments(chance, KILLS), "table")


async def test_kills_of_the_whole_platform_while_an_appeal_is_heard(
    place: Place, undisturbed: Undisturbed, report: Report
) -> None:
    await _killed_whole(place, undisturbed, report, [1, 2, 4, 6], "appeals")


async def _killed_whole(
    place: Place, undisturbed: Undisturbed, report: Report, moments: list[int], service: str
) -> None:
    """Kill the demo with all its children when a service has written so many records, and let the same command resume it."""
    started = time.monotonic()
    for moment in moments:
        async with Running(*place.demo()) as demo:
            await demo.says("championship")
            async with moves(place.inside, place.inside.epoch.streams_of(service)) as counted:
                await counted.reach(moment)
            await demo.kill()
    done = await asyncio.to_thread(fupan, *place.demo())
    assert done.code == 0, done.err
    receipts = await _as_if_nothing_had_been(place, undisturbed, done.told)
    what = _told(moments) + ("" if service == "table" else f" of {service}")
    report.add("whole platform, resumed", what, "", receipts, _since(started))


async def test_kills_of_the_process_that_thinks_for_house_ai(
    place: Place, chance: random.Random, report: Report
) -> None:
    """Human against machine: two seats in three are house AI's."""
    started = time.monotonic()
    machine = (
        "demo",
        "--machine",
        "--entrants",
        9,
        "--rounds",
        1,
        "--boards",
        2,
        "--seed",
        7,
        "--exit",
        "--json",
    )
    moments = sorted(chance.sample(range(20, 500), KILLS))
    async with Running(*machine, *place.keeping) as demo:
        await demo.says("championship")
        async with moves(place.inside) as counted:
            for moment in moments:
                await counted.reach(moment)
                for child in psutil.Process(place.inside.pid("services")).children():
                    child.kill()
            ended = await demo.ended()
            silence = counted.longest
    assert ended.told["log"]["verified"]
    evidence = place.evidence()
    assert history.boards_finished(evidence) == 9 * 2
    history.nothing_twice(evidence)
    report.add("house AI", _told(moments), f"{silence:.1f}", place.receipts(evidence), _since(started))


async def _disturbed(
    place: Place, undisturbed: Undisturbed, report: Report, kills: list[tuple[int, str]], *more: object
) -> None:
    """Run the demo, kill what is named when the tables have written so many records, and look at what came of it."""
    started = time.monotonic()
    async with Running(*place.demo(*more)) as demo:
        await demo.says("championship")
        async with moves(place.inside) as counted:
            for moment, name in kills:
                await counted.reach(moment)
                await place.inside.kill(name)
            ended = await demo.ended()
            silence = counted.longest
    assert ended.code == 0, ended.err
    receipts = await _as_if_nothing_had_been(place, undisturbed, ended.told)
    names = dict.fromkeys(name for _, name in kills)
    done = _told(moment for moment, _ in kills)
    what = " ".join(names) if len(names) == 1 else "anything"
    report.add(what, done, f"{silence:.1f}", receipts, _since(started))


async def _as_if_nothing_had_been(place: Place, undisturbed: Undisturbed, told: Any) -> int:
    """Every board played and verified, the same standings, nothing twice, nothing lost, nobody grown out of bounds; the number
    of receipts."""
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < MOST_KIB
    assert told["log"]["verified"]
    assert told["rebuilt_same"]
    for part in ("standings", "rebuilt"):
        assert told[part] == undisturbed.told[part]
    evidence = place.evidence()
    assert history.boards_finished(evidence) == BOARDS
    history.nothing_twice(evidence)
    async with Running("up", "--data", place.inside.data) as up:
        await up.says("The platform runs")
        compared = await asyncio.to_thread(fupan, "audit", "reconcile", "--server", place.inside.data)
        assert compared.code == 0, compared.out
        assert (await up.interrupt()).code == 0
    return place.receipts(evidence)


def _told(moments: Any) -> str:
    return "killed after record " + ", ".join(str(moment) for moment in moments)


def _since(started: float) -> str:
    return f"{time.monotonic() - started:.0f}"
