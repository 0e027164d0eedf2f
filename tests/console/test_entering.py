"""Duplicate boards with real cards, entered by a referee in the browser (C1.3, S9.6)."""

from __future__ import annotations

import re

from playwright.async_api import expect

from fupan.pairing.v1 import service_pb2 as pairing
from services.pairing.model.events import VENUE_ITEMS
from tests.console import browsing
from tests.console.browsing import PHONE, Visitor, visitor
from tests.console.serving import serve
from tests.e2e import scratch
from tests.e2e.command import folder
from tests.e2e.scratch import REFEREE, Cup

CUP = "boards"
DESK = f"/events/{CUP}/desk"
FORM = "form[action$=board]"


@browsing.needed
async def test_C1_3_a_board_with_real_cards_is_entered_at_its_table() -> None:
    with folder() as place:
        async with scratch.platform(place) as inside:
            cup = await scratch.found(
                inside, CUP, 4, ruleset="shengji/duplicate-2017", format="pairs", cards="real", venue="onsite"
            )
            async with inside.caller(REFEREE) as referee:
                await referee.pairing.ConfirmVenue(
                    pairing.ConfirmVenueRequest(command_id="venue", championship=CUP, items=VENUE_ITEMS)
                )
            await cup.pair()
            async with serve(inside.place.services) as site:
                async with visitor(site.address) as guest:
                    await _entered(cup, guest)
                async with visitor(
                    site.address, PHONE, "zh-CN", color_scheme="dark", has_touch=True
                ) as guest:
                    await _on_a_phone(cup, guest)


async def _entered(cup: Cup, guest: Visitor) -> None:
    """By keys alone: one side's word is not enough, and what was typed is kept."""
    page = guest.page
    await guest.signs_in(REFEREE, cup.token(REFEREE), DESK)
    await expect(page.locator(".tabs a", has_text="Score sheets")).to_have_count(0)
    await guest.follow("#tables a >> text=r1-t1")
    board = page.locator(f"{FORM} input[name=board]")
    await expect(board).to_have_value("1")
    await guest.looks_right("desk-board")
    await page.locator(f"{FORM} input[name=points]").focus()
    await page.keyboard.type("65")
    agreeing = page.locator(f"{FORM} input[type=checkbox]")
    await agreeing.first.focus()
    await page.keyboard.press("Space")
    await page.locator(f"{FORM} button").focus()
    await page.keyboard.press("Enter")
    await expect(page.locator(".wrong")).to_contain_text("of each side somebody agrees")
    await expect(agreeing.first).to_be_focused()
    await expect(agreeing.first).to_have_accessible_description(re.compile("of each side"))
    guest.complaints.clear()  # Chromium tells of every 409
    await guest.looks_right("desk-board-refused")
    await expect(page.locator(f"{FORM} input[name=points]")).to_have_value("65")
    await expect(agreeing.first).to_be_checked()
    await agreeing.nth(1).check()
    await guest.follow(f"{FORM} button")
    await expect(page.locator("[role=status].notice b")).to_have_text("+15 −15 +15 −15")
    await expect(board).to_have_value("2")
    await board.fill("1")
    await page.locator(f"{FORM} input[name=points]").fill("80")
    await page.locator(f"{FORM} input[name=reason]").fill("both left")
    await guest.follow(f"{FORM} button")
    await expect(board).to_have_accessible_description(re.compile("the next board to enter is board 2"))
    await expect(page.locator(f"{FORM} input[name=reason]")).to_have_value("both left")
    guest.complaints.clear()  # Chromium tells of every 409


async def _on_a_phone(cup: Cup, guest: Visitor) -> None:
    page = guest.page
    await guest.signs_in(REFEREE, cup.token(REFEREE), f"{DESK}/r1-t1")
    await guest.looks_right("desk-board-phone")
    await page.locator(f"{FORM} input[name=points]").fill("-5")
    await page.locator(f"{FORM} input[name=reason]").fill("一方离场")
    await guest.follow(f"{FORM} button")
    await expect(page.locator("[role=status].notice")).to_contain_text("本副得分")
    # The table has no board left, and no form for one.
    await expect(page.locator(FORM)).to_have_count(0)
    # Who plays the event enters nothing.
    await guest.signs_in(cup.persons[0], cup.token(cup.persons[0]), "/")
    assert (await page.request.get(f"{guest.address}{DESK}/r1-t2")).status == 403
    await guest.open(f"/events/{CUP}/rounds/1")
    told = await page.locator(".notice").inner_text()
    found = re.fullmatch(r"您在 (r1-t\d) 桌 (\d) 座。", told)
    assert found, told
    seat = page.locator("#live tr", has_text=found[1]).locator("td").nth(int(found[2]))
    await expect(seat).to_have_text("1")
    await guest.looks_right("own-seat-phone")
