"""A ruling that could not be carried out is shown wherever somebody looks who can do something about it (C10.6)."""

from __future__ import annotations

from fupan.scoring.v1 import events_pb2 as scoring
from tests.appeals.courts import BOARD, WORSE
from tests.console.serving import Site
from tests.cup import CHIEF, Cup
from tests.platform import Platform

BETTER = scoring.Remedy(
    correct_result=scoring.CorrectResult(table="r1-t1", round=1, board=1, attempt=1, scores=[20, -10, -10])
)


async def test_a_ruling_not_carried_out_is_shown_with_what_is_left_to_do(
    platform: Platform, console: Site
) -> None:
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.ended()
    first, second = await cup.file(1, BOARD, [WORSE]), await cup.file(2, None, [BETTER])
    appeals, corrections = "/events/cup/appeals", "/events/cup/corrections"
    await console.browse.post("/sign-in", data={"token": platform.token(CHIEF)})
    await cup.panel(first.appeal)
    await platform.events.wait("standings_published", number=2)
    for page in (appeals, corrections, f"{appeals}/{first.appeal}"):
        assert "Not carried out" not in await console.page(page)
    await cup.panel(second.appeal)
    refusal = await platform.events.wait("correction_refused")
    await cup.case(second.appeal, refusal.position)
    for page in (appeals, corrections, f"{appeals}/{second.appeal}"):
        told = await console.page(page)
        assert "Not carried out" in told, page
        assert "RULING_FINAL" in told
        assert "another ruling on the same thing stands" in told
        assert f"{appeals}/{second.appeal}" in told
        assert 'href="/events/cup/corrections"' in told
        chinese = await console.page(f"{page}?lang=zh")
        assert "未能执行" in chinese
        assert "请告知当事人" in chinese
        assert "another ruling" not in chinese
        await console.page(f"{page}?lang=en")
    assert "Not carried out" not in await console.page(f"{appeals}/{first.appeal}")
