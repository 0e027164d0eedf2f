"""What a deal comes to: level steps, next declarer, the end of a match, the raw score of a duplicate board (S9.3-S9.7)."""

from __future__ import annotations

from typing import NamedTuple

from services.games.shengji.cards import RANKS
from services.games.shengji.params import Params

SEATS = (0, 1, 2, 3)
SIDES = (0, 1)
"""Seats 0+2 and seats 1+3 (S2.1)."""
ENOUGH = 80
"""Points with which the declarer loses the deal."""
LOST = ENOUGH
"""What a deal counts that its declarer loses at once (S10.0)."""
_STEP = {"steps20": 20, "steps40": 40}

Levels = tuple[str, str]
"""Levels of sides 0 and 1."""


class Result(NamedTuple):
    """What follows from a deal in a match."""

    levels: Levels
    """After it; a side that has won stays at A."""
    next_declarer: int
    won_by: int | None
    """Side that has risen past A."""


def side(seat: int) -> int:
    """The side of a seat."""
    return seat % 2


def partner(seat: int) -> int:
    """The seat opposite."""
    return (seat + 2) % 4


def declares(board: int) -> int:
    """The seat that declares on a duplicate board, counted from 1 (S9.6)."""
    return (board - 1) % len(SEATS)


def held(points: int) -> bool:
    """Whether the declarer keeps the deal, the defenders having `points`."""
    return points < ENOUGH


def steps(params: Params, points: int) -> int:
    """Levels that the winners of the deal rise; the declarer's side wins below 80 points (S9.3, S9.7)."""
    step = _STEP[params.profile]
    if not held(points):
        return (points - ENOUGH) // step
    return ENOUGH // step + 1 if points <= 0 else -((points - ENOUGH) // step)


def settle(params: Params, points: int, levels: Levels, declarer: int) -> Result:
    """Levels, next declarer and winner after a deal in which the defenders made `points`, fines included (S9.3-S9.5)."""
    kept = held(points)
    winners = side(declarer) if kept else 1 - side(declarer)
    level = _risen(params, levels[winners], steps(params, points), kept)
    after = level or RANKS[-1]
    return Result(
        (after, levels[1]) if winners == 0 else (levels[0], after),
        next_declarer(params, points, declarer),
        winners if level is None else None,
    )


def next_declarer(params: Params, points: int, declarer: int) -> int:
    """The declarer of the deal after (S9.4)."""
    keeps = held(points) and params.declarer_rotation == "side_keeps"
    return partner(declarer) if keeps else (declarer + 1) % 4


def scores(params: Params, points: int, declarer: int) -> tuple[int, ...]:
    """Raw scores of a duplicate board by seat, sum 0 (S9.6)."""
    if params.score == "points":
        gain = points - ENOUGH
    else:
        gain = -steps(params, points) if held(points) else steps(params, points)
    return tuple(gain if side(seat) != side(declarer) else -gain for seat in SEATS)


def _risen(params: Params, level: str, rise: int, kept: bool) -> str | None:
    """The level after a rise, None past A. A level that must be played is left only by having kept it (S9.5)."""
    at = RANKS.index(level)
    if level in params.must_play and not kept:
        return level
    for above in RANKS[at + 1 : at + rise + 1]:
        if above in params.must_play:
            return above
    return RANKS[at + rise] if at + rise < len(RANKS) else None
