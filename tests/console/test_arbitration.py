"""The arbitration desk in Chromium: a case is paid for, read, voted on by a panel with one recusal; the ranking follows (C10)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import parse_qs

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import expect

from clients.console import effects, figures
from fupan.pairing.v1 import service_pb2 as pairing
from tests.console import browsing
from tests.console.browsing import PHONE, Visitor, visitor
from tests.console.contested import (
    CUP,
    DESK,
    RESERVE,
    Filed,
    another_by_keyboard,
    filed_in_a_browser,
    paired,
    signed_in,
)
from tests.console.serving import Site, serve
from tests.e2e.scratch import ARBITRATORS, CHIEF, OPERATOR, REFEREE, Cup
from tests.servers import SECONDS

pytestmark = browsing.needed


@pytest_asyncio.fixture
async def cup() -> AsyncIterator[Cup]:
    """A championship of two rounds, the first of one board at two tables played; an arbitrator more than a panel needs."""
    async with paired(rounds=2, automatic_rounds=False, lines=[3]) as cup:
        async with cup.inside.caller(OPERATOR) as operator:
            await operator.pairing.StartRound(
                pairing.StartRoundRequest(command_id="start", championship=CUP, round=1)
            )
        playing = [asyncio.create_task(cup.play(person)) for person in cup.persons]
        await cup.until(lambda told: told.phase == "closed")
        for one in playing:
            one.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        yield cup


async def test_C10_a_case_from_the_filing_to_the_corrected_standings(
    cup: Cup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As in a large field, where a page does not try every ruling unasked.
    monkeypatch.setattr(effects, "MATERIAL_ENTRANTS", 0)
    (tmp_path / "token").write_text(cup.token("console"))
    async with serve(cup.inside.place.services, tmp_path / "token") as site:
        async with visitor(site.address) as guest:
            filed = await filed_in_a_browser(cup, guest)
            here = f"{DESK}/{filed.appeal}"
            await _organised(cup, guest, here)
            await _one_steps_back(cup, guest, here)
            await _case_is_read(cup, guest, here)
            await _players_have_no_part(cup, site, here, filed.person)
            async with visitor(site.address, PHONE, "zh-CN", has_touch=True) as reserve:
                await signed_in(cup, reserve, RESERVE, here)
                await reserve.looks_right("vote-phone")
                await _votes(reserve)
            for member in ARBITRATORS[1:]:
                await signed_in(cup, guest, member, here)
                await _votes(guest)
            # The votes are counted by the services, and the page follows.
            ruling = guest.page.locator(".outcome h2")
            await expect(ruling).to_have_text("Ruling: upheld, 3 : 0")
            await _ruled(guest, here)
            await _the_chief_corrects(cup, guest, filed)
            await _both_standings(guest, here)
            await _what_counts_of_the_board(guest, here, filed)
        async with visitor(site.address, PHONE, "zh-CN", color_scheme="dark", has_touch=True) as guest:
            await _on_a_phone(cup, guest, here)


async def _organised(cup: Cup, guest: Visitor, here: str) -> None:
    """The organiser finds the case, takes the fee and appoints the panel; an even one is refused (C10.2, C10.3)."""
    page = guest.page
    await signed_in(cup, guest, OPERATOR, DESK)
    await expect(page.locator("#appeals tr")).to_have_count(1)
    await guest.looks_right("arbitration")
    await guest.follow("#appeals th a")
    assert page.url.endswith(here)
    await guest.follow("form[action$=fee] button")
    await expect(page.locator("[role=status].notice")).to_contain_text("Done")
    await page.locator("input[name=members]").fill(" ".join(ARBITRATORS[:2]))
    await guest.follow("form[action$=panel] button")
    await expect(page.locator("[role=alert]")).to_contain_text("PANEL_NOT_ODD")
    await expect(page.locator("input[name=members]")).to_have_value(" ".join(ARBITRATORS[:2]))
    guest.complaints.clear()  # Chromium tells of every 409
    await page.locator("input[name=members]").fill(" ".join(ARBITRATORS))
    await page.locator("input[name=reserves]").fill(RESERVE)
    await guest.follow("form[action$=panel] button")
    await expect(page.locator(".phase").first).to_have_text("voting")
    assert await page.locator("form[action$=vote]").count() == 0


async def _one_steps_back(cup: Cup, guest: Visitor, here: str) -> None:
    """A member sees what is asked for and what it would change, and declares a conflict: the reserve steps in (C10.3)."""
    page = guest.page
    await signed_in(cup, guest, ARBITRATORS[0], here)
    await expect(page.locator("form[action$=vote]")).to_have_count(1)
    await expect(page.locator("#effect-1")).to_have_text("What it would change")
    assert await page.locator("section[aria-labelledby=effect-1] .changes tbody tr").count() > 0
    await expect(page.locator(".crossed")).to_contain_text("The line after rank 3")
    await expect(page.locator("#effect-1-seats")).to_have_text("Round 2 if it were paired now")
    await guest.follow("#other + p a")
    await expect(page.locator("#other + p")).to_have_text(
        "Some ruling of what is contested would change a rank."
    )
    await page.locator("summary", has_text="The smallest ruling").click()
    await expect(page.locator("td", has_text="played again")).to_be_visible()
    await guest.looks_right("appeal")
    await page.locator("summary", has_text="See what another").click()
    await page.locator("input[value=void]").check()
    await page.locator("input[name=shares]").fill("60 50 40")
    await another_by_keyboard(page)
    await page.locator("input[name=remedy-2][value=penalty]").check()
    penalty = {"penalty-2": "late-1", "penalty_entrant-2": "99", "fine-2": "2.5"}
    for name, value in penalty.items():
        await page.locator(f"input[name={name}]").fill(value)
    await guest.follow(".asking button:not([name])")
    await expect(page.locator("input[name=penalty_entrant-2]")).to_have_accessible_description(
        re.compile("99")
    )
    await page.locator("input[name=penalty_entrant-2]").fill("1")
    await guest.follow(".asking button:not([name])")
    await expect(page.locator("#effect-1")).to_have_text("What another ruling would change")
    for name, value in {**penalty, "penalty_entrant-2": "1", "shares": "60 50 40"}.items():
        await expect(page.locator(f"input[name={name}]")).to_have_value(value)
    await expect(page.locator("#effect-2")).to_have_text("What it would change")
    await guest.looks_right("appeal-another")
    await page.locator("form[action$=conflict] input[name=reason]").fill("my pupil")
    await guest.follow("form[action$=conflict] button")
    await expect(page.locator("dd", has_text=RESERVE)).to_have_count(1)
    await expect(page.locator("form[action$=vote]")).to_have_count(0)


async def _case_is_read(cup: Cup, guest: Visitor, here: str) -> None:
    """By a member, who reads it twice and is named once; and the board is played over again."""
    page = guest.page
    await signed_in(cup, guest, ARBITRATORS[1], here)
    await guest.follow(".opening button")
    checked = page.locator("dd", has_text="✓")
    await expect(checked).to_have_text("✓ file · ✓ chain · ✓ deals")
    await page.reload()
    opened = page.locator(".facts > div", has_text="Opened by").locator("dd")
    assert (await opened.inner_text()).count(ARBITRATORS[1]) == 1
    await guest.looks_right("case")
    case = page.url
    await guest.follow("main p a[href*='/case/replay']")
    await expect(page.locator(".lead")).to_contain_text("as the case file has it: edition 1")
    await expect(page.locator(".player")).to_have_count(3)
    frozen = await page.locator("#moves").inner_text()
    await guest.looks_right("case-replay")
    await page.keyboard.press("ArrowRight")
    await guest.follow(".knowledge a:nth-child(3)")
    await expect(page.locator("[aria-current=page]", has_text="What seat 1 knew")).to_be_visible()
    await expect(page.locator("#table")).to_have_attribute("data-step", "2")
    await guest.follow(".over a")
    assert page.url == case
    assert (await opened.inner_text()).count(ARBITRATORS[1]) == 1
    await guest.follow("main p a[href*='/boards/']")
    assert await page.locator("#moves").inner_text() == frozen
    await expect(page.locator(".player")).to_have_count(3)
    await expect(page.get_by_role("link", name="Contest this result")).to_have_attribute(
        "href", re.compile(r"contested=board&round=1&table=r1-t\d&board=1$")
    )


async def _players_have_no_part(cup: Cup, site: Site, here: str, appellant: str) -> None:
    """No form, no comparison, no file that is not theirs; and nobody reads the grounds but whom they are for."""
    other = next(one for one in cup.persons if one != appellant)
    async with httpx.AsyncClient(base_url=site.address, timeout=SECONDS) as browse:
        cookie = {"cookie": f"session={cup.token(other)}"}
        told = (await browse.get(here, headers=cookie)).text
        assert 'method="post" action="/events' not in told
        assert "the score is wrong" not in told
        assert (await browse.get(f"{here}/case?opening=mine", headers=cookie)).status_code == 403
        assert (await browse.get(f"{here}/case", headers=cookie)).status_code == 303
        assert (await browse.get(f"{here}/case/replay?opening=mine", headers=cookie)).status_code == 403
        assert (await browse.get(f"{here}/case/replay", headers=cookie)).status_code == 303
        ballot = {"command_id": "mine", "commitment": "00" * 32, "sealed_opening": "00" * 81}
        assert (await browse.post(f"{here}/vote", headers=cookie, data=ballot)).status_code == 403
        assert (await browse.post(f"{here}/nothing", headers=cookie, data=ballot)).status_code == 404
        # Another remedy is asked for without any script, and nothing is filed by it.
        about = {
            "contested": "publication",
            "publication": "1",
            "grounds": "wrong",
            "remedy": "",
            "more": "1",
        }
        told = (await browse.post(f"/events/{CUP}/contest", headers=cookie, data=about)).text
        assert (told.count("<fieldset"), told.count("<script"), ">wrong</textarea>" in told) == (2, 0, True)
        assert (await browse.get(DESK)).text.count(f'href="{DESK}/a-') == 1
        # Everybody sees that there is an appeal, and what it asks for; nobody else anything more (C10.1).
        told = (await browse.get(here)).text
        assert "voting" in told
        assert not any(
            one in told for one in ('method="post" action="/events', "the score is wrong", "Open the")
        )
        assert (await browse.get(DESK)).status_code == 200


async def _votes(guest: Visitor) -> None:
    """To uphold; what is sent says nothing of it."""
    page = guest.page
    await page.locator("input[value=uphold]").check()
    async with page.expect_request("**/vote") as sent:
        await page.locator("form[action$=vote] button").click()
    told = parse_qs((await sent.value).post_data or "")
    assert set(told) == {"command_id", "commitment", "sealed_opening", "member", "ballot_key"}
    assert [len(told[name][0]) for name in ("commitment", "sealed_opening")] == [64, 162]
    await expect(page.locator("[role=status].notice")).to_contain_text(re.compile("Done|已执行"))


async def _ruled(guest: Visitor, here: str) -> None:
    """The ruling, who voted how, and both standings."""
    page = guest.page
    await page.reload()
    await expect(page.locator("#effect-1")).to_have_text("What the ruling changed")
    await expect(page.locator(".changes .result").first).to_be_visible()
    for member in (*ARBITRATORS[1:], RESERVE):
        await expect(page.locator(".outcome")).to_contain_text(f"{member}: uphold")
    assert page.url.partition("?")[0].endswith(here)
    await guest.looks_right("ruling")


async def _the_chief_corrects(cup: Cup, guest: Visitor, filed: Filed) -> None:
    """A penalty, which the chief referee sees the effect of before ordering it; a reason is published with it (C9.2, C9.4)."""
    page, entrant = guest.page, filed.entrant
    await signed_in(cup, guest, CHIEF, f"/events/{CUP}/desk")
    await guest.follow("main p a[href$=corrections]")
    await guest.looks_right("corrections")
    await page.locator("input[value=penalty]").check()
    for name, value in {"penalty": "late-1", "penalty_entrant": str(entrant), "fine": "10"}.items():
        await page.locator(f"input[name={name}]").fill(value)
    await guest.follow(".asking button")
    await expect(page.locator("#effect")).to_have_text(f"Penalty late-1 of entrant {entrant}: 10.0 %")
    await guest.looks_right("corrections-effect")
    await page.locator("input[name=reason]").fill("came late to the table")
    await guest.follow("form[action$=correct] button")
    await expect(page.locator("[role=status].notice")).to_contain_text("Done")
    await guest.follow("form[action$=publish] button")
    await expect(page.locator("[role=status].notice")).to_contain_text("Done")
    await page.locator("form[action$=suspend] select").select_option(f"referee {REFEREE}")
    await page.locator("form[action$=suspend] input[name=reason]").fill("asleep")
    await guest.follow("form[action$=suspend] button")
    await expect(page.locator("[role=status].notice")).to_contain_text("Done")
    await expect(page.locator(f"option[value='referee {REFEREE}']")).to_have_count(0)
    await _what_is_ruled_is_final(guest, filed)
    # Of what the committee has ruled only the arithmetic may be put right (C10.7).
    for name, value in {"round": "1", "board": "1", "reason": "another deal"}.items():
        await page.locator(f"form[action$=replay] input[name={name}]").fill(value)
    await guest.follow("form[action$=replay] button")
    await expect(page.locator("[role=alert]")).to_contain_text("RULING_FINAL")
    await expect(page.locator("form[action$=replay] input[name=reason]")).to_have_value("another deal")
    guest.complaints.clear()  # Chromium tells of every 409
    working = "; ".join(f"{score} * 2" for score in filed.scores)
    for name, value in {"appeal": filed.appeal, "working": working, "reason": "a slip"}.items():
        await page.locator(f"form[action$=recalculate] input[name={name}]").fill(value)
    await guest.follow("form[action$=recalculate] button")
    await expect(page.locator("[role=status].notice")).to_contain_text("Done")


async def _what_is_ruled_is_final(guest: Visitor, filed: Filed) -> None:
    """A correction that is refused comes back with the remedy and its reason (C10.7)."""
    page = guest.page
    zeroes = {"table": filed.table, "round": "1", "board": "1", "scores": "0 0 0"}
    await page.locator("input[value=correct]").check()
    for name, value in zeroes.items():
        await page.locator(f".asking input[name={name}]").fill(value)
    await guest.follow(".asking button")
    # What the committee ruled on is refused before anybody gives a reason.
    await expect(page.locator("[role=alert]")).to_contain_text("RULING_FINAL")
    guest.complaints.clear()  # Chromium tells of every 409
    for name, value in zeroes.items():
        await expect(page.locator(f".asking input[name={name}]")).to_have_value(value)
    await expect(page.locator(".asking input[value=correct]")).to_be_checked()


async def _both_standings(guest: Visitor, here: str) -> None:
    """As published and as now known, each change linked to what caused it, for anybody (C10.8)."""
    page = guest.page
    await guest.follow(".corner button")
    await guest.open(f"/events/{CUP}/publications/1")
    await expect(page.locator(".phase")).to_have_text("provisional")
    ruling, penalty, arithmetic = (page.locator(f"#step-{number}") for number in (1, 2, 3))
    await expect(ruling).to_contain_text("ruling")
    await expect(ruling.locator(f"a[href='{here}']")).to_have_count(1)
    await expect(penalty).to_contain_text("came late to the table")
    await expect(arithmetic).to_contain_text("22 * 2")
    await expect(arithmetic.locator(f"a[href='{here}']")).to_have_count(1)
    await page.locator(".both a[href='#step-1']").first.click()
    await expect(page.locator("#step-1:target")).to_have_count(1)
    await guest.looks_right("publication")
    await guest.follow("#step-1 a[href*=appeals]")
    await expect(page.locator(".outcome h2")).to_have_text("Ruling: upheld, 3 : 0")
    await page.go_back()
    await guest.follow("nav[aria-label=Publications] a >> nth=0")
    await expect(page.locator("#changes + p")).to_have_text("Nothing.")


async def _what_counts_of_the_board(guest: Visitor, here: str, filed: Filed) -> None:
    """Beside what each table scored, with the way to the ruling; in the traveller, too."""
    page, board = guest.page, f"/events/{CUP}/boards/1/1"
    await guest.open(f"{board}/{filed.table}")
    await page.locator("#later").click()
    now = page.locator("#field .now")
    await expect(now).to_have_count(1)
    seat = int(re.findall(r"\d", await page.locator("#step .chose b").inner_text())[0])
    await expect(now).to_have_text(f"(now {figures.signed(2 * filed.scores[seat])})")
    await expect(now).to_have_attribute("href", here)
    await guest.looks_right("field-ruled")
    await guest.open(board)
    await expect(page.locator(f".traveller th a[href='{here}']")).to_have_text("Appeal")
    await guest.looks_right("board-ruled")


async def _on_a_phone(cup: Cup, guest: Visitor, here: str) -> None:
    page = guest.page
    await guest.open(f"/events/{CUP}/publications/1")
    await expect(page.locator("h1")).to_have_text("第 1 次公布")
    await guest.looks_right("publication-phone")
    await signed_in(cup, guest, OPERATOR, DESK)
    await expect(page.locator("h1")).to_have_text("仲裁台")
    await guest.looks_right("arbitration-phone")
    await guest.follow("#appeals th a")
    await expect(page.locator(".outcome h2")).to_contain_text("裁决")
    await guest.looks_right("ruling-phone")
    await guest.follow(".opening button")
    await expect(page.locator("h1")).to_have_text("案卷")
    for summary in await page.locator("details.clauses > summary").all():
        await summary.click()
    await guest.looks_right("case-phone")
    await guest.open(f"/events/{CUP}/conduct")
    await guest.looks_right("conduct-phone")
    await guest.open(f"/events/{CUP}/corrections")
    await guest.looks_right("corrections-phone")
    await signed_in(cup, guest, cup.persons[0], f"/events/{CUP}/contest")
    await guest.looks_right("contest-phone")
    await guest.follow("#boards ~ div a")
    await guest.looks_right("contest-form-phone")
    await guest.open(f"/events/{CUP}/contest?contested=pairing&pairing=1")
    await expect(page.locator("input[name=seats]")).to_be_visible()
    await page.locator("textarea").fill("坐错了")
    await page.locator("input[value=reseat]").check()
    await page.locator("input[name=seats]").fill("r1-t1: 1 2 3")
    await guest.follow(".asking button.main")
    await expect(page.locator(".wrong")).to_contain_text("已开始")
    await expect(page.locator("input[name=seats]")).to_have_value("r1-t1: 1 2 3")
    guest.complaints.clear()  # Chromium tells of every 409
    await guest.looks_right("contest-pairing-phone")
    await guest.follow("button[name=more]")
    await expect(page.locator("fieldset")).to_have_count(2)
    await guest.looks_right("contest-two-phone")
