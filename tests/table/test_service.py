"""The service over gRPC: streams, calls of referees, refusals, restart."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import grpc
import pytest
from grpc import StatusCode

from fupan.pairing.v1 import events_pb2 as pairing_pb
from fupan.table.v1 import service_pb2 as pb
from fupan.table.v1.paohuzi_pb2 import PaohuziAction
from services.games.paohuzi.ruleset import Paohuzi
from services.ledger import record as ledger
from services.runtime.errors import Limited
from services.table.line import BACKLOG, Line
from tests.runtime.serving import EPOCH, appointed
from tests.servers import SECONDS
from tests.table.serving import (
    CUP,
    PEOPLE,
    Service,
    Stream,
    World,
    paired,
    play_board,
    refused,
    seated,
    serving,
    started,
)
from tests.table.test_shadow import generous


async def test_a_round_is_played_from_its_start_to_the_sealed_table(service: Service) -> None:
    streams = await seated(service, boards_per_round=2)
    assert [stream.last("seated").seat for stream in streams] == [0, 1, 2]

    await play_board(streams, 2)
    refusals = {one.refused.reason for s in streams for one in s.got if one.HasField("refused")}
    assert refusals <= {"QUESTION_OVER", "TABLE_SEALED"}
    hashes = [one for stream in streams for one in stream.receipts]
    written = [
        ledger.record_hash(ledger.decode(stored.data).header.prev_hash, stored.data)
        async for stored in service.runtime.store.read(EPOCH.table_subject(CUP, "t1"))
    ]
    assert hashes
    assert set(hashes) <= set(written)


async def test_a_streams_first_message_is_a_hello(service: Service) -> None:
    await paired(service.log)
    stream = service.play("anna", hello=False)
    await stream.send(delivered=pb.Delivered(cursor=1))
    await stream.task
    assert stream.error is not None
    assert stream.error.code() is StatusCode.INVALID_ARGUMENT


async def test_a_cursor_that_was_never_given_out_is_refused(service: Service) -> None:
    await paired(service.log)
    stream = service.play("anna", cursor=2**64 - 1)
    await stream.task
    assert stream.error is not None
    assert stream.error.code() is StatusCode.INVALID_ARGUMENT


async def test_only_players_of_the_championship_get_a_stream(service: Service) -> None:
    await paired(service.log)
    for person, code in (("ref", StatusCode.PERMISSION_DENIED), ("eve", StatusCode.PERMISSION_DENIED)):
        stream = service.play(person)
        await stream.task
        assert stream.error is not None
        assert stream.error.code() is code


async def test_an_official_watches_a_table_as_long_as_the_token_is_good(service: Service) -> None:
    await seated(service)
    request = pb.WatchTableRequest(championship=CUP, table="t1")
    watching = service.stub.WatchTable(request, **service.auth("ref", 2))
    assert (await watching.read()).status.table == "t1"
    async with asyncio.timeout(SECONDS):
        assert await refused(watching.read()) == (StatusCode.UNAUTHENTICATED, "TOKEN_EXPIRED")


async def test_an_official_watches_a_table_no_longer_than_the_commission_lasts(service: Service) -> None:
    """C9.2."""
    await seated(service)
    await service.log.write(CUP, appointed("ref-2", "referee"))
    request = pb.WatchTableRequest(championship=CUP, table="t1")
    watching = service.stub.WatchTable(request, **service.auth("ref"))
    assert not (await watching.read()).status.paused
    ended = pairing_pb.OfficialSuspended(person_id="ref", role="referee", reason="asleep")
    await service.log.write(CUP, pairing_pb.Event(official_suspended=ended))
    await service.runtime.directory.refresh()
    pause = pb.PauseTableRequest(command_id="p", championship=CUP, table="t1", reason="noise")
    await service.stub.PauseTable(pause, **service.auth("ref-2"))
    async with asyncio.timeout(SECONDS):
        assert await refused(watching.read()) == (StatusCode.PERMISSION_DENIED, "NOT_IN_ROLE")


async def test_a_message_that_is_nothing_ends_the_stream_with_a_reason(service: Service) -> None:
    (anna, *_) = await seated(service)
    await anna.send()
    await anna.task
    assert anna.error is not None
    assert anna.error.code() is StatusCode.INVALID_ARGUMENT


async def test_a_stream_ends_with_its_token_unless_that_is_renewed(service: Service) -> None:
    await paired(service.log)
    short, renewed = service.play("anna", ttl=3), service.play("chen", ttl=3)
    await short.until(lambda: short.last("waiting"))
    await renewed.send(renewal=pb.TokenRenewal(token=service.token("anna")))
    refusal = await renewed.until(lambda: renewed.last("refused"))
    assert refusal.reason == "TOKEN_INVALID"
    await renewed.send(renewal=pb.TokenRenewal(token=service.token("chen")))
    await short.task
    assert short.last("closed").reason == "TOKEN_EXPIRED"
    assert not renewed.task.done()


async def test_streams_end_with_the_competition(service: Service) -> None:
    streams = await seated(service)
    closed = pairing_pb.RoundClosed(round=1, incomplete=True, reason="no light")
    ended = pairing_pb.CompetitionEnded()
    await service.log.write(
        CUP, pairing_pb.Event(round_closed=closed), pairing_pb.Event(competition_ended=ended)
    )
    await streams[0].task
    assert streams[0].last("closed").reason == "CHAMPIONSHIP_ENDED"
    late = service.play("anna")
    await late.task
    assert late.last("closed").reason == "CHAMPIONSHIP_ENDED"


async def test_streams_end_with_the_service(world: World) -> None:
    async with serving(world) as service:
        (anna, *_) = await seated(service)
    await anna.task
    assert anna.last("closed").reason == "SHUTTING_DOWN"


async def test_unary_calls_do_what_the_stream_does(service: Service) -> None:
    await seated(service)
    joined = await service.stub.Join(pb.JoinRequest(command_id="j", championship=CUP), **service.auth("anna"))
    assert joined.seated.table == "t1"
    shown = await service.stub.GetView(pb.GetViewRequest(championship=CUP), **service.auth("anna"))
    assert (shown.seated.seat, shown.update.ask) == (0, 1)
    answer = Stream.answer(service.play("anna"), shown.update)
    request = pb.ActRequest(championship=CUP, answer=answer)
    first = await service.stub.Act(request, **service.auth("anna"))
    again = await service.stub.Act(request, **service.auth("anna"))
    assert first.receipt == again.receipt
    assert len(first.receipt.hash) == 32
    assert not first.receipt.position
    code = await refused(service.stub.Act(request, **service.auth("bo")))
    assert code == (StatusCode.FAILED_PRECONDITION, "COMMAND_ID_REUSED")
    nothings: tuple[dict[str, Any], ...] = ({}, {"paohuzi": PaohuziAction()})
    for nothing in nothings:
        empty = pb.Answer(command_id="x", board=1, ask=1, **nothing)
        acted = service.stub.Act(pb.ActRequest(championship=CUP, answer=empty), **service.auth("anna"))
        assert (await refused(acted))[1] == "MALFORMED_ACTION"


async def test_a_referee_pauses_rules_and_resumes(service: Service) -> None:
    (anna, *_) = await seated(service)
    where: dict[str, Any] = {"championship": CUP, "table": "t1"}
    called = pb.CallRefereeRequest(command_id="call", championship=CUP, reason="a phone rang")
    await service.stub.CallReferee(called, **service.auth("chen"))
    paused = await service.stub.PauseTable(
        pb.PauseTableRequest(command_id="p", reason="phone", **where), **service.auth("ref")
    )
    assert paused.receipt.position
    await anna.until(lambda: anna.last("update").paused)
    await service.stub.RecordInfringement(
        pb.RecordInfringementRequest(
            command_id="i", seat=1, code="A1", outcome="warning", reason="a phone", **where
        ),
        **service.auth("ref"),
    )
    ruling = await service.stub.MakeRuling(
        pb.MakeRulingRequest(command_id="r", text="warned", clause="C11.1", **where), **service.auth("ref")
    )
    again = await service.stub.MakeRuling(
        pb.MakeRulingRequest(command_id="r", text="warned", clause="C11.1", **where), **service.auth("ref")
    )
    assert ruling.ruling == again.ruling
    resumed = pb.ResumeTableRequest(command_id="s", reason="the phone is away", **where)
    await service.stub.ResumeTable(resumed, **service.auth("ref"))
    await anna.until(lambda: not anna.last("update").paused)
    twice = service.stub.ResumeTable(pb.ResumeTableRequest(command_id="t", **where), **service.auth("ref"))
    assert await refused(twice) == (StatusCode.FAILED_PRECONDITION, "TABLE_NOT_PAUSED")
    for silent in (
        service.stub.PauseTable(
            pb.PauseTableRequest(command_id="u", reason=" ", **where), **service.auth("ref")
        ),
        service.stub.MakeRuling(pb.MakeRulingRequest(command_id="v", **where), **service.auth("ref")),
        service.stub.CloseBoard(pb.CloseBoardRequest(command_id="w", **where), **service.auth("ref")),
    ):
        assert (await refused(silent))[1] == "REASON_MISSING"
    nowhere = pb.PauseTableRequest(command_id="n", championship=CUP, table="t9", reason="phone")
    assert (await refused(service.stub.PauseTable(nowhere, **service.auth("ref"))))[0] is StatusCode.NOT_FOUND
    assert (await refused(service.stub.PauseTable(nowhere, **service.auth("anna"))))[
        0
    ] is StatusCode.PERMISSION_DENIED


async def test_tables_are_watched_by_officials_who_do_not_play(service: Service) -> None:
    await seated(service)
    request = pb.WatchTableRequest(championship=CUP, table="t1")
    watching = service.stub.WatchTable(request, **service.auth("ref"))
    seen = await watching.read()
    assert not seen.update.view.paohuzi.hand
    assert not seen.update.view.paohuzi.HasField("seat")
    assert list(seen.status.connected) == [True] * 3
    watching.cancel()
    listed = await service.stub.ListTables(pb.ListTablesRequest(championship=CUP), **service.auth("ref"))
    assert [(table.table, list(table.thinking)) for table in listed.tables] == [("t1", [0])]
    playing = service.stub.WatchTable(request, **service.auth("bo"))
    assert await refused(playing.read()) == (StatusCode.PERMISSION_DENIED, "PLAYS_THE_EVENT")


async def test_a_board_that_the_shadow_referee_reads_otherwise_is_listed(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    alarm = service.runtime.metrics.alarms.labels("table", "shadow_differs")
    raised = asyncio.Event()
    monkeypatch.setattr(alarm, "inc", raised.set)
    monkeypatch.setattr(Paohuzi, "outcome", generous(Paohuzi.outcome))
    streams = await seated(service, boards_per_round=2)
    await play_board(streams)
    async with asyncio.timeout(SECONDS):
        await raised.wait()
    listed = await service.stub.ListTables(pb.ListTablesRequest(championship=CUP), **service.auth("ref"))
    assert [list(table.doubted) for table in listed.tables] == [[1]]
    watched = pb.WatchTableRequest(championship=CUP, table="t1")
    seen = await service.stub.WatchTable(watched, **service.auth("ref")).read()
    assert list(seen.status.doubted) == [1]


async def test_a_round_that_is_closed_leaves_no_board_open(service: Service) -> None:
    (anna, *_) = await seated(service, boards_per_round=3)
    await service.log.write(
        CUP, pairing_pb.Event(round_closed=pairing_pb.RoundClosed(round=1, incomplete=True))
    )
    await anna.until_update(lambda update: not update.ask)

    watched = pb.WatchTableRequest(championship=CUP, table="t1")
    with suppress(grpc.aio.AioRpcError):  # sealed already
        async for _ in service.stub.WatchTable(watched, **service.auth("ref")):
            pass
    request = pb.ListTablesRequest(championship=CUP)
    (table,) = (await service.stub.ListTables(request, **service.auth("ref"))).tables
    assert table.finished
    assert table.boards_closed == 3


async def test_a_round_closed_before_its_tables_were_opened_closes_their_boards(service: Service) -> None:
    """C2.2: others wait for a record of every board of every table."""
    await paired(service.log, boards_per_round=2)
    closed = pairing_pb.RoundClosed(round=1, incomplete=True, reason="storm")
    await service.log.write(CUP, started(), pairing_pb.Event(round_closed=closed))
    assert [(one.board, one.unfinished) for one in await closings(service, 2)] == [(1, True), (2, True)]
    anna = service.play("anna")
    await anna.until(lambda: anna.last("waiting"))


async def test_a_board_is_played_again_by_a_ruling_after_everything_has_ended(service: Service) -> None:
    """C10.6: the same seats at a table of its own, in another attempt."""
    await paired(service.log)
    closed = pairing_pb.RoundClosed(round=1, incomplete=True, reason="storm")
    await service.log.write(CUP, started(1), pairing_pb.Event(round_closed=closed))
    await closings(service, 1)
    table = pairing_pb.SeatedTable(table="t1-a2", group=1, entrants=[1, 2, 3])
    replay = pairing_pb.ReplaySeated(round=1, board=1, attempt=2, table=table, replaces="t1")
    await service.log.write(
        CUP,
        pairing_pb.Event(competition_ended=pairing_pb.CompetitionEnded()),
        pairing_pb.Event(replay_seated=replay),
    )
    streams = [service.play(person) for person in PEOPLE]
    updates = [await stream.until_update() for stream in streams]
    assert [stream.last("seated").table for stream in streams] == ["t1-a2"] * 3
    assert [stream.last("seated").seat for stream in streams] == [0, 1, 2]
    assert {update.board for update in updates} == {1}
    await play_board(streams)
    again = (await closings(service, 2))[1]
    assert (again.round, again.board, again.attempt, again.unfinished) == (1, 1, 2, False)
    over = pairing_pb.BoardReplayed(table="t1-a2")
    await service.log.write(CUP, pairing_pb.Event(board_replayed=over))
    for stream in streams:
        await stream.task
        assert stream.last("closed").reason == "CHAMPIONSHIP_ENDED"


async def test_C4_5_a_play_off_is_played_after_everything_has_ended(service: Service) -> None:
    """Each of two at a table of its own, on the same board, against house AI."""
    await paired(service.log)
    closed = pairing_pb.RoundClosed(round=1, incomplete=True, reason="storm")
    await service.log.write(CUP, started(), pairing_pb.Event(round_closed=closed))
    await closings(service, 1)
    tables = [
        pairing_pb.SeatedTable(table=f"r2-t{number}", group=1, entrants=[number, 0, 0]) for number in (1, 2)
    ]
    await service.log.write(
        CUP,
        pairing_pb.Event(competition_ended=pairing_pb.CompetitionEnded()),
        pairing_pb.Event(round_seated=pairing_pb.RoundSeated(round=2, tables=tables)),
        pairing_pb.Event(round_paired=pairing_pb.RoundPaired(round=2, tables=2, basis="playoff", rank=1)),
        pairing_pb.Event(round_started=pairing_pb.RoundStarted(round=2)),
    )
    streams = [service.play(person) for person in PEOPLE[:2]]
    for stream in streams:
        await stream.until_update()
    assert [(one.last("seated").table, one.last("seated").seat) for one in streams] == [
        ("r2-t1", 0),
        ("r2-t2", 0),
    ]
    await play_board(streams)
    played = (await closings(service, 3))[1:]
    assert [(one.round, one.board, one.attempt, one.unfinished) for one in played] == [(2, 1, 1, False)] * 2
    over = pairing_pb.RoundClosed(round=2)
    await service.log.write(CUP, pairing_pb.Event(round_closed=over))
    for stream in streams:
        await stream.task
        assert stream.last("closed").reason == "CHAMPIONSHIP_ENDED"


async def closings(service: Service, count: int) -> list[ledger.BoardClosing]:
    """What the first records of tables say that close a board, once there are so many."""
    found: list[ledger.BoardClosing] = []
    enough = asyncio.Event()

    async def read(batch: list[ledger.Stored]) -> None:
        found.extend(one for one in (ledger.decode(stored.data).closing for stored in batch) if one)
        if len(found) >= count:
            enough.set()

    following = asyncio.create_task(service.runtime.store.follow(EPOCH.table_streams()[0], 0, read))
    async with asyncio.timeout(SECONDS):
        await enough.wait()
    following.cancel()
    return found[:count]


async def test_who_sends_and_never_reads_is_cut_off() -> None:
    line = Line(CUP, "anna", 0, lambda: 0)
    for _ in range(BACKLOG + 1):
        line.put(pb.PlayResponse(waiting=pb.Waiting(reason="NO_TABLE")))
    with pytest.raises(Limited):
        await anext(line)
