"""Boards played over again over gRPC: once they are revealed, to a panel before, with what seats tried."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncpg
import grpc
import pytest
from grpc import StatusCode

from fupan.dealer.v1 import events_pb2 as dealer_pb
from fupan.pairing.v1 import events_pb2 as pairing_pb
from fupan.table.v1 import service_pb2 as pb
from fupan.table.v1.paohuzi_pb2 import PaohuziAction
from services.ledger import record as ledger
from services.table import app
from tests.runtime.serving import EPOCH, appointed
from tests.servers import SECONDS
from tests.table.logs import StandInDealer
from tests.table.serving import (
    CUP,
    PEOPLE,
    Service,
    Stream,
    is_over,
    play_board,
    refused,
    seated,
)


async def test_a_board_can_be_replayed_once_it_is_revealed(service: Service) -> None:
    streams = await seated(service)
    request = pb.ReplayBoardRequest(championship=CUP, table="t1", board=1, attempt=1, all=True)
    replay = service.stub.ReplayBoard(request, timeout=SECONDS)
    assert await refused(replay.read()) == (StatusCode.FAILED_PRECONDITION, "BOARD_OPEN")
    await play_board(streams)
    final = [await stream.until_update(is_over) for stream in streams]
    await reveal(service, "1/1/1")
    steps = await replayed(service, request)
    assert [step.step for step in steps] == list(range(1, len(steps) + 1))
    assert all(event.startswith("ti_dealt") for event in steps[0].events)
    assert steps[1].action.startswith("play ")
    assert steps[1].events[0].startswith("tile_played 0 ")
    assert [seat.paohuzi for seat in steps[-1].seats] == [update.view.paohuzi for update in final]
    one = pb.ReplayBoardRequest(championship=CUP, table="t1", board=1, attempt=1, seat=1)
    seen = [step.view.paohuzi for step in await replayed(service, one)]
    shown = [s.update.view.paohuzi for s in streams[1].got if s.HasField("update")]
    assert seen[-1] == shown[-1]
    assert [view for view in shown if view not in seen] == []
    for board, seat in ((2, 0), (1, 3)):
        bad = pb.ReplayBoardRequest(championship=CUP, table="t1", board=board, attempt=1, seat=seat)
        assert (await refused(service.stub.ReplayBoard(bad, timeout=SECONDS).read()))[0] in (
            StatusCode.NOT_FOUND,
            StatusCode.INVALID_ARGUMENT,
        )


async def written_tries(database: str) -> list[bytes]:
    """What lies in the table of tries, once something does: they are written behind the play."""
    connection = await asyncpg.connect(database)
    found: list[bytes] = []
    async with asyncio.timeout(SECONDS):
        while not found:
            found = [
                bytes(row["sealed"]) for row in await connection.fetch('SELECT sealed FROM "table".tried')
            ]
    await connection.close()
    return found


async def test_what_a_seat_tried_is_shown_with_the_replay_and_lies_sealed_before(
    service: Service, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    streams = await seated(service)
    monkeypatch.setattr(app, "is_action", lambda *_: True)  # as in older versions
    first = await streams[0].until_update()
    answer = streams[0].answer(first)
    unreadable = PaohuziAction(play=PaohuziAction.Play())
    await streams[0].send(
        answer=pb.Answer(command_id="unreadable", board=1, ask=first.ask, paohuzi=unreadable)
    )
    await streams[0].until(lambda: streams[0].last("refused"))
    await streams[0].send(
        answer=pb.Answer(
            command_id="try", board=1, ask=first.ask, paohuzi=PaohuziAction(peng=PaohuziAction.Peng())
        )
    )
    refusal = await streams[0].until(lambda: last_refused(streams[0], "try"))
    assert refusal.clause
    await streams[0].send(answer=answer)
    await play_board(streams)
    await reveal(service, "1/1/1")
    whole = pb.ReplayBoardRequest(championship=CUP, table="t1", board=1, attempt=1, all=True)
    await replayed(service, whole)  # the table of tries is there
    sealed = await written_tries(database)
    assert not any(word in one for one in sealed for word in (b"peng", refusal.clause.encode()))
    tries = {}
    for seat in (None, 0, 1):
        request = pb.ReplayBoardRequest(
            championship=CUP, table="t1", board=1, attempt=1, all=seat is None, seat=seat or 0
        )
        told = [one for step in await replayed(service, request) for one in step.tried]
        assert {one.action for one in told} <= {"peng"}, "what nobody can read is shown to nobody"
        tries[seat] = [(one.seat, one.action, one.clause) for one in told if one.reason == refusal.reason]
    assert tries == {None: [(0, "peng", refusal.clause)], 0: [(0, "peng", refusal.clause)], 1: []}


async def test_a_panel_replays_a_board_before_it_is_revealed_and_nobody_else_does(service: Service) -> None:
    """C10.4: opened to it by the dealer; not to members who play the event."""
    streams = await seated(service)
    await play_board(streams)
    for stream in streams:
        await stream.until_update(is_over)
    opened = dealer_pb.BoardOpenedToPanel(
        appeal="a-1", path=dealers_path("1/1/1"), panel=["judge", "another", PEOPLE[0]]
    )
    await dealer_says(service, dealer_pb.Event(board_opened_to_panel=opened))
    await hold(service, *(appointed(one, "arbitrator") for one in ("judge", PEOPLE[0])))
    request = pb.ReplayBoardRequest(championship=CUP, table="t1", board=1, attempt=1, all=True)
    steps = await replayed(service, request, **service.auth("judge"))
    assert all(seat.paohuzi.over for seat in steps[-1].seats)
    for who in ({}, *map(service.auth, ("referee", PEOPLE[0], PEOPLE[1]))):
        told = await refused(service.stub.ReplayBoard(request, **{"timeout": 10, **who}).read())
        assert told == (StatusCode.FAILED_PRECONDITION, "BOARD_OPEN")
    # Nor to one whose commission has ended meanwhile.
    ended = pairing_pb.OfficialSuspended(person_id="judge", role="arbitrator", reason="ill")
    await hold(service, pairing_pb.Event(official_suspended=ended))
    told = await refused(service.stub.ReplayBoard(request, **service.auth("judge")).read())
    assert told == (StatusCode.FAILED_PRECONDITION, "BOARD_OPEN")


async def hold(service: Service, *offices: pairing_pb.Event) -> None:
    """Offices are given or ended, and that is known."""
    await service.log.write(CUP, *offices)
    await service.runtime.directory.refresh()


async def test_who_has_played_in_an_entrants_place_is_shown_no_board_as_one_of_a_panel(
    service: Service,
) -> None:
    """C1.6: whatever office it gets later."""
    await seated(service)
    given = pb.ReplaceSeatRequest(
        command_id="to-dora", championship=CUP, table="t1", seat=0, person_id="dora", reason="illness"
    )
    await service.stub.ReplaceSeat(given, **service.auth("ref"))
    opened = dealer_pb.BoardOpenedToPanel(appeal="a-1", path=dealers_path("1/1/1"), panel=["judge", "dora"])
    await dealer_says(service, dealer_pb.Event(board_opened_to_panel=opened))
    await hold(service, *(appointed(one, "arbitrator") for one in ("judge", "dora")))
    request = pb.ReplayBoardRequest(championship=CUP, table="t1", board=1, attempt=1, all=True)
    assert await replayed(service, request, **service.auth("judge"))
    told = await refused(service.stub.ReplayBoard(request, **service.auth("dora")).read())
    assert told == (StatusCode.FAILED_PRECONDITION, "BOARD_OPEN")


async def reveal(service: Service, path: str) -> None:
    """The dealer's log makes a leaf public."""
    leaf = StandInDealer.leaf(CUP, path)
    revealed = dealer_pb.BoardRevealed(path=dealers_path(path), leaf=leaf)
    await dealer_says(service, dealer_pb.Event(board_revealed=revealed))


def dealers_path(path: str) -> dealer_pb.BoardPath:
    round_, board, attempt = map(int, path.split("/"))
    return dealer_pb.BoardPath(round=round_, board=board, attempt=attempt)


async def dealer_says(service: Service, event: dealer_pb.Event) -> None:
    """The first record of the dealer's log."""
    subject = EPOCH.subject("dealer", CUP)
    body = ledger.Body("dealer", "", "", None, "r", b"", b"", (event.SerializeToString(),))
    header = ledger.Header(
        subject, 1, ledger.GENESIS, EPOCH.id, ledger.Writer("dealer", "", ""), "", b"", (), 1
    )
    await service.runtime.store.append(
        subject, ledger.encode(ledger.Record(header, ledger.encode_body(body), False)), 0
    )


def last_refused(stream: Stream, command_id: str) -> pb.Refused | None:
    """How an answer was refused, once it was."""
    told: pb.Refused | None = stream.last("refused")
    return told if told is not None and told.command_id == command_id else None


async def replayed(
    service: Service, request: pb.ReplayBoardRequest, **who: Any
) -> list[pb.ReplayBoardResponse]:
    """All steps of a replay, once the service has read that the board is revealed."""
    for _ in range(200):
        try:
            return [step async for step in service.stub.ReplayBoard(request, **{"timeout": 10, **who})]
        except grpc.aio.AioRpcError as error:
            if error.code() is not StatusCode.FAILED_PRECONDITION:
                raise
            await asyncio.sleep(0.01)
    raise AssertionError("the board was never revealed")
