"""Mitchell movement for pairs (C7.3): one line stays, the other moves up a table a round, boards move down one.

With boards that move, pairs of an even number of tables skip a table half-way (skip Mitchell), since they would meet boards
they have played; one round fewer is then possible. Where all tables play the same boards in a round, nothing is skipped.
"""

from __future__ import annotations

from collections.abc import Sequence

from services.domain import Rejected
from services.games.championship.meetings import Round, field_of, round_of

LEAST = 3
"""Pairs."""


def mitchell(
    entrants: Sequence[int], same_boards: bool = False, rounds: int | None = None
) -> tuple[Round, ...]:
    """All rounds, or the first `rounds` of them: nobody meets the same pair or plays the same boards twice.

    The 1st, 3rd, … of the entrants stay in seats 0+2, the 2nd, 4th, … move in seats 1+3: with t tables there are t rounds, in
    which everybody meets all of the other line, or t − 1 if t is even and boards move, in which everybody meets all but one.
    An odd field has a bye every round, nobody a second one. Raises Rejected for fewer than 3 entrants, one that stands there
    twice, or more rounds than there are.
    """
    field = field_of(entrants, LEAST)
    staying, moving = field[::2], field[1::2]
    tables = len(staying)
    skips = not same_boards and tables % 2 == 0
    most = tables - skips
    if rounds is not None and not 1 <= rounds <= most:
        raise Rejected("ROUNDS_OUT_OF_RANGE", "C7.3", f"{rounds} rounds, not 1 to {most} for {tables} tables")

    def played(moved: int) -> Round:
        skipped = int(skips and moved >= tables // 2)
        return round_of(
            moved + 1,
            [
                (
                    stays,
                    moving[(table - moved - skipped) % tables],
                    (moved if same_boards else (table + moved) % tables) + 1,
                )
                for table, stays in enumerate(staying)
            ],
        )

    return tuple(played(moved) for moved in range(rounds or most))
