"""What `appeal whatif` says beside standings: lines crossed, and the next round's seats."""

from __future__ import annotations

import pytest

from clients.cli import changes, whatif
from clients.cli.output import Problem
from clients.cli.words import choose
from fupan.scoring.v1 import service_pb2 as pb


def seating(*moved: pb.SeatingChange, **more: object) -> pb.WhatIfResponse:
    return pb.WhatIfResponse(seating=pb.NextSeating(round=3, tables=4, changes=moved, **more))  # type: ignore[arg-type]


def test_tables_that_would_be_seated_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    told = seating(
        pb.SeatingChange(table="r3-t1", before=[1, 2, 3], after=[1, 2, 4]), byes_before=[7], byes_after=[8]
    )
    whatif._show_seating(told)
    shown = capsys.readouterr()
    assert "r3-t1" in shown.out
    assert "1 2 4" in shown.out
    assert shown.err.splitlines() == [
        "round 3, paired now: 1 of 4 tables otherwise",
        "byes: 7 before, 8 after",
    ]
    whatif._show_seating(seating(byes_before=[7], byes_after=[7]))
    assert capsys.readouterr().err.splitlines() == ["round 3, paired now: 0 of 4 tables otherwise"]
    whatif._show_seating(pb.WhatIfResponse())
    assert "no round is left" in capsys.readouterr().err


def test_C10_6_seats_of_a_round_that_has_not_begun(capsys: pytest.CaptureFixture[str]) -> None:
    moved = pb.SeatingChange(table="r2-t1", before=[1, 2, 3], after=[4, 2, 3])
    found = whatif._seating(pb.NextSeating(round=2, tables=2, changes=[moved]))
    assert found is not None
    whatif._show_reseated(found)
    shown = capsys.readouterr()
    assert "4 2 3" in shown.out
    assert shown.err.splitlines() == ["round 2, before it begins: 1 of 2 tables otherwise"]


def test_who_crosses_a_line_in_both_languages(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [pb.LineCrossed(rank=8, gained=[3, 5], lost=[9])]
    changes.say_crossed(lines)
    choose("zh")
    try:
        changes.say_crossed(lines)
    finally:
        choose("en")
    assert capsys.readouterr().err.splitlines() == [
        "line after rank 8: in 3, 5; out 9",
        "前 8 名：进入 3, 5；退出 9",
    ]
    assert changes.crossed(lines) == [{"rank": 8, "gained": [3, 5], "lost": [9]}]


@pytest.mark.parametrize("text", ["0", "3,,8", "-1", "x", "1000000"])
def test_a_line_is_a_rank(text: str) -> None:
    with pytest.raises(Problem):
        changes.ranks(text)
    assert changes.ranks("3, 8") == [3, 8]
