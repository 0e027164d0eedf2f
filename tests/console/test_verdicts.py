"""Who sits at a table reads there what referees ruled, and contests it from the page (C9.3, C10.1)."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from grpc.aio import AioRpcError

from fupan.appeals.v1 import service_pb2 as appeals
from fupan.table.v1 import service_pb2 as tables
from tests.console.serving import Site, serve
from tests.e2e import scratch
from tests.e2e.command import folder, fupan
from tests.e2e.scratch import CHIEF, REFEREE, Cup
from tests.servers import SECONDS

CUP = "ruled"
HOME = f"/events/{CUP}"
TEXT = "the board goes on"


async def test_C10_1_a_ruling_is_contested_from_where_it_is_told() -> None:
    with folder() as place:
        async with scratch.platform(place) as inside:
            cup = await scratch.found(inside, CUP, entrants=6, boards=1, rounds=1)
            await cup.pair()
            (table, players), (_, others) = (await cup.tables()).items()
            ruling = await _ruled(cup, table)
            assert ruling.startswith(f"{table}.")
            await cup.until(lambda told: told.phase == "running")
            async with serve(inside.place.services) as site:
                await _told_to_who_sits_there(cup, site, ruling, players[0], others[0])
                playing = [asyncio.create_task(cup.play(person)) for person in cup.persons]
                await cup.until(lambda told: told.phase == "closed")
                for one in playing:
                    one.cancel()
                await asyncio.gather(*playing, return_exceptions=True)
                await _contested(cup, site, ruling, players[0])
                await _overturned_later(cup, site, ruling, players[0])


async def _ruled(cup: Cup, table: str) -> str:
    """A referee rules at a table as soon as that is open, before anybody has sat down."""
    request = tables.MakeRulingRequest(command_id="rule", championship=CUP, table=table, text=TEXT)
    async with cup.inside.caller(REFEREE) as referee, asyncio.timeout(SECONDS):
        while True:
            try:
                return str((await referee.table.MakeRuling(request)).ruling)
            except AioRpcError:
                await asyncio.sleep(0.05)


async def _page(cup: Cup, site: Site, person: str, path: str) -> str:
    return await site.page(f"{HOME}{path}", cookie=f"session={cup.token(person)}")


async def _told_to_who_sits_there(cup: Cup, site: Site, ruling: str, player: str, other: str) -> None:
    address = f"{HOME}/contest?contested=ruling&amp;ruling={ruling}"
    page = await _page(cup, site, player, "/contest")
    assert TEXT in page
    assert address in page
    for path in ("/contest", f"/contest?contested=ruling&ruling={ruling}"):
        # Its board is open: nobody else learns what was ruled on it, nor where.
        page = await _page(cup, site, other, path)
        assert TEXT not in page
        assert 'type="hidden" name="table"' not in page
    await _overturned(cup, site, ruling, player, other)


async def _overturned(cup: Cup, site: Site, ruling: str, player: str, other: str) -> None:
    """From the desk's page, by the chief referee alone (C9.2)."""
    desk = f"/desk/{ruling.partition('.')[0]}"
    assert 'name="overturns"' not in await _page(cup, site, REFEREE, desk)
    assert f'<option value="{ruling}">' in await _page(cup, site, CHIEF, desk)
    asked = {"command_id": "o", "text": "<i>replay it</i>", "overturns": ruling, "reason": "he saw a card"}
    for person, status in ((REFEREE, 403), (CHIEF, 303)):
        cookie = {"cookie": f"session={cup.token(person)}", "origin": site.address}
        answer = await site.browse.post(f"{HOME}{desk}/ruling", data=asked, headers=cookie)
        assert answer.status_code == status, answer.text
    assert f'<option value="{ruling}">' not in await _page(cup, site, CHIEF, desk)
    for person, reads in ((player, True), (other, False)):
        page = await _page(cup, site, person, "/contest")
        assert ("&lt;i&gt;replay it&lt;/i&gt; (he saw a card)" in page) is reads
        assert (f"overturns {ruling}: he saw a card" in page) is reads


async def _overturned_later(cup: Cup, site: Site, ruling: str, player: str) -> None:
    """After the round, from the page of the table's rulings and from the command."""
    page = f"/rulings/{ruling.partition('.')[0]}"
    assert f'href="{HOME}{page}"' in await _page(cup, site, CHIEF, f"/desk?over={ruling.partition('.')[0]}")
    newer = re.findall(r'<option value="([^"]*)"', await _page(cup, site, CHIEF, page))
    assert len(newer) == 1
    assert newer != [ruling]  # that one is overturned
    assert "<option" not in await _page(cup, site, REFEREE, page)
    asked = {"command_id": "l", "text": "as it was", "overturns": newer[0], "reason": "no card was seen"}
    cookie = {"cookie": f"session={cup.token(CHIEF)}", "origin": site.address}
    for told, status in (({**asked, "overturns": ruling, "command_id": "k"}, 409), (asked, 303)):
        answer = await site.browse.post(f"{HOME}{page}/overturn", data=told, headers=cookie)
        assert answer.status_code == status, answer.text
    assert "as it was (no card was seen)" in await _page(cup, site, player, page)
    (last,) = re.findall(r'<option value="([^"]*)"', await _page(cup, site, CHIEF, page))
    words = [
        "table",
        "rule",
        page.rpartition("/")[2],
        "replay it",
        "--overturns",
        last,
        "--reason",
        "a film shows it",
    ]
    services = ",".join(f"{name}={address}" for name, address in cup.inside.place.services.items())
    where = ["--server", services, "--token", cup.token(CHIEF), "--championship", CUP]
    ended = await asyncio.to_thread(fupan, *words, *where, "--json")
    assert ended.told["ruling"].startswith(page.rpartition("/")[2])
    assert "replay it (a film shows it)" in await _page(cup, site, player, page)


async def _contested(cup: Cup, site: Site, ruling: str, player: str) -> None:
    form = await _page(cup, site, player, f"/contest?contested=ruling&ruling={ruling}")
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
    table = ruling.partition(".")[0]
    assert (hidden["contested"], hidden["ruling"], hidden["table"]) == ("ruling", ruling, table)
    assert (hidden["round"], hidden["board"], hidden["attempt"]) == ("1", "1", "1")
    asked = {**hidden, "grounds": "it should not", "remedy": "correct", "scores": "10 -5 -5"}
    cookie = {"cookie": f"session={cup.token(player)}", "origin": site.address}
    answer = await site.browse.post(f"{HOME}/contest", data=asked, headers=cookie)
    assert answer.status_code == 303, answer.text
    appeal = answer.headers["location"].rpartition("/")[2].partition("?")[0]
    async with cup.inside.caller(CHIEF) as chief:
        request = appeals.GetAppealRequest(championship=CUP, appeal=appeal)
        filed: Any = (await chief.appeals.GetAppeal(request)).appeal.filed
    assert (filed.contested.ruling.ruling, filed.contested.ruling.at.table) == (ruling, table)
    card = await _page(cup, site, player, f"/entrants/{filed.entrant}")
    assert TEXT in card
    assert TEXT not in await _page(cup, site, CHIEF, f"/entrants/{filed.entrant}")
    # The chief referee weighs it as the board's.
    weighed = await _page(cup, site, CHIEF, f"/appeals/{appeal}")
    assert f'href="{HOME}/boards/1/1/{table}"' in weighed
    assert "The smallest ruling of each kind that matters" in weighed
    unknown = {**asked, "ruling": f"{table}.000000000000", "command_id": "unknown"}
    answer = await site.browse.post(f"{HOME}/contest", data=unknown, headers=cookie)
    assert answer.status_code in (404, 409)
    assert "NOT_FOUND" in answer.text
