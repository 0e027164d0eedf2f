"""What the referees' desk offers to record (C11.1, S10)."""

from __future__ import annotations

import re
from typing import Any

from clients.console import conduct
from clients.console.language import LANGUAGES
from services.games.championship.conduct import CATALOGUE
from services.games.shengji import infringements
from tests.console.serving import Site
from tests.cup import CHIEF, Cup
from tests.platform import Platform


def test_C11_1_every_row_of_the_catalogue_is_offered_once_and_S10_where_a_referee_finds_it() -> None:
    everybody = conduct.everybody(LANGUAGES["en"])
    assert sorted(code for rows in everybody.values() for code, _ in rows) == sorted(CATALOGUE)
    told = conduct.rows("paohuzi", LANGUAGES["en"])
    codes = [code for rows in told.values() for code, _ in rows]
    assert sorted(codes) == sorted(
        code for code, row in CATALOGUE.items() if row.who in ("player", "anybody")
    )
    shengji = [code for rows in conduct.rows("shengji", LANGUAGES["zh"]).values() for code, _ in rows]
    found = [one.code for one in infringements.CATALOGUE if one.online == "recorded"]
    assert shengji == [*found, *codes]


async def test_C11_1_conduct_at_no_table_is_recorded_from_the_desk(platform: Platform, console: Site) -> None:
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.ended()
    page, chief = "/events/cup/conduct", f"session={platform.token(CHIEF)}"

    async def sent(status: int, act: str = "record", **told: str) -> str:
        form: dict[str, Any] = {"command_id": "c-1", "outcome": "warning", "reason": "<b>stayed</b>"} | told
        answer = await console.browse.post(f"{page}/{act}", data=form, headers={"cookie": chief})
        assert answer.status_code == status, answer.text
        return answer.text

    assert "Nothing has been recorded." in await console.page(page, cookie=chief)
    refused = await sent(409, code="A6")
    assert "WHO_MISSING C11.1" in refused
    assert 'value="A6" selected' in refused
    told = await console.browse.post(
        f"{page}/record",
        data={"command_id": "c-1", "code": "A6", "outcome": "warning", "reason": "stayed"},
        headers={"cookie": chief, "accept-language": "zh"},
    )
    (notice,) = re.findall('<p class="notice" role="alert">.*?</p>', told.text)
    assert notice.count("C11.1") == 1, "a Chinese sentence names its clause by itself"
    await sent(303, code="A6", entrant="3", round="1")
    shown = await console.page(f"{page}?done=1", accept_language="zh", cookie=chief)
    assert "赛后在赛场逗留或讨论牌局" in shown
    assert "&lt;b&gt;stayed" in shown
    await sent(400, code="A6", entrant="x")
    await sent(404, act="burn", code="A6", entrant="3")
    # It is read by whom it concerns, on the own card, and beside a case, whose file does not hold it.
    for person, reads in (("p-3", True), ("p-1", False)):
        card = await console.page("/events/cup/entrants/3", cookie=f"session={platform.token(person)}")
        assert ("&lt;b&gt;stayed" in card) is reads, person
    appeal = (await cup.file(3)).appeal
    await platform.events.wait("case_assembled")
    for person in (CHIEF, "p-3"):
        opened = f"/events/cup/appeals/{appeal}/case?opening=o-{person}"
        assert "&lt;b&gt;stayed" in await console.page(opened, cookie=f"session={platform.token(person)}")
    await console.page(page, 303)  # who is nobody signs in
    await console.page(page, 403, cookie=f"session={platform.token('p-1')}")
