"""Round robin (循环赛) for up to 16 teams by the circle method (C7.3): everybody meets everybody once."""

from __future__ import annotations

from collections.abc import Sequence

from services.domain import Rejected
from services.games.championship.meetings import Round, field_of, round_of

LEAST, MOST = 2, 16
"""Teams."""


def round_robin(entrants: Sequence[int]) -> tuple[Round, ...]:
    """n − 1 rounds, or n rounds of an odd field, where everybody has one bye; all play the same boards in a round.

    Everybody is `first` (seats 0+2 of the open room) as often as `second`, or once more or less. Raises Rejected for fewer
    than 2 or more than 16 entrants, or one that stands there twice.
    """
    if len(entrants) > MOST:
        raise Rejected("FIELD_TOO_LARGE", "C7.3", f"{len(entrants)} teams, at most {MOST} play a round robin")
    *circle, fixed = field_of(entrants, LEAST)
    size = len(circle)

    def played(turn: int) -> Round:
        ring = circle[turn:] + circle[:turn]
        tables = [(ring[0], fixed) if turn % 2 else (fixed, ring[0])]
        # Who sits opposite in the ring meets; its sides alternate round the ring, so that a turn changes each one's side.
        for at in range(1, size // 2 + 1):
            one, other = ring[at], ring[-at]
            tables.append((one, other) if at % 2 else (other, one))
        return round_of(turn + 1, [(*table, turn + 1) for table in tables])

    return tuple(played(turn) for turn in range(size))
