"""A contested ruling of a referee is found at its table, and is treated as the board on which it was made (C10.1)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from fupan.appeals.v1 import case_pb2
from fupan.appeals.v1 import events_pb2 as events
from fupan.appeals.v1 import service_pb2 as pb
from fupan.scoring.v1 import service_pb2 as scoring
from fupan.table.v1 import events_pb2 as table_events
from fupan.table.v1 import service_pb2 as table
from fupan.table.v1.service_pb2_grpc import TableServiceServicer, add_TableServiceServicer_to_server
from services.ledger import dealing
from tests.appeals.courts import WORSE
from tests.cup import ARBITRATORS, CHIEF, Cup
from tests.platform import Platform, refused

MADE = "r1-t1.0123456789ab"
RULING = events.Contested(ruling=events.ContestedRuling(ruling=MADE))
AT = events.ContestedBoard(table="r1-t1", round=1, board=1, attempt=1)


class Tables(TableServiceServicer):
    """The table service's part: what was ruled at r1-t1; no other table is there."""

    async def ListRulings(self, request: table.ListRulingsRequest, context: Any) -> table.ListRulingsResponse:
        if request.table != "r1-t1":
            await context.abort(grpc.StatusCode.NOT_FOUND, "no such table")
        made = table.Ruling(ruling=MADE, round=1, board=1, attempt=1, text="so", referee="ref")
        return table.ListRulingsResponse(rulings=[made])

    async def ReplayBoard(self, request: Any, context: Any) -> AsyncIterator[table.ReplayBoardResponse]:
        yield table.ReplayBoardResponse(step=1)


@pytest.fixture
async def tables(platform: Platform) -> AsyncIterator[None]:
    server = grpc.aio.server()
    part: Any = Tables
    add_TableServiceServicer_to_server(part(), server)
    server.add_insecure_port(f"127.0.0.1:{platform.ports['table']}")
    await server.start()
    yield
    await server.stop(0)


async def test_a_ruling_that_nobody_made_is_not_contested(platform: Platform, tables: None) -> None:
    """Before a fee is taken for it."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.ended()
    for unknown in (
        "r-doesnotexist",
        "r1-t1.ba9876543210",
        "r1-t2.0123456789ab",
        "r1-t9.0123456789ab",
        ".",
        "x" * 99,
    ):
        contested = events.Contested(ruling=events.ContestedRuling(ruling=unknown, at=AT))
        told = await refused(cup.file(1, contested, [WORSE]))
        assert (told.code, told.reason) == (grpc.StatusCode.NOT_FOUND, "NOT_FOUND"), unknown
    assert await platform.events.of("appeal_filed") == []


async def test_a_contested_ruling_has_the_case_the_parties_and_the_remedies_of_its_board(
    platform: Platform, tables: None
) -> None:
    """C10.1, C10.3, C10.6."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.pair()
    await platform.events.wait("round_started")
    seats, other = await cup.at("r1-t1"), (await cup.at("r1-t2"))[0]
    assert (await refused(cup.file(seats[0], RULING, [WORSE]))).reason == "BOARD_OPEN"
    name, log = "r1-t1", cup.tables
    await log.open(name, 1, 1, seats, 2)
    leaves = {}
    said = table_events.Event(ruling_made=table_events.RulingMade(ruling=MADE, text="so"))
    for board in (1, 2):
        begun = await log.open_board(name, board)
        leaves[board] = await log.leaf(name, 1, board, begun.sequence)
        if board == 1:
            key = dealing.log_key(leaves[1], name, "1/1/1")
            await log.write(log.subject(name), [said], "1/1/1", key)
        await log.close_board(name, 1, board, leaves[board], (2, -1, -1))
    await log.seal(name)
    # Somebody of another table, who has the board before it, learns nothing of it.
    assert (await refused(cup.file(other, RULING, [WORSE]))).reason == "BOARD_OPEN"
    # What is asked for on its board may come before all tables have closed that.
    filed = await cup.file(seats[0], RULING, [WORSE], command_id="once")
    assert (await cup.file(seats[0], RULING, [WORSE], command_id="once")) == filed
    await platform.events.wait("case_assembled", edition=1, complete=False)
    await cup.pay(filed.appeal)
    await cup.appoint(filed.appeal)
    # The dealer reads in the appeal that this board is what is judged, and opens it to the panel before it is revealed.
    shown = await platform.events.wait("board_opened_to_panel")
    assert (shown.event.appeal, shown.event.path.board) == (filed.appeal, 1)
    await log.play(1, only=[2])
    await platform.events.wait("competition_ended")
    await platform.events.wait("case_assembled", edition=2, complete=True)
    request = pb.GetCaseRequest(command_id="case", championship="cup", appeal=filed.appeal)
    case = case_pb2.CaseFile.FromString((await platform.of(CHIEF).appeals.GetCase(request)).case_file)
    assert case.contested.ruling == events.ContestedRuling(ruling=MADE, at=AT)
    assert [one.event for one in case.board.acts] == [said]
    assert len(case.board.records) == 3
    assert case.board.HasField("deal")
    assert [one.table for one in case.seating] == [name]
    for member in ARBITRATORS[:3]:
        await cup.vote(filed.appeal, member, uphold=True)
    corrected = await platform.events.wait("result_corrected")
    asked = scoring.GetBoardRequest(championship="cup", round=1, board=1)
    told = await cup.boss.scoring.GetBoard(asked)
    assert corrected.position
    assert [list(one.scores) for one in told.results if one.table == name] == [[-10, 20, -10]]
    assert (await refused(cup.file(seats[1], RULING, [WORSE]))).reason == "RULING_FINAL"
