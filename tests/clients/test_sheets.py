"""Score sheets as files: deals in, one page of paper and rows out (C8.6)."""

from __future__ import annotations

import re
import zlib
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from clients.cli import venue
from clients.cli.output import Problem
from clients.cli.sheetfile import read_deals
from clients.cli.words import choose
from clients.paper.page import BARE_DEALS, BARE_INFRINGEMENTS, TooMuch, page
from clients.paper.sheet import Names, flat, record
from fupan.pairing.v1 import events_pb2 as pairing_events
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.table.v1 import sheet_pb2
from fupan.table.v1 import sheet_service_pb2 as pb
from services.games.shengji.infringements import CATALOGUE, IN_CHINESE
from services.pairing.model.events import VENUE_ITEMS

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/on-site-deals.csv"
HEADER = "declarer,level,points,fines_02,fines_13,rises_02,rises_13\n"
PEOPLE = {"an": "李静文", "bo": "Ma Lin", "cai": "", "di": "欧阳霞"}
EVENT = pairing.GetChampionshipResponse(
    settings=pairing_events.Settings(name="海港杯 Harbour Cup", time_zone="Asia/Shanghai")
)
NAMES = Names(
    [
        pairing.ListedEntrant(
            entrant=pairing_events.Entrant(
                number=11 + side,
                members=[pairing_events.Member(person_id=one, unit_id=f"unit-{one}") for one in people],
            ),
            names=[PEOPLE[one] for one in people],
        )
        for side, people in enumerate((("an", "cai"), ("bo", "di")))
    ]
)


@pytest.fixture(autouse=True)
def english() -> None:
    choose("en")


def sheet(deals: int = 5) -> pb.Sheet:
    lines = read_deals(EXAMPLE)
    return pb.Sheet(
        championship="harbour",
        table="r1-t3",
        round=1,
        ruleset="shengji/xiamen-2015",
        state="verified",
        sides=[
            pb.SheetSide(entrant=11, players=["an", "cai"], points=3, net_levels=6),
            pb.SheetSide(entrant=12, players=["bo", "di"], points=0, net_levels=-6),
        ],
        figures=sheet_pb2.SheetFigures(
            place="hall 2", started_us=10**15, ended_us=10**15 + 10**9, deals=(lines * 20)[:deals]
        ),
        result=sheet_pb2.SheetResult(winner=0, levels=["A", "7"], clause="S9.5"),
        infringements=[
            pb.SheetInfringement(
                deal=2,
                seat=3,
                act=1,
                code="S10.5",
                finding="found",
                cards=1,
                fine=10,
                what="looking",
                reason="seen",
            )
        ],
        signatures=[
            pb.SheetSignature(person=one, time_us=10**15 + 10**9, taken_by=taken)
            for one, taken in (("an", ""), ("bo", "ref"), ("cai", ""))
        ],
        refusals=[pb.SheetRefusal(person="di", reason="算错 <底牌>", entered_by="ref", time_us=10**15)],
        referee=pb.SheetSignature(person="chief", time_us=10**15 + 10**9),
        decision="重新计分",
    )


def told(deals: int = 5) -> dict[str, Any]:
    return record(sheet(deals), EVENT, NAMES, UTC)


# Deals in


def test_the_example_is_a_file_of_deals() -> None:
    deals = read_deals(EXAMPLE)
    assert [(one.declarer, one.level, one.points) for one in deals][:2] == [(0, "2", 0), (2, "7", 180)]
    assert list(deals[1].rises) == [0, 5]


def test_ten_is_written_as_people_write_it(tmp_path: Path) -> None:
    path = tmp_path / "deals.csv"
    path.write_text(HEADER + "0,10,-15,,20,5,\n1,j,80,0,0,0,0\n", "utf-8")
    first, second = read_deals(path)
    assert (first.level, first.points, list(first.fines), list(first.rises)) == ("T", -15, [0, 20], [5, 0])
    assert second.level == "J"


def test_every_bad_row_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "deals.csv"
    path.write_text(HEADER + "0,2,0,0,0,5,0\nx,2,0,0,0,5,0\n0,2\n-1,2,0,0,0,5,0\n", "utf-8")
    with pytest.raises(Problem, match="nothing was entered"):
        read_deals(path)
    assert re.findall(r"line (\d+)", capsys.readouterr().err) == ["3", "4", "5"]
    path.write_text("declarer,level\n0,2\n", "utf-8")
    with pytest.raises(Problem, match="no column fines_02"):
        read_deals(path)


@pytest.mark.parametrize(
    ("row", "english", "chinese"),
    [
        ("0,2,x,0,0,5,0", "points: 'x' is no such figure", "points：'x' 不是此列的数字"),
        (",2,0,0,0,5,0", "declarer: '' is no such figure", "declarer：'' 不是此列的数字"),
        ("0,2,0,0,0,-5,0", "rises_02: '-5' is no such figure", "rises_02：'-5' 不是此列的数字"),
        ("0,2,99999999,0,0,5,0", "points: '99999999' is no such figure", "points：'99999999' 不是此列的数字"),
        ("0,2,0,0,0,5", "other cells than columns", "格数与列数不符"),
        ("0,2,0,0,0,5,0,1", "other cells than columns", "格数与列数不符"),
    ],
)
def test_a_bad_row_is_told_in_the_readers_language(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], row: str, english: str, chinese: str
) -> None:
    path = tmp_path / "deals.csv"
    path.write_text(f"{HEADER}{row}\n", "utf-8")
    for language, told in (("zh", chinese), ("en", english)):
        choose(language)
        with pytest.raises(Problem):
            read_deals(path)
        assert told in capsys.readouterr().err


# The sheet out


def test_C8_6_the_rows_hold_every_field() -> None:
    rows = {(section, number, field): value for section, number, field, value in flat(told())}
    assert rows["match", 1, "match"] == "r1-t3"
    assert rows["sides", 1, "player_1_name"] == "李静文"
    assert rows["sides", 2, "player_2_unit"] == "unit-di"
    assert (rows["sides", 1, "points"], rows["sides", 2, "net_levels"]) == (3, -6)
    assert rows["deals", 2, "rises_13"] == 5
    assert rows["infringements", 1, "name"] == "欧阳霞"
    assert rows["signatures", 2, "taken_by"] == "ref"
    assert rows["refusals", 1, "reason"] == "算错 <底牌>"
    assert rows["referee", 1, "person"] == "chief"
    assert rows["match", 1, "witness"] is None


def test_C8_6_the_page_is_one_page_with_the_names_in_it() -> None:
    paper = page(told())
    assert paper.startswith(b"%PDF-")
    assert _pages(paper) == 1
    missing = [char for char in "李静文欧阳霞重新计分算错底牌海港杯记分表" if char not in _characters(paper)]
    assert not missing
    assert b"/FontFile3" in paper, "the font is part of the file"
    assert page(told()) == paper


@pytest.mark.parametrize("deals", [0, 13, 40, 99])
def test_C8_6_however_many_deals_it_is_one_page(deals: int) -> None:
    assert _pages(page(told(deals))) == 1


def test_whatever_is_written_on_it_is_printed() -> None:
    odd = told()
    odd["decision"] = "x😀\n\ty\x07\x1b[31m \u202e𰻝"
    odd["infringements"][0]["reason"] = "很长的理由" * 200
    assert _pages(page(odd)) == 1
    odd["infringements"][0]["reason"] = "很长的理由" * 2_000
    with pytest.raises(TooMuch):
        page(odd)


def test_a_sheet_on_which_nothing_is_entered_can_be_printed_and_filled_in() -> None:
    blank = pb.Sheet(table="r1-t1", round=1, state="empty", sides=sheet().sides)
    paper = page(record(blank, EVENT, NAMES, UTC))
    assert _pages(paper) == 1
    assert "胜" in _characters(paper)
    rows = BARE_DEALS + BARE_INFRINGEMENTS
    assert _cells(paper) > 6 * rows > _cells(page(told(0)))


def test_the_catalogue_and_the_checklist_are_the_services() -> None:
    assert list(IN_CHINESE) == [row.code for row in CATALOGUE]
    assert tuple(venue.CHECKLIST) == VENUE_ITEMS


def _pages(paper: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", paper))


def _characters(paper: bytes) -> set[str]:
    """Every character that the fonts in a PDF map to."""
    found: set[str] = set()
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", paper, re.DOTALL):
        text = _inflated(stream)
        if b"beginbfchar" in text or b"beginbfrange" in text:
            found |= {chr(int(code, 16)) for code in re.findall(rb"<([0-9A-Fa-f]{4})>", text)}
    return found


def _cells(paper: bytes) -> int:
    """Rectangles that are drawn: every cell of a table is one."""
    return sum(
        _inflated(one).count(b" re") for one in re.findall(rb"stream\r?\n(.*?)endstream", paper, re.DOTALL)
    )


def _inflated(stream: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(stream)
    except zlib.error:
        return stream
