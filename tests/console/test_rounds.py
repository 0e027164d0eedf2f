"""Who sits where, as soon as a round is paired, and by what that can be checked."""

from __future__ import annotations

import re
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from clients.cli.main import run
from clients.console.desk import Event
from clients.console.language import LANGUAGES
from clients.console.page import Pages
from clients.console.paging import page
from clients.console.roster import Entrant
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.pairing.v1.events_pb2 import RoundPaired, SeatedTable, Settings
from tests.console.serving import Site, site
from tests.cup import Cup
from tests.platform import Platform

PAGES = Pages()


def _words(text: str) -> str:
    """What of a page is read."""
    return " ".join(re.sub(r"<[^>]*>", " ", text).split())


def _rows(text: str) -> list[str]:
    """The rows of a page's table, as they are read."""
    body = text.partition("<tbody>")[2].partition("</tbody>")[0]
    return [_words(row) for row in body.split("</tr>")[:-1]]


async def test_a_paired_round_says_who_sits_where_before_anybody_plays(
    platform: Platform, console: Site
) -> None:
    cup = await Cup.create(
        platform,
        5,
        members=2,
        ruleset="shengji/duplicate-2017",
        format="pairs",
        automatic_rounds="false",
    )
    await cup.pair()
    told = await cup.boss.pairing.GetRound(pairing.GetRoundRequest(championship=cup.id))
    assert told.phase == "paired"
    tables = {one.table.table: list(one.table.entrants) for one in told.tables}
    shown = await console.page("/events/cup/rounds/1")
    # A pair's first person sits in its first seat.
    assert _rows(shown) == [
        " ".join([name, *(f"p-{number}-{1 + seat // 2} {number}" for seat, number in enumerate(entrants))])
        for name, entrants in tables.items()
    ]
    (bye,) = told.pairing.byes
    assert f"Bye: p-{bye}-1 / p-{bye}-2 {bye}" in _words(shown)
    assert "Board 1" not in shown
    assert "座位由抽签决定" in await console.page("/events/cup/rounds/1", Accept_Language="zh")
    overview = await console.page("/events/cup")
    assert "who sits where" in overview
    assert "boards counted" not in overview
    async with site(platform, None) as stranger:  # a console without a token knows numbers alone
        assert _rows(await stranger.page("/events/cup/rounds/1")) == [
            " ".join([name, *map(str, entrants)]) for name, entrants in tables.items()
        ]


async def test_C6_1_the_draw_is_checked_by_the_command_that_the_overview_names(
    platform: Platform, console: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = await Cup.create(platform, 6, automatic_rounds="false")
    assert "fupan pairing check" not in await console.page("/events/cup")
    await cup.pair()
    (line,) = re.findall("fupan (pairing check .*)</code>", await console.page("/events/cup"))
    certificate = await console.browse.get("/events/cup/seating.json")
    (tmp_path / "cup-seating.json").write_bytes(certificate.content)
    monkeypatch.chdir(tmp_path)
    assert run(line.split()) == 0
    assert run([*line.split()[:-1], "00" * 32]) == 1


def test_C9_2_C1_6_other_seats_are_said() -> None:
    """What the chief referee and a committee changed before the round, and who was given a seat while it was played."""
    before = SeatedTable(table="r2-t1", group=1, entrants=(1, 2))
    told = pairing.GetRoundResponse(
        round=2,
        phase="running",
        changes=[
            pairing.SeatsChanged(time_us=1, reason="one family", before=[before]),
            pairing.SeatsChanged(time_us=2, reason="ruling in appeal a-1", before=[before], ruled=True),
        ],
    )
    given = [
        pairing.GivenSeat(seat=0, board=1),
        pairing.GivenSeat(seat=0, person_id="gao", board=2),
    ]
    told.tables.add(table=SeatedTable(table="r2-t1", group=1, entrants=(2, 1)), given=given)
    names = {1: Entrant("Li", "u-1", ("Li",)), 2: Entrant("Wu", "u-2", ("Wu",))}
    text = PAGES.text(LANGUAGES["zh"], "parts/tables.html", shown(told, names))
    assert "裁判长改座（C9.2），" in _words(text)
    assert "：one family 原为：r2-t1 Li 1 , Wu 2" in _words(text)
    assert "依仲裁裁决改座" in text
    assert "ruling in appeal" not in text
    assert _rows(text) == ["r2-t1 Wu 2 第 1 副起：机器人 第 2 副起：gao Li 1"]


def shown(told: pairing.GetRoundResponse, names: dict[int, Entrant]) -> dict[str, Any]:
    """What the tables of a round are drawn from."""
    settings = Settings(rounds=2, boards_per_round=2)
    return {
        "event": Event("cup", pairing.GetChampionshipResponse(settings=settings), UTC),
        "told": told,
        "page": page(told.tables, 1),
        "names": names,
        "closed": 0,
        "boards": 2,
    }


@pytest.mark.parametrize(
    ("paired", "told"),
    [
        (RoundPaired(basis="standings", publication=3), "座位依据 第 3 次公布的名次 。"),
        (
            RoundPaired(basis="playoff", rank=2, reason="one cup", byes=[1]),
            "并列第 2 名者加赛（C4.5）：one cup 不入座： Li 1",
        ),
    ],
)
def test_what_seats_come_from_is_said(paired: RoundPaired, told: str) -> None:
    answer = pairing.GetRoundResponse(round=2, phase="paired", pairing=paired)
    context = shown(answer, {1: Entrant("Li", "u-1")})
    assert told in _words(PAGES.text(LANGUAGES["zh"], "parts/tables.html", context))
