"""Rulings of referees, told to whom they concern, with the id by which they are appealed (C9.3, C10.1)."""

from __future__ import annotations

import asyncio
from typing import Any

from grpc import StatusCode

from fupan.table.v1 import service_pb2 as pb
from tests.servers import SECONDS
from tests.table.serving import CUP, PEOPLE, Service, paired, play_board, refused, started
from tests.table.test_service_replays import replayed, reveal


async def rulings(service: Service, person: str = "", table: str = "t1") -> list[pb.Ruling]:
    how = service.auth(person) if person else {"timeout": 10}
    told = await service.stub.ListRulings(pb.ListRulingsRequest(championship=CUP, table=table), **how)
    return list(told.rulings)


async def rule(service: Service, text: str) -> str:
    request = pb.MakeRulingRequest(
        command_id=text.replace(" ", "-"), championship=CUP, table="t1", text=text, clause="C11.1"
    )
    made = await service.stub.MakeRuling(request, **service.auth("ref"))
    return str(made.ruling)


async def test_C10_1_who_sits_at_a_table_reads_its_rulings_others_once_everybody_has_closed_the_board(
    service: Service,
) -> None:
    await paired(service.log)
    await service.log.write(CUP, started())
    anna = service.play("anna")
    await anna.until(lambda: anna.last("seated"))
    # Nothing is dealt, and this stands in the clear; it is about a board that others may play all the same.
    before = await rule(service, "sit down")
    streams = [anna, *(service.play(person) for person in PEOPLE[1:])]
    await asyncio.gather(*(stream.until_update() for stream in streams))
    during = await rule(service, "a phone rang")
    for person in (*PEOPLE, "ref"):
        first, one = await rulings(service, person)
        assert (first.ruling, first.board) == (before, 1)
        assert (one.ruling, one.round, one.board, one.attempt) == (during, 1, 1, 1), person
        assert (one.text, one.clause, one.referee) == ("a phone rang", "C11.1", "ref")
    assert one.made_us > 0
    assert during.startswith("t1.")
    assert await rulings(service, "eve") == await rulings(service) == []
    await play_board(streams)
    assert [one.ruling for one in await rulings(service, "anna")] == [before, during]
    assert await rulings(service, "eve") == []
    await reveal(service, "1/1/1")
    board = pb.ReplayBoardRequest(championship=CUP, table="t1", board=1, attempt=1, all=True)
    assert await replayed(service, board)
    assert [one.ruling for one in await rulings(service)] == [before, during]
    nowhere: Any = service.stub.ListRulings(
        pb.ListRulingsRequest(championship=CUP, table="t9"), timeout=SECONDS
    )
    assert (await refused(nowhere))[0] is StatusCode.NOT_FOUND
