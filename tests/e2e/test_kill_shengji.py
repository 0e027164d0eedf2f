"""SIGKILL of the services in the middle of a board of Shengji: while trumps are bid, and while a trick lies on the table."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from clients.robot.seat import Moment
from services.ledger.audit.evidence import Evidence
from tests.e2e import history, scratch
from tests.e2e.command import SECONDS, folder, fupan
from tests.e2e.directory import Inside, moves
from tests.e2e.scratch import Cup, Plays

pytestmark = [pytest.mark.chaos, pytest.mark.asyncio(loop_scope="session")]

UNAVAILABLE = 3
"""Exit code of the command while the services are down."""

BEFORE_BIDS = 7
"""Records: the table opened, four players there, the board opened and dealt."""


async def test_a_board_goes_on_after_kills_in_the_middle_of_bidding_and_of_a_trick() -> None:
    with folder() as place:
        async with scratch.platform(place) as inside:
            cup = await scratch.found(inside, "four", 4, boards=1, ruleset="shengji/duplicate-2017")
            await cup.pair()
            async with moves(inside) as counted:
                async with _playing(cup, lambda moment: moment.question != "bid" or moment.seat < 2):
                    await counted.reach(BEFORE_BIDS + 2)
                    await inside.kill("services")
                async with _playing(cup, lambda moment: not _third_of_a_late_trick(moment)) as playing:
                    await asyncio.wait(playing, return_when=asyncio.FIRST_COMPLETED)
                    await inside.kill("services")
            async with _playing(cup, lambda moment: True):
                evidence = await _revealed(inside, cup, place)
    history.nothing_twice(evidence)


async def test_a_match_goes_on_after_a_kill_while_its_cards_are_drawn() -> None:
    with folder() as place:
        async with scratch.platform(place) as inside:
            cup = await scratch.found(inside, "pace", 2, ruleset="shengji/xiamen-2015", match_deals=1)
            await cup.pair()
            async with _playing(cup, lambda moment: True):
                async with moves(inside) as counted:
                    await counted.reach(BEFORE_BIDS)
                    await inside.kill("services")
                evidence = await _revealed(inside, cup, place)
    history.nothing_twice(evidence)
    ended = [event.message for _, event in evidence.events("table") if event.kind == "match_ended"]
    assert [one.deals for one in ended] == [1]


def _third_of_a_late_trick(moment: Moment) -> bool:
    return moment.question == "play" and len(moment.view.trick) == 2 and len(moment.view.hand) < 20


@asynccontextmanager
async def _playing(cup: Cup, plays: Plays) -> AsyncIterator[list[asyncio.Task[None]]]:
    """Everybody at the table plays, each until `plays` says no; who still does at the end leaves."""
    tasks = [asyncio.create_task(cup.play(person, plays)) for person in cup.persons]
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _revealed(inside: Inside, cup: Cup, place: Path) -> Evidence:
    """The championship's audit file, once its board is in it; all of it fits."""
    where = ("--championship", cup.id, "--server", inside.data, "--as", scratch.OPERATOR)
    async with asyncio.timeout(SECONDS):
        for number in itertools.count():
            file = place / f"{number}.fupan"
            ended = await asyncio.to_thread(fupan, "audit", "export", *where, "--out", file)
            assert ended.code in (0, UNAVAILABLE), ended.err
            if ended.code == 0 and history.boards_finished(evidence := history.read(file)):
                assert (await asyncio.to_thread(fupan, "audit", "verify", file)).code == 0
                return evidence
    raise AssertionError
