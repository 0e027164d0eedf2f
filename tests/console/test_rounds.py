"""Who sits where, as soon as a round is paired, and by what that can be checked."""

from __future__ import annotations

import re
from datetime import UTC
from pathlib import Path

import pytest

from clients.cli.main import run
from clients.console.desk import Event
from clients.console.language import LANGUAGES
from clients.console.page import Pages
from clients.console.paging import page
from clients.console.roster import Entrant
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.pairing.v1.events_pb2 import RoundPaired, Settings
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
    settings = Settings(rounds=2, boards_per_round=2)
    context = {
        "event": Event("cup", pairing.GetChampionshipResponse(settings=settings), UTC),
        "told": answer,
        "page": page(answer.tables, 1),
        "names": {1: Entrant("Li", "u-1")},
        "closed": 0,
        "boards": 2,
    }
    assert told in _words(PAGES.text(LANGUAGES["zh"], "parts/tables.html", context))
