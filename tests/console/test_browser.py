"""The console in Chromium, as visitors use it: by mouse, keys and fingers, in both languages, on a desk and on a phone."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import expect

from services.runtime.embedded.directory import free_port
from tests.console.browsing import PHONE, Visitor, visitor
from tests.console.serving import Site
from tests.cup import Cup
from tests.e2e.command import Running, folder
from tests.platform import Platform

pytestmark = pytest.mark.timeout(120)

BOARD = "/events/demo-1/boards/1/1/r1-t1"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def played() -> AsyncIterator[str]:
    """Address of the console of a small demo that is over."""
    port = free_port(exclude=frozenset())
    small = ("--entrants", 6, "--rounds", 1, "--boards", 1, "--seed", 7, "--json")
    with folder() as place:
        async with Running("demo", *small, "--data", place / "data", "--console", port) as demo:
            await demo.prints()
            yield f"http://127.0.0.1:{port}"
            assert (await demo.interrupt()).code == 0


@pytest.mark.asyncio(loop_scope="module")
async def test_from_the_championships_to_a_step_of_a_board(played: str) -> None:
    async with visitor(played) as guest:
        await guest.open("/")
        await guest.looks_right("events")
        await guest.follow(".events a")
        await guest.looks_right("event")
        await guest.follow(".tabs a >> text=Standings")
        await expect(guest.page.locator("#live")).to_contain_text("Updated")
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
    assert page.url.endswith("#step=2")


@pytest.mark.asyncio(loop_scope="module")
async def test_a_link_to_a_step_as_one_seat_knew_it_on_a_phone_in_chinese(played: str) -> None:
    async with visitor(played, PHONE, "zh-CN", color_scheme="dark", has_touch=True) as guest:
        await guest.open(f"{BOARD}?seat=1#step=3")
        await expect(guest.page.locator("h1")).to_contain_text("复盘")
        shown = int(await guest.page.locator("#table").get_attribute("data-step") or 0)
        assert shown >= 3
        # The other two hands are closed.
        assert await guest.page.locator(".hand").count() == 1
        await guest.looks_right("replay-phone")
        await guest.page.locator("#previous").tap()
        assert int(await guest.page.locator("#table").get_attribute("data-step") or 0) < shown
        for path, name in (("", "event"), ("/standings", "standings"), ("/rounds/1", "round")):
            await guest.open(f"/events/demo-1{path}")
            await guest.looks_right(f"{name}-phone")


@pytest.mark.asyncio(loop_scope="module")
async def test_the_language_is_switched_and_stays(played: str) -> None:
    async with visitor(played) as guest:
        await guest.open("/events/demo-1/standings")
        await guest.follow(".languages a")
        await expect(guest.page.locator("h1")).to_have_text("名次")
        await guest.follow(".tabs a")
        await expect(guest.page.locator("h2").last).to_have_text("核验")


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
