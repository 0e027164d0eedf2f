"""What the operator of a round is told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
from grpc import StatusCode
from grpc.aio import AioRpcError, Metadata

from clients.cli.output import Problem
from clients.cli.rounds import left_open, seated, watched
from fupan.pairing.v1 import events_pb2 as events
from fupan.pairing.v1 import service_pb2 as pb


def table(name: str, closed: int, boards: int, done: bool) -> pb.TableProgress:
    seated = events.SeatedTable(table=name)
    return pb.TableProgress(table=seated, boards_closed=closed, boards=boards, done=done)


def test_C2_2_whoever_closes_a_round_early_is_told_which_tables_end_without_a_result() -> None:
    """C8.6: a match whose sheet is not confirmed is one of them, whatever is entered on it."""
    tables = [table("r1-t1", 4, 4, True), table("r1-t2", 3, 4, False), table("r1-t3", 0, 0, False)]
    assert left_open(pb.GetRoundResponse(round=1, tables=tables)) == "r1-t2 3/4, r1-t3 0"
    assert left_open(pb.GetRoundResponse(round=1, tables=tables[:1])) == ""


TEAM = pb.ListedEntrant(
    entrant=events.Entrant(
        number=3, members=[events.Member(person_id=one) for one in ("an", "bo", "cai", "di", "en")]
    )
)
ROOM = events.SeatedTable(table="r2-t1-open", group=1, entrants=[3, 2, 3, 2], members=[0, 0, 1, 1])


def test_C7_2_the_fifth_of_a_team_is_seated_before_a_round() -> None:
    changed = seated(ROOM, [3, 2, 3, 2], ["en", "", "", ""], [TEAM])
    assert (changed.table, changed.group, list(changed.entrants)) == ("r2-t1-open", 1, [3, 2, 3, 2])
    assert list(changed.members) == [4, 0, 1, 1]
    assert not seated(ROOM, [2, 3, 2, 3], [""] * 4, []).members  # as they were
    with pytest.raises(Problem, match="fu is nobody of entrant 3"):
        seated(ROOM, [3, 2, 3, 2], ["", "", "fu", ""], [TEAM])
    with pytest.raises(Problem, match="an is nobody of entrant 2"):
        seated(ROOM, [3, 2, 3, 2], ["", "an", "", ""], [TEAM])


def ended(code: StatusCode) -> AioRpcError:
    return AioRpcError(code, Metadata(), Metadata(), "", "")


async def test_a_round_is_watched_on_with_the_next_token_where_one_ends() -> None:
    calls: list[list[pb.WatchRoundResponse | AioRpcError]] = [
        [pb.WatchRoundResponse(boards_closed=1), ended(StatusCode.UNAUTHENTICATED)],
        [pb.WatchRoundResponse(boards_closed=2)],
        [ended(StatusCode.UNAUTHENTICATED)],  # none that ever was good
        [pb.WatchRoundResponse(boards_closed=3), ended(StatusCode.UNAVAILABLE)],
    ]

    async def watch(request: pb.WatchRoundRequest) -> AsyncIterator[pb.WatchRoundResponse]:
        for one in calls.pop(0):
            if isinstance(one, AioRpcError):
                raise one
            yield one

    fupan: Any = SimpleNamespace(pairing=SimpleNamespace(WatchRound=watch))
    told = [one.boards_closed async for one in watched(fupan, pb.WatchRoundRequest())]
    assert (told, len(calls)) == ([1, 2], 2)
    for code in (StatusCode.UNAUTHENTICATED, StatusCode.UNAVAILABLE):
        with pytest.raises(AioRpcError) as error:
            async for _ in watched(fupan, pb.WatchRoundRequest()):
                pass
        assert error.value.code() is code
