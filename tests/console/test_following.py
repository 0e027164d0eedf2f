"""What pages that follow something are told: what others played, what needs looking at; and that nobody is signed in any more."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from datetime import UTC
from types import SimpleNamespace
from typing import Any

import pytest
from grpc import StatusCode
from grpc.aio import AioRpcError, Metadata
from playwright.async_api import expect

from clients.boards.telling import plain
from clients.console import streams
from clients.console.desk import Event
from clients.console.language import LANGUAGES
from clients.console.page import STATIC
from clients.console.pages import play, referees
from clients.console.session import Session
from clients.console.tables import paohuzi
from clients.robot.seat import Away, Moment, Told
from fupan.pairing.v1 import events_pb2
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.table.v1 import service_pb2 as pb
from services.games import registry
from services.ledger import dealing
from tests.console import browsing
from tests.console.browsing import visitor
from tests.console.serving import Site
from tests.cup import Cup
from tests.platform import Platform

RULES = registry.find("paohuzi/competitive-2017")
HOME = "/events/cup"


def test_a_stream_is_opened_where_it_is_opened_again() -> None:
    opening = {path.name for path in STATIC.glob("*.js") if "EventSource(" in path.read_text()}
    assert opening == {"follow.js"}


@pytest.mark.parametrize("there", ["play", "desk/r1-t1"])
async def test_a_stream_says_that_nobody_is_signed_in(console: Site, there: str) -> None:
    page = f"{HOME}/{there}"
    told = await console.page(
        f"{page}/stream", accept="text/event-stream", referer=f"{console.address}{page}?lang=zh"
    )
    message = json.loads(told.removeprefix("data: "))
    assert message["closed"] == "Your sign-in has expired."
    assert message["sign_in"][1] == f"/sign-in?to=%2Fevents%2Fcup%2F{there.replace('/', '%2F')}%3Flang%3Dzh"


@pytest.mark.parametrize(
    ("sent_to", "came", "to"),
    [
        ("appeals/a-1/fee", "appeals/a-1?opening=2", "appeals/a-1?opening=2"),
        # Drawn where a form was sent to: that is no page.
        ("appeals/a-1/fee", "appeals/a-1/fee", "appeals/a-1"),
        ("desk/r1-t1/ruling", "desk/r1-t1/pause", "desk/r1-t1"),
        ("contest", "contest?contested=board&round=1", "contest?contested=board&round=1"),
        ("desk/r1-t1/ruling", "", "desk/r1-t1"),
    ],
)
async def test_whoever_sent_a_form_too_late_is_led_back_to_its_page(
    console: Site, sent_to: str, came: str, to: str
) -> None:
    headers = {"referer": f"{console.address}{HOME}/{came}"} if came else {}
    answer = await console.browse.post(f"{HOME}/{sent_to}", data={"text": "x"}, headers=headers)
    assert answer.status_code == 303
    assert await _leads_to(console, answer.headers["location"]) == f"{HOME}/{to}"


async def test_nobody_is_led_back_to_another_site(console: Site) -> None:
    headers = {"referer": f"https://elsewhere.example{HOME}/contest?contested=board"}
    answer = await console.browse.post(f"{HOME}/desk/r1-t1/pause", data={}, headers=headers)
    assert await _leads_to(console, answer.headers["location"]) == f"{HOME}/desk/r1-t1"
    answer = await console.browse.post(f"{HOME}/play/answer", data={}, headers=headers)
    assert await _leads_to(console, answer.headers["location"]) == "/"


async def test_what_was_asked_for_is_asked_for_again_with_its_query(console: Site) -> None:
    answer = await console.browse.get(f"{HOME}/contest?contested=board&round=1")
    assert await _leads_to(console, answer.headers["location"]) == f"{HOME}/contest?contested=board&round=1"


async def _leads_to(console: Site, form: str) -> str:
    assert form.startswith("/sign-in?to=")
    return str((await console.browse.get(form)).url.params["to"])


async def test_a_seat_whose_token_is_taken_no_more_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    class Sitting:
        def __init__(self, *_: Any) -> None:
            """Of nobody."""

        async def moments(self) -> AsyncGenerator[Told]:
            yield Away("", refused=True)
            yield Away("the token has expired", signed_out=True)
            raise AssertionError("nothing is asked for after that")

    monkeypatch.setattr(play, "Seat", Sitting)
    settings = events_pb2.Settings(championship="cup", ruleset=RULES.id)
    event = Event("cup", pairing.GetChampionshipResponse(settings=settings), UTC)
    desk: Any = _Desk()
    told = [
        json.loads(one.removeprefix("data: "))
        async for one in play._events(desk, event, Session("", "li", 0), LANGUAGES["zh"])
    ]
    assert [one.get("unseated") for one in told] == [True, None]
    assert told[1] == {
        "closed": "您的登录已过期。",
        "sign_in": ["重新登录", "/sign-in?to=%2Fevents%2Fcup%2Fplay"],
    }


async def test_a_referee_is_told_of_a_silent_table_that_the_stream_is_still_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    away = AioRpcError(StatusCode.UNAVAILABLE, Metadata(), Metadata(), None, None)
    ends = asyncio.Event()

    async def watching(*_: Any, **__: Any) -> AsyncGenerator[pb.WatchTableResponse]:
        yield pb.WatchTableResponse(status=pb.TableStatus(board=1))
        await ends.wait()
        raise away

    monkeypatch.setattr(streams, "PING_SECONDS", 0.01)
    settings = events_pb2.Settings(championship="cup", ruleset=RULES.id)
    event = Event("cup", pairing.GetChampionshipResponse(settings=settings), UTC)
    desk: Any = _Desk()
    monkeypatch.setattr(_Desk.services, "follow", watching, raising=False)
    told = referees._events(desk, event, "r1-t1", Session("", "chief", 0), LANGUAGES["en"])
    assert json.loads((await anext(told)).removeprefix("data: "))["stands"]["board"] == 1
    assert [await anext(told) for _ in range(2)] == [": still here\n\n"] * 2
    ends.set()
    assert [one async for one in told if not one.startswith(":")] == []  # the browser asks again


class _Desk:
    """What a stream asks of a desk before anybody sits down."""

    services = SimpleNamespace(table=SimpleNamespace(WatchTable=None))

    class pages:  # noqa: N801 - an attribute of the desk
        @staticmethod
        def macro(*_: Any) -> Any:
            return lambda *_: ""


def test_what_the_others_did_is_told_in_words() -> None:
    state = RULES.start(RULES.resolve({}), 1, dealing.shuffle(bytes(32), RULES.deck))
    for event in RULES.opening(state):
        state = RULES.evolve(state, event)
    told: list[list[str]] = []
    before: Moment | None = None
    while len(told) < 40 and (asked := RULES.asked(state)):
        for event in RULES.decide(state, asked[0], RULES.choose(RULES.view(state, asked[0]))):
            state = RULES.evolve(state, event)
        now = _moment(RULES.view(state, 1))
        told.append([plain(one) for one in play._news(paohuzi, before, now, LANGUAGES["en"])])
        before = now
    said = [one for news in told for one in news]
    assert not told[0]
    assert any(one.startswith("seat 0 plays") for one in said)
    assert any(one.startswith("seat 1 draws") for one in said)
    assert not any(one.startswith("seat 1 plays") for one in said)
    assert before is not None
    assert play._news(paohuzi, before, _moment(before.view, board=2), LANGUAGES["en"]) == []


def test_how_boards_ended_stays_to_be_read_while_the_next_is_played() -> None:
    """Also of boards whose end goes by in a moment: those that somebody missed who was away."""
    results: dict[int, str] = {}
    for language, first, second in (
        ("en", "Board 1 · +5 · −3 · −2", "Board 2 · no result"),
        ("zh", "第 1 副 · +5 · −3 · −2", "第 2 副 · 未完成"),
    ):
        results.clear()
        ends = (pb.BoardResult(scores=[5, -3, -2]), pb.BoardResult(unfinished=True), None)
        seen = [_moment(None, board, result) for board, result in enumerate(ends, 1)]
        told = [play._boards(results, one, LANGUAGES[language]) for one in (_moment(None), *seen)]
        assert told[0] is None
        assert [one and one["deals"] for one in told[1:]] == [[first], [first, second], [first, second]]
        assert told[-1] is not None
        assert "2" in told[-1]["standing"]


def test_after_the_last_board_of_a_round_a_player_is_told_that_it_was_the_last() -> None:
    scores = pb.BoardResult(scores=[5, -3, -2])
    for language, over, last in (
        ("en", "The board is over: +5 · −3 · −2.", "this table's last of the round"),
        ("zh", "本副结束：+5 · −3 · −2。", "本桌本轮各副已打完"),
    ):
        assert play._result(_moment(None, 3, scores), LANGUAGES[language]) == over
        told = play._result(_moment(None, 4, scores), LANGUAGES[language])
        assert told.startswith(over)
        assert last in told
        assert last in play._result(_moment(None, 4, pb.BoardResult(unfinished=True)), LANGUAGES[language])


def _moment(view: Any, board: int = 1, result: pb.BoardResult | None = None) -> Moment:
    return Moment("r1-t1", 1, 1, RULES.id, 4, board, view, 0, "", 0, False, False, "", result)


def test_a_board_that_the_second_referee_reads_otherwise_is_among_what_needs_help() -> None:
    tables = [
        pb.TableStatus(table="over", finished=True),
        pb.TableStatus(table="plays", deadline_us=1),
        pb.TableStatus(table="doubted", doubted=[2]),
        pb.TableStatus(table="doubted-over", finished=True, doubted=[3]),
        pb.TableStatus(table="called", referee_called=True),
    ]
    ordered = [one.table for one in sorted(tables, key=referees._urgency)]
    assert ordered == ["called", "doubted", "doubted-over", "plays", "over"]


@browsing.needed
async def test_standings_follow_what_happens_and_the_page_stays(platform: Platform, console: Site) -> None:
    cup = await Cup.create(platform, 6, (), rounds=1)
    await cup.pair()
    await platform.events.wait("round_started", round=1)
    async with visitor(console.address) as guest:
        await guest.open("/events/cup/standings")
        await expect(guest.page.locator("tbody tr")).to_have_count(6)
        await guest.page.evaluate("window.stays = true")
        await cup.play(1)
        await expect(guest.page.locator("tbody tr").first).to_contain_text("100.0")
        assert await guest.page.evaluate("window.stays")


@browsing.needed
async def test_a_round_and_how_far_it_is_follow_what_happens_and_the_pages_stay(
    platform: Platform, console: Site
) -> None:
    cup = await Cup.create(platform, 6, (), rounds=1)
    await cup.pair()
    await platform.events.wait("round_started", round=1)
    async with visitor(console.address) as guest, visitor(console.address) as other:
        await guest.open("/events/cup")
        await expect(guest.page.locator("#live")).to_contain_text("0 of")
        await other.open("/events/cup/rounds/1")
        await expect(other.page.locator(".boards .open").first).to_be_visible()
        for one in (guest, other):
            await one.page.evaluate("window.stays = true")
        await cup.play(1)
        await expect(guest.page.locator("#live .phase, #live p").first).to_contain_text("closed")
        await expect(other.page.locator(".boards .open")).to_have_count(0)
        for one in (guest, other):
            assert await one.page.evaluate("window.stays")
