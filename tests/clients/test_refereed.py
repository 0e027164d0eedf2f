"""What referees did at a table, in words, and as `fupan table watch` tells it (C9.3, C11)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC
from typing import Any

import pytest
from grpc import StatusCode
from grpc.aio import AioRpcError, Metadata

from clients.boards import refereed
from clients.cli import tables
from fupan.table.v1 import events_pb2 as events
from fupan.table.v1 import service_pb2 as pb

CALLED = pb.RefereeAct(
    person_id="bo", time_us=1, referee_called=events.RefereeCalled(seat=1, reason="he shows tiles")
)
WARNED = pb.RefereeAct(
    person_id="ref",
    time_us=2,
    infringement_recorded=events.InfringementRecorded(seat=0, code="A3", outcome="warning", reason="seen"),
)
FINED = pb.RefereeAct(
    infringement_recorded=events.InfringementRecorded(
        seat=2, code="S10.15", outcome="fine", reason="x", fine=5
    )
)


@pytest.mark.parametrize(
    ("act", "en", "zh"),
    [
        (CALLED, "seat 1 called a referee: he shows tiles", "1 座呼叫裁判：he shows tiles"),
        (
            WARNED,
            "seat 0: A3 telling cards by word or gesture, warning: seen",
            "0 座：A3 用语言或肢体动作报牌，警告：seen",
        ),
        (pb.RefereeAct(table_paused=events.TablePaused(reason="fire")), "paused: fire", "暂停：fire"),
        (pb.RefereeAct(table_resumed=events.TableResumed()), "resumed", "继续"),
        (pb.RefereeAct(table_resumed=events.TableResumed(reason="out")), "resumed: out", "继续：out"),
        (
            pb.RefereeAct(ruling_made=events.RulingMade(ruling="t1.0a", text="play on", clause="C9.3")),
            "ruling: play on (C9.3) [t1.0a]",
            "裁决：play on (C9.3) [t1.0a]",
        ),
    ],
)
def test_an_act_is_told_in_words(act: pb.RefereeAct, en: str, zh: str) -> None:
    assert refereed.told(act, lambda en, zh: en) == en
    assert refereed.told(act, lambda en, zh: zh) == zh


def test_a_fine_says_how_much_and_a_row_of_S10_what() -> None:
    told = refereed.told(FINED, lambda en, zh: en)
    assert told.startswith("seat 2: S10.15 ")
    assert told.endswith(", fine 5: x")


class Services:
    """A table that is watched: a referee is called, and rules."""

    def __init__(self) -> None:
        self.table = self
        self.asked = 0

    async def WatchTable(self, request: pb.WatchTableRequest) -> AsyncIterator[pb.WatchTableResponse]:
        for called in (False, False, True, True, False):
            yield pb.WatchTableResponse(status=pb.TableStatus(referee_called=called, board=1))

    async def ListRefereeActs(self, request: pb.ListRefereeActsRequest) -> pb.ListRefereeActsResponse:
        self.asked += 1
        if self.asked == 1:
            raise AioRpcError(StatusCode.UNAVAILABLE, Metadata(), Metadata(), "the dealer is away", "")
        return pb.ListRefereeActsResponse(acts=[CALLED, WARNED][: self.asked - 2])


def test_whoever_watches_a_table_is_told_what_was_done_there_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    services: Any = Services()

    async def known(*_: Any) -> Any:
        return UTC

    def run(_: Any, work: Any) -> None:
        asyncio.run(work(services))

    monkeypatch.setattr(tables, "run", run)
    monkeypatch.setattr(tables, "zone_of", known)
    monkeypatch.setattr(tables, "championship_of", lambda *_: _named())
    monkeypatch.setattr("clients.cli.faces.show", lambda _: None)
    tables.watch("t1")
    said = capsys.readouterr().err.splitlines()
    assert [line.partition(" ")[2] for line in said] == [
        "bo: seat 1 called a referee: he shows tiles",
        "ref: seat 0: A3 telling cards by word or gesture, warning: seen",
    ]
    assert services.asked == 4


async def _named() -> str:
    return "cup"
