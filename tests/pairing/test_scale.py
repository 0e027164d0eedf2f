"""An event of 100,000 entrants: it works, whole; `-s` shows how long what took."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from fupan.pairing.v1 import service_pb2 as pb
from fupan.scoring.v1 import service_pb2 as scoring
from services.ledger import record as ledger
from tests.cup import CHIEF, Cup
from tests.platform import Platform
from tests.tables import even

ENTRANTS = 100_000
TABLES = -(-ENTRANTS // 3)
BOARDS = 2

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(1800)]


@contextmanager
def timed(what: str) -> Iterator[None]:
    started = time.perf_counter()
    yield
    sys.stderr.write(f"{what:45} {time.perf_counter() - started:8.2f} s\n")


async def close_all(cup: Cup) -> None:
    """Every table closes every board at once, without having played: what scoring and pairing see of a round."""
    limit = asyncio.Semaphore(256)

    async def close(number: int) -> None:
        subject = cup.tables.subject(f"r1-t{number}")
        async with limit:
            for board in range(1, BOARDS + 1):
                scores = even(1, board, number)
                times = (1_000_000, 2_000_000, 3_000_000 + number)
                await cup.tables.write(
                    subject, (), closing=ledger.BoardClosing(1, board, 1, False, scores, times, (), times)
                )

    await asyncio.gather(*(close(number) for number in range(1, TABLES + 1)))


async def test_a_hundred_thousand_entrants(platform: Platform) -> None:
    await platform.start()
    cup = await Cup.create(platform, entrants=0, rounds=1, boards_per_round=BOARDS)
    with timed("ImportEntrants"):
        imported = await cup.enter(range(1, ENTRANTS + 1))
    assert imported.imported == ENTRANTS
    public = platform.of("p-1")
    with timed("ListEntrants, all pages"):
        listed, token = 0, ""
        while token or not listed:
            page = await public.pairing.ListEntrants(
                pb.ListEntrantsRequest(championship="cup", page_size=10_000, page_token=token)
            )
            listed, token = listed + len(page.entrants), page.next_page_token
    assert listed == ENTRANTS
    with timed("PairRound"):
        paired = await cup.pair()
    assert paired.tables == TABLES
    await platform.events.wait("round_started", seconds=60)
    with timed("GetSeatingCertificate"):
        certificate = await public.pairing.GetSeatingCertificate(
            pb.GetSeatingCertificateRequest(championship="cup"), timeout=60
        )
    assert len(certificate.certificate) > ENTRANTS * 20
    watch = aiter(
        platform.of(CHIEF).pairing.WatchRound(pb.WatchRoundRequest(championship="cup"), timeout=600)
    )
    with timed("WatchRound, first message"):
        assert (await anext(watch)).tables == TABLES
    with timed(f"{TABLES * BOARDS} boards closed and seen by all"):
        await close_all(cup)
        ended = await platform.events.wait("competition_ended", seconds=300)
    with timed("WatchRound, to the end"):
        messages = [message async for message in watch]
    assert messages[-1].boards_closed == TABLES * BOARDS
    with timed("standings published, after the end"):
        await platform.events.wait("standings_published", seconds=300)
    assert ended.kind
    request = scoring.GetStandingsRequest(championship="cup")
    for time_ in ("first", "again"):
        with timed(f"GetStandings, {time_}"):
            standings = await public.scoring.GetStandings(request, timeout=120)
    assert len(standings.rows) == ENTRANTS
    with timed("GetStandings of the publication"):
        as_of = scoring.GetStandingsRequest(championship="cup", as_of="1")
        assert (await public.scoring.GetStandings(as_of, timeout=120)).digest == standings.digest
    with timed("GetRound"):
        tables = await platform.of(CHIEF).pairing.GetRound(
            pb.GetRoundRequest(championship="cup", round=1), timeout=60
        )
    assert len(tables.tables) == TABLES
    with timed("GetBoard"):
        board = await public.scoring.GetBoard(
            scoring.GetBoardRequest(championship="cup", round=1, board=1), timeout=120
        )
    assert len(board.results) == TABLES
    with timed("ExplainScore"):
        told = await public.scoring.ExplainScore(
            scoring.ExplainScoreRequest(championship="cup", entrant=7), timeout=120
        )
    assert told.row == next(row for row in standings.rows if row.entrant == 7)
    with timed("SetPenalty, to the next publication"):
        await platform.of(CHIEF).scoring.SetPenalty(
            scoring.SetPenaltyRequest(
                command_id="p", championship="cup", penalty="x", entrant=7, tenths=10, reason="x"
            ),
            timeout=120,
        )
        await platform.events.wait("standings_published", count=2, seconds=300)
    with timed("RebuildStandings"):
        rebuilt = await public.scoring.RebuildStandings(
            scoring.RebuildStandingsRequest(championship="cup", publication=1), timeout=300
        )
    assert rebuilt.same
