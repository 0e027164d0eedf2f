"""Score sheets over gRPC: whose acts they are, and what becomes of the table (C8.6, C9.2-C9.4)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc import StatusCode

from fupan.common.v1 import log_service_pb2 as log_pb
from fupan.common.v1.log_service_pb2_grpc import LogServiceStub
from fupan.pairing.v1 import events_pb2 as pairing_pb
from fupan.table.v1 import events_pb2 as table_pb
from fupan.table.v1 import service_pb2 as table_service
from fupan.table.v1 import sheet_pb2
from fupan.table.v1 import sheet_service_pb2 as pb
from fupan.table.v1.sheet_service_pb2_grpc import SheetServiceStub
from services.games.shengji.params import DUPLICATE, XIAMEN
from services.ledger import record as ledger
from services.runtime.identity import create_keys
from tests.runtime.serving import EPOCH, appointed, entered
from tests.servers import SECONDS
from tests.table.serving import CUP, Service, World, championship, dealer, refused, serving, started
from tests.table.test_sheets import PLAYERS, UP_TO_A

TABLE = "r1-t1"


@pytest.fixture
async def world(tmp_path: Path, database: str) -> AsyncIterator[World]:
    create_keys(tmp_path / "keys")
    async with dealer() as port:
        yield World(tmp_path / "keys", database, port)


@dataclass
class Sheets:
    """The sheets of a running service, as a person calls for them."""

    service: Service

    async def call(self, who: str, rpc: str, **fields: Any) -> Any:
        module: Any = pb
        request = getattr(module, f"{rpc}Request")(**{"championship": CUP, "table": TABLE} | fields)
        if "command_id" in request.DESCRIPTOR.fields_by_name:
            request.command_id = sha256(f"{who} {rpc} {fields}".encode()).hexdigest()[:32]
        method = getattr(SheetServiceStub(self.service.channel), rpc)
        return await method(request, **self.service.auth(who))

    async def enter(self) -> Any:
        deals = [
            sheet_pb2.SheetDeal(
                declarer=one.declarer, level=one.level, points=one.points, fines=one.fines, rises=one.rises
            )
            for one in UP_TO_A
        ]
        return await self.call("ref", "EnterSheet", figures=sheet_pb2.SheetFigures(deals=deals))

    async def shown(self) -> pb.Sheet:
        sheet: pb.Sheet = (await self.call("an", "GetSheet")).sheet
        return sheet


@pytest.fixture
async def sheets(world: World) -> AsyncIterator[Sheets]:
    """A match of two pairs with real cards; `bo` plays and is a referee, too."""
    async with serving(world) as service:
        settings = championship(
            ruleset=XIAMEN,
            format="points",
            real_cards=True,
            venue="onsite",
            bid_clock_ms=5_000,
            bury_clock_ms=10_000,
        )
        created = pairing_pb.ChampionshipCreated(settings=settings, organiser="olga", epoch=EPOCH.id)
        await service.log.write(CUP, pairing_pb.Event(championship_created=created))
        await service.log.write(CUP, *entered("one", {11: ["an", "cai"], 12: ["bo", "di"]}))
        officials = (("ref", "referee"), ("chief", "chief_referee"), ("bo", "referee"))
        await service.log.write(CUP, *(appointed(person, office) for person, office in officials))
        table = pairing_pb.SeatedTable(table=TABLE, group=1, entrants=[11, 12, 11, 12], members=[0, 0, 1, 1])
        seated = pairing_pb.RoundSeated(round=1, tables=[table])
        await service.log.write(CUP, pairing_pb.Event(round_seated=seated))
        paired = pairing_pb.RoundPaired(round=1, tables=1)
        await service.log.write(CUP, pairing_pb.Event(round_paired=paired), started())
        made = Sheets(service)
        await events(made, "table_opened")
        yield made


async def test_C8_6_a_match_from_its_infringement_to_the_sealed_table(sheets: Sheets) -> None:
    found = sheet_pb2.EnterInfringement(
        deal=6, seat=1, act=1, code="S10.5", finding="found", cards=1, reason="seen"
    )
    told = await sheets.call("ref", "EnterInfringement", infringement=found)
    assert (told.infringement.fine, told.infringement.what) == (10, "looking at an earlier trick")
    entered = await sheets.enter()
    assert (entered.result.winner, list(entered.result.levels)) == (0, ["A", "7"])
    for person in ("an", "bo", "cai"):
        own = (await sheets.call(person, "SignSheet")).receipt
        assert (len(own.hash), own.position) == (32, "")  # which would count what other tables have written
    assert (await sheets.call("ref", "SignSheet", person="di")).receipt.position
    confirmed = await sheets.call("ref", "ConfirmSheet")
    assert confirmed.result == entered.result
    sheet = await sheets.shown()
    assert [list(side.players) for side in sheet.sides] == [["an", "cai"], ["bo", "di"]]
    assert [(one.person, one.taken_by) for one in sheet.signatures][2:] == [("cai", ""), ("di", "ref")]
    (ended,) = [one.match_ended for one in await events(sheets, "match_ended")]
    assert (ended.round, ended.winner, ended.net_levels, list(ended.past_a)) == (1, 0, 6, [True, False])
    await events(sheets, "table_sealed")
    await opened(sheets, "xu")


async def test_C8_6_a_matchs_log_is_everybodys_once_its_sheet_counts(sheets: Sheets) -> None:
    """C1.3: its cards are nobody else's, and no leaf of them is ever revealed."""
    await sheets.enter()
    for person in PLAYERS:
        await sheets.call(person, "SignSheet")
    assert await reads(sheets, "an") == await reads(sheets, "xu") == "LOG_NOT_OPEN"
    await sheets.call("ref", "ConfirmSheet")
    await opened(sheets, "xu")


async def test_C1_3_nobody_is_away_from_a_table_with_real_cards(sheets: Sheets) -> None:
    service = sheets.service
    told = await service.stub.ListTables(
        table_service.ListTablesRequest(championship=CUP), **service.auth("ref")
    )
    (table,) = told.tables
    assert (table.finished, list(table.connected)) == (False, [])


async def test_C1_6_whoever_was_given_a_seat_reads_the_rulings_of_its_table_though_nobody_connects_there(
    sheets: Sheets,
) -> None:
    stub: Any = sheets.service.stub
    where = {"championship": CUP, "table": TABLE}
    for request in (
        table_service.MakeRulingRequest(command_id="late", text="two minutes late", clause="C3.3", **where),
        table_service.ReplaceSeatRequest(
            command_id="dora", seat=0, person_id="dora", reason="illness", **where
        ),
    ):
        rpc = getattr(stub, type(request).__name__.removesuffix("Request"))
        await rpc(request, **sheets.service.auth("ref"))
    asked = table_service.ListRulingsRequest(**where)
    for person, told in (("dora", ["two minutes late"]), ("xu", [])):
        found = await stub.ListRulings(asked, **sheets.service.auth(person))
        assert [one.text for one in found.rulings] == told


async def test_C1_3_boards_with_real_cards_are_entered_and_leave_nothing_to_replay(world: World) -> None:
    async with serving(world) as service:
        settings = championship(
            ruleset=DUPLICATE,
            format="pairs",
            real_cards=True,
            venue="onsite",
            bid_clock_ms=1,
            bury_clock_ms=1,
        )
        created = pairing_pb.ChampionshipCreated(settings=settings, organiser="olga", epoch=EPOCH.id)
        await service.log.write(CUP, pairing_pb.Event(championship_created=created))
        await service.log.write(CUP, *entered("one", {11: ["an", "cai"], 12: ["bo", "di"]}))
        await service.log.write(CUP, appointed("ref", "referee"))
        table = pairing_pb.SeatedTable(table=TABLE, group=1, entrants=[11, 12, 11, 12], members=[0, 0, 1, 1])
        seated = pairing_pb.RoundSeated(round=1, tables=[table])
        await service.log.write(CUP, pairing_pb.Event(round_seated=seated))
        paired = pairing_pb.RoundPaired(round=1, tables=1)
        await service.log.write(CUP, pairing_pb.Event(round_paired=paired), started())
        made = Sheets(service)
        await events(made, "table_opened")
        ask = table_service.EnterBoardRequest(
            command_id="b1", championship=CUP, table=TABLE, board=1, points=65, agreed=["an", "di"]
        )
        assert (await refused(service.stub.EnterBoard(ask, **service.auth("an"))))[1] == "NOT_IN_ROLE"
        told = await service.stub.EnterBoard(ask, **service.auth("ref"))
        assert list(told.scores) == [15, -15, 15, -15]
        seen = await service.stub.GetView(
            table_service.GetViewRequest(championship=CUP), **service.auth("an")
        )
        assert (seen.seated.table, seen.update.HasField("view")) == (TABLE, False)
        again = await service.stub.EnterBoard(ask, **service.auth("ref"))
        assert again.receipt == told.receipt
        (entry,) = [one.board_entered for one in await events(made, "board_entered")]
        assert (entry.points, list(entry.agreed)) == (65, ["an", "di"])
        await events(made, "table_sealed")
        replay = table_service.ReplayBoardRequest(championship=CUP, table=TABLE, board=1, attempt=1, all=True)
        with pytest.raises(grpc.aio.AioRpcError) as error:
            _ = [step async for step in service.stub.ReplayBoard(replay, **service.auth("an"))]
        assert "PLAYED_WITH_REAL_CARDS" in str(error.value.trailing_metadata())
        assert (await refused(made.call("an", "GetSheet")))[1] == "NO_SCORE_SHEET"
        # What came out at one table is for nobody who may play it at another, until the round is closed.
        assert await reads(made, "an") == await reads(made, "xu") == "LOG_NOT_OPEN"
        assert await reads(made, "ref") == ""
        closed = pairing_pb.RoundClosed(round=1)
        await service.log.write(CUP, pairing_pb.Event(round_closed=closed))
        await opened(made, "xu")
        request = log_pb.ReadLogRequest(championship=CUP)
        book: Any = LogServiceStub(service.channel)
        told = await book.ReadLog(request, **service.auth("an")).read()
        assert len(told.records) == len(await records(made))


async def test_C9_4_the_log_keeps_whose_signature_it_is_and_who_took_it(sheets: Sheets) -> None:
    await sheets.enter()
    await sheets.call("ref", "SignSheet", person="di")
    body = ledger.body_of((await records(sheets))[-1])
    assert (body.actor, body.on_behalf_of) == ("ref", "di")
    assert body.authority


async def test_C9_3_whose_acts_they_are(sheets: Sheets) -> None:
    await sheets.enter()
    denied, no = StatusCode.PERMISSION_DENIED, StatusCode.FAILED_PRECONDITION
    calls = [
        (sheets.call("bo", "ConfirmSheet"), (denied, "PLAYS_THE_EVENT")),
        (sheets.call("an", "ConfirmSheet"), (denied, "NOT_IN_ROLE")),
        (sheets.call("ref", "DecideSheet", reason="x"), (denied, "NOT_IN_ROLE")),
        (sheets.call("an", "SignSheet", person="cai"), (denied, "NOT_YOURS")),
        (sheets.call("bo", "SignSheet", person="di"), (denied, "NOT_YOURS")),
        (sheets.call("bo", "DisputeSheet", person="di", reason="x"), (denied, "NOT_YOURS")),
        (sheets.call("xu", "SignSheet"), (denied, "NOT_IN_ROLE")),
        (sheets.call("ref", "SignSheet"), (no, "NOT_A_PLAYER")),
        (sheets.call("ref", "SignSheet", person="Di!"), (StatusCode.INVALID_ARGUMENT, "MALFORMED")),
        (sheets.call("ref", "ConfirmSheet", table="r9-t9"), (StatusCode.NOT_FOUND, "NOT_FOUND")),
        (sheets.call("ref", "ConfirmSheet"), (no, "SHEET_NOT_SIGNED")),
    ]
    for call, refusal in calls:
        assert await refused(call) == refusal
    assert not (await sheets.shown()).signatures


async def test_C9_2_a_dispute_goes_to_the_chief(sheets: Sheets) -> None:
    await sheets.enter()
    for person in PLAYERS:
        await sheets.call(person, "SignSheet")
    await sheets.call("di", "DisputeSheet", reason="deal 4 was 40, not 0")
    assert await refused(sheets.call("ref", "ConfirmSheet")) == (
        StatusCode.FAILED_PRECONDITION,
        "SHEET_NOT_SIGNED",
    )
    decided = await sheets.call("chief", "DecideSheet", reason="counted again: 0")
    assert decided.result.winner == 0
    sheet = await sheets.shown()
    assert (sheet.state, sheet.decision, sheet.referee.person) == ("verified", "counted again: 0", "chief")
    await events(sheets, "table_sealed")
    assert await refused(sheets.call("di", "DisputeSheet", reason="still")) == (
        StatusCode.FAILED_PRECONDITION,
        "TABLE_SEALED",
    )


async def test_a_round_lists_its_sheets(sheets: Sheets) -> None:
    stub: Any = SheetServiceStub(sheets.service.channel)
    told = await stub.ListSheets(pb.ListSheetsRequest(championship=CUP), **sheets.service.auth("xu"))
    assert [(one.table, one.state) for one in told.sheets] == [(TABLE, "empty")]


async def test_a_repeated_command_gets_its_first_answer(sheets: Sheets) -> None:
    first = await sheets.enter()
    await sheets.call("an", "SignSheet")
    assert await sheets.enter() == first
    assert [one.person for one in (await sheets.shown()).signatures] == ["an"]


async def reads(sheets: Sheets, who: str) -> str:
    """Why somebody does not read the table's log; empty: it is read."""
    book: Any = LogServiceStub(sheets.service.channel)
    request = log_pb.ReadLogRequest(subject=EPOCH.table_subject(CUP, TABLE))
    try:
        await book.ReadLog(request, **sheets.service.auth(who)).read()
    except grpc.aio.AioRpcError as error:
        return (await refused(raised(error)))[1]
    return ""


async def raised(error: grpc.aio.AioRpcError) -> None:
    raise error


async def opened(sheets: Sheets, who: str) -> None:
    """Returns once the table's log is open to somebody."""
    async with asyncio.timeout(SECONDS):
        while True:
            if not await reads(sheets, who):
                return
            await asyncio.sleep(0.01)


async def records(sheets: Sheets) -> list[ledger.Record]:
    """The table's records so far."""
    subject = EPOCH.table_subject(CUP, TABLE)
    return [ledger.decode(one.data) async for one in sheets.service.runtime.store.read(subject)]


async def events(sheets: Sheets, kind: str) -> list[table_pb.Event]:
    """The table's events of a kind, once there is one."""
    async with asyncio.timeout(SECONDS):
        while True:
            told = [
                table_pb.Event.FromString(data)
                for record in await records(sheets)
                for data in ledger.body_of(record).events
            ]
            if found := [one for one in told if one.WhichOneof("kind") == kind]:
                return found
            await asyncio.sleep(0.01)
