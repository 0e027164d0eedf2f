"""Boards as the engine played them, put into the words of the shadow referees: the one place that knows both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from services.games.paohuzi import tiles
from services.games.rules import Ruleset
from services.games.shadow import check, check_shengji
from services.games.shadow.check import Difference, Told
from services.games.shengji import cards

CHECKS: dict[str, Callable[..., Difference | None]] = {"paohuzi": check.check, "shengji": check_shengji.check}
"""What compares a board with a shadow's reading of it, by game."""


@dataclass(frozen=True, slots=True)
class Played:
    """One step from the deal on: who did what (`seat` None: nobody), what happened as text, the game's state after it, and once
    the board is over the scores that were recorded."""

    seat: int | None
    action: str
    events: tuple[str, ...]
    state: Any
    scores: tuple[int, ...] | None


def arguments(
    rules: Ruleset, params: Mapping[str, Any], board: int, deal: bytes, steps: Sequence[Played]
) -> tuple[Any, ...]:
    """What the check of the ruleset's game is to be called with; plain data, so that another process may do it.

    `params` as the ruleset describes them, `deal` one byte a card in dealing order; `steps` has at least the deal.
    """
    if rules.game == "paohuzi":
        told = [_told(step, _options(rules, step.state)) for step in steps]
        return params, board, [tiles.show(tile) for tile in deal], told
    # Of Shengji there may be millions of options: whether each play is legal is asked instead.
    told = [_told(step, {}) for step in steps]
    return params, *steps[0].state.setting, [cards.show(card) for card in deal], told


def difference(
    rules: Ruleset, params: Mapping[str, Any], board: int, deal: bytes, steps: Sequence[Played]
) -> Difference | None:
    """Where a shadow first says otherwise; see `arguments`."""
    return CHECKS[rules.game](*arguments(rules, params, board, deal, steps))


def _told(step: Played, options: Mapping[int, tuple[str, ...]]) -> Told:
    return Told(step.seat, step.action, step.events, options, step.scores)


def _options(rules: Ruleset, state: Any) -> dict[int, tuple[str, ...]]:
    """What every asked seat could choose."""
    return {
        seat: tuple([_text(rules.show, action) for action in rules.options(state, seat)])
        for seat in rules.asked(state)
    }


@lru_cache(maxsize=1 << 12)
def _text(show: Callable[[Any], str], action: Any) -> str:
    """An action's text, remembered: a question often offers what the one before it did."""
    return show(action)
