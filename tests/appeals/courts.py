"""An event whose boards are contested: what the tests of appeals on real servers begin with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fupan.appeals.v1 import events_pb2 as events
from fupan.scoring.v1 import events_pb2 as scoring_events
from fupan.scoring.v1 import service_pb2 as scoring
from tests.cup import Cup
from tests.platform import Platform, Seen

BOARD = events.Contested(board=events.ContestedBoard(table="r1-t1", round=1, board=1, attempt=1))


WORSE = scoring_events.Remedy(
    correct_result=scoring_events.CorrectResult(
        table="r1-t1", round=1, board=1, attempt=1, scores=[-10, 20, -10]
    )
)


async def ended(platform: Platform, **document: Any) -> tuple[Cup, int]:
    """An event of one round that has ended, and when; an appeal's sender is entrant 1."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1, **document)
    return cup, await cup.ended()


def about(appeal: str) -> Callable[[Seen], bool]:
    return lambda seen: seen.stored.subject.endswith(appeal)


async def standings(cup: Cup, as_of: str = "", position: str = "") -> Any:
    """The standings, once scoring has read what stands before a position."""
    request = scoring.GetStandingsRequest(championship=cup.id, as_of=as_of, min_position=position)
    return await cup.boss.scoring.GetStandings(request)
