"""Boards as the engine played them, put into the words of the shadow referees: the one place that knows both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from services.games.paohuzi import tiles
from services.games.rules import Ruleset
from services.games.shadow import check, check_shengji
from services.games.shadow.check import Difference, Told
from services.games.shengji import cards

Pace = Callable[[Iterable[Any]], Iterator[Any]]
"""Gives steps one after the other, as they come or with rests between them."""


@dataclass(frozen=True, slots=True)
class Played:
    """One step from the deal on: who did what (`seat` None: nobody), what happened as text, the game's state after it, and once
    the board is over the scores that were recorded."""

    seat: int | None
    action: str
    events: tuple[str, ...]
    state: Any
    scores: tuple[int, ...] | None


def difference(
    rules: Ruleset,
    params: Mapping[str, Any],
    board: int,
    deal: bytes,
    steps: Sequence[Played],
    pace: Pace = iter,
) -> Difference | None:
    """Where a shadow first says otherwise, None: nowhere.

    `params` as the ruleset describes them, `deal` one byte a card in dealing order; `steps` has at least the deal.
    """
    if rules.game == "paohuzi":
        told = (_told(step, _options(rules, step.state)) for step in pace(steps))
        return check.check(params, board, [tiles.show(tile) for tile in deal], told)
    # Of Shengji there may be millions of options: whether each play is legal is asked instead.
    told = (_told(step, {}) for step in pace(steps))
    level, declarer, first_drawer = steps[0].state.setting
    return check_shengji.check(
        params, level, declarer, first_drawer, [cards.show(card) for card in deal], told
    )


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
