"""The console in Chromium, as visitors use it: by mouse, keys and fingers, in both languages, on a desk and on a phone."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Route, expect

from clients.console import streams
from clients.console.language import LANGUAGES
from clients.robot.seat import PATIENCE
from clients.robot.tokens import mint, signing_key
from fupan.table.v1 import service_pb2 as pb
from services.runtime.embedded.directory import free_port
from tests.console import browsing
from tests.console.browsing import DESK, PHONE, Visitor, visitor
from tests.e2e import scratch
from tests.e2e.command import Running, folder
from tests.e2e.directory import Inside
from tests.servers import SECONDS

pytestmark = browsing.needed

STALLS_AT = 2
"""The question of its own that a player leaves unanswered."""

BOARD = "/events/demo-1/boards/1/1/r1-t1"

REFEREEING: Mapping[str, Mapping[str, str]] = {
    "en-GB": {
        "called": "called a referee: a tile fell", "paused": "paused", "done": "Done", "id": "names it by its id",
        "untidy": "V1 untidy dress", "out": "Sign in",
    },
    "zh-CN": {
        "called": "座呼叫裁判：a tile fell", "paused": "暂停", "done": "已执行", "id": "请注明编号",
        "untidy": "V1 衣冠不整", "out": "登录",
    },
}  # fmt: skip
"""What a referee reads."""

MOMENT: Mapping[str, Any] = {
    "place": "", "match": None, "seat": 1, "board": 1, "ask": 0, "command_id": "x", "due": False, "paused": False,
    "left_ms": None, "scene": None, "choices": [], "laying": None, "result": "", "people": [], "news": [],
}  # fmt: skip
"""What a page of play is told of a seat before its first board."""


@dataclass(frozen=True)
class Played:
    """Address of the console, and the platform behind it."""

    address: str
    inside: Inside


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def played() -> AsyncIterator[Played]:
    """A small demo that is over, on a platform that still runs."""
    port = free_port(exclude=frozenset())
    small = ("--entrants", 6, "--rounds", 1, "--boards", 1, "--seed", 7, "--json")
    with folder() as place:
        async with Running("demo", *small, "--data", place / "data", "--console", port) as demo:
            await demo.prints()
            yield Played(f"http://127.0.0.1:{port}", Inside(place / "data"))
            assert (await demo.interrupt()).code == 0


@pytest.mark.asyncio(loop_scope="module")
async def test_from_the_championships_to_a_step_of_a_board(played: Played) -> None:
    async with visitor(played.address) as guest:
        await guest.open("/")
        await guest.looks_right("events")
        await guest.follow(".events a")
        await guest.looks_right("event")
        await guest.follow(".tabs a >> text=Standings")
        await expect(guest.page.locator("#live")).to_have_text(re.compile(r"^Updated \d\d:\d\d:\d\d$"))
        await guest.looks_right("standings")
        await guest.follow(".standings tbody a")
        await expect(guest.page.locator("h2").first).to_have_text("Every term of the result")
        await guest.looks_right("entrant")
        await guest.follow("tbody th a")
        await guest.looks_right("board")
        await guest.follow("tbody th a")
        await _steps(guest)
        await guest.looks_right("replay")
        await guest.follow(".tabs a >> text=Round 1")
        await guest.looks_right("round")
        await guest.page.emulate_media(media="print")  # a seating hangs at the hall's door
        await expect(guest.page.locator("#live table")).to_be_visible()


async def _steps(guest: Visitor) -> None:
    """By keys, by buttons, by the list, by the slider; the address follows."""
    page, table = guest.page, guest.page.locator("#table")
    await expect(table).to_have_attribute("data-step", "1")
    assert await page.locator(".player").count() == 3
    assert await page.locator(".hand .tile").count() == 61
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("ArrowRight")
    await expect(table).to_have_attribute("data-step", "3")
    await page.keyboard.press("ArrowLeft")
    await expect(table).to_have_attribute("data-step", "2")
    await page.keyboard.press("End")
    await expect(page.locator(".outcome")).to_be_visible()
    await page.locator("#first").click()
    await expect(page.locator(".outcome")).to_have_count(0)
    await page.locator("#moves li:nth-child(4) a").click()
    await expect(table).to_have_attribute("data-step", "4")
    await page.locator("#slider").fill("1")
    await expect(table).to_have_attribute("data-step", "2")
    # Whoever listens hears the step by the slider, and by itself where that is not moved.
    valued = await page.locator("#slider").get_attribute("aria-valuetext")
    assert valued is not None
    assert re.fullmatch(r"2 / \d+ .*[Ss]eat \d.*", valued)
    await page.locator("#next").click()
    spoken = page.locator("#said[aria-live=polite]")
    sentence = await page.locator("#step-3 .said").inner_text()
    await expect(spoken).to_have_text("; ".join(sentence.split("\n")))
    await page.locator("#previous").click()
    assert page.url.endswith("#step=2")
    await _decisions(guest)
    await expect(page.locator(".proof.good summary")).to_contain_text("these are the cards it deals")


async def _decisions(guest: Visitor) -> None:
    """To the next one and back: what could be chosen, how long it took, and what the other table did there."""
    page, table = guest.page, guest.page.locator("#table")
    await page.keyboard.press("Home")
    await page.keyboard.press("]")
    assert int(await table.get_attribute("data-step") or 0) > 1
    await expect(page.locator(".could .taken")).to_have_count(1)
    assert await page.locator(".could li").count() > 1
    await expect(page.locator(".chose")).to_contain_text(re.compile(r"Seat \d: .+ · \d+\.\d s"))
    # Both tables came to the first decision of the board.
    await expect(page.locator("#field")).to_contain_text("2 of 2 tables came to this decision")
    assert await page.locator(".field a:not(.now)").count() == 2
    assert "#step=" in (await page.locator("#link").get_attribute("href") or "")
    first = await table.get_attribute("data-step")
    await page.locator("#later").click()
    assert await table.get_attribute("data-step") != first
    await page.keyboard.press("[")
    await expect(table).to_have_attribute("data-step", first or "")


@pytest.mark.asyncio(loop_scope="module")
async def test_a_link_to_a_step_as_one_seat_knew_it_on_a_phone_in_chinese(played: Played) -> None:
    async with visitor(played.address, PHONE, "zh-CN", color_scheme="dark", has_touch=True) as guest:
        await guest.open(f"{BOARD}?seat=1#step=3")
        await expect(guest.page.locator("h1")).to_contain_text("复盘")
        table = guest.page.locator("#table")
        await expect(table).to_have_attribute("data-step", re.compile(r"^([3-9]|\d\d+)$"))
        shown = int(await table.get_attribute("data-step") or 0)
        # The other two hands are closed.
        assert await guest.page.locator(".hand").count() == 1
        await guest.looks_right("replay-phone")
        await guest.page.locator("#previous").tap()
        await expect(table).to_have_attribute(
            "data-step", re.compile("|".join(f"^{n}$" for n in range(shown)))
        )
        for path in ("", "/standings", "/rounds/1", "/entrants/1", "/boards/1/1"):
            name = path.strip("/").partition("/")[0] or "event"
            await guest.open(f"/events/demo-1{path}")
            await guest.looks_right(f"{name}-phone")


@pytest.mark.asyncio(loop_scope="module")
async def test_the_language_is_switched_and_stays(played: Played) -> None:
    async with visitor(played.address) as guest:
        await guest.open("/events/demo-1/standings")
        await guest.follow(".languages a")
        await expect(guest.page.locator("h1")).to_have_text("名次")
        await guest.follow(".tabs a")
        await expect(guest.page.locator("h2").last).to_have_text("核验")


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("name", "size", "locale"), [("desk", DESK, "en-GB"), ("phone", PHONE, "zh-CN")])
async def test_a_referee_who_is_called_pauses_a_table_rules_and_lets_it_go_on(
    played: Played, name: str, size: tuple[int, int], locale: str
) -> None:
    said = REFEREEING[locale]
    async with (
        _stalled(played.inside, f"stalled-{name}") as cup,
        visitor(played.address, size, locale) as guest,
    ):
        await _nothing_is_shown(played, cup)
        async with cup.inside.caller(cup.persons[0]) as player:
            await player.table.CallReferee(_call(cup))
        page = guest.page
        await guest.open(f"/events/{cup.id}/desk")
        await guest.looks_right(f"sign-in-{name}")
        await page.locator("textarea").fill(_token(played.inside, scratch.REFEREE))
        await guest.follow(".sign-in button")
        await expect(page.locator("#tables tr")).to_have_count(1)
        await expect(page.locator("#tables .need").first).to_contain_text(said["called"])
        await guest.looks_right(f"referees-{name}")
        await guest.follow("#tables a")
        await expect(page.locator(".player")).to_have_count(3)
        # An official sees no hidden tile.
        assert await page.locator(".hand").count() == 0
        await expect(page.locator("#where")).to_contain_text(said["called"])
        await page.locator("form[action$=pause] input[name=reason]").fill("a chair is broken")
        await guest.follow("form[action$=pause] button")
        await expect(page.locator("#where")).to_contain_text(said["paused"])
        await page.locator("form[action$=infringement] select[name=code]").select_option("V1")
        await page.locator("form[action$=infringement] input[name=reason]").fill("late")
        await guest.follow("form[action$=infringement] button")
        await expect(page.locator("[role=status].notice")).to_contain_text(said["done"])
        await page.locator("form[action$=ruling] textarea").fill("the board goes on")
        await guest.follow("form[action$=ruling] button")
        await expect(page.locator("[role=status].notice")).to_contain_text(said["id"])
        for line, told in enumerate(
            ("the board goes on", said["untidy"], "a chair is broken", said["called"])
        ):
            await expect(page.locator("#so-far li").nth(line)).to_contain_text(told)
        await guest.looks_right(f"desk-table-{name}")
        await page.locator("form[action$=resume] input[name=reason]").fill("a chair was found")
        await guest.follow("form[action$=resume] button")
        await expect(page.locator("form[action$=pause]")).to_have_count(1)
        await guest.follow(".corner button")
        await expect(page.locator(".corner a").first).to_have_text(said["out"])


@pytest.mark.asyncio(loop_scope="module")
async def test_a_player_is_no_referee(played: Played) -> None:
    async with visitor(played.address) as guest:
        await guest.open("/sign-in?to=/events/demo-1/desk")
        await guest.page.locator("textarea").fill(_token(played.inside, "player-001"))
        await guest.follow(".sign-in button")
        await expect(guest.page.locator("h1")).to_have_text("Not for everybody")
        guest.complaints.clear()  # Chromium tells of every 403


@pytest.mark.asyncio(loop_scope="module")
async def test_whoever_has_no_seat_is_told_at_once_what_there_is_to_do(played: Played) -> None:
    async with _stalled(played.inside, "unseated") as cup, visitor(played.address) as guest:
        token, there = _token(played.inside, scratch.REFEREE), f"/events/{cup.id}/play"
        await guest.signs_in(scratch.REFEREE, token, there)
        # Before the stream is given up, which is refused and tried again.
        await expect(guest.page.locator("#elsewhere")).to_be_visible(timeout=PATIENCE * 750)
        await expect(guest.page.locator("#status")).to_contain_text("no seat in this championship")
        await guest.looks_right("play-unseated")
        await guest.follow("#elsewhere a >> text=referees")
        await expect(guest.page.locator("#tables tr")).to_have_count(1)


@pytest.mark.asyncio(loop_scope="module")
async def test_S4_2_whoever_is_overcalled_is_told_by_whom(played: Played) -> None:
    bids = [
        None,
        [1, [["♠2", "black"]]],
        [2, [["♦2", "red"], [" ", ""], ["♦2", "red"]]],
    ]
    sent = "".join(f"data: {json.dumps({**MOMENT, 'standing': bid})}\n\n" for bid in bids)
    async with visitor(played.address) as guest:
        await guest.signs_in("player-001", _token(played.inside, "player-001"), "/")
        await guest.page.route(
            "**/play/stream", lambda route: route.fulfill(body=sent, content_type="text/event-stream")
        )
        await guest.open("/events/demo-1/play")
        await expect(guest.page.locator("#news")).to_have_text("Seat 2 bids over yours: ♦2 ♦2")


@pytest.mark.asyncio(loop_scope="module")
async def test_what_a_proxy_answers_ends_no_stream(played: Played) -> None:
    async with visitor(played.address) as guest:
        await guest.signs_in("player-001", _token(played.inside, "player-001"), "/")
        for there, place, lost, again in (
            ("play", "#status", "No connection", "The championship has ended"),
            ("standings", "#live", "Connection lost", "Updated"),
        ):
            await _is_away_once(guest)
            await guest.open(f"/events/demo-1/{there}")
            await expect(guest.page.locator(place)).to_contain_text(lost)
            await expect(guest.page.locator(place)).to_contain_text(again)
        guest.complaints.clear()  # Chromium tells of every 502


@pytest.mark.asyncio(loop_scope="module")
async def test_whoever_is_signed_in_no_more_is_told_so_and_led_back(played: Played) -> None:
    told = {
        **MOMENT, "standing": None, "ask": 1, "due": True,
        "choices": [["play s1", [["play 一", ""]], ["s1"]], ["pass", [["pass", ""]], []]],
        "scene": {
            "dealer": 0, "stock": 19, "bright": 1, "offer": None, "over": False, "won": None,
            "seats": [
                {"hand": [1, 2] if seat == 1 else None, "size": 2, "melds": [], "discards": [], "huxi": 0,
                 "dead": False, "asked": seat == 1, "turn": seat == 1}
                for seat in range(3)
            ],
        },
    }  # fmt: skip
    ending = streams.signed_out(LANGUAGES["en"], "/events/demo-1/play").removeprefix("data: ")
    async with visitor(played.address) as guest:
        page = guest.page
        await guest.signs_in("player-001", _token(played.inside, "player-001"), "/")
        await page.add_init_script(
            """window.EventSource = function () {
                window.source = this;
                this.close = () => {};
                const page = document.documentElement;
                Object.defineProperty(this, "onmessage", {
                    set(told) { this.told = told; page.dataset.listens = ""; },
                    get() { return this.told; },
                });
            }"""
        )
        await guest.open("/events/demo-1/play")
        await expect(page.locator("html[data-listens]")).to_have_count(1)
        tell = "data => source.onmessage({ data })"
        await page.evaluate(tell, json.dumps(told))
        await expect(page.locator(".hand button:enabled")).to_have_count(1)
        await page.evaluate(tell, ending)
        await expect(page.locator("#status")).to_have_text("Your sign-in has expired.")
        await expect(page.locator(".hand")).to_have_count(1)
        await expect(page.locator(".hand button, #choices button")).to_have_count(0)
        await guest.looks_right("play-expired")
        await guest.follow(".away a")
        await expect(page.locator("form.sign-in")).to_have_attribute(
            "action", "/sign-in?to=/events/demo-1/play"
        )


@pytest.mark.asyncio(loop_scope="module")
async def test_what_a_referee_has_begun_to_write_stays_while_the_table_changes(played: Played) -> None:
    async with _stalled(played.inside, "written") as cup, visitor(played.address) as guest:
        page, there = guest.page, f"/events/{cup.id}/desk/r1-t1"
        text, where = page.locator("form[action$=ruling] textarea"), page.locator("#where")
        await guest.signs_in(scratch.REFEREE, _token(played.inside, scratch.REFEREE), "/")
        await _is_away_once(guest)
        await guest.open(there)
        await expect(page.locator(".away")).to_have_text("Connection lost; trying again")
        await expect(page.locator(".away")).to_be_empty()
        await text.fill("half written")
        await page.locator("h1").click()
        async with cup.inside.caller(scratch.CHIEF) as chief:
            named = {"championship": cup.id, "table": "r1-t1"}
            await chief.table.PauseTable(pb.PauseTableRequest(command_id="1", reason="fire", **named))
            await expect(where).to_contain_text("paused")
            await expect(text).to_have_value("half written")
            # Sent and refused it stays as well, whatever happens at the table.
            await page.locator("form[action$=ruling] input[name=clause]").fill("X9.9")
            await guest.follow("form[action$=ruling] button")
            await expect(page.locator("[role=alert]")).to_contain_text("X9.9")
            await expect(text).to_have_value("half written")
            await page.locator("h1").click()
            await chief.table.ResumeTable(pb.ResumeTableRequest(command_id="2", **named))
            await expect(where).not_to_contain_text("paused")
            await expect(text).to_have_value("half written")
            await guest.follow(".languages a")
            await expect(page.locator("h1")).to_have_text("r1-t1 桌")
            # Forms in which nothing stands are those for how the table is now.
            await expect(page.locator("form[action$=pause]")).to_have_count(1)
            await chief.table.PauseTable(pb.PauseTableRequest(command_id="3", reason="again", **named))
            await expect(page.locator("form[action$=resume]")).to_have_count(1)
            # Nor is it lost where the page cannot be read anew: the sign-in has expired.
            await text.fill("begun again")
            await page.locator("h1").click()
            await page.context.clear_cookies()
            async with page.expect_response("**/sign-in?to=*"):
                await chief.table.ResumeTable(pb.ResumeTableRequest(command_id="4", **named))
            async with page.expect_response("**/sign-in?to=*"), cup.inside.caller(cup.persons[0]) as player:
                await player.table.CallReferee(_call(cup))
            await expect(text).to_have_value("begun again")
        guest.complaints.clear()  # Chromium tells of every 502 and 409


def _call(cup: scratch.Cup) -> pb.CallRefereeRequest:
    return pb.CallRefereeRequest(command_id="call", championship=cup.id, reason="a tile fell")


async def _is_away_once(guest: Visitor) -> None:
    """The next stream that a page asks for is answered by a proxy."""

    async def answer(route: Route) -> None:
        await route.fulfill(status=502, body="Bad Gateway")

    await guest.page.route("**/stream*", answer, times=1)


async def _nothing_is_shown(played: Played, cup: scratch.Cup) -> None:
    """Of the open board: to anybody, and to those who play it."""
    cookie = f"session={_token(played.inside, cup.persons[0])}"
    async with httpx.AsyncClient(base_url=f"{played.address}/events/{cup.id}", timeout=SECONDS) as browse:
        for headers in ({}, {"cookie": cookie}):
            for path in ("/boards/1/1", "/boards/1/1/r1-t1", "/boards/1/1/r1-t1?seat=0"):
                answer = await browse.get(path, headers=headers)
                assert answer.status_code == 409
                assert "Not yet" in answer.text
            standings = await browse.get("/standings", headers=headers)
            assert standings.text.count('class="number result">—<') == len(cup.persons)
        assert (await browse.get("/desk/r1-t1")).status_code == 303
        for path in ("/desk", "/desk/r1-t1"):
            assert (await browse.get(path, headers={"cookie": cookie})).status_code == 403


def _token(inside: Inside, person: str) -> str:
    keys = inside.place.keys
    assert keys is not None
    return mint(signing_key(keys), person, 600)


@asynccontextmanager
async def _stalled(inside: Inside, named: str = "stalled") -> AsyncIterator[scratch.Cup]:
    """A championship of one table, in the middle of its board: one player has left."""
    cup = await scratch.found(inside, named, entrants=3, boards=1)
    await cup.pair()
    players = [
        asyncio.create_task(cup.play(person, lambda moment: moment.ask < STALLS_AT)) for person in cup.persons
    ]
    try:
        await asyncio.wait(players, return_when=asyncio.FIRST_COMPLETED)
        yield cup
    finally:
        for player in players:
            player.cancel()
        await asyncio.gather(*players, return_exceptions=True)
