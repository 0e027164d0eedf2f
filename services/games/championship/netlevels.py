"""Net levels of a match in the points format (凈勝級數): C8.4."""

from __future__ import annotations

from services.domain import Rejected

LEVELS = "23456789TJQKA"
"""Levels in the order they are played."""

PAST_A = "S9.5"
"""The clause by which a side that rises past A has won."""


def net_levels(winner: str, loser: str, a_is_a_level: bool = False) -> int:
    """Levels that the winner gains and the loser loses: steps from the loser's level to the winner's, never below 0.

    A counts as K, since neither 2 nor A need be played, so that A against 7 gives 6; with `a_is_a_level` it is a level
    of its own and gives 7. Raises Rejected for a level that is none of 2 … 9, T, J, Q, K, A.
    """
    steps = []
    for level in (winner, loser):
        if len(level) != 1 or level not in LEVELS:
            raise Rejected("NO_SUCH_LEVEL", "C8.4", f"{level!r} is none of {' '.join(LEVELS)}")
        steps.append(LEVELS.index("K" if level == "A" and not a_is_a_level else level))
    return max(steps[0] - steps[1], 0)


def clause_as_written(stored: str) -> str:
    """The clause of a stored result as it is written now: sheets used to say C8.2 of a side that has risen past A."""
    return PAST_A if stored == "C8.2" else stored
