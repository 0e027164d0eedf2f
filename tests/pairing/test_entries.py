"""Entrants of a championship, over gRPC on real servers: imported, late, withdrawn, listed (C1.2, C1.6)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest

from fupan.pairing.v1 import service_pb2 as pb
from fupan.scoring.v1 import service_pb2 as scoring
from services.pairing.persons import Person, Persons
from services.runtime.positions import position
from services.runtime.streams import stream_of
from tests.cup import CHIEF, SEALABLE_US, Cup
from tests.platform import OPERATOR, Platform, refused


async def test_a_late_entrant_and_one_that_withdrew(platform: Platform) -> None:
    """C1.6, C1.7."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6)
    await cup.pair()
    await platform.events.wait("round_started", round=1)
    await cup.enter([7])
    player = platform.of("p-2").pairing
    for entrant, reason in ((3, "NOT_YOURS"), (2, "")):
        request = pb.WithdrawEntrantRequest(
            command_id=f"w{entrant}", championship="cup", entrant=entrant, reason="ill"
        )
        if reason:
            assert (await refused(player.WithdrawEntrant(request))).reason == reason
        else:
            await player.WithdrawEntrant(request)
    await cup.play(1)
    await platform.events.wait("round_started", round=2)
    second = await cup.boss.pairing.GetRound(pb.GetRoundRequest(championship="cup", round=2))
    seated = [number for one in second.tables for number in one.table.entrants]
    assert sorted(seated) == [1, 3, 4, 5, 6, 7]
    standings = await cup.boss.scoring.GetStandings(scoring.GetStandingsRequest(championship="cup"))
    rows = {row.entrant: row for row in standings.rows}
    assert (rows[2].withdrawn, rows[2].units) == (True, 2)
    assert (rows[7].withdrawn, rows[7].units) == (False, 0)


async def test_C1_6_who_was_given_a_seat_is_told_with_the_boards_that_all_have_closed(
    platform: Platform,
) -> None:
    """To those who watch at once."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6)
    await cup.pair()
    await platform.events.wait("round_started", round=1)
    asked = pb.GetRoundRequest(championship="cup", round=1)

    async def given(fupan: Any, seen: str = "") -> list[tuple[str, int, str, int]]:
        told = await fupan.pairing.GetRound(
            pb.GetRoundRequest(championship="cup", round=1, min_position=seen)
        )
        return [
            (each.table.table, one.seat, one.person_id, one.board)
            for each in told.tables
            for one in each.given
        ]

    for table in (await cup.boss.pairing.GetRound(asked)).tables:
        name, seats = table.table.table, list(table.table.entrants)
        await cup.tables.open(name, 1, 1, seats, 2)
        opened = await cup.tables.open_board(name, 1)
        leaf = await cup.tables.leaf(name, 1, 1, opened.sequence)
        people = (f"p-{seats[0]}", "", "gao") if name == "r1-t1" else tuple(f"p-{one}" for one in seats)
        closed = await cup.tables.close_board(name, 1, 1, leaf, (2, -1, -1), people=people)
        seen = position(stream_of(cup.tables.subject(name)), closed.sequence)
        full = await given(platform.of(CHIEF), seen)
        assert full == [("r1-t1", 1, "", 1), ("r1-t1", 2, "gao", 1)]
        assert await given(platform.of(None)) == ([] if name == "r1-t1" else full)


async def test_a_competition_ends_when_every_entrant_has_withdrawn(platform: Platform) -> None:
    """C1.6: what was played stays in the standings, which are sealed like any (C10.8)."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=3)
    await cup.pair()
    await platform.events.wait("round_started", round=1)
    await cup.withdraw(*range(1, 7))
    await cup.tables.play(1)
    ended = await platform.events.wait("competition_ended")
    assert ended.event.reason
    assert ended.body.actor == "service:pairing"
    assert len(await platform.events.of("round_paired")) == 1
    standings = await cup.boss.scoring.GetStandings(scoring.GetStandingsRequest(championship="cup"))
    assert [row.units for row in standings.rows] == [2] * 6
    platform.clock.stand(ended.header.time_us + SEALABLE_US)
    seal = pb.SealChampionshipRequest(command_id="s", championship="cup")
    assert (await platform.of(CHIEF).pairing.SealChampionship(seal)).seal.publication == 1


async def test_entrants_are_listed_page_by_page_with_their_names(platform: Platform) -> None:
    await platform.start()
    cup = await Cup.create(platform, entrants=0)
    rows = [
        pb.ImportRow(line=n, members=[pb.PersonRow(person_id=f"p-{n}", name=f"选手{n}", contact="x@y")])
        for n in range(1, 6)
    ]
    await cup.boss.pairing.ImportEntrants(cup.importing(rows, "i"))
    names, token = [], ""
    while True:
        page = await cup.boss.pairing.ListEntrants(
            pb.ListEntrantsRequest(championship="cup", page_size=2, page_token=token)
        )
        names += [one.names[0] for one in page.entrants]
        token = page.next_page_token
        if not token:
            break
    assert names == [f"选手{n}" for n in range(1, 6)]
    for wrong in ("x", "-1", "9" * 5000, "²"):
        request = pb.ListEntrantsRequest(championship="cup", page_token=wrong)
        assert (await refused(cup.boss.pairing.ListEntrants(request))).reason == "MALFORMED"
    # No name stands in the log.
    log = b"".join([one.stored.data for one in await platform.events.all()])
    assert "选手".encode() not in log


async def test_an_import_is_all_or_nothing_and_may_be_sent_again(platform: Platform) -> None:
    """C1.2."""
    await platform.start()
    cup = await Cup.create(platform, entrants=0)
    good = [pb.ImportRow(line=n, members=[pb.PersonRow(person_id=f"p-{n}")]) for n in range(1, 4)]
    wrong = [*good, pb.ImportRow(line=5, members=[pb.PersonRow(person_id="P 5")])]
    error = await refused(cup.boss.pairing.ImportEntrants(cup.importing(wrong, "i")))
    assert (error.reason, error.clause) == ("BAD_ROWS", "C1.2")
    assert "line 5" in error.message
    checking = [
        pb.CheckEntrantsRequest.FromString(one.SerializeToString()) for one in cup.importing(wrong, "i")
    ]
    checked = await cup.boss.pairing.CheckEntrants(iter(checking))
    assert ([one.line for one in checked.bad], checked.more) == ([5], 0)
    stranger = platform.of("nobody").pairing
    assert (await refused(stranger.CheckEntrants(iter(checking)))).reason == "NOT_IN_ROLE"
    assert (await cup.told()).entrants == 0
    assert await platform.events.of("entrants_imported") == []
    first = await cup.boss.pairing.ImportEntrants(cup.importing(good, "i"))
    again = await cup.boss.pairing.ImportEntrants(cup.importing(good, "i"))
    assert (first, (await cup.told()).entrants) == (again, 3)
    for other in (good[:2], [*good[:2], pb.ImportRow(line=9, members=[pb.PersonRow(person_id="new")])]):
        error = await refused(cup.boss.pairing.ImportEntrants(cup.importing(other, "i")))
        assert error.reason == "COMMAND_ID_REUSED"
    for messages in ([], [pb.ImportEntrantsRequest(row=good[0])], [pb.ImportEntrantsRequest()]):
        error = await refused(cup.boss.pairing.ImportEntrants(iter(messages)))
        assert error.reason == "MALFORMED"
    twice = list(cup.importing(good, "j"))
    error = await refused(cup.boss.pairing.ImportEntrants(iter([twice[0], *twice])))
    assert error.reason == "MALFORMED"


async def test_of_lists_that_replicas_import_at_once_the_refused_one_leaves_the_others_names(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C1.2: whichever writes names first, or last."""
    await platform.start()
    second = await platform.start(["pairing"], "r2")
    await Cup.create(platform, entrants=0)
    first, both, entered, keep = asyncio.Event(), asyncio.Event(), asyncio.Event(), Persons.keep

    async def together(persons: Persons, championship: str, people: Sequence[Person]) -> None:
        if people[0].name == "王":
            await keep(persons, championship, people)
            both.set()
            await entered.wait()
            return
        await keep(persons, championship, people)
        first.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(1):
                await both.wait()

    monkeypatch.setattr(Persons, "keep", together)

    def listed(name: str) -> list[pb.ImportEntrantsRequest]:
        header = pb.ImportHeader(command_id=f"import-{ord(name)}", championship="cup")
        row = pb.ImportRow(line=1, members=[pb.PersonRow(person_id="p-1", name=name)])
        return [pb.ImportEntrantsRequest(header=header), pb.ImportEntrantsRequest(row=row)]

    boss = platform.of(OPERATOR)
    other = platform.of(OPERATOR, platform.ports | second.ports).pairing
    importing = asyncio.ensure_future(boss.pairing.ImportEntrants(iter(listed("李"))))
    await first.wait()
    later = asyncio.create_task(refused(other.ImportEntrants(iter(listed("王")))))
    await importing
    entered.set()
    assert (await later).reason in ("BAD_ROWS", "IMPORT_OVERTAKEN")
    entrants = await boss.pairing.ListEntrants(pb.ListEntrantsRequest(championship="cup"))
    assert [list(one.names) for one in entrants.entrants] == [["李"]]
