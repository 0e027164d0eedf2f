"""Score sheets in the browser: a match with real cards entered, fined, signed by both sides, confirmed (C8.6, S9.2, S10)."""

from __future__ import annotations

import csv
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from playwright.async_api import expect
from starlette.exceptions import HTTPException

from clients.console import sheets, times
from clients.console.language import LANGUAGES, Language
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.table.v1 import sheet_pb2
from services.games.shengji import infringements
from services.games.shengji.params import Params
from services.pairing.model.events import VENUE_ITEMS
from tests.console import browsing
from tests.console.browsing import PHONE, Visitor, visitor
from tests.console.serving import Site, serve
from tests.e2e import scratch
from tests.e2e.command import folder
from tests.e2e.scratch import CHIEF, REFEREE, Cup

CUP = "harbour"
SHEETS = f"/events/{CUP}/sheets"
DEALS = "0 2 0 0 0 5 0\n2 7 180 0 0 0 5\n3 7 90 0 0 0 0\n0,7,0,0,0,5,0\n2 Q 20 0 0 3 0"
FINED = DEALS.replace("2 7 180 0 0 0 5", "2 7 180 10 0 0 5")


def test_deals_are_read_as_people_write_them_and_written_as_they_are_read() -> None:
    deal = sheet_pb2.SheetDeal(declarer=3, level="T", points=-10, fines=[0, 10], rises=[2, 0])
    assert sheets.read("declarer,level,points\n\n3, 10, −10, 0, 10, 2, 0\n") == [deal]
    assert sheets.read(sheets.written([deal, deal])) == [deal, deal]
    for wrong in ("0 2 0 0 0 5", "0 2 x 0 0 5 0", f"{DEALS}\n0 2 0 0 0 -5 0", "-1 2 0 0 0 5 0"):
        with pytest.raises(sheets.Unreadable) as caught:
            sheets.read(wrong)
        assert caught.value.line == len(wrong.splitlines())
    with pytest.raises(HTTPException):
        times.micros("yesterday", UTC)


def test_a_time_comes_back_from_a_form_as_it_went_there() -> None:
    here = ZoneInfo("Asia/Shanghai")
    assert times.local(0, here) == ""
    assert times.local(1_796_000_000_123_999, here) == "2026-11-30T08:53:20.123"
    assert times.micros(times.local(1_796_000_000_123_000, here), here) == 1_796_000_000_123_000


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)
def test_S10_every_finding_of_the_catalogue_is_offered_once(language: Language) -> None:
    offered = [value for rows in sheets.findings(language, Params()).values() for value, _ in rows]
    assert offered == [f"{row.code} {finding}" for row in infringements.CATALOGUE for finding in row.outcomes]


def test_S6_4_a_failed_throw_is_offered_at_what_the_event_takes_for_it() -> None:
    def told(fine: int) -> str:
        offered = sheets.findings(LANGUAGES["en"], Params(throw_fine=fine))
        return next(told for rows in offered.values() for value, told in rows if value == "S10.14 found")

    assert told(5) == "S10.14 · 5 points a card"
    assert told(0) == "S10.14 · put right"


@browsing.needed
async def test_C8_6_a_sheet_from_the_first_infringement_to_the_referees_word(tmp_path: Path) -> None:
    async with _drawn() as cup, serve(cup.inside.place.services, _token_file(cup, tmp_path)) as site:
        async with visitor(site.address) as guest:
            players = await _entered(cup, guest)
            await _signed(cup, guest, players)
            await _confirmed(cup, guest)
            await _as_files(cup, site, players)
        async with visitor(site.address, PHONE, "zh-CN", color_scheme="dark", has_touch=True) as guest:
            await guest.signs_in(CHIEF, cup.token(CHIEF), f"{SHEETS}/r1-t2")
            await guest.looks_right("sheet-phone")
            await _by_other_deals(guest)
            await guest.page.locator("form[action$=decide] textarea").fill(FINED.replace("180 10", "180 0"))
            await guest.follow("form[action$=decide] button")
            await expect(guest.page.locator(".phase")).to_have_text("已核实")
            await guest.looks_right("sheet-decided-phone")


async def _by_other_deals(guest: Visitor) -> None:
    """A ruling by deals that nobody entered, which do not add up: what was written is kept."""
    form = guest.page.locator("form[action$=decide]")
    await form.locator("select[name=winner]").select_option("1")
    await form.locator("input[name=clause]").fill("C11.1")
    await form.locator("input[name=reason]").fill("中途离场")
    await form.locator("summary").focus()
    await guest.page.keyboard.press("Enter")
    await form.locator("input[name=other]").check()
    await form.locator("textarea").fill(FINED)
    await form.locator("input[name=place]").fill("二号厅")
    await guest.follow("form[action$=decide] button")
    await expect(guest.page.locator("[role=alert]")).to_contain_text("应为 0")
    guest.complaints.clear()  # Chromium tells of every 409
    await expect(form.locator("textarea")).to_have_value(FINED)
    await expect(form.locator("select[name=winner]")).to_have_value("1")
    await expect(form.locator("input[name=other]")).to_be_checked()
    for name, typed in (("clause", "C11.1"), ("reason", "中途离场"), ("place", "二号厅")):
        await expect(form.locator(f"input[name={name}]")).to_have_value(typed)
    # The form beside it is about what was entered, and that is nothing.
    await expect(guest.page.locator("form[action$=enter] textarea")).to_have_value("")
    await guest.looks_right("sheet-decide-phone")


async def _as_files(cup: Cup, site: Site, players: list[str]) -> None:
    """One page and rows, with the names that who asks may know; nobody else's business."""
    cookie = {"cookie": f"session={cup.token(REFEREE)}"}
    paper = await site.browse.get(f"{SHEETS}/r1-t1/sheet.pdf", headers=cookie)
    assert (paper.status_code, paper.headers["content-type"]) == (200, "application/pdf")
    assert paper.headers["content-disposition"] == f'attachment; filename="{CUP}-r1-t1.pdf"'
    assert paper.content.startswith(b"%PDF-")
    rows = await site.browse.get(f"{SHEETS}/r1-t1/sheet.csv", headers=cookie)
    told = list(csv.reader(rows.content.decode("utf-8-sig").splitlines()))
    assert ["match", "1", "place", "hall 2"] in told
    named = {value for _, _, field, value in told if field.startswith("player_") and field.endswith("_name")}
    assert named == {f"Name {one.rpartition('-')[2]}" for one in players}
    assert (await site.browse.get(f"{SHEETS}/r1-t1/sheet.doc", headers=cookie)).status_code == 404
    assert (await site.browse.get(f"{SHEETS}/r1-t9/sheet.pdf", headers=cookie)).status_code == 404
    assert (await site.browse.get(f"{SHEETS}/r1-t1/sheet.csv")).status_code == 303


@asynccontextmanager
async def _drawn() -> AsyncIterator[Cup]:
    """Two matches between four pairs, drawn and begun at their tables."""
    with folder() as place:
        async with scratch.platform(place) as inside:
            cup = await scratch.found(
                inside, CUP, 4, ruleset="shengji/xiamen-2015", match_deals=5, venue="onsite"
            )
            async with cup.inside.caller(REFEREE) as referee:
                await referee.pairing.ConfirmVenue(
                    pairing.ConfirmVenueRequest(command_id="venue", championship=CUP, items=VENUE_ITEMS)
                )
            await cup.pair()
            yield cup


async def _entered(cup: Cup, guest: Visitor) -> list[str]:
    """An infringement first, whose fine the deals must hold; one act is fined once. Who is to sign."""
    page = guest.page
    await guest.signs_in(REFEREE, cup.token(REFEREE), SHEETS)
    await expect(page.locator("#sheets tr")).to_have_count(2)
    await guest.looks_right("sheets")
    await guest.follow("#sheets a >> text=r1-t1")
    for code, refused in (("S10.5", False), ("S10.11", True)):
        form = page.locator("form[action$=infringe]")
        await form.locator("input[name=deal]").fill("2")
        await form.locator("select[name=found]").select_option(f"{code} found")
        await form.locator("input[name=reason]").fill("turned a trick over")
        await guest.follow("form[action$=infringe] button")
        await expect(page.locator("[role=alert]")).to_have_count(int(refused))
    await expect(page.locator("[role=alert]")).to_contain_text("S9.2")
    await page.locator("form[action$=enter] textarea").fill("0 2 0 0")
    await guest.follow("form[action$=enter] button")
    await expect(page.locator("[role=alert]")).to_contain_text("line 1 is no deal")
    await expect(page.locator("form[action$=enter] textarea")).to_have_value("0 2 0 0")
    await page.locator("form[action$=enter] textarea").fill(DEALS)
    await guest.follow("form[action$=enter] button")
    await expect(page.locator("[role=alert]")).to_contain_text("should be 10, not 0")
    guest.complaints.clear()  # Chromium tells of every 409
    await page.locator("form[action$=enter] textarea").fill(FINED)
    await page.locator("input[name=place]").fill("hall 2")
    await page.locator("input[name=began]").fill("2026-11-29T09:00")
    await page.locator("input[name=ended]").fill("2026-11-29T10:15")
    await guest.follow("form[action$=enter] button")
    await expect(page.locator(".phase")).to_have_text("open")
    # Who enters it anew finds what was entered.
    for name, kept in (("place", "hall 2"), ("began", "2026-11-29T09:00"), ("ended", "2026-11-29T10:15")):
        assert (await page.locator(f"input[name={name}]").input_value()).startswith(kept)
    await page.locator("form[action$=enter] input[name=reason]").fill("read again")
    await guest.follow("form[action$=enter] button")
    assert (await page.locator("input[name=ended]").input_value()).startswith("2026-11-29T10:15")
    await guest.looks_right("sheet")
    return await page.locator("form[action$=refuse] option").all_inner_texts()


async def _signed(cup: Cup, guest: Visitor, players: list[str]) -> None:
    """One by itself, the others on the referee's device."""
    page = guest.page
    await guest.signs_in(players[0], cup.token(players[0]), f"{SHEETS}/r1-t1")
    assert await page.locator("form[action*='/sheets/']").count() == 2
    await guest.looks_right("sheet-player")
    await guest.follow("form[action$=sign] button")
    await expect(page.locator("[role=status].notice")).to_contain_text("Done")
    await guest.signs_in(REFEREE, cup.token(REFEREE), f"{SHEETS}/r1-t1")
    for person in players[1:]:
        await page.locator("form[action$=sign] input[name=person]").fill(person)
        await guest.follow("form[action$=sign] button")
        await expect(page.locator(".facts")).to_contain_text(person)


async def _confirmed(cup: Cup, guest: Visitor) -> None:
    page = guest.page
    await expect(page.locator(".phase")).to_have_text("signed")
    await guest.follow("form[action$=confirm] button")
    await expect(page.locator(".phase")).to_have_text("verified")
    await expect(page.locator("form[action*='/sheets/']")).to_have_count(0)
    await guest.looks_right("sheet-verified")


def _token_file(cup: Cup, place: Path) -> Path:
    kept = place / "token"
    kept.write_text(cup.token("console"))
    return kept
