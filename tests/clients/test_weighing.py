"""On what rulings are tried of an appeal, and on which board a contested ruling was made (C10.1, C10.6)."""

from __future__ import annotations

from typing import Any

import pytest

from clients.appealing import board_of, to_weigh
from fupan.appeals.v1 import events_pb2 as events
from fupan.scoring.v1 import events_pb2 as ruled
from fupan.scoring.v1 import service_pb2 as scoring

Remedy: Any = ruled.Remedy
Asked: Any = scoring.MaterialityRequest

AT = events.ContestedBoard(table="r1-t1", round=1, board=2, attempt=1)
BOARD = events.Contested(board=AT)
RULING = events.Contested(ruling=events.ContestedRuling(ruling="r1-t1.1", at=AT))
OLD_RULING = events.Contested(ruling=events.ContestedRuling(ruling="r-1"))
PUBLICATION = events.Contested(publication=events.ContestedPublication(publication=1))
PAIRING = events.Contested(pairing=events.ContestedPairing(round=3))

CORRECTED = Remedy(correct_result={"table": "r1-t1", "round": 1, "board": 2, "scores": [2, -1, -1]})
VOID = Remedy(void_board={"table": "r2-t4", "round": 2, "board": 1})
SHARE = Remedy(assign_percent={"entrant": 7, "round": 1, "board": 2, "tenths": 600})
LIFTED = Remedy(set_penalty={"penalty": "late-1", "entrant": 7})
ENDED = Remedy(correct_match={"table": "r1-t1", "round": 1, "winner": 1, "levels": ["7", "A"]})

ON_BOARD = Asked(round=1, table="r1-t1", board=2)


@pytest.mark.parametrize("contested", [BOARD, RULING])
def test_C10_1_a_ruling_is_contested_as_its_board(contested: events.Contested) -> None:
    assert board_of(contested) == AT
    assert [board_of(one) for one in (OLD_RULING, PUBLICATION, PAIRING)] == [None] * 3


@pytest.mark.parametrize(
    ("contested", "sought", "weighed"),
    [
        (BOARD, [CORRECTED], [ON_BOARD]),
        (RULING, [LIFTED], [ON_BOARD, Asked(penalty="late-1")]),
        (RULING, [SHARE], [ON_BOARD]),
        (PUBLICATION, [CORRECTED, VOID, CORRECTED], [ON_BOARD, Asked(round=2, table="r2-t4", board=1)]),
        (PUBLICATION, [SHARE], [Asked(round=1, board=2, entrant=7)]),
        (OLD_RULING, [LIFTED], [Asked(penalty="late-1")]),
        (PAIRING, [SHARE], [Asked(pairing=3, entrant=4)]),
        (PAIRING, [CORRECTED], [Asked(pairing=3, entrant=4), ON_BOARD]),
    ],
)
def test_rulings_are_tried_on_what_is_contested_and_on_all_that_something_is_asked_for(
    contested: events.Contested, sought: list[Any], weighed: list[Any]
) -> None:
    filed = events.AppealFiled(entrant=4, contested=contested, sought=sought)
    assert to_weigh(filed, points=False) == weighed


def test_C8_2_a_match_is_weighed_as_a_whole() -> None:
    filed = events.AppealFiled(entrant=4, contested=BOARD, sought=[ENDED])
    assert to_weigh(filed, points=True) == [Asked(round=1, table="r1-t1")]
