"""Cards that are drawn one after the other, at a pace (S3.1, S4.1). Pure; times are microseconds since 1970.

Which card is the newest follows from time, so drawing leaves no records: a game stands where it was when somebody bid last, and
is drawn on from there for whoever looks at it. The last card alone is a record, since everybody is asked when it is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from services.games.rules import Ruleset
from services.games.shengji.bids import DRAWN, drawer
from services.games.shengji.params import Params
from services.games.shengji.ruleset import Shengji
from services.games.shengji.state import State

BEFORE_LAST = DRAWN - 1


def paced(rules: Ruleset, params: Any) -> bool:
    """Whether cards may be drawn at a pace: only where trumps are bid meanwhile does it matter (S4.1)."""
    return isinstance(rules, Shengji) and isinstance(params, Params) and params.bid_phase == "while_drawing"


def drawing(game: Any) -> bool:
    """Whether cards of a game are still to be drawn."""
    return isinstance(game, State) and game.phase == "drawing"


def draw(rules: Ruleset, game: Any, number: int) -> tuple[Any, ...]:
    """Events of drawing until `number` cards are; what was bid before is decided (S4.4). None when so many are drawn."""
    return rules.draw(game, number) if isinstance(rules, Shengji) and game.drawn < number else ()


def drawn(rules: Ruleset, game: Any, number: int) -> Any:
    """The game with so many cards drawn, or more if they were."""
    for event in draw(rules, game, number):
        game = rules.evolve(game, event)
    return game


def own_cards(game: State, seat: int, after: int) -> Iterator[int]:
    """Numbers of the cards that `seat` draws after card number `after`, the last one of all excepted."""
    first = game.setting.first_drawer
    return (number for number in range(after + 1, DRAWN) if drawer(first, number) == seat)
