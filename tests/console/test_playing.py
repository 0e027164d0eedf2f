"""The play desk in Chromium: a whole board of each game, one seat in the browser and robots in the others."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import httpx
from playwright.async_api import Locator, expect

from clients.boards.replays import LISTED
from clients.robot.tokens import mint, signing_key
from fupan.table.v1 import service_pb2 as pb
from services.games import registry
from services.games.shengji.actions import WITH_CARDS
from services.games.shengji.view import SeatView
from services.ledger.games import GAMES
from tests.console import browsing
from tests.console.browsing import DESK, PHONE, Visitor, visitor
from tests.console.serving import Site, serve
from tests.e2e import scratch
from tests.e2e.command import Running, folder
from tests.e2e.scratch import Cup
from tests.servers import SECONDS

pytestmark = browsing.needed

OFFERED = ".bar:has(#clock:not(:empty)) #choices button, body:has(#clock:not(:empty)) .hand button:enabled"
"""What a question that waits for an answer offers; a bid that nobody asks for is left out."""
PRESSED = ".hand [aria-pressed=true]"

LATE = {"FUPAN_SPECTATORS_LATE": "1"}


@asynccontextmanager
async def _cup(ruleset: str, entrants: int, match_deals: int = 0) -> AsyncIterator[tuple[Cup, Site]]:
    """One table, whose first person nobody plays yet."""
    with folder() as place:
        async with scratch.platform(place, LATE) as inside:
            cup = await scratch.found(
                inside, "played", entrants=entrants, boards=1, ruleset=ruleset, match_deals=match_deals
            )
            await cup.pair()
            others = ("--but", cup.persons[0], "--server", inside.data, "--championship", cup.id)
            async with Running("robots", *others), serve(inside.place.services) as site:
                yield cup, site


async def test_a_whole_board_of_paohuzi() -> None:
    async with _cup("paohuzi/competitive-2017", 3) as (cup, site), visitor(site.address) as guest:
        page, person = guest.page, cup.persons[0]
        await _told_its_own_alone(cup, site, person)
        await guest.signs_in(person, _token(cup, person), f"/events/{cup.id}/play")
        assert await _asked(guest)
        # Its own hand is open, and nobody else's.
        assert await page.locator(".player").count() == 3
        assert await page.locator(".hand").count() == 1
        await guest.looks_right("play")
        for reason in ("a tile fell", "and another"):
            await page.locator("#referee input[name=reason]").fill(reason)
            await page.locator("#referee button").click()
            await expect(page.locator("#referee input[name=reason]")).to_have_value("")
            await expect(page.locator("#status")).to_have_text("The referee is called.")
        await _answers_nothing_else(cup, site)
        taps = 0
        while await _asked(guest):
            # By fingers first, then by keys alone.
            taps += 1
            if taps == 2:
                await _looks_right_elsewhere(guest, PHONE, "zh")
                await _can_be_tapped(guest)
                await _looks_right_elsewhere(guest, DESK, "en")
                assert await _asked(guest)
            if await page.locator(".hand button:enabled").count() and not await page.locator(PRESSED).count():
                await (_taps_a_tile(guest) if taps < 4 else _plays_by_keys(guest))
            else:
                await page.keyboard.press("1")
        await expect(page.locator(".outcome")).to_be_visible()
        await expect(page.locator("#match li")).to_have_text(re.compile("^Board 1 · "))
        await guest.looks_right("play-over")
        # Whoever cannot see the table has heard what happened.
        await expect(page.locator("#heard")).to_contain_text(re.compile(r"wins on|nobody won"))


async def _taps_a_tile(guest: Visitor) -> None:
    """A tile is chosen, dropped for another, and that one played by a second tap; of a claim the first choice is taken."""
    tiles, choices = guest.page.locator(".hand button:enabled"), guest.page.locator("#choices button")
    await tiles.first.click()
    await expect(tiles.first).to_have_attribute("aria-pressed", "true")
    offered = await choices.first.get_attribute("data-action")
    if offered and offered.startswith("play "):
        await tiles.last.click()
        await expect(guest.page.locator(PRESSED)).to_have_count(1)
        await expect(choices).to_have_count(1)
        await tiles.last.click()
        await expect(guest.page.locator(PRESSED)).to_have_count(0)
    else:
        await choices.first.click()


async def _plays_by_keys(guest: Visitor) -> None:
    await guest.page.keyboard.press("ArrowRight")
    await guest.page.keyboard.press("Enter")
    await guest.page.keyboard.press("1")


async def test_C8_2_a_whole_match_of_shengji_on_a_phone_in_chinese() -> None:
    """Two deals, the levels of both sides between them, and how the match came out."""
    async with (
        _cup("shengji/xiamen-2015", 2, match_deals=2) as (cup, site),
        visitor(site.address, PHONE, "zh-CN", has_touch=True) as guest,
    ):
        page, person = guest.page, cup.persons[0]
        await _told_its_own_alone(cup, site, person)
        await guest.signs_in(person, _token(cup, person), f"/events/{cup.id}/play")
        ended, turns = page.locator("#match .ended"), 0
        while await _asked(guest, ended):
            await _plays(cup, guest, person)
            turns += 1
            if turns == 5:
                await _can_be_tapped(guest)
                await guest.looks_right("play-phone")
                await expect(page.locator("#place")).to_have_text(re.compile("^第 1 轮 r1-t1 桌"))
                await _looks_right_elsewhere(guest, DESK, "en")
                await _looks_right_elsewhere(guest, PHONE, "zh")
                await _is_watched(cup, site)
        assert turns > 2 * 20
        await expect(page.locator("#match li")).to_have_count(2)
        await expect(ended).to_contain_text("胜")
        await guest.looks_right("play-over-phone")
        await _was_watched(cup, guest)


async def _is_watched(cup: Cup, site: Site) -> None:
    """By somebody who is nobody, from the round's page, without a hand."""
    async with visitor(site.address) as anybody:
        await anybody.open(f"/events/{cup.id}/rounds/1")
        await anybody.follow("td a >> text=watch")
        await expect(anybody.page.locator(".lead")).to_contain_text("1 second after")
        await expect(anybody.page.locator(".player .backs")).to_have_count(4)
        await expect(anybody.page.locator(".hand")).to_have_count(0)
        await expect(anybody.page.locator("#stands")).to_contain_text("Deal 1")
        await anybody.looks_right("watch")


async def _was_watched(cup: Cup, guest: Visitor) -> None:
    """The end of a match, and the way to the replays of its deals."""
    await guest.open(f"/events/{cup.id}/rounds/1/r1-t1")
    await expect(guest.page.locator("#stands")).to_contain_text("胜")
    await expect(guest.page.locator("#deals li")).to_have_count(2)
    await guest.looks_right("watch-over-phone")
    await guest.follow("#deals a")
    await expect(guest.page.locator("#slider")).to_be_visible()
    await _millions_are_looked_through(guest)


async def _millions_are_looked_through(guest: Visitor) -> None:
    """What the declarer could bury is folded at its step, and read page by page."""
    page, many = guest.page, guest.page.locator("details.many")
    await page.locator("#moves li", has_text="扣").locator("a").first.click()
    summary, shown = many.locator("summary"), many.locator("[role=status]")
    await expect(summary).to_have_text(re.compile(r"^合法选择 [\d,]{9,} 种。$"))
    assert await many.locator("li").count() == 0
    await summary.click()
    await expect(many.locator(".could li")).to_have_count(LISTED)
    await expect(shown).to_have_text("第 1 至 60 种")
    first = await many.locator(".could").inner_text()
    await many.get_by_role("button", name="后一页").click()
    await expect(shown).to_have_text("第 61 至 120 种")
    assert await many.locator(".could").inner_text() != first
    await guest.looks_right("replay-many-phone")
    await many.get_by_role("button", name="前一页").click()
    await expect(shown).to_have_text("第 1 至 60 种")
    await many.get_by_role("button", name="前一页").click()
    every = re.sub(r"\D", "", await summary.inner_text())
    await expect(shown).to_have_text(re.compile(f"至 {int(every):,} 种$"))


async def _looks_right_elsewhere(guest: Visitor, size: tuple[int, int], language: str) -> None:
    """The same question on another screen, in another language."""
    await guest.page.set_viewport_size({"width": size[0], "height": size[1]})
    await guest.open(f"{urlsplit(guest.page.url).path}?lang={language}")
    assert await _asked(guest)
    await expect(guest.page.locator("#status")).to_contain_text(
        {"en": "Your turn", "zh": "轮到您了"}[language]
    )
    await guest.looks_right(f"play-{size[0]}-{language}")


async def _can_be_tapped(guest: Visitor) -> None:
    """Whatever is to be tapped is 44 pixels wide and high."""
    small = await guest.page.evaluate(
        """[...document.querySelectorAll("#choices button, .hand button")]
        .map((one) => one.getBoundingClientRect()).filter(({width, height}) => width < 44 || height < 44).length"""
    )
    assert small == 0


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
    assert not any(one["asked"] for seat, one in enumerate(scene["seats"]) if seat != told["seat"])


async def _asked(guest: Visitor, over: Locator | None = None) -> bool:
    """Whether there is something to do, once there is or it is over; `over` shows that, else the board's outcome does."""
    over = over or guest.page.locator(".outcome")
    await expect(guest.page.locator(OFFERED).or_(over).first).to_be_visible()
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
    async with httpx.AsyncClient(base_url=site.address, timeout=SECONDS) as browse:
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
