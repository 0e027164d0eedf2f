"""A board that was played elsewhere, put before the shadow referee: what could be chosen, what happened, how it ended.

Everything comes in as text, as replays tell it, so that nothing of the engine is in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from services.domain import Rejected
from services.games.shadow import hands as shadow
from services.games.shadow.claims import tidy
from services.games.shadow.hands import Tile
from services.games.shadow.paohuzi import Board, Fact

_NAMED = {
    "ti_dealt": "is dealt ti",
    "tile_played": "plays",
    "tile_drawn": "draws",
    "ti_laid": "ti",
    "pao_laid": "pao",
    "tile_died": "dies",
    "ponged": "pengs",
}
"""Events that name a seat and a tile, in the words of the shadow."""


@dataclass(frozen=True, slots=True)
class Told:
    """One step as it was recorded: who did what (`seat` None: the deal), what happened, and the board after it.

    `options`: by asked seat what it could choose; `scores`: once the board is over.
    """

    seat: int | None
    do: str
    events: tuple[str, ...]
    options: Mapping[int, tuple[str, ...]]
    scores: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Difference:
    """Where the two referees part: the step, from 1, and in what. It names no tile, so that anybody may read it."""

    step: int
    what: Literal["refused", "happened", "choices", "scores"]


def check(
    params: Mapping[str, Any], board: int, deal: Sequence[Tile], told: Iterable[Told]
) -> Difference | None:
    """The first difference; None where the shadow says the same throughout.

    `params` as the ruleset describes them, `board` counts from 1 (P2), `deal` in the order the tiles are dealt (P3).
    """
    dealer = (board - 1) % 3
    hands = [deal[(seat - dealer) % 3 : 60 : 3] for seat in range(3)]
    ours, seen = Board(shadow.rules(params), dealer, hands, deal[60], deal[61:]), 0
    options = ours.options()
    for number, step in enumerate(told, 1):
        happened = [fact for event in step.events for fact in _facts(event)]
        if step.seat is not None and (happened or step.seat in options):
            try:
                ours.act(step.seat, step.do)
            except Rejected:
                return Difference(number, "refused")
        # Else a seat that was outranked has answered, which is void (P6.4).
        due, seen = ours.facts[seen:], len(ours.facts)
        if happened != due and _in_one_order(happened) != _in_one_order(due):
            return Difference(number, "happened")
        options = ours.options()
        if _tidied(step.options) != {seat: sorted(choices) for seat, choices in options.items()}:
            return Difference(number, "choices")
        if step.scores != (None if ours.scores is None else tuple(ours.scores)):
            return Difference(number, "scores")
    return None


def _tidied(options: Mapping[int, Sequence[str]]) -> dict[int, list[str]]:
    return {seat: sorted(map(tidy, choices)) for seat, choices in options.items()}


def _in_one_order(facts: Sequence[Fact]) -> tuple[list[Fact], list[Fact]]:
    """What happened in its order, and who passed what, which has none."""
    passes = sorted(fact for fact in facts if fact[0] == "passes")
    return [fact for fact in facts if fact[0] != "passes"], passes


@lru_cache(maxsize=1 << 12)
def _facts(event: str) -> tuple[Fact, ...]:
    """An event in the words of the shadow, one at most; answers that are not settled yet are no facts. Remembered: the same tiles
    are drawn and played again and again."""
    return tuple(_told(event))


def _told(event: str) -> Iterator[Fact]:
    name, *words = event.split()
    match name, words:
        case name, [seat, tile] if name in _NAMED:
            yield _NAMED[name], int(seat), tile
        case "wei_laid", [seat, tile, *stale]:
            yield "chouwei" if stale else "wei", int(seat), tile
        case "eaten", [seat, tile, *taken]:
            yield "eats", int(seat), tile, tidy("eat " + " ".join(_unnamed(taken)))
        case "kind_passed", [seat, tile, *kinds]:
            yield "passes", int(seat), tile, "eat" in kinds, "peng" in kinds
        case "hand_died", [seat]:
            yield "hand is dead", int(seat), None
        case "won", [seat, *_]:
            yield "wins", int(seat), None
        case "board_drawn", []:
            yield "nobody wins", None, None


def _unnamed(words: Sequence[str]) -> list[str]:
    """The tiles of melds that are laid along (`+ run s1 s2 s3`), without the melds' names."""
    return [word for word in words if word not in ("run", "jiao")]
