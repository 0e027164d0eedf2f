"""An appeal on a board that others still play, on the pages of those who may know of it and of all others (C10.1)."""

from __future__ import annotations

from tests.appeals.courts import BOARD, WORSE
from tests.console.serving import Site
from tests.cup import CHIEF, Cup
from tests.platform import Platform


async def test_what_is_not_public_yet_is_shown_to_officials_alone(platform: Platform, console: Site) -> None:
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.pair()
    await platform.events.wait("round_started")
    await cup.tables.play(1, only=[1])
    filed = await cup.file((await cup.at("r1-t1"))[0], BOARD, [WORSE])
    other = f"p-{(await cup.at('r1-t2'))[0]}"
    appeals = "/events/cup/appeals"
    for person in (None, other):
        if person is not None:
            await console.browse.post("/sign-in", data={"token": platform.token(person)})
        for page in (appeals, f"{appeals}/{filed.appeal}"):
            told = await console.page(page)
            assert "not public while its board is played" in told
            assert "board 1 at r1-t1" not in told
            assert "Entrant 0" not in told
            assert "withdraw" not in told
    await console.browse.post("/sign-in", data={"token": platform.token(CHIEF)})
    for page in (appeals, f"{appeals}/{filed.appeal}"):
        told = await console.page(page)
        assert "board 1 at r1-t1" in told
        assert "not public" not in told
