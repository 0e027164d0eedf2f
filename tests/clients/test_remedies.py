"""What an appeal asks for, as options say it: boards of a disputed round, other seats for it (C10.1, C10.6)."""

from __future__ import annotations

import pytest

from clients.cli import remedies
from clients.cli.output import Problem
from clients.cli.remedies import ContestedOptions, RemedyOptions
from clients.cli.words import choose

ROUND = ContestedOptions(pairing=2)
BOARD = ContestedOptions(table="r1-t1", round_=1, board=3)


def test_percentages_for_the_boards_of_a_disputed_round() -> None:
    found = RemedyOptions(assign=["7=1=60", "7=2=62.5"]).messages(ROUND)
    assert [
        (one.assign_percent.entrant, one.assign_percent.round, one.assign_percent.board) for one in found
    ] == [(7, 2, 1), (7, 2, 2)]
    assert [one.assign_percent.tenths for one in found] == [600, 625]
    (one,) = RemedyOptions(assign=["7=60"]).messages(BOARD)
    assert (one.assign_percent.round, one.assign_percent.board) == (1, 3)


def test_other_seats_are_told_in_both_languages() -> None:
    asked = RemedyOptions(seat=["r2-t1=1,2,3", "r2-t2=6, 5,4"]).messages(ROUND)
    (told,) = remedies.told(asked)
    assert told == {
        "remedy": "reseat_round",
        "round": 2,
        "tables": {"r2-t1": [1, 2, 3], "r2-t2": [6, 5, 4]},
    }
    assert remedies.text(told) == "round 2 seated otherwise: r2-t1: 1 2 3; r2-t2: 6 5 4"
    choose("zh")
    try:
        assert remedies.text(told) == "第 2 轮改座：r2-t1: 1 2 3; r2-t2: 6 5 4"
    finally:
        choose("en")


@pytest.mark.parametrize(
    ("options", "on"),
    [
        (RemedyOptions(assign=["7=60"]), ROUND),
        (RemedyOptions(assign=["7=1=60"]), BOARD),
        (RemedyOptions(assign=["7=x=60"]), ROUND),
        (RemedyOptions(seat=["r1-t1=1,2,3"]), BOARD),
        (RemedyOptions(seat=["r1-t1"]), ROUND),
        (RemedyOptions(seat=["r1-t1=1,-2,3"]), ROUND),
        (RemedyOptions(correct="1,2,-3"), ROUND),
        (RemedyOptions(), ROUND),
    ],
)
def test_what_cannot_be_asked_for_so(options: RemedyOptions, on: ContestedOptions) -> None:
    with pytest.raises(Problem):
        options.messages(on)
