"""The chief referee overturns a ruling after the round of its table, for good: on real servers (C9.2, C9.4, C10.7)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, ClassVar

import grpc
import pytest

from fupan.appeals.v1 import case_pb2
from fupan.appeals.v1 import events_pb2 as appeals
from fupan.appeals.v1 import service_pb2 as cases
from fupan.pairing.v1 import service_pb2 as pb
from fupan.table.v1 import service_pb2 as table
from fupan.table.v1.service_pb2_grpc import TableServiceServicer, add_TableServiceServicer_to_server
from tests.appeals.courts import WORSE
from tests.cup import CHIEF, Cup
from tests.platform import Platform, refused

MADE, OTHER, CHANGED = (f"r1-t1.{digit * 12}" for digit in "012")
CONTESTED = appeals.Contested(ruling=appeals.ContestedRuling(ruling=MADE))


class Tables(TableServiceServicer):
    """The table service's part: three rulings at r1-t1, one of which was overturned there; no other table is there."""

    asked: ClassVar[list[str]] = []

    async def ListRulings(self, request: table.ListRulingsRequest, context: Any) -> table.ListRulingsResponse:
        self.asked.append(request.table)
        if request.table != "r1-t1":
            await context.abort(grpc.StatusCode.NOT_FOUND, "no such table")
        at: dict[str, Any] = {"round": 1, "board": 1, "attempt": 1, "text": "so", "referee": "ref"}
        by = table.Overturning(ruling=OTHER, text="so", reason="why")
        return table.ListRulingsResponse(
            rulings=[
                table.Ruling(ruling=MADE, **at),
                table.Ruling(ruling=CHANGED, overturned=by, **at),
                table.Ruling(ruling=OTHER, overturns=CHANGED, **at),
            ]
        )

    async def ReplayBoard(self, request: Any, context: Any) -> AsyncIterator[table.ReplayBoardResponse]:
        yield table.ReplayBoardResponse(step=1)


@pytest.fixture
async def tables(platform: Platform) -> AsyncIterator[None]:
    Tables.asked.clear()
    server = grpc.aio.server()
    part: Any = Tables
    add_TableServiceServicer_to_server(part(), server)
    server.add_insecure_port(f"127.0.0.1:{platform.ports['table']}")
    await server.start()
    yield
    await server.stop(0)


def overturning(
    ruling: str, command_id: str = "o", reason: str = "his phone was off"
) -> pb.OverturnRulingRequest:
    return pb.OverturnRulingRequest(
        command_id=command_id, championship="cup", overturns=ruling, text="no warning", reason=reason
    )


async def test_C9_2_a_ruling_is_overturned_after_its_round_once(platform: Platform, tables: None) -> None:
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.ended()
    chief = platform.of(CHIEF).pairing
    assert (await refused(cup.boss.pairing.OverturnRuling(overturning(MADE)))).reason == "NOT_IN_ROLE"
    for unknown in ("r1-t1.ba9876543210", "r1-t2.0123456789ab", "r9-t9.0123456789ab", "", "."):
        assert (await refused(chief.OverturnRuling(overturning(unknown)))).reason == "NOT_FOUND", unknown
    assert (await refused(chief.OverturnRuling(overturning(CHANGED)))).reason == "RULING_OVERTURNED"
    assert (await refused(chief.OverturnRuling(overturning(MADE, reason=" ")))).reason == "REASON_MISSING"
    assert await platform.events.of("ruling_overturned") == []
    first = await chief.OverturnRuling(overturning(MADE))
    assert await chief.OverturnRuling(overturning(MADE)) == first
    assert first.ruling.startswith("r1-t1.")
    written = await platform.events.wait("ruling_overturned")
    assert (written.event.ruling, written.event.overturns) == (first.ruling, MADE)
    assert (written.event.reason, written.body.actor) == ("his phone was off", CHIEF)
    assert (await refused(chief.OverturnRuling(overturning(MADE, "p")))).reason == "RULING_OVERTURNED"
    # A case file about that table tells of it.
    filed = await cup.file(1, CONTESTED, [WORSE])
    await platform.events.wait("case_assembled", complete=True)
    asked = cases.GetCaseRequest(command_id="case", championship="cup", appeal=filed.appeal)
    case = case_pb2.CaseFile.FromString((await platform.of(CHIEF).appeals.GetCase(asked)).case_file)
    (told,) = case.overturned
    assert (told.ruling, told.referee) == (written.event, CHIEF)
    assert 0 < told.time_us < case.filed_us


async def test_C9_2_until_a_table_has_signed_its_log_its_rulings_are_overturned_there_alone(
    platform: Platform, tables: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table takes an overturning until then, also once the round is closed: a referee was called, say."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    seal = cup.tables.seal

    async def unsigned(name: str) -> Any:
        return None if name == "r1-t1" else await seal(name)

    monkeypatch.setattr(cup.tables, "seal", unsigned)
    await cup.ended()
    chief = platform.of(CHIEF).pairing
    told = await refused(chief.OverturnRuling(overturning(MADE)))
    assert (told.reason, told.clause) == ("TABLES_NOT_SEALED", "C9.2")
    assert await platform.events.of("ruling_overturned") == []
    # What the table has overturned before it signed is read after that.
    assert Tables.asked == []
    await seal("r1-t1")
    assert (await refused(chief.OverturnRuling(overturning(CHANGED)))).reason == "RULING_OVERTURNED"
    assert (await chief.OverturnRuling(overturning(MADE))).ruling
    assert Tables.asked == ["r1-t1", "r1-t1"]


async def test_C10_7_what_a_committee_has_ruled_on_stays(platform: Platform, tables: None) -> None:
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.ended()
    filed = await cup.file(1, CONTESTED, [WORSE])
    await cup.panel(filed.appeal, [False, False, True])
    told = await refused(platform.of(CHIEF).pairing.OverturnRuling(overturning(MADE)))
    assert (told.reason, told.clause) == ("RULING_FINAL", "C10.7")
