"""Standings are worked out before the service serves, and sent as one message however many ask."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import grpc
import pytest

from fupan.scoring.v1 import service_pb2 as pb
from fupan.scoring.v1.service_pb2_grpc import ScoringServiceStub
from services.scoring import app, shown
from services.scoring import model as m
from services.scoring.tables import Tables
from tests.platform import Platform, refused
from tests.scoring.cups import played, standings


class Held:
    """Standings that nobody works out before they are let go."""

    def __init__(self, patched: pytest.MonkeyPatch) -> None:
        self.asked, self.let_go = asyncio.Event(), asyncio.Event()
        live = Tables.live

        async def held(tables: Tables, championship: str, rulings: Any) -> Any:
            self.asked.set()
            await self.let_go.wait()
            return await live(tables, championship, rulings)

        patched.setattr(Tables, "live", held)


async def test_whoever_comes_first_waits_for_no_standings(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = await played(platform)
    await platform.replicas[0].stop()
    held = Held(monkeypatch)
    starting = asyncio.create_task(platform.start())
    await held.asked.wait()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{platform.ports['scoring']}") as channel:
        request = pb.GetStandingsRequest(championship=cup.id)
        early = ScoringServiceStub(channel).GetStandings(request, timeout=20, wait_for_ready=True)
        assert (await refused(early)).reason == "STARTING"
    held.let_go.set()
    await starting
    monkeypatch.setattr(shown, "rows", None)  # nothing is left to be made
    assert len((await standings(cup)).rows) == 6


async def test_standings_that_take_too_long_keep_nobody_from_the_rest(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = await played(platform)
    await platform.replicas[0].stop()
    held = Held(monkeypatch)
    monkeypatch.setattr(app, "WARM_SECONDS", 0)
    await platform.start()
    scoring = platform.of(None).scoring
    board = await scoring.GetBoard(pb.GetBoardRequest(championship=cup.id, round=1, board=1))
    assert len(board.results) == 2
    held.let_go.set()
    assert len((await standings(cup)).rows) == 6


async def test_one_message_is_made_for_all_who_ask_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    def rows(computed: Any, known: Any) -> list[Any]:
        made.append(computed)
        return []

    monkeypatch.setattr(shown, "rows", rows)
    known: Any = SimpleNamespace(id="cup", withdrawn=frozenset(), entrants={})
    computed: Any = SimpleNamespace(rows=(), digest=b"d")
    messages = shown.Messages()
    first, second = await asyncio.gather(
        *(messages.standings(known, computed, None, m.Ledger()) for _ in range(2))
    )
    assert first is second
    assert made == [computed]
