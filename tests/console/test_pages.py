"""Public pages of a championship that is played: what they show, and what not yet."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from clients.console.headers import POLICY
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import service_pb2 as scoring
from tests.console.serving import Site, site
from tests.cup import Cup
from tests.platform import OPERATOR, Platform

NASTY = "<script>alert('x')</script>"


async def _cup(platform: Platform, entrants: int = 6, **document: Any) -> Cup:
    """A cup of people with names, its first round paired."""
    cup = await Cup.create(platform, 0, boards_per_round=2, rounds=1, **document)
    rows = [
        pairing.ImportRow(
            line=number,
            members=[
                pairing.PersonRow(person_id=f"p-{number}", unit_id=f"u-{number}", name=f"Person {number}")
            ],
        )
        for number in range(1, entrants + 1)
    ]
    await cup.boss.pairing.ImportEntrants(cup.importing(rows, cup.command()), timeout=60)
    await cup.pair()
    started = await platform.events.wait("round_started", round=1)
    # Standings know the entrants from here on.
    request = scoring.GetStandingsRequest(championship=cup.id, min_position=started.position)
    await cup.boss.scoring.GetStandings(request)
    return cup


async def test_from_the_list_to_every_page_of_a_championship_that_is_over(
    platform: Platform, console: Site
) -> None:
    cup = await _cup(platform)
    await cup.play(1)
    assert "/events/cup" in await console.page("/")
    overview = await console.page("/events/cup")
    assert "round 1 of 1" in overview.lower()
    assert "fupan audit verify cup.fupan" in overview
    standings = await console.page("/events/cup/standings")
    assert all(f"Person {number}" in standings for number in range(1, 7))
    assert 'data-zone="Asia/Shanghai"' in standings
    assert "Person 1" in await console.page("/events/cup/standings?publication=1")
    round_ = await console.page("/events/cup/rounds/1")
    assert "/events/cup/boards/1/2" in round_
    card = await console.page("/events/cup/entrants/3")
    assert "Person 3" in card
    assert "R, exactly" in card
    traveller = await console.page("/events/cup/boards/1/1")
    assert "/events/cup/boards/1/1/r1-t1" in traveller
    assert "r1-t2" in traveller
    certificate = await console.browse.get("/events/cup/seating.json")
    assert json.loads(certificate.content)


async def test_nothing_of_a_board_before_all_tables_have_closed_it(platform: Platform, console: Site) -> None:
    cup = await _cup(platform)
    await cup.tables.play(1, only=[1])
    await platform.events.wait("table_sealed")
    refused = await console.page("/events/cup/boards/1/1", 409)
    assert "a board is shown once every table has closed it" in refused
    assert "/events/cup/boards/1/1" not in await console.page("/events/cup/rounds/1")
    assert (await console.page("/events/cup/standings")).count('class="number result">—<') == 6
    await cup.tables.play(1, only=[2])
    await platform.events.wait("standings_published", after_round=1)
    assert "r1-t1" in await console.page("/events/cup/boards/1/1")
    assert 'class="number result">—<' not in await console.page("/events/cup/standings?publication=1")
    assert "/events/cup/boards/1/1" in await console.page("/events/cup/rounds/1")


async def test_standings_tell_what_has_changed(platform: Platform, console: Site) -> None:
    cup = await _cup(platform)
    first = await _follow(console, lambda told: True)
    assert (first["count"], sorted(first["rows"])) == (6, sorted("012345"))
    following = asyncio.create_task(_follow(console, lambda told: "100.0" in json.dumps(told)))
    await cup.play(1)
    assert (await following)["count"] == 6


async def test_what_people_wrote_is_text(platform: Platform, console: Site) -> None:
    organiser = platform.of(OPERATOR).pairing
    await organiser.CreateChampionship(
        pairing.CreateChampionshipRequest(
            command_id="create",
            document=f'{{championship: nasty, name: "{NASTY}", rounds: 1, boards_per_round: 1}}',
        )
    )
    member = pairing.PersonRow(person_id="p-1", unit_id="u-1", name=NASTY)
    header = pairing.ImportHeader(command_id="import", championship="nasty")
    await organiser.ImportEntrants(
        iter(
            [
                pairing.ImportEntrantsRequest(header=header),
                pairing.ImportEntrantsRequest(row=pairing.ImportRow(line=1, members=[member])),
            ]
        )
    )
    for path in ("/", "/events/nasty", "/events/nasty/standings", "/events/nasty/entrants/1"):
        page = await console.page(path)
        assert NASTY not in page
        assert "&lt;script&gt;" in page
    assert NASTY not in await console.page(f"/events/nasty?lang={NASTY}")


async def test_every_answer_allows_nothing_but_our_own_files(platform: Platform, console: Site) -> None:
    for path in ("/", "/nowhere", "/static/console.css", "/healthz"):
        answer = await console.browse.get(path)
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-cache"
    page = (await console.browse.get("/")).text
    sheet = page.partition('<link rel="stylesheet" href="')[2].partition('"')[0]
    kept = await console.browse.get(sheet)
    assert "immutable" in kept.headers["cache-control"]


async def test_the_language_is_the_browsers_until_somebody_chooses(platform: Platform, console: Site) -> None:
    assert "Championships" in await console.page("/")
    assert "赛事" in await console.page("/", Accept_Language="zh-CN")
    assert '<html lang="zh-Hans">' in await console.page("/?lang=zh")
    assert console.browse.cookies["lang"] == "zh"
    assert "赛事" in await console.page("/", Accept_Language="en")


async def test_the_page_with_an_entrant(platform: Platform, console: Site) -> None:
    await Cup.create(platform, 150, ())
    await _follow(console, lambda told: told["count"] == 100)
    found = await console.browse.get("/events/cup/standings?find=130")
    assert found.status_code == 303
    assert found.headers["location"] == "/events/cup/standings?page=2&entrant=130#entrant-130"
    there = await console.page(found.headers["location"])
    assert 'id="entrant-130"' in there
    assert 'id="entrant-1"' not in there
    whole = await console.page("/events/cup/standings?whole=1")
    assert 'id="entrant-130"' in whole
    assert 'id="entrant-1"' in whole
    missing = await console.browse.get("/events/cup/standings?find=999")
    assert "There is no entrant 999" in await console.page(missing.headers["location"])


async def test_without_a_token_nobody_is_named(platform: Platform, console: Site) -> None:
    await _cup(platform)
    async with site(platform, None) as stranger:
        standings = await stranger.page("/events/cup/standings")
    assert "Person 1" not in standings
    assert "p-1" in standings


async def test_a_token_that_is_no_longer_good_names_nobody(
    platform: Platform, console: Site, tmp_path: Path
) -> None:
    await _cup(platform)
    (tmp_path / "old").write_text("no.longer.good")
    for token_file in (tmp_path / "old", tmp_path / "missing"):
        async with site(platform, token_file) as stale:
            assert "p-1" in await stale.page("/events/cup/standings")


async def test_what_is_not_there_and_what_is_away(platform: Platform, console: Site) -> None:
    await _cup(platform)
    for path in (
        "/nowhere",
        "/events/none",
        "/events/NONE!",
        "/events/none/standings",
        "/events/cup/rounds/9",
        "/events/cup/rounds/99999999999",
        "/events/cup/boards/1/-1",
    ):
        assert "There is no such page" in await console.page(path, 404)
    # No table service runs here.
    answer = await console.browse.get("/events/cup/boards/1/1/r1-t1")
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "5"
    assert "127.0.0.1" not in answer.text


async def test_services_that_come_back_are_found_again(platform: Platform, console: Site) -> None:
    cup, seen = await _cup(platform), asyncio.Event()

    def over(told: Any) -> bool:
        seen.set()
        return "100.0" in json.dumps(told)

    following = asyncio.create_task(_follow(console, over, seconds=40))
    await seen.wait()
    await platform.replicas[0].stop()
    assert "A service is away" in await console.page("/events/cup/standings", 503)
    await platform.start()
    # Whoever follows the standings has noticed nothing but a pause.
    await cup.play(1)
    assert (await following)["count"] == 6
    assert "100.0" in await console.page("/events/cup/standings")


async def _follow(console: Site, until: Callable[[Any], bool], seconds: float = 15) -> Any:
    """The first event of the standings' stream for which `until` holds."""
    async with (
        asyncio.timeout(seconds),
        console.browse.stream("GET", "/events/cup/standings/stream") as answer,
    ):
        assert answer.headers["content-type"].startswith("text/event-stream")
        async for line in answer.aiter_lines():
            told = json.loads(line.removeprefix("data: ")) if line.startswith("data: ") else None
            if told is not None and until(told):
                return told
    raise AssertionError("the stream has ended")
