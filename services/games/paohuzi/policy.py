"""The house AI: chooses from what one seat sees, always the same in the same view."""

from __future__ import annotations

from services.games.paohuzi.actions import PENG, WIN, Action, Play
from services.games.paohuzi.fallback import loosest
from services.games.paohuzi.view import SeatView


def choose(view: SeatView) -> Action:
    """An action from `view.options`, which must not be empty."""
    options = view.options
    if WIN in options:
        return WIN
    if PENG in options:
        return PENG
    plays = [action.tile for action in options if isinstance(action, Play)]
    if plays:
        return Play(loosest(bytes(view.hand), plays))
    return options[0]
