"""An event with real cards from the command line alone: create, pairs, lot, eight sheets with two infringements and a dispute,
standings, paper (C1.3, C8, C11.2)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from tests.e2e import command, scratch
from tests.e2e.command import Ended, folder

TABLES = 8
CUP = """
championship: harbour
name: 海港杯升级赛
game: shengji
format: points
rounds: 1
venue: onsite
automatic_rounds: false
appeals: {final_authority: arbitration}
"""
BOARDS = """
championship: boards
name: 海港杯复式赛
game: shengji
format: pairs
cards: real
rounds: 1
boards_per_round: 1
venue: onsite
"""
DEALS = """declarer,level,points,fines_02,fines_13,rises_02,rises_13
0,2,0,0,0,5,0
2,7,180,0,0,0,5
3,7,90,0,0,0,0
0,7,0,0,0,5,0
2,Q,20,0,0,3,0
"""
FINED = DEALS.replace("2,7,180,0,0,0,5", "2,7,180,20,10,0,5")
"""With two infringements in the second deal."""


class Federation:
    """The command, pointed at a platform: `await it("sheet", "list")`, `await it("sheet", "confirm", t, who="ref")`."""

    def __init__(self, data: Path, championship: str = "harbour") -> None:
        self.data = data
        self.meant = {"FUPAN_CHAMPIONSHIP": championship}

    async def __call__(self, *words: object, who: str = "", code: int = 0) -> Ended:
        acting = ("--as", who) if who else ()
        ended = await asyncio.to_thread(
            command.fupan, *words, *acting, "--server", self.data, environment=self.meant
        )
        assert ended.code == code, (words, ended.err)
        return ended

    async def told(self, *words: object, who: str = "") -> Any:
        return (await self(*words, "--json", who=who)).told


async def test_C8_6_an_event_with_real_cards(tmp_path: Path) -> None:
    for name, text in (("cup.yaml", CUP), ("deals.csv", DEALS), ("fined.csv", FINED), ("pairs.csv", pairs())):
        (tmp_path / name).write_text(text, "utf-8")
    with folder() as place:
        async with scratch.platform(place) as inside:
            federation = Federation(inside.data)
            await drawn(federation, tmp_path)
            await sheets(federation, tmp_path)
            await over(federation, tmp_path)
            await contested(federation)
            await boards(Federation(inside.data, "boards"), tmp_path)


def pairs(count: int = 2 * TABLES) -> str:
    rows = [f"p-{n}a,unit-{n},李{n},p-{n}b,unit-{n},王{n}" for n in range(1, count + 1)]
    return "\n".join(["person_id,unit_id,name,person_id_2,unit_id_2,name_2", *rows, ""])


async def drawn(fupan: Federation, files: Path) -> None:
    """Created, pairs imported, officials appointed, the venue confirmed, the lot drawn: a sheet a table."""
    await fupan("championship", "create", files / "cup.yaml")
    await fupan("entrants", "import", files / "pairs.csv")
    await fupan("championship", "appoint", "chief", "chief_referee")
    await fupan("championship", "appoint", "ref", "referee")
    early = await fupan("championship", "start", code=1)
    assert "C11.2" in early.err
    assert len(await fupan.told("venue", "check")) == 7
    await seated_otherwise(fupan)
    missing = await fupan("venue", "check", "no_mirrors", who="ref", code=1)
    assert "safety_exits" in missing.err
    await fupan("venue", "check", "--all", who="ref")
    await fupan("championship", "start")
    await fupan("championship", "start")  # as after an outage: what is done is done
    stranger = await fupan("championship", "start", who="p-1a", code=1)
    assert "NOT_IN_ROLE" in stranger.err
    listed = await fupan.told("sheet", "list", who="ref")
    assert [(one["match"], one["state"]) for one in listed] == [
        (f"r1-t{number}", "empty") for number in range(1, TABLES + 1)
    ]


async def sheets(fupan: Federation, files: Path) -> None:
    """Eight sheets: the first with two infringements, the second disputed."""
    first = "r1-t1"
    await fupan("sheet", "infringe", first, 2, 0, "S10.3", "--reason", "looked at the bottom", who="ref")
    fined = ("sheet", "infringe", first, 2, 1, "S10.5", "--reason", "turned a trick over")
    assert (await fupan.told(*fined, who="ref"))["fine"] == 10
    again = await fupan(
        "sheet", "infringe", first, 2, 1, "S10.11", "--reason", "the same act", who="ref", code=1
    )
    assert "S9.2" in again.err
    wrong = await fupan("sheet", "enter", first, files / "deals.csv", who="ref", code=1)
    assert "deal 2: fines of side 0 should be 20, not 0" in wrong.err
    await asyncio.gather(*(sheet(fupan, files, number) for number in range(1, TABLES + 1)))


async def sheet(fupan: Federation, files: Path, number: int) -> None:
    """One table's sheet from its deals to what makes it count."""
    table, deals = f"r1-t{number}", files / ("fined.csv" if number == 1 else "deals.csv")
    await fupan("sheet", "enter", table, deals, "--place", "hall 2", who="ref")
    players = [one["person"] for side in await sides(fupan, table) for one in side["players"]]
    if number == 2:
        await fupan("sheet", "sign", table, who=players[0])
        await fupan("sheet", "dispute", table, "--reason", "deal 4 was 40", who=players[3])
        await fupan("sheet", "confirm", table, who="ref", code=1)
        await fupan("sheet", "decide", table, "--reason", "counted again", who="chief")
    else:
        taken = [word for person in players for word in ("--for", person)]
        await fupan("sheet", "sign", table, *taken, who="ref")
        await fupan("sheet", "confirm", table, who="ref")


async def sides(fupan: Federation, table: str) -> Any:
    return (await fupan.told("sheet", "show", table, who="ref"))["sides"]


async def seated_otherwise(fupan: Federation) -> None:
    """C9.2: two pairs change places before the round begins, and the seats of both tables are the chief referee's."""
    drawn = {one["table"]: one["entrants"] for one in await fupan.told("round", "status", who="chief")}
    one, other = drawn["r1-t1"], drawn["r1-t2"]
    swapped = {"r1-t1": [other[0], one[1]] * 2, "r1-t2": [one[0], other[1]] * 2}
    asked = [f"{table}={','.join(map(str, seats))}" for table, seats in swapped.items()]
    why = ("--reason", "two pairs of one club met")
    refused = await fupan("round", "seat", 1, asked[0], *why, who="chief", code=1)
    assert "SEATING_WRONG" in refused.err
    assert "NOT_IN_ROLE" in (await fupan("round", "seat", 1, *asked, *why, who="ref", code=1)).err
    await fupan("round", "seat", 1, "r1-t1", *why, who="chief", code=2)
    await fupan("round", "seat", 1, *asked, *why, who="chief")
    now = {one["table"]: one["entrants"] for one in await fupan.told("round", "status", who="chief")}
    assert now == drawn | swapped


async def over(fupan: Federation, files: Path) -> None:
    """All matches count: the round is over, eight pairs have three points and six net levels, and the paper is there."""
    listed = await fupan.told("sheet", "list", who="ref")
    assert {(one["state"], tuple(one["points"]), tuple(one["difference"])) for one in listed} == {
        ("verified", (3, 0), (6, -6))
    }
    await fupan("round", "status", "--watch")  # until the competition has ended
    standings = await fupan.told("standings")
    assert len(standings) == 2 * TABLES
    assert [(row["points"], row["net"]) for row in standings] == [("3", 6)] * TABLES + [("0", -6)] * TABLES
    # C11.1: every table is signed, and who stays on is recorded all the same; so are spectators.
    why = ("--reason", "discussed the last deal")
    nobody = await fupan("conduct", "record", "A6", "warning", *why, who="ref", code=1)
    assert "WHO_MISSING" in nobody.err
    await fupan("conduct", "record", "A6", "warning", "--entrant", 1, "--round", 1, *why, who="ref")
    await fupan("conduct", "record", "S3", "removal", *why, who="ref")
    recorded = await fupan.told("conduct", "list", who="chief")
    assert [(one["code"], one["entrant"], one["referee"]) for one in recorded] == [
        ("A6", 1, "ref"),
        ("S3", 0, "ref"),
    ]
    paper = files / "r1-t1.pdf"
    await fupan("sheet", "export", "r1-t1", paper, who="ref")
    assert paper.read_bytes().startswith(b"%PDF-")
    rows = files / "r1-t1.csv"
    await fupan("sheet", "export", "r1-t1", rows, who="ref")
    assert "deals,2,fines_02,20" in rows.read_text("utf-8-sig")
    assert "李" in rows.read_text("utf-8-sig")
    audit = files / "harbour.fupan"
    await fupan("audit", "export", "--out", audit)
    await fupan("audit", "export", "--out", files / "visitor.fupan", who="visitor")
    assert (files / "visitor.fupan").read_bytes() == audit.read_bytes()
    verified = await asyncio.to_thread(command.fupan, "audit", "verify", audit)
    assert verified.code == 0, verified.out


async def contested(fupan: Federation) -> None:
    """C8.6, C10.1: a confirmed sheet is appealed; what is asked for is seen before anybody rules, its records are in the case."""
    match, why = ("--match", "1=7=A"), ("--grounds", "the last deal was ours")
    player, at = "p-1a", ("--table", "r1-t1", "--round", 1, "--board")
    beyond = await fupan("appeal", "file", *at, 6, *match, *why, who=player, code=1)
    assert "BOARD_OPEN" in beyond.err
    appeal = (await fupan.told("appeal", "file", *at, 1, *match, *why, who=player))["appeal"]
    ruled = await fupan.told("appeal", "whatif", "--appeal", appeal, "--all", who="chief")
    points = [{row["entrant"]: row["points"] for row in ruled[side]} for side in ("before", "after")]
    changed = [(points[0][one], points[1][one]) for one in points[0] if points[0][one] != points[1][one]]
    assert sorted(changed) == [("0", "3"), ("3", "0")]
    assert (await fupan.told("appeal", "materiality", "--appeal", appeal, who="chief"))["material"]
    shown = await fupan.told("appeal", "show", appeal, "--case", who="chief")
    assert "chain" in shown["checked"]
    acts = [next(iter(one["event"]["sheet"])) for one in shown["case"]["board"]["acts"]]
    assert acts[:3] == ["infringement_entered", "infringement_entered", "sheet_entered"]
    assert acts[-1] == "sheet_confirmed"


async def boards(fupan: Federation, files: Path) -> None:
    """Duplicate boards with real cards on the same platform: entered by a referee, compared by line, verified (C1.3, S9.6)."""
    (files / "boards.yaml").write_text(BOARDS, "utf-8")
    (files / "four.csv").write_text(pairs(4), "utf-8")
    await fupan("championship", "create", files / "boards.yaml")
    await fupan("entrants", "import", files / "four.csv")
    for person, office in (("chief", "chief_referee"), ("ref", "referee")):
        await fupan("championship", "appoint", person, office)
    await fupan("venue", "check", "--all", who="ref")
    await fupan("championship", "start")
    tables = await fupan.told("round", "status")
    winners = set()
    for one, points in zip(tables, (30, 90), strict=True):
        first, second = one["entrants"][:2]
        winners.add(first if points == 30 else second)
        fine = ("fine", "--fine", 10, "--reason", "turned over a trick")
        await fupan("table", "infringement", one["table"], 0, "S10.5", *fine, who="ref")
        said = ("table", "enter", one["table"], 1, "--points", points)
        lonely = await fupan(*said, "--agreed", f"p-{first}a,p-{first}b", who="ref", code=1)
        assert "C8.6" in lonely.err
        entered = await fupan.told(*said, "--agreed", f"p-{first}a,p-{second}b", who="ref")
        assert entered["scores"] == ([50, -50] * 2 if points == 30 else [-10, 10] * 2)
    await fupan("round", "status", "--watch")  # until the competition has ended
    order = await fupan.told("standings")
    assert {one["entrant"] for one in order if one["percent"] == 100} == winners
    assert [one["rank"] for one in order] == [1, 1, 3, 3]
    alone = await fupan("round", "playoff", 1, "--reason", "one cup", who="chief", code=1)
    assert "C1.3" in alone.err
    await fupan("audit", "export", "--out", files / "boards.fupan", who="chief")
    await fupan("audit", "export", "--out", files / "visitor.fupan", who="visitor")
    assert (files / "visitor.fupan").read_bytes() == (files / "boards.fupan").read_bytes()
    verified = await asyncio.to_thread(command.fupan, "audit", "verify", files / "boards.fupan")
    assert verified.code == 0, verified.out
