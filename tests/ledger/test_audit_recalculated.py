"""An outsider works out over again how the arithmetic of a committee's ruling was put right (C10.7)."""

from __future__ import annotations

from typing import Any

import pytest

from fupan.scoring.v1 import events_pb2 as pb
from services.domain import Rejected
from services.games.championship import results as r
from services.ledger.audit.evidence import Event
from services.ledger.audit.recalculated import Ruling, objection, refigured

COMMITTEE = pb.Authority(by="arbitration", appeal="a-1", reason="ruling")
CHIEF = pb.Authority(by="chief_referee", appeal="a-1", reason="added once")
RULED = (
    Event("result_corrected", pb.ResultCorrected(scores=[10, -5, -5], authority=COMMITTEE)),
    Event("percent_assigned", pb.PercentAssigned(tenths=583, authority=COMMITTEE)),
    Event("penalty_set", pb.PenaltySet(tenths=45, authority=COMMITTEE)),
    Event("board_voided", pb.BoardVoided(tenths=[551, 552, 553], authority=COMMITTEE)),
    Event("match_corrected", pb.MatchCorrected(levels=["A", "7"], authority=COMMITTEE)),
    Event("penalty_set", pb.PenaltySet(tenths=45, authority=pb.Authority(by="deputy"))),
    Event("ruling_recalculated", pb.RulingRecalculated(ruling=3, authority=CHIEF)),
)


def reckoned(ruling: int, working: list[str], figures: list[int], authority: Any = CHIEF) -> Any:
    return pb.RulingRecalculated(ruling=ruling, working=working, figures=figures, authority=authority)


@pytest.mark.parametrize(
    "right",
    [
        reckoned(1, ["10 + 2*5", "-5 - 5", "-5 - 5"], [20, -10, -10]),
        reckoned(2, ["(58.4 + 59.6) / 2"], [590]),
        reckoned(3, ["2 * 2.5"], [50]),
        reckoned(4, ["110.4 / 2", "55.2", "55.3"], [552, 552, 553]),
    ],
)
def test_workings_that_come_to_the_figures(right: Any) -> None:
    assert objection(RULED, right) == ""


@pytest.mark.parametrize(
    "wrong",
    [
        reckoned(1, ["10 + 2*5", "-5 - 5", "-5 - 5"], [21, -10, -11]),
        reckoned(1, ["20", "-10", "-10"], [20, -10, -10]),
        reckoned(1, ["10 + 2*5", "-5 - 5", "-5 - 4"], [20, -10, -9]),
        reckoned(3, ["4.5 * 30"], [1350]),
        reckoned(1, ["-10 - 1", "5 + 1", "5"], [-11, 6, 5]),
        reckoned(
            1, ["10 + 2*5", "-5 - 5", "-5 - 5"], [20, -10, -10], pb.Authority(by="referee", appeal="a-1")
        ),
        reckoned(
            1, ["10 + 2*5", "-5 - 5", "-5 - 5"], [20, -10, -10], pb.Authority(by="deputy", appeal="a-2")
        ),
        reckoned(0, ["1 + 1"], [2]),
        reckoned(5, ["1 + 1"], [2]),
        reckoned(6, ["2 * 2.5"], [50], pb.Authority(by="chief_referee")),
        reckoned(7, ["2 * 2.5"], [50]),
        reckoned(8, ["2 * 2.5"], [50]),
    ],
)
def test_what_is_no_arithmetic_is_found(wrong: Any) -> None:
    assert objection(RULED, wrong)


def test_the_new_figures_follow_the_ruling_that_is_meant() -> None:
    rulings: list[Ruling] = [r.Corrected(1, 1, 1, "r1-t1", (10, -5, -5)), r.Penalised(2, "late", 5, 45)]
    assert refigured(rulings, reckoned(1, [], [20, -10, -10])) == r.Corrected(
        3, 1, 1, "r1-t1", (20, -10, -10)
    )
    assert refigured(rulings, reckoned(2, [], [50])) == r.Penalised(3, "late", 5, 50)
    for wrong in (reckoned(0, [], [1]), reckoned(3, [], [1]), reckoned(2, [], [1, 2])):
        with pytest.raises(Rejected):
            refigured(rulings, wrong)
