"""A contested championship: an appeal filed by a player in its browser, for the tests of the arbitration desk (C10)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Page, expect

from clients.cli.local.contest import choose
from fupan.appeals.v1 import service_pb2 as pb
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import service_pb2 as scoring
from tests.console.browsing import Visitor
from tests.e2e import scratch
from tests.e2e.command import folder
from tests.e2e.scratch import OPERATOR, Cup
from tests.servers import SECONDS

CUP = "contested"
DESK = f"/events/{CUP}/appeals"
RESERVE = "judge-4"


@asynccontextmanager
async def paired(**settings: Any) -> AsyncIterator[Cup]:
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


@dataclass(frozen=True)
class Filed:
    """An appeal, who filed it, for which entrant, at which table, and the scores it asks for."""

    appeal: str
    person: str
    entrant: int
    table: str
    scores: tuple[int, ...]


async def filed_in_a_browser(cup: Cup, guest: Visitor) -> Filed:
    """An appeal that would change ranks, filed by a player in its browser; once its case file is assembled (C10.1)."""
    async with cup.inside.caller(OPERATOR) as operator:
        told = await operator.scoring.GetStandings(scoring.GetStandingsRequest(championship=CUP))
        case = await choose(operator, CUP, told.rows)
    assert case is not None
    page = guest.page
    await signed_in(cup, guest, case.person, DESK)
    await guest.follow("main p a[href$=contest]")
    await guest.looks_right("contest")
    await guest.follow(f"a[href*='table={case.board.table}&']")
    await page.locator("textarea").fill("the score is wrong")
    await page.locator("input[value=correct]").check()
    await page.locator("input[name=scores]").fill("1 1 1")
    await another_by_keyboard(page)
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
    async with cup.inside.caller(case.person) as player, asyncio.timeout(SECONDS):
        while not (known := (await player.appeals.GetAppeal(asked)).appeal).case_file.complete:  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.05)
    assert list(known.filed.sought[0].correct_result.scores) == list(case.scores)
    return Filed(appeal, case.person, known.filed.entrant, case.board.table, case.scores)


async def another_by_keyboard(page: Page) -> None:
    """Another remedy in the same form, without a mouse; the next key chooses in it."""
    await page.get_by_role("button", name="Add another remedy").focus()
    await page.keyboard.press("Enter")
    await expect(page.locator("input[name=remedy-2][value='']")).to_be_focused()


async def signed_in(cup: Cup, guest: Visitor, person: str, to: str) -> None:
    await guest.signs_in(person, cup.token(person), to)
