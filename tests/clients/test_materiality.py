"""What `appeal materiality` says of the rulings that were tried, and `whatif` of replays (C3.3, C10.6)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from clients.cli import materiality, whatif
from clients.cli.words import choose
from fupan.scoring.v1 import events_pb2 as events
from fupan.scoring.v1 import service_pb2 as pb

SCORES = events.CorrectResult(table="r1-t1", round=1, board=2, attempt=1, scores=[2, -1, -1])
TRIED = pb.Tried(
    remedy=events.Remedy(correct_result=SCORES),
    ranks_changed=2,
    ranks=[pb.RankChange(entrant=5, before=3, after=2), pb.RankChange(entrant=1, before=2, after=3)],
    lines=[pb.LineCrossed(rank=2, gained=[5], lost=[1])],
    size=2,
    smallest=[0, 2],
)


@pytest.fixture
def chinese() -> Iterator[None]:
    choose("zh")
    yield
    choose("en")


def test_the_smallest_ruling_is_told_with_the_ranks_it_changes(capsys: pytest.CaptureFixture[str]) -> None:
    one = materiality._tried(TRIED)
    assert (one["away"], one["smallest"], one["ranks"][0]) == (
        "2 points away",
        [0, 2],
        {"entrant": 5, "before": 3, "after": 2},
    )
    materiality._say_smallest(one)
    assert capsys.readouterr().err.splitlines() == [
        "smallest that changes a rank: round 1, board 2 at r1-t1 scored +2 -1 -1 (2 points away); entrant 5: 3→2, entrant 1: 2→3",
        "smallest across the line after rank 2: round 1, board 2 at r1-t1 scored +2 -1 -1; in 5, out 1",
    ]


def test_it_is_told_in_chinese_too(chinese: None, capsys: pytest.CaptureFixture[str]) -> None:
    materiality._say_smallest(materiality._tried(TRIED))
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("改变名次的最小裁决：r1-t1 桌第 1 轮第 2 副计 +2 -1 -1（相差 2 分）")
    assert second.endswith("进入 5，退出 1")


@pytest.mark.parametrize(
    ("remedy", "away"),
    [
        (events.Remedy(assign_percent=events.AssignPercent(entrant=1, tenths=5)), "0.2 % away"),
        (events.Remedy(set_penalty=events.SetPenalty(penalty="x")), "0.2 % away"),
        (events.Remedy(correct_match=events.CorrectMatch(levels=["A", "7"])), "2 levels away"),
        (events.Remedy(void_board=events.VoidBoard(tenths=[600])), ""),
    ],
)
def test_how_far_a_ruling_is_from_what_stands(remedy: events.Remedy, away: str) -> None:
    assert materiality._tried(pb.Tried(remedy=remedy, size=2))["away"] == away


def test_what_is_known_of_a_replay_is_told_before_the_vote(capsys: pytest.CaptureFixture[str]) -> None:
    whatif._say_replays(pb.WhatIfResponse(replays_alone=1))
    assert "50 % a seat, whatever is scored (C3.3)" in capsys.readouterr().err
    whatif._say_replays(pb.WhatIfResponse(replays_open=1))
    assert "is not known" in capsys.readouterr().err
    whatif._say_replays(pb.WhatIfResponse())
    assert capsys.readouterr().err == ""
