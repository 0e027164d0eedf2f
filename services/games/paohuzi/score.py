"""What a won hand pays (P11)."""

from __future__ import annotations

from services.games.paohuzi.params import Params

DRAWN = (0, 0, 0)
"""Scores of a board nobody won (荒庄)."""


def tun(params: Params, huxi: int) -> int:
    """Units (囤) of a hand that reaches the minimum: one, and one for every three huxi above it (P11.1)."""
    return (huxi - params.min_huxi) // 3 + 1


def gain(params: Params, huxi: int, fan: int) -> int:
    """What the winner scores; each of the others loses half of it (P11.1)."""
    return tun(params, huxi) * fan * 2


def by_seat(winner: int, winner_gain: int) -> tuple[int, int, int]:
    """Scores of the three seats when `winner` gains `winner_gain`; they sum to 0."""
    first, second, third = (winner_gain if seat == winner else -winner_gain // 2 for seat in range(3))
    return first, second, third
