"""The arbitration desk in Chromium: a case is paid for, read, voted on by a panel with one recusal; the ranking follows (C10)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import pytest_asyncio
from grpc.aio import AioRpcError
from playwright.async_api import Page, expect

from clients.cli.local.contest import choose
from clients.console import effects, figures
from fupan.appeals.v1 import events_pb2 as events
from fupan.appeals.v1 import service_pb2 as pb
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import events_pb2 as remedies
from fupan.scoring.v1 import service_pb2 as scoring
from fupan.table.v1 import service_pb2 as tables
from tests.console import browsing
from tests.console.browsing import PHONE, Visitor, visitor
from tests.console.serving import Site, serve
from tests.e2e import scratch
from tests.e2e.command import folder
from tests.e2e.scratch import ARBITRATORS, CHIEF, OPERATOR, REFEREE, Cup

pytestmark = [pytest.mark.timeout(180), browsing.needed]

CUP = "contested"
DESK = f"/events/{CUP}/appeals"
RESERVE = "judge-4"


@pytest_asyncio.fixture
async def cup() -> AsyncIterator[Cup]:
    """A championship of two rounds, the first of one board at two tables played; an arbitrator more than a panel needs."""
    async with _paired(rounds=2, automatic_rounds=False, lines=[3]) as cup:
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


@asynccontextmanager
async def _paired(**settings: Any) -> AsyncIterator[Cup]:
    """The same before anybody has played, by default of one round that starts by itself."""
    with folder() as place:
        async with scratch.platform(place) as inside:
            cup = await scratch.found(inside, CUP, entrants=6, boards=1, **settings)
            async with inside.caller(OPERATOR) as operator:
                await operator.pairing.AppointOfficial(
                    pairing.AppointOfficialRequest(
                        command_id="reserve", championship=CUP, person_id=RESERVE, role="arbitrator"
                    )
                )
            await cup.pair()
            yield cup


async def test_C10_a_case_from_the_filing_to_the_corrected_standings(
    cup: Cup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As in a large field, where a page does not try every ruling unasked.
    monkeypatch.setattr(effects, "MATERIAL_ENTRANTS", 0)
    (tmp_path / "token").write_text(cup.token("console"))
    async with serve(cup.inside.place.services, tmp_path / "token") as site:
        async with visitor(site.address) as guest:
            filed = await _filed(cup, guest)
            here = f"{DESK}/{filed.appeal}"
            await _organised(cup, guest, here)
            await _one_steps_back(cup, guest, here)
            await _case_is_read(cup, guest, here)
            await _players_have_no_part(cup, site, here, filed.person)
            for member in (*ARBITRATORS[1:], RESERVE):
                await _signed_in(cup, guest, member, here)
                await _votes(guest)
            # The votes are counted by the services, and the page follows.
            ruling = guest.page.locator(".outcome h2")
            await expect(ruling).to_have_text("Ruling: upheld, 3 : 0", timeout=30_000)
            await _ruled(guest, here)
            await _the_chief_corrects(cup, guest, filed)
            await _both_standings(guest, here)
            await _what_counts_of_the_board(guest, here, filed)
        async with visitor(site.address, PHONE, "zh-CN", color_scheme="dark", has_touch=True) as guest:
            await _on_a_phone(cup, guest, here)


async def test_C10_a_board_that_others_still_play_is_shown_to_the_panel_alone() -> None:
    async with _paired() as cup:
        table, players = next(iter((await cup.tables()).items()))
        playing = [asyncio.create_task(cup.play(person)) for person in players]
        try:
            await _closed(cup, table)
            appeal = await _contested(cup, table, players[0])
            board, case = f"/events/{CUP}/boards/1/1/{table}", f"{DESK}/{appeal}/case?opening=mine"
            async with serve(cup.inside.place.services) as site:
                for person in (players[0], OPERATOR, RESERVE):
                    assert await _status(cup, site, person, board) == 409
                for page in (board, case, f"{DESK}/{appeal}"):
                    assert await _status(cup, site, ARBITRATORS[0], page) == 200
                for page in (case, case.replace("?", "/replay?")):
                    assert await _status(cup, site, players[0], page) == 409
        finally:
            for one in playing:
                one.cancel()
            await asyncio.gather(*playing, return_exceptions=True)


async def _closed(cup: Cup, table: str) -> None:
    """Return when a table has closed its board."""
    async with cup.inside.caller(OPERATOR) as operator, asyncio.timeout(30):
        while True:
            told = await operator.table.ListTables(tables.ListTablesRequest(championship=CUP))
            if any(one.table == table and one.boards_closed for one in told.tables):
                return
            await asyncio.sleep(0.05)


async def _contested(cup: Cup, table: str, person: str) -> str:
    """An appeal for a replay of a table's board, with a panel that may open it."""
    board: dict[str, Any] = {"table": table, "round": 1, "board": 1, "attempt": 1}
    request = pb.FileAppealRequest(
        command_id="file",
        championship=CUP,
        contested=events.Contested(board=events.ContestedBoard(**board)),
        grounds="the cards stuck",
        sought=[remedies.Remedy(replay_board=remedies.ReplayBoard(**board))],
    )
    async with cup.inside.caller(person) as player:
        filed = await player.appeals.FileAppeal(request)
    fee: dict[str, Any] = {"amount": filed.fee_amount, "currency": filed.fee_currency, "reference": "paid"}
    at: dict[str, Any] = {"championship": CUP, "appeal": filed.appeal}
    async with cup.inside.caller(OPERATOR) as operator:
        await operator.appeals.RecordFee(pb.RecordFeeRequest(command_id="fee", **at, **fee))
        await operator.appeals.AppointPanel(
            pb.AppointPanelRequest(command_id="panel", **at, members=ARBITRATORS)
        )
    async with cup.inside.caller(ARBITRATORS[0]) as judge, asyncio.timeout(30):
        asked = tables.ReplayBoardRequest(championship=CUP, table=table, board=1, attempt=1, all=True)
        while True:
            try:
                await anext(aiter(judge.table.ReplayBoard(asked)))
            except AioRpcError:
                await asyncio.sleep(0.05)
            else:
                return str(filed.appeal)


async def _status(cup: Cup, site: Site, person: str, path: str) -> int:
    return (await site.browse.get(path, headers={"cookie": f"session={cup.token(person)}"})).status_code


async def _organised(cup: Cup, guest: Visitor, here: str) -> None:
    """The organiser finds the case, takes the fee and appoints the panel; an even one is refused (C10.2, C10.3)."""
    page = guest.page
    await _signed_in(cup, guest, OPERATOR, DESK)
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
    await _signed_in(cup, guest, ARBITRATORS[0], here)
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
    await _another_by_keyboard(page)
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
    await _signed_in(cup, guest, ARBITRATORS[1], here)
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
    async with httpx.AsyncClient(base_url=site.address, timeout=20) as browse:
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
    await expect(page.locator("[role=status].notice")).to_contain_text("Done")


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


async def _the_chief_corrects(cup: Cup, guest: Visitor, filed: _Filed) -> None:
    """A penalty, which the chief referee sees the effect of before ordering it; a reason is published with it (C9.2, C9.4)."""
    page, entrant = guest.page, filed.entrant
    await _signed_in(cup, guest, CHIEF, f"/events/{CUP}/desk")
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


async def _what_is_ruled_is_final(guest: Visitor, filed: _Filed) -> None:
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


async def _what_counts_of_the_board(guest: Visitor, here: str, filed: _Filed) -> None:
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
    await _signed_in(cup, guest, OPERATOR, DESK)
    await expect(page.locator("h1")).to_have_text("仲裁台")
    await guest.looks_right("arbitration-phone")
    await guest.follow("#appeals th a")
    await expect(page.locator(".outcome h2")).to_contain_text("裁决")
    await guest.looks_right("ruling-phone")
    await guest.follow(".opening button")
    await expect(page.locator("h1")).to_have_text("案卷")
    await guest.looks_right("case-phone")
    await guest.open(f"/events/{CUP}/corrections")
    await guest.looks_right("corrections-phone")
    await _signed_in(cup, guest, cup.persons[0], f"/events/{CUP}/contest")
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


@dataclass(frozen=True)
class _Filed:
    """An appeal, who filed it, for which entrant, at which table, and the scores it asks for."""

    appeal: str
    person: str
    entrant: int
    table: str
    scores: tuple[int, ...]


async def _filed(cup: Cup, guest: Visitor) -> _Filed:
    """An appeal that would change ranks, filed by a player in its browser; once its case file is assembled (C10.1)."""
    async with cup.inside.caller(OPERATOR) as operator:
        told = await operator.scoring.GetStandings(scoring.GetStandingsRequest(championship=CUP))
        case = await choose(operator, CUP, told.rows)
    assert case is not None
    page = guest.page
    await _signed_in(cup, guest, case.person, DESK)
    await guest.follow("main p a[href$=contest]")
    await guest.looks_right("contest")
    await guest.follow(f"a[href*='table={case.board.table}&']")
    await page.locator("textarea").fill("the score is wrong")
    await page.locator("input[value=correct]").check()
    await page.locator("input[name=scores]").fill("1 1 1")
    await _another_by_keyboard(page)
    await page.locator("input[name=penalty-2]").fill("late-1")
    await page.locator("input[name=fine-2]").fill("2.5")
    await page.locator("input[name=remedy-2][value='']").check()
    await guest.follow(".asking button.main")
    # What was typed is kept, and what is wrong stands beside it.
    await expect(page.locator("[role=alert]")).to_contain_text("sum")
    await expect(page.locator("input[name=scores]")).to_be_focused()
    await expect(page.locator("input[name=scores]")).to_have_accessible_description(re.compile("sum to zero"))
    await expect(page.locator("input[value=correct]").first).to_be_checked()
    await expect(page.locator("input[name=remedy-2][value='']")).to_be_checked()
    for name, typed in {"scores": "1 1 1", "penalty-2": "late-1", "fine-2": "2.5"}.items():
        await expect(page.locator(f"input[name={name}]")).to_have_value(typed)
    await expect(page.locator("textarea")).to_have_value("the score is wrong")
    guest.complaints.clear()  # Chromium tells of every 409
    await guest.looks_right("contest-form-refused")
    await page.locator("input[name=scores]").fill(" ".join(map(str, case.scores)))
    await guest.looks_right("contest-form")
    await guest.follow(".asking button.main")
    await expect(page.locator("form[action$=withdraw]")).to_have_count(1)
    appeal = urlsplit(page.url).path.rpartition("/")[2]
    asked = pb.GetAppealRequest(championship=CUP, appeal=appeal)
    async with cup.inside.caller(case.person) as player, asyncio.timeout(30):
        while not (known := (await player.appeals.GetAppeal(asked)).appeal).case_file.complete:  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.05)
    assert list(known.filed.sought[0].correct_result.scores) == list(case.scores)
    return _Filed(appeal, case.person, known.filed.entrant, case.board.table, case.scores)


async def _another_by_keyboard(page: Page) -> None:
    """Another remedy in the same form, without a mouse; the next key chooses in it."""
    await page.get_by_role("button", name="Add another remedy").focus()
    await page.keyboard.press("Enter")
    await expect(page.locator("input[name=remedy-2][value='']")).to_be_focused()


async def _signed_in(cup: Cup, guest: Visitor, person: str, to: str) -> None:
    await guest.signs_in(person, cup.token(person), to)
