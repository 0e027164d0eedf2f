"""Appeals on a whole platform: a board is contested, its case assembled, the committee has it played again, by robots."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest

from clients.cli.appeals import cast
from clients.cli.cases import check
from clients.cli.output import Problem
from fupan.appeals.v1 import case_pb2
from fupan.appeals.v1 import events_pb2 as appeals_events
from fupan.appeals.v1 import service_pb2 as appeals
from fupan.scoring.v1 import events_pb2 as scoring_events
from fupan.scoring.v1 import service_pb2 as scoring
from fupan.table.v1 import service_pb2 as table
from tests.e2e import scratch
from tests.e2e.command import folder
from tests.e2e.scratch import ARBITRATORS, CHIEF, OPERATOR, Cup
from tests.servers import SECONDS

CUP = "again"
BOARD = appeals_events.ContestedBoard(table="r1-t1", round=1, board=1, attempt=1)
REPLAY = scoring_events.Remedy(
    replay_board=scoring_events.ReplayBoard(table="r1-t1", round=1, board=1, attempt=1)
)
NEW, THIRD = "r1-t1-a2", "r1-t1-a3"


async def test_a_contested_board_is_played_again() -> None:
    """C10.1 to C10.6 on real tables: filed, judged by its case file, played again with another deal by the same people."""
    with folder() as place:
        async with scratch.platform(place) as inside:
            cup = await scratch.found(inside, CUP, entrants=3, boards=1)
            await cup.pair()
            await asyncio.gather(*(cup.play(person) for person in cup.persons))
            filed = await _filed(cup)
            await _not_voted_on_without_a_panel(cup, filed.appeal)
            await _judged_by_its_case(cup, filed.appeal)
            await _upheld(cup, filed.appeal, filed.fee_amount)
            await _opened(cup, NEW)
            await asyncio.gather(*(cup.play(person) for person in cup.persons))
            first, again = await _attempts(cup, publications=3)
            assert first.voided
            assert (again.table, again.attempt, again.voided) == (NEW, 2, False)
            assert list(again.entrants) == list(first.entrants)
            assert await _opening(cup, "r1-t1", 1) != await _opening(cup, NEW, 2)
            # C9.2: that one is damaged, too, and the chief referee needs no appeal.
            await _ordered(cup)
            await _opened(cup, THIRD)
            await asyncio.gather(*(cup.play(person) for person in cup.persons))
            attempts = await _attempts(cup, publications=5)
            assert [(one.table, one.attempt, one.voided) for one in attempts] == [
                ("r1-t1", 1, True),
                (NEW, 2, True),
                (THIRD, 3, False),
            ]


async def _not_voted_on_without_a_panel(cup: Cup, appeal: str) -> None:
    async with cup.inside.caller(ARBITRATORS[0]) as member:
        with pytest.raises(Problem, match="the appeal is filed, and has no panel"):
            await cast(member, CUP, appeal, True)


async def _filed(cup: Cup) -> appeals.FileAppealResponse:
    request = appeals.FileAppealRequest(
        command_id="file",
        championship=CUP,
        contested=appeals_events.Contested(board=BOARD),
        grounds="the cards stuck",
        sought=[REPLAY],
    )
    async with cup.inside.caller(cup.persons[0]) as player:
        filed: appeals.FileAppealResponse = await player.appeals.FileAppeal(request)
    return filed


async def _judged_by_its_case(cup: Cup, appeal: str) -> None:
    """What the case file has is what the table's replay shows."""
    asked = appeals.GetAppealRequest(championship=CUP, appeal=appeal)
    async with cup.inside.caller(CHIEF) as chief:

        async def assembled() -> bool:
            return (await chief.appeals.GetAppeal(asked)).appeal.case_file.complete

        await _until(assembled)
        request = appeals.GetCaseRequest(command_id="open", championship=CUP, appeal=appeal)
        answer = await chief.appeals.GetCase(request)
        replay = table.ReplayBoardRequest(championship=CUP, table="r1-t1", board=1, attempt=1, all=True)
        steps = [step async for step in chief.table.ReplayBoard(replay)]
    case = case_pb2.CaseFile.FromString(answer.case_file)
    assert check(answer, case) == (["file", "chain", "deals"], [])
    assert list(case.board.steps) == steps


async def _upheld(cup: Cup, appeal: str, fee: int) -> None:
    """The committee upholds it."""
    async with cup.inside.caller(OPERATOR) as operator:
        await operator.appeals.RecordFee(
            appeals.RecordFeeRequest(
                command_id="pay", championship=CUP, appeal=appeal, amount=fee, currency="CNY"
            )
        )
        await operator.appeals.AppointPanel(
            appeals.AppointPanelRequest(
                command_id="panel", championship=CUP, appeal=appeal, members=ARBITRATORS
            )
        )
    for member in ARBITRATORS:
        async with cup.inside.caller(member) as judge:
            await cast(judge, CUP, appeal, True)


async def _ordered(cup: Cup) -> None:
    """The chief referee has the board played again at every table of the round."""
    async with cup.inside.caller(CHIEF) as chief:
        order = scoring.OrderReplayRequest(
            command_id="again", championship=CUP, round=1, board=1, reason="dealt face up"
        )
        told = await chief.scoring.OrderReplay(order)
    assert (told.attempt, list(told.tables)) == (3, [THIRD])


async def _opened(cup: Cup, replay: str) -> None:
    """The table of a replay is open."""
    async with cup.inside.caller(CHIEF) as chief:
        listed = table.ListTablesRequest(championship=CUP, round=1)

        async def opened() -> bool:
            return replay in {one.table for one in (await chief.table.ListTables(listed)).tables}

        await _until(opened)


async def _attempts(cup: Cup, publications: int) -> Sequence[scoring.BoardResult]:
    """All attempts, once the standings with the last one are published."""
    async with cup.inside.caller(OPERATOR) as operator:
        listed = scoring.ListPublicationsRequest(championship=CUP)

        async def published() -> bool:
            return len((await operator.scoring.ListPublications(listed)).publications) == publications

        await _until(published)
        shown = scoring.GetBoardRequest(championship=CUP, round=1, board=1)
        results: Sequence[scoring.BoardResult] = (await operator.scoring.GetBoard(shown)).results
    return results


async def _until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Return when something that services do by themselves is done."""
    async with asyncio.timeout(SECONDS):
        while not await holds():  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.05)


async def _opening(cup: Cup, name: str, attempt: int) -> bytes:
    """What all seats held when a board began."""
    request = table.ReplayBoardRequest(championship=CUP, table=name, board=1, attempt=attempt, all=True)
    async with cup.inside.caller(OPERATOR) as operator:
        first = await anext(aiter(operator.table.ReplayBoard(request)))
    return b"".join(seat.SerializeToString() for seat in first.seats)
