"""Howell movement for pairs (C7.3): everybody meets everybody once; one pair stays, the others go round in a cycle.

With n pairs, n even, and all numbers modulo n − 1: table 0 has the staying pair and pair r in round r, table i the pairs xi + r
and yi + r with boards ci + r. Everybody meets everybody if the differences ±(xi − yi) are all different (a *starter*), and plays
each set of boards once, no two tables the same at a time, if the ci and the ci − xi, ci − yi are (an *adder*): a Room square.
There is none for 4 and 6 pairs.
"""

from __future__ import annotations

from collections.abc import Sequence

from services.domain import Rejected
from services.games.championship.meetings import Round, field_of, round_of

LEAST, MOST = 3, 60
"""Pairs."""

STARTERS = {
    7: "2 4 5",
    9: "2 6 4 1",
    11: "2 5 6 8 10",
    13: "3 6 9 10 2 5",
    15: "8 3 11 12 2 4 6",
    17: "6 3 12 9 14 4 11 8",
    19: "2 14 5 9 12 1 4 10 6",
    21: "17 8 4 2 9 16 13 11 3 5",
    23: "3 19 9 11 5 18 13 22 8 6 14",
    25: "10 21 6 24 15 13 5 8 17 22 18 2",
    27: "19 13 2 7 12 16 23 1 24 25 10 14 18",
    29: "4 15 9 20 11 1 25 27 19 13 10 14 18 8",
    31: "21 9 17 25 14 1 3 16 30 2 26 15 23 4 13",
    33: "29 11 24 19 17 31 2 6 3 18 5 20 8 1 25 10",
    35: "8 32 13 15 25 22 3 4 24 26 7 17 14 6 31 21 23",
    37: "8 13 1 23 2 26 18 11 22 30 17 12 34 29 20 5 36 33",
    39: "10 4 30 14 19 23 1 27 13 28 20 32 2 3 21 9 34 37 7",
    41: "24 7 16 10 31 26 38 29 3 17 35 40 21 8 15 23 1 2 28 13",
    43: "6 36 13 19 21 11 27 22 33 15 35 29 5 37 32 39 40 2 9 24 10",
    45: "33 13 37 27 24 10 12 39 35 28 6 9 1 11 5 36 26 30 4 22 32 41",
    47: "40 42 25 34 16 18 7 45 11 27 12 17 39 19 35 46 43 4 30 36 10 26 32",
    49: "23 5 48 8 29 35 11 17 46 28 22 40 13 30 32 4 14 27 39 1 16 42 36 19",
    51: "46 28 31 37 8 29 15 12 18 32 25 4 49 40 45 5 48 43 38 50 23 17 1 2 33",
    53: "35 9 42 24 38 16 19 33 12 29 50 18 47 40 10 52 49 37 32 3 46 48 4 20 34 5",
    55: "23 48 42 4 6 12 28 36 20 9 32 3 26 16 53 38 40 33 46 21 1 27 14 7 47 34 25",
    57: "16 52 24 9 40 28 8 18 32 33 51 38 48 25 14 44 36 37 1 10 2 56 46 7 22 42 49 35",
    59: "6 46 37 26 45 9 55 2 42 18 38 13 31 19 12 23 36 16 54 43 11 58 1 52 56 41 20 29 35",
}
"""n − 1 -> x1 x2 …, yi being xi + i; found by hill climbing so that the sums xi + yi are an adder, except for 9."""
ADDERS = {9: (8, 1, 5, 4)}


def howell(
    entrants: Sequence[int], same_boards: bool = False, rounds: int | None = None
) -> tuple[Round, ...]:
    """All rounds, or the first `rounds` of them: nobody meets the same pair or plays the same boards twice.

    There are n − 1 rounds, n of an odd field, where everybody has one bye. The last entrant stays, or stays away. After all of
    them everybody has sat in both lines equally often or once more in one. With `same_boards` all tables play the same boards
    in a round; else boards move, which 3 to 6 pairs cannot do without two tables that need the same ones at a time. Raises
    Rejected for these, for fewer than 3 or more than 60 entrants, one that stands there twice, or more rounds than there are.
    """
    field = field_of(entrants, LEAST)
    cycle = len(field) - 1
    if len(field) > MOST:
        raise Rejected(
            "FIELD_TOO_LARGE", "C7.3", f"{len(entrants)} pairs, at most {MOST} play a Howell movement"
        )
    if rounds is not None and not 1 <= rounds <= cycle:
        raise Rejected("ROUNDS_OUT_OF_RANGE", "C7.3", f"{rounds} rounds, not 1 to {cycle}")
    if cycle not in STARTERS and not same_boards:
        raise Rejected("NO_SUCH_MOVEMENT", "C7.3", f"boards cannot move among {len(entrants)} pairs")
    starter = _starter(cycle)
    adder = ADDERS.get(cycle, [(one + other) % cycle for one, other in starter])

    def played(turn: int) -> Round:
        alone = (field[-1], field[turn]) if turn % 2 else (field[turn], field[-1])
        tables = [(*alone, turn)] + [
            (field[(one + turn) % cycle], field[(other + turn) % cycle], (boards + turn) % cycle)
            for (one, other), boards in zip(starter, adder, strict=True)
        ]
        return round_of(
            turn + 1, [(one, other, (turn if same_boards else boards) + 1) for one, other, boards in tables]
        )

    return tuple(played(turn) for turn in range(rounds or cycle))


def _starter(cycle: int) -> list[tuple[int, int]]:
    if cycle not in STARTERS:  # 3 and 5: any starter does where boards do not move
        return [(one, cycle - one) for one in range(1, cycle // 2 + 1)]
    ones = map(int, STARTERS[cycle].split())
    return [(one, (one + difference) % cycle) for difference, one in enumerate(ones, 1)]
