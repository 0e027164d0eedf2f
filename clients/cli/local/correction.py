"""The demo's correction where nobody may appeal (C10.0): the chief referee turns a match that somebody should have won (C9.2).

Which one follows from the final standings alone, so that the same seed gives the same correction, and a demo that was interrupted
makes it once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from clients.cli.connection import Fupan
from clients.cli.local.contest import acting
from clients.cli.local.event import CHIEF
from clients.cli.words import pick
from fupan.pairing.v1 import service_pb2 as pairing_pb
from fupan.scoring.v1 import service_pb2 as pb
from services.games.championship.points import WIN

REASON = "The sides were entered the wrong way round."


@dataclass(frozen=True, slots=True)
class Correction:
    """A match as it should be: `winner` 0 sits in seats 0 and 2, 1 in seats 1 and 3, `levels` by side; won by `entrant`."""

    entrant: int
    round: int
    table: str
    winner: int
    levels: tuple[str, ...]

    def told(self) -> dict[str, Any]:
        """The correction as JSON has it."""
        return {
            "entrant": self.entrant,
            "round": self.round,
            "table": self.table,
            "winner": self.winner,
            "levels": list(self.levels),
            "reason": REASON,
        }


def text(told: dict[str, Any]) -> str:
    """A correction as `told` has it, in a line."""
    levels = ":".join(told["levels"])
    return pick(
        f"The chief referee corrects round {told['round']} at {told['table']}:"
        f" entrant {told['entrant']} won, levels {levels}",
        f"裁判长更正第 {told['round']} 轮 {told['table']} 桌：{told['entrant']} 号胜，级数 {levels}",
    )


async def make(
    fupan: Fupan, championship: str, rows: Sequence[pb.StandingRow], publication: int
) -> Correction | None:
    """Correct a match so that the order of `rows`, those of the publication, changes; None where no match would do that."""
    found = await _choose(fupan, championship, rows, publication)
    if found is not None:
        async with acting(fupan, CHIEF) as chief:
            await chief.scoring.CorrectMatch(
                pb.CorrectMatchRequest(
                    command_id="demo-correction",
                    championship=championship,
                    round=found.round,
                    table=found.table,
                    winner=found.winner,
                    levels=found.levels,
                    reason=REASON,
                )
            )
    return found


async def _choose(
    fupan: Fupan, championship: str, rows: Sequence[pb.StandingRow], publication: int
) -> Correction | None:
    """The first lost match, from the runner-up down, that would have brought more points than who stands above has."""
    for above, row in pairwise(rows):
        if Fraction(row.points) + WIN <= Fraction(above.points):
            continue
        request = pb.ExplainScoreRequest(
            championship=championship, entrant=row.entrant, as_of=str(publication)
        )
        explained = await fupan.scoring.ExplainScore(request)
        lost = next((match for match in explained.matches if not match.points), None)
        if lost is not None:
            return await _turned(fupan, championship, row.entrant, lost)
    return None


async def _turned(fupan: Fupan, championship: str, entrant: int, lost: pb.ExplainedMatch) -> Correction:
    """The match with its sides changed; `lost.levels` has the loser's first."""
    request = pairing_pb.GetRoundRequest(championship=championship, round=lost.round)
    tables = (await fupan.pairing.GetRound(request)).tables
    seats = next(one.table.entrants for one in tables if one.table.table == lost.table)
    winner = list(seats).index(entrant) % 2
    low, high = lost.levels
    return Correction(entrant, lost.round, lost.table, winner, (low, high) if winner else (high, low))
