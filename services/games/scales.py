"""Which raw scores a board can have at all, game by game: what a score must be to be entered or corrected (P11.1, S9)."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

from services.domain import Rejected
from services.games.championship.conduct import MOST_FINE
from services.games.paohuzi.params import Params as PaohuziParams
from services.games.paohuzi.score import tun
from services.games.shengji.params import Params as ShengjiParams
from services.games.shengji.result import ENOUGH, SIDES, declares, side, steps

MOST_HUXI = 84
"""Seven melds of 12, more than any hand of Paohuzi holds."""
MOST_RED = 30
"""More red tiles than any hand holds beyond the ten of a red hand."""
MOST_POINTS = 120 + 80 * (1 << 13)
"""In tricks, and in the bottom by a tractor of twelve pairs (S9.1); fines aside."""


@dataclass(frozen=True, slots=True)
class Side:
    """Seats that win a board together, and how much each of the others can then lose: not negative, ascending."""

    seats: frozenset[int]
    losses: range

    def scores(self, loss: int, seats: int) -> tuple[int, ...]:
        """Raw scores of a table of `seats`, sum 0, where each of the others loses `loss`."""
        gain = loss * (seats - len(self.seats)) // len(self.seats)
        return tuple(gain if seat in self.seats else -loss for seat in range(seats))


def sides(params: Any, board: int) -> tuple[Side, ...]:
    """Who can win the `board`th board (from 1) of a game with these resolved parameters, and by how much."""
    if isinstance(params, PaohuziParams):
        most = tun(params, max(MOST_HUXI, params.min_huxi)) * _most_fan(params)
        return tuple(Side(frozenset({seat}), range(most + 1)) for seat in range(3))
    if isinstance(params, ShengjiParams):
        declaring = side(declares(board))
        return tuple(Side(frozenset({at, at + 2}), _losses(params, at == declaring)) for at in SIDES)
    raise TypeError(type(params))


def check(params: Any, board: int, scores: tuple[int, ...]) -> None:
    """Whether the `board`th board can come out so, whatever was fined in Shengji (S9.2); of Paohuzi no fine moves a score.

    Raises Rejected.
    """
    if isinstance(params, PaohuziParams):
        loss, allowed = -min(scores), sides(params, board)
        if not any(loss in one.losses and scores == one.scores(loss, len(scores)) for one in allowed):
            most = 2 * allowed[0].losses[-1]
            why = f"the winner has twice what each of the others loses, {most} at most, or nobody wins"
            raise Rejected("SCORES_OF_NO_BOARD", "P11.1", why)
    if isinstance(params, ShengjiParams):
        if scores != (scores[0], -scores[0]) * len(SIDES):
            why = "partners have the same score, and the other side the opposite"
            raise Rejected("SCORES_OF_NO_BOARD", "S9.6", why)
        most = steps(params, 0)
        if params.score == "levels" and scores[declares(board)] > most:
            why = f"the declarer's side rises {most} levels at most"
            raise Rejected("SCORES_OF_NO_BOARD", "S9.3", why)


def check_points(params: ShengjiParams, points: int, explained: bool) -> None:
    """Whether the defenders of a board can have `points`, by cards and fines (S9.1, S9.2). `explained`: somebody says why.

    Raises Rejected.
    """
    least, most = -MOST_FINE, MOST_POINTS + MOST_FINE
    if not least <= points <= most:
        raise Rejected(
            "POINTS_OUT_OF_RANGE",
            "S9.1",
            f"{points} points: no board comes to less than {least} or more than {most}, fines included",
        )
    if points % _unit(params) and not explained:
        raise Rejected(
            "POINTS_OUT_OF_RANGE",
            "S9.2",
            f"{points} points: cards count 5 and 10; where a fine makes it another number, a reason says so",
        )


def _most_fan(params: PaohuziParams) -> int:
    fans = [max(fan, 1) for _, fan in params.fan] or [1]
    added = MOST_RED * params.red_step
    if params.fan_combine == "multiply":
        return prod(fans) * (1 + added)
    return (max(fans) if params.fan_combine == "max" else sum(fans)) + added


def _losses(params: ShengjiParams, declaring: bool) -> range:
    """By how much the declarer's side, or the other, can win (S9.6); fines move it by as many points as all cards have (S9.2)."""
    if params.score == "levels":
        return range(1, steps(params, 0) + 1) if declaring else range(steps(params, MOST_POINTS) + 1)
    least = _unit(params)
    most = ENOUGH if declaring else MOST_POINTS - ENOUGH
    return range(least if declaring else 0, most + MOST_FINE + 1, least)


def _unit(params: ShengjiParams) -> int:
    """What P is a multiple of: cards count 5 and 10, and so do the catalogue's fines, but those of a referee's choice (S10)."""
    return 5 if params.throw_fine % 5 == 0 else 1
