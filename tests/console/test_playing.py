"""The play desk in Chromium: a whole board of each game, one seat in the browser and robots in the others."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from playwright.async_api import expect

from clients.robot.tokens import mint, signing_key
from fupan.table.v1 import service_pb2 as pb
from services.games import registry
from services.games.shengji.actions import WITH_CARDS
from services.games.shengji.view import SeatView
from services.ledger.games import GAMES
from tests.console import browsing
from tests.console.browsing import PHONE, Visitor, visitor
from tests.console.serving import Site, serve
from tests.e2e import scratch
from tests.e2e.command import folder
from tests.e2e.scratch import Cup

pytestmark = [pytest.mark.timeout(180), browsing.needed]

PATIENCE_MS = 30_000
"""For the others' decisions, and for what the services do by themselves."""


@asynccontextmanager
async def _cup(ruleset: str, seats: int) -> AsyncIterator[tuple[Cup, Site]]:
    """One table, whose first person nobody plays yet."""
    with folder() as place:
        async with scratch.platform(place) as inside:
            cup = await scratch.found(inside, "played", entrants=seats, boards=1, ruleset=ruleset)
            await cup.pair()
            robots = [asyncio.create_task(cup.play(person)) for person in cup.persons[1:]]
            try:
                async with serve(inside.place.services) as site:
                    yield cup, site
            finally:
                for robot in robots:
                    robot.cancel()
                await asyncio.gather(*robots, return_exceptions=True)


async def test_a_whole_board_of_paohuzi() -> None:
    async with _cup("paohuzi/competitive-2017", 3) as (cup, site), visitor(site.address) as guest:
        page, person = guest.page, cup.persons[0]
        await _told_its_own_alone(cup, site, person)
        await guest.signs_in(person, _token(cup, person), f"/events/{cup.id}/play")
        await expect(page.locator("#choices button").first).to_be_visible(timeout=PATIENCE_MS)
        # Its own hand is open, and nobody else's.
        assert await page.locator(".player").count() == 3
        assert await page.locator(".hand").count() == 1
        await guest.looks_right("play")
        for reason in ("a tile fell", "and another"):
            await page.locator("#referee input[name=reason]").fill(reason)
            await page.locator("#referee button").click()
            await expect(page.locator("#referee input[name=reason]")).to_have_value("")
            await expect(page.locator("#status")).to_have_text("The referee is called.")
        await page.locator("#choices button").first.click()
        await _answers_nothing_else(cup, site)
        while await _asked(guest):
            await page.keyboard.press("1")
        await expect(page.locator(".outcome")).to_be_visible()
        await guest.looks_right("play-over")


async def test_a_whole_deal_of_shengji_on_a_phone_in_chinese() -> None:
    async with (
        _cup("shengji/duplicate-2017", 4) as (cup, site),
        visitor(site.address, PHONE, "zh-CN", has_touch=True) as guest,
    ):
        person = cup.persons[0]
        await _told_its_own_alone(cup, site, person)
        await guest.signs_in(person, _token(cup, person), f"/events/{cup.id}/play")
        turns = 0
        while await _asked(guest):
            await _plays(cup, guest, person)
            turns += 1
            if turns == 5:
                await guest.looks_right("play-phone")
        await expect(guest.page.locator(".outcome")).to_be_visible()
        await guest.looks_right("play-over-phone")


async def _told_its_own_alone(cup: Cup, site: Site, person: str) -> None:
    """What goes to the browser, and not only what it draws, holds no other hand."""
    cookie = {"cookie": f"session={_token(cup, person)}"}
    async with site.browse.stream("GET", f"/events/{cup.id}/play/stream", headers=cookie) as answer:
        async for line in answer.aiter_lines():
            told = json.loads(line.removeprefix("data: ") or "{}")
            if (scene := told.get("scene")) and any(one["hand"] for one in scene["seats"]):
                break
        else:
            raise AssertionError("no hand came")
    seen = [seat for seat, one in enumerate(scene["seats"]) if one["hand"]]
    assert seen == [told["seat"]]
    assert not any(one["options"] for seat, one in enumerate(scene["seats"]) if seat != told["seat"])


async def _asked(guest: Visitor) -> bool:
    """Whether there is something to do, once there is or the board is over."""
    over = guest.page.locator(".outcome")
    await expect(guest.page.locator("#choices button").or_(over).first).to_be_visible(timeout=PATIENCE_MS)
    return await over.count() == 0


async def _plays(cup: Cup, guest: Visitor, person: str) -> None:
    """What the house would do, by touch: a choice, or cards and what to do with them."""
    async with cup.inside.caller(person) as player:
        told = await player.table.GetView(pb.GetViewRequest(championship=cup.id))
    view = GAMES["shengji"].views.from_proto(told.update.view.shengji)
    assert isinstance(view, SeatView)
    rules, page = registry.find(told.seated.ruleset), guest.page
    action = rules.choose(view)
    text = rules.show(action)
    if view.question in ("bury", "lead", "follow") and isinstance(action, WITH_CARDS):
        for card in text.split()[1:]:
            await page.locator(f".hand [data-card={card}][aria-pressed=false]").first.tap()
        text = text.split()[0]
    await page.locator(f'#choices [data-action="{text}"]').tap()


async def _answers_nothing_else(cup: Cup, site: Site) -> None:
    """Nobody answers for a seat that is not theirs, with what is no action, or from another site."""
    address = f"/events/{cup.id}/play/answer"
    given = {"command_id": "mine", "board": "1", "ask": "1", "action": "pass"}
    async with httpx.AsyncClient(base_url=site.address, timeout=20) as browse:
        assert (await browse.post(address, data=given)).status_code == 303
        stranger = {"cookie": f"session={_token(cup, 'nobody')}"}
        refused = await browse.post(address, data=given, headers=stranger)
        assert refused.json()["refused"]
        player = {"cookie": f"session={_token(cup, cup.persons[0])}"}
        for wrong in ({"action": "cheat"}, {"ask": "x"}, {"board": "-1"}):
            assert (await browse.post(address, data=given | wrong, headers=player)).status_code == 400
        elsewhere = player | {"origin": "https://elsewhere.example"}
        assert (await browse.post(address, data=given, headers=elsewhere)).status_code == 403


def _token(cup: Cup, person: str) -> str:
    keys = cup.inside.place.keys
    assert keys is not None
    return mint(signing_key(keys), person, 600)
