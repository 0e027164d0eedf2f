"""Events that are played, and their standings: what the tests of scoring on real servers begin with."""

from __future__ import annotations

from typing import Any

from fupan.scoring.v1 import service_pb2 as pb
from tests.cup import Cup
from tests.platform import Platform


async def standings(cup: Cup, as_of: str = "", position: str = "") -> Any:
    return await cup.platform.of(None).scoring.GetStandings(
        pb.GetStandingsRequest(championship=cup.id, as_of=as_of, min_position=position)
    )


def cut_of(published: Any) -> str:
    """The cut of a publication as it is written down."""
    return ",".join(f"{at.stream}@{at.sequence}" for at in published.cut.positions)


def fixed(round_: int, board: int, number: int) -> tuple[int, ...]:
    """Of two tables the first is better in seat 0 (9 to 8), the second in seat 1 (-3 to -4); seat 2 is equal."""
    return 10 - number, -5 + number, -5


async def played(platform: Platform, **document: Any) -> Cup:
    """An event of one round that has ended."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1, **document)
    await cup.pair()
    await cup.play(1, scores=fixed)
    return cup
