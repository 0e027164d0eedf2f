"""What was done at a table beside the play, told to officials who do not play, and to nobody else (C9.3, C11.1)."""

from __future__ import annotations

from typing import Any

from grpc import StatusCode

from fupan.table.v1 import events_pb2 as events
from fupan.table.v1 import service_pb2 as pb
from tests.servers import SECONDS
from tests.table.serving import CUP, PEOPLE, Service, paired, play_board, refused, seated, started

AT: dict[str, Any] = {"championship": CUP, "table": "t1"}
WHY = "seat 0 shows his tiles"


async def acts(service: Service, person: str = "ref") -> list[pb.RefereeAct]:
    told = await service.stub.ListRefereeActs(pb.ListRefereeActsRequest(**AT), **service.auth(person))
    return list(told.acts)


async def status(service: Service) -> pb.TableStatus:
    told = await service.stub.ListTables(pb.ListTablesRequest(championship=CUP), **service.auth("ref"))
    return told.tables[0]  # type: ignore[no-any-return]


async def call(service: Service) -> None:
    asked = pb.CallRefereeRequest(command_id="call", championship=CUP, reason=WHY)
    await service.stub.CallReferee(asked, **service.auth("bo"))


async def test_C9_3_officials_read_who_called_and_why_and_what_was_done(service: Service) -> None:
    streams = await seated(service)
    assert await acts(service) == []
    await call(service)
    assert (await status(service)).call == events.RefereeCalled(seat=1, reason=WHY)
    watching = service.stub.WatchTable(pb.WatchTableRequest(**AT), **service.auth("ref"))
    assert (await watching.read()).status.call.reason == WHY
    watching.cancel()
    ref = service.auth("ref")
    await service.stub.PauseTable(pb.PauseTableRequest(command_id="p", reason="quiet", **AT), **ref)
    await service.stub.ResumeTable(pb.ResumeTableRequest(command_id="r", **AT), **ref)
    assert (await status(service)).call.reason == WHY
    noted = pb.RecordInfringementRequest(
        command_id="i", seat=0, code="A3", outcome="warning", reason="seen", **AT
    )
    await service.stub.RecordInfringement(noted, **ref)
    assert not (await status(service)).HasField("call")
    ruled = pb.MakeRulingRequest(command_id="m", text="play on", clause="C11.1", **AT)
    ruling = (await service.stub.MakeRuling(ruled, **ref)).ruling
    called, paused, resumed, recorded, made = await acts(service)
    assert called.referee_called == events.RefereeCalled(seat=1, reason=WHY)
    assert called.person_id == "bo"
    assert paused.table_paused.reason == "quiet"
    assert resumed.WhichOneof("kind") == "table_resumed"
    assert recorded.infringement_recorded.code == "A3"
    assert made.ruling_made == events.RulingMade(ruling=ruling, text="play on", clause="C11.1")
    assert {(one.board, one.attempt) for one in (called, made)} == {(1, 1)}
    assert [one.person_id for one in (paused, resumed, recorded, made)] == ["ref"] * 4
    assert 0 < called.time_us < made.time_us
    # Once the board is closed its records are read by the key that the dealer gives.
    await play_board(streams)
    assert len(await acts(service)) == 5


async def test_C9_3_players_are_told_of_no_call_and_no_act(service: Service) -> None:
    streams = await seated(service)
    await call(service)
    for person in PEOPLE:
        asked = service.stub.ListRefereeActs(pb.ListRefereeActsRequest(**AT), **service.auth(person))
        assert (await refused(asked))[0] is StatusCode.PERMISSION_DENIED
    nobody: Any = service.stub.ListRefereeActs(pb.ListRefereeActsRequest(**AT), timeout=SECONDS)
    assert (await refused(nobody))[0] is StatusCode.UNAUTHENTICATED
    await play_board(streams)
    for stream in streams:
        assert WHY not in str(stream.got)


async def test_acts_of_no_table_are_not_found(service: Service) -> None:
    await paired(service.log)
    await service.log.write(CUP, started())
    asked = pb.ListRefereeActsRequest(championship=CUP, table="t9")
    told = await refused(service.stub.ListRefereeActs(asked, **service.auth("ref")))
    assert told[0] is StatusCode.NOT_FOUND
