"""The house AI: chooses from what one seat sees, always the same in the same view."""

from __future__ import annotations

from services.games.shengji.actions import Action
from services.games.shengji.view import SeatView


def choose(view: SeatView) -> Action:
    """An action from `view.options`, which must not be empty."""
    return view.options[0]
