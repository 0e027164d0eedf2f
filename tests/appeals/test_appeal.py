from __future__ import annotations

from fupan.appeals.v1 import events_pb2 as events
from fupan.scoring.v1 import events_pb2 as scoring_events
from fupan.scoring.v1 import service_pb2 as scoring
from tests.cup import Cup
from tests.platform import Platform


async def test_an_appeal_upheld(platform: Platform) -> None:
    await platform.start()
    cup = await Cup.create(platform)
    await cup.ended()
    before = await cup.boss.scoring.GetStandings(scoring.GetStandingsRequest(championship="cup"))
    contested = events.Contested(board=events.ContestedBoard(table="r1-t1", round=1, board=1, attempt=1))
    remedy = scoring_events.Remedy(
        correct_result=scoring_events.CorrectResult(
            table="r1-t1", round=1, board=1, attempt=1, scores=[9, -4, -5]
        )
    )
    filed = await cup.file(1, contested, [remedy])
    case = await cup.panel(filed.appeal)
    assert case.appeal.phase == "upheld"
    await platform.events.wait("standings_published", cause="ruling")
    after = await cup.boss.scoring.GetStandings(scoring.GetStandingsRequest(championship="cup"))
    assert before.digest != after.digest
