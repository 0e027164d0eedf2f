"""A board that others still play, in a case: who may read what in the web console (C10.3)."""

from __future__ import annotations

import asyncio
from typing import Any

from grpc.aio import AioRpcError

from fupan.appeals.v1 import events_pb2 as events
from fupan.appeals.v1 import service_pb2 as pb
from fupan.scoring.v1 import events_pb2 as remedies
from fupan.table.v1 import service_pb2 as tables
from tests.console.contested import CUP, DESK, RESERVE, paired
from tests.console.serving import Site, serve
from tests.e2e.scratch import ARBITRATORS, OPERATOR, Cup
from tests.servers import SECONDS


async def test_C10_a_board_that_others_still_play_is_shown_to_the_panel_alone() -> None:
    async with paired() as cup:
        table, players = next(iter((await cup.tables()).items()))
        playing = [asyncio.create_task(cup.play(person)) for person in players]
        try:
            await _closed(cup, table)
            appeal = await _contested(cup, table, players[0])
            board, case = f"/events/{CUP}/boards/1/1/{table}", f"{DESK}/{appeal}/case?opening=mine"
            async with serve(cup.inside.place.services) as site:
                for person in (players[0], OPERATOR, RESERVE):
                    assert await _status(cup, site, person, board) == 409
                for page in (board, case, f"{DESK}/{appeal}"):
                    assert await _status(cup, site, ARBITRATORS[0], page) == 200
                for page in (case, case.replace("?", "/replay?")):
                    assert await _status(cup, site, players[0], page) == 409
        finally:
            for one in playing:
                one.cancel()
            await asyncio.gather(*playing, return_exceptions=True)


async def _closed(cup: Cup, table: str) -> None:
    """Return when a table has closed its board."""
    async with cup.inside.caller(OPERATOR) as operator, asyncio.timeout(SECONDS):
        while True:
            told = await operator.table.ListTables(tables.ListTablesRequest(championship=CUP))
            if any(one.table == table and one.boards_closed for one in told.tables):
                return
            await asyncio.sleep(0.05)


async def _contested(cup: Cup, table: str, person: str) -> str:
    """An appeal for a replay of a table's board, with a panel that may open it."""
    board: dict[str, Any] = {"table": table, "round": 1, "board": 1, "attempt": 1}
    request = pb.FileAppealRequest(
        command_id="file",
        championship=CUP,
        contested=events.Contested(board=events.ContestedBoard(**board)),
        grounds="the cards stuck",
        sought=[remedies.Remedy(replay_board=remedies.ReplayBoard(**board))],
    )
    async with cup.inside.caller(person) as player:
        filed = await player.appeals.FileAppeal(request)
    fee: dict[str, Any] = {"amount": filed.fee_amount, "currency": filed.fee_currency, "reference": "paid"}
    at: dict[str, Any] = {"championship": CUP, "appeal": filed.appeal}
    async with cup.inside.caller(OPERATOR) as operator:
        await operator.appeals.RecordFee(pb.RecordFeeRequest(command_id="fee", **at, **fee))
        await operator.appeals.AppointPanel(
            pb.AppointPanelRequest(command_id="panel", **at, members=ARBITRATORS)
        )
    async with cup.inside.caller(ARBITRATORS[0]) as judge, asyncio.timeout(SECONDS):
        asked = tables.ReplayBoardRequest(championship=CUP, table=table, board=1, attempt=1, all=True)
        while True:
            try:
                await anext(aiter(judge.table.ReplayBoard(asked)))
            except AioRpcError:
                await asyncio.sleep(0.05)
            else:
                return str(filed.appeal)


async def _status(cup: Cup, site: Site, person: str, path: str) -> int:
    return (await site.browse.get(path, headers={"cookie": f"session={cup.token(person)}"})).status_code
