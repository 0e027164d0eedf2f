"""A match as spectators see it on a page: no hand, the deals so far, its end; and why another table cannot be watched."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from datetime import UTC
from typing import Any

import pytest
from grpc import StatusCode
from grpc.aio import AioRpcError, Metadata

from clients.console import live
from clients.console.desk import Event
from clients.console.language import LANGUAGES
from clients.console.page import Pages
from clients.console.pages import watching
from clients.console.refusals import Refusal
from clients.console.tables import shengji
from fupan.pairing.v1 import events_pb2
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.table.v1 import events_pb2 as table
from fupan.table.v1 import service_pb2 as pb
from services.games import registry
from services.ledger import dealing
from services.ledger.games import GAMES
from tests.servers import SECONDS

RULES = registry.find("shengji/xiamen-2015")
PEOPLE = ["Li / Wu", "Xu / Ye"] * 2
REPLAYS = "/events/cup/boards/1/{deal}/r1-t1"


def _event(**settings: Any) -> Event:
    made = events_pb2.Settings(championship="cup", ruleset="shengji/xiamen-2015", rounds=1, **settings)
    return Event("cup", pairing.GetChampionshipResponse(settings=made, current_round=1), UTC)


def _update(**match: Any) -> pb.Update:
    """What is told at the beginning of a match's second deal."""
    state = RULES.start(RULES.resolve({}), 1, dealing.shuffle(bytes(32), RULES.deck))
    for event in RULES.opening(state):
        state = RULES.evolve(state, event)
    deal = table.MatchDeal(deal=1, level="2", declarer=0, trump="S", points=40, levels=["4", "2"])
    seen = pb.MatchView(levels=["4", "2"], played=[deal], **match)
    view = pb.SeatView(shengji=GAMES["shengji"].views.to_proto(RULES.view(state, None)))
    return pb.Update(board=2, view=view, match=seen)


def _page(event: Event, refusal: Refusal | None = None, late: str = "3 minutes") -> str:
    watched = event.watched and refusal is None
    return Pages().text(
        LANGUAGES["en"],
        "watch.html",
        {
            "event": event,
            "round": 1,
            "table": "r1-t1",
            "game": shengji if watched else None,
            "refusal": refusal,
            "late": late,
            "people": PEOPLE,
            "switch": "",
        },
    )


def test_C8_2_spectators_see_levels_and_every_deal_with_its_replay_and_no_hand() -> None:
    told = watching.shown(_event(format="points"), _update(most_deals=5), PEOPLE, REPLAYS, LANGUAGES["en"])
    assert [seat["hand"] for seat in told["scene"]["seats"]] == [None] * 4
    assert told["news"] == "Deal 2 · 1 of 5 are over"
    assert told["sides"] == [{"who": "Li / Wu", "level": "4"}, {"who": "Xu / Ye", "level": "2"}]
    (deal,) = told["deals"]
    assert deal["replay"] == "/events/cup/boards/1/1/r1-t1"
    assert "40 points" in deal["said"]
    assert not told["ended"]


def test_C8_3_the_end_of_a_match_is_told() -> None:
    ended = table.MatchEnded(winner=1, net_levels=3, clause="C8.3a")
    told = watching.shown(_event(format="points"), _update(ended=ended), PEOPLE, REPLAYS, LANGUAGES["zh"])
    assert told["ended"] == "Xu / Ye胜，净胜 3 级（C8.3a）"


def test_before_its_first_deal_nothing_is_drawn() -> None:
    told = watching.shown(_event(format="points"), pb.Update(), PEOPLE, REPLAYS, LANGUAGES["en"])
    assert not any(told.values())


def test_a_page_says_how_late_it_is() -> None:
    assert "Shown 3 minutes after it is played" in _page(_event(format="points"))
    assert "Shown as it is played" in _page(_event(format="points"), late="")


def test_C6_4_boards_that_others_play_too_are_not_to_be_watched() -> None:
    page = _page(_event(format="pairs", boards_per_round=4))
    assert "once every table has closed it" in page
    assert "match.js" not in page
    assert "score sheet" in _page(_event(format="points", real_cards=True))


def test_what_the_service_refuses_is_said_in_its_words() -> None:
    page = _page(_event(format="points"), Refusal(503, "TOO_MANY_CALLS", "", "too many are watched"))
    assert "too many are watched" in page
    assert "match.js" not in page


async def test_a_stream_that_told_its_end_is_not_begun_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "AGAIN_SECONDS", 0)
    begun: list[str] = []
    again = asyncio.Event()

    async def one(word: str) -> AsyncGenerator[str]:
        begun.append(word)
        if begun.count("on") == 3:
            again.set()
        yield word

    def watch(word: str) -> live.Watch[str]:
        return live.Watch(lambda: one(word), word, lambda told: told == "end")

    over, going = watch("end"), watch("on")
    async with asyncio.timeout(SECONDS):
        await again.wait()
    assert begun.count("end") == 1
    assert await over.now() == "end"
    await over.end()
    await going.end()


async def test_what_was_told_last_is_shown_while_the_service_starts_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live, "AGAIN_SECONDS", 0)
    tried = [asyncio.Event() for _ in range(5)]
    begun = 0

    async def begin() -> AsyncGenerator[str]:
        """Told once; then away, and forbidden at last."""
        nonlocal begun
        begun += 1
        tried[min(begun, len(tried)) - 1].set()
        if begun == 1:
            yield "known"
            return
        code = StatusCode.UNAVAILABLE if begun < 4 else StatusCode.PERMISSION_DENIED
        raise AioRpcError(code, Metadata(), Metadata(), "", "")

    watch = live.Watch(begin, "standings", lambda told: False)
    async with asyncio.timeout(SECONDS):
        await tried[2].wait()
        assert await watch.now() == "known"
        await tried[4].wait()
        with pytest.raises(AioRpcError):
            await watch.now()
    await watch.end()


async def test_what_was_told_is_not_shown_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "AGAIN_SECONDS", 0)
    monkeypatch.setattr(live, "AWAY_SECONDS", 0)
    tried = [asyncio.Event(), asyncio.Event(), asyncio.Event()]
    begun = 0

    async def begin() -> AsyncGenerator[str]:
        nonlocal begun
        begun += 1
        tried[min(begun, len(tried)) - 1].set()
        if begun > 1:
            raise AioRpcError(StatusCode.UNAVAILABLE, Metadata(), Metadata(), "", "")
        yield "known"

    watch = live.Watch(begin, "standings", lambda told: False)
    async with asyncio.timeout(SECONDS):
        assert await watch.now() == "known"
        await tried[2].wait()
        with pytest.raises(AioRpcError):
            await watch.now()
    await watch.end()
