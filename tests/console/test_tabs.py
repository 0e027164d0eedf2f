"""Which tabs and forms a visitor is shown: those that it can use, as the services say."""

from __future__ import annotations

import re

import pytest

from fupan.pairing.v1 import service_pb2 as pairing
from tests.console.contested import CUP, DESK, RESERVE, paired
from tests.console.serving import Site, serve
from tests.e2e.scratch import ARBITRATORS, CHIEF, OPERATOR, REFEREE, Cup

pytestmark = pytest.mark.timeout(180)

HOME = f"/events/{CUP}"


async def test_everybody_is_offered_what_it_can_use() -> None:
    async with paired() as cup:
        table, (player, *_) = next(iter((await cup.tables()).items()))
        async with serve(cup.inside.place.services) as site:
            assert await tabs(site) == set()
            for person, offered in (
                ("spectator", set()),
                (player, {"play"}),
                (REFEREE, {"desk"}),
                (CHIEF, {"desk"}),
                (OPERATOR, {"desk"}),
                (ARBITRATORS[0], {"desk"}),
            ):
                assert await tabs(site, as_(cup, person)) == offered, person
            for path in (f"desk/{table}", "conduct"):
                for person, acts in ((REFEREE, True), (CHIEF, True), (OPERATOR, False), (RESERVE, False)):
                    page = await site.page(f"{HOME}/{path}", cookie=as_(cup, person))
                    assert ('method="post" action="/events/' in page) is acts, (path, person)
            for person, orders in ((CHIEF, True), (OPERATOR, False), (REFEREE, False), (player, False)):
                page = await site.page(f"{HOME}/corrections", cookie=as_(cup, person))
                assert (f'action="{HOME}/corrections/recalculate"' in page) is orders, person
                assert (f'action="{HOME}/corrections/publish"' in page) is (orders or person == OPERATOR), (
                    person
                )


async def test_C9_1_an_even_committee_is_told_where_it_is_shown() -> None:
    async with paired() as cup, serve(cup.inside.place.services) as site:
        page = await site.page(DESK)
        assert f"Arbitration committee: {', '.join((*ARBITRATORS, RESERVE))}" in page
        assert "The arbitration committee has 4 members" in page
        async with cup.inside.caller(OPERATOR) as operator:
            await operator.pairing.SuspendOfficial(
                pairing.SuspendOfficialRequest(
                    command_id="three", championship=CUP, person_id=RESERVE, role="arbitrator", reason="ill"
                )
            )
        page = await site.page(DESK)
        assert RESERVE not in page
        assert "The arbitration committee has" not in page


def as_(cup: Cup, person: str) -> str:
    return f"session={cup.token(person)}"


async def tabs(site: Site, cookie: str = "") -> set[str]:
    """The tabs of an event's page that lead to what not everybody can use."""
    page = await site.page(HOME, cookie=cookie)
    shown = re.search('<ul class="tabs">.*?</ul>', page, re.S)
    assert shown is not None
    return {name for name in ("play", "desk") if f'href="{HOME}/{name}"' in shown[0]}
