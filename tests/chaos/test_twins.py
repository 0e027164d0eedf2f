"""Two replicas of every service, asked for the same at once, while any process of theirs or of the servers is killed."""

from __future__ import annotations

import asyncio
import itertools
import logging
import random
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from clients.cli.local.progress import follow
from clients.cli.receipts import keeper
from clients.robot.crowd import play_all
from clients.robot.player import Count
from clients.robot.tokens import Signer, signing_key
from fupan.appeals.v1 import service_pb2 as appeals
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import service_pb2 as scoring
from fupan.table.v1 import service_pb2 as table
from services.ledger.audit.evidence import Evidence
from tests.chaos import twins
from tests.chaos.conftest import Report
from tests.chaos.meddling import SUBSTITUTE, Both, Call, Given
from tests.chaos.twins import Twins
from tests.e2e import history, scratch
from tests.e2e.command import SECONDS, folder, fupan
from tests.e2e.directory import moves

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(900)]

_log = logging.getLogger(__name__)

CUP = "twins"
ENTRANTS, ROUNDS, BOARDS, SEATS = 18, 3, 6, 3
PLAYED = ENTRANTS // SEATS * ROUNDS * BOARDS
KILLS = 9
MOMENTS = range(30, 2200)
"""Of the records that the tables write, those after which something is killed."""

PAUSE_MS = 500
"""Between boards: robots alone would be through before anybody could meddle."""


@pytest.fixture
def place() -> Iterator[Path]:
    with folder() as path:
        yield path


@pytest.mark.parametrize("apart", [False, True], ids=["together", "apart"])
async def test_two_replicas_of_everything(
    apart: bool, place: Path, chance: random.Random, report: Report
) -> None:
    started, data = time.monotonic(), place / "data"
    data.mkdir(mode=0o711)
    kills = sorted((moment, chance.random()) for moment in chance.sample(MOMENTS, KILLS))
    async with twins.running(data, apart) as platform:
        both = Both(platform, CUP, chance)
        silence = await _played(both, place / "receipts", kills)
        await _agree(both)
        assert both.unforeseen == []
        evidence = await _exported(platform, place / "twins.fupan", place / "receipts")
        await both.close()
    assert platform.errors() == []
    history.nothing_twice(evidence)
    assert history.boards_finished(evidence) == PLAYED
    _nobody_plays_at_two_tables(evidence)
    _seats_are_what_was_told(evidence, both.given)
    done = f"killed after record {', '.join(str(moment) for moment, _ in kills)}"
    name = f"two replicas, {'five processes' if apart else 'one process'} each; {len(both.given) // 2} seats given twice"
    receipts = history.nothing_lost(evidence, place / "receipts")
    report.add(name, done, f"{silence:.1f}", receipts, f"{time.monotonic() - started:.0f}")


async def _played(both: Both, receipts: Path, kills: list[tuple[int, float]]) -> float:
    """A championship from its entries to its end; the longest silence of its tables."""
    await _founded(both)
    over, crowd = asyncio.Event(), _Crowd(both.twins, receipts)
    for number in range(1, ENTRANTS + 1):
        crowd.send(f"{CUP}-{number}")

    async def until_over(act: Callable[[int], Awaitable[None]]) -> None:
        for number in itertools.count(1):
            if over.is_set():
                return
            await act(number)
            await asyncio.sleep(both.chance.uniform(0.1, 0.6))

    async with moves(both.twins) as counted, asyncio.TaskGroup() as group:

        async def kill() -> None:
            for moment, draw in kills:
                await counted.reach(moment)
                await both.twins.kill(both.twins.names[int(draw * len(both.twins.names))])

        group.create_task(kill())
        for team in "ab":
            substituting = partial(_substituting, both, team, crowd)
            group.create_task(until_over(substituting))
        group.create_task(until_over(both.act))
        group.create_task(both.withdraw(2))
        heard = [group.create_task(both.appeal(f"{CUP}-{round_}", round_)) for round_ in range(1, ROUNDS + 1)]
        async with both.twins.caller(scratch.OPERATOR, SECONDS) as operator:
            await follow(operator, CUP, lambda _: None)
        over.set()
    assert [task.result().phase for task in heard] == ["upheld"] * ROUNDS
    await crowd.leave({one.person for one in both.given if one.counts})
    return counted.longest


async def _founded(both: Both) -> None:
    """A championship whose first round is paired; most of its entrants come by imports at both while one process is killed."""
    clocks = {"play_ms": scratch.LONG_MS, "claim_ms": scratch.LONG_MS, "join_wait_ms": scratch.LONG_MS}
    await scratch.found(
        both.twins,
        CUP,
        entrants=SEATS,
        rounds=ROUNDS,
        boards=BOARDS,
        clocks={**clocks, "claim_floor_ms": 0, "board_pause_ms": PAUSE_MS},
    )
    async with both.twins.caller(scratch.OPERATOR, SECONDS) as operator:
        await scratch.appoint(operator, CUP, "judge-4", "arbitrator")
    numbers = range(SEATS + 1, ENTRANTS + 1)
    imports = [both.enter(numbers[first : first + SEATS]) for first in range(0, len(numbers), SEATS)]
    pairing_ = [name for name in both.twins.names if name.startswith(("services", "pairing"))]
    await asyncio.gather(*imports, both.twins.kill(both.chance.choice([*pairing_, *twins.SERVERS])))
    await both.pair()


async def _substituting(both: Both, team: str, crowd: _Crowd, number: int) -> None:
    await both.substitute(f"{SUBSTITUTE}{team}-{number}", crowd.send)


class _Crowd:
    """Robots, each on a connection of its own, so that both replicas have some."""

    def __init__(self, platform: Twins, receipts: Path) -> None:
        place = platform.place
        assert place.keys is not None
        self._key, self._address = signing_key(place.keys), place.services["table"]
        self._receipt = keeper(receipts, CUP)
        self._robots: dict[str, asyncio.Task[None]] = {}

    def send(self, person: str) -> None:
        """Let somebody play until the championship has ended, unless it does already."""
        if person not in self._robots:
            signers = [Signer(self._key, person)]
            work = play_all(self._address, CUP, signers, Count(), _log.info, self._receipt)
            self._robots[person] = asyncio.create_task(work, name=person)

    async def leave(self, substitutes: Collection[str]) -> None:
        """Return when all have been told that it has ended; who came in vain and has no seat is sent away."""
        for person, task in self._robots.items():
            if person.startswith(SUBSTITUTE) and person not in substitutes:
                task.cancel()
        async with asyncio.timeout(SECONDS):
            await asyncio.wait(self._robots.values())
        for task in self._robots.values():
            if not task.cancelled():
                task.result()


async def _agree(both: Both) -> None:
    """Both replicas tell the same of everything."""
    on: dict[str, Any] = {"championship": CUP}
    calls: tuple[Call, ...] = (
        lambda fupan, _: fupan.pairing.GetChampionship(pairing.GetChampionshipRequest(**on)),
        lambda fupan, _: fupan.pairing.GetRound(pairing.GetRoundRequest(**on)),
        lambda fupan, _: fupan.table.ListTables(table.ListTablesRequest(**on)),
        lambda fupan, _: fupan.scoring.GetStandings(scoring.GetStandingsRequest(**on)),
        lambda fupan, _: fupan.appeals.ListAppeals(appeals.ListAppealsRequest(**on)),
    )
    for call in calls:
        await both.agree(call)


async def _exported(platform: Twins, file: Path, receipts: Path) -> Evidence:
    """The championship's file, which verifies, of a log that is that of the archive."""
    for words in (
        ("audit", "export", "--out", file, "--server", platform.data),
        ("audit", "verify", file, "--receipts", receipts),
        ("audit", "reconcile", "--server", platform.data),
    ):
        done = await asyncio.to_thread(fupan, *words)
        assert done.code == 0, (done.out, done.err)
    return history.read(file)


def _nobody_plays_at_two_tables(evidence: Evidence) -> None:
    """Nobody answered at two tables of a round (C6.4)."""
    tables = defaultdict[tuple[str, str], set[str]](set)
    for _, subject, entries in evidence.of("table"):
        for entry in entries:
            if entry.order == "act":
                tables[entry.actor, subject.id.partition("-")[0]].add(subject.id)
    assert [where for where in tables.values() if len(where) > 1] == []


def _seats_are_what_was_told(evidence: Evidence, given: Iterable[Given]) -> None:
    """A seat that a referee was told to count was given once, and not given back; one that was refused never was, or went back."""
    changes = defaultdict[tuple[str, int], list[Any]](list)
    for _, subject, entries in evidence.of("table"):
        for entry in entries:
            for event in entry.events:
                if event.kind == "seat_replaced":
                    changes[subject.id, event.message.seat].append(event.message)
    for one in given:
        there = changes[one.table, one.seat]
        places = [n for n, change in enumerate(there) if change.person_id == one.person]
        back = [bool(change.sits_at) for n in places for change in there[n + 1 : n + 2]]
        expected = [(1, False)] if one.counts else [(0, False), (1, True)]
        assert (len(places), any(back)) in expected, (one, there)
