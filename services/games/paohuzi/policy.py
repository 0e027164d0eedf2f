"""The house AI: chooses from what one seat sees, always the same in the same view.

It wins when it can. Otherwise it takes what raises the gain its hand may expect (`outlook`): counts huxi and
colours, keeps shapes, passes what would break them, and of loose tiles plays the one that serves the others
least.
"""

from __future__ import annotations

from services.games.paohuzi import melds
from services.games.paohuzi.actions import PASS, PLAYS, WIN, Action, Eat, Peng, Play, along_of
from services.games.paohuzi.eats import PARTNERS
from services.games.paohuzi.melds import Meld
from services.games.paohuzi.outlook import Outlook
from services.games.paohuzi.view import SeatView

CAUTION = 0.01
"""Gain one gives up to keep one tile from the others. Tuned."""


def choose(view: SeatView) -> Action:
    """An action from `view.options`; of equal ones a pass, then the first. Raises ValueError without options."""
    options = view.options
    if not options or view.seat is None:
        raise ValueError("a view without a question")
    if WIN in options:
        return WIN
    if len(options) == 1:
        return options[0]
    plays = [option.tile for option in options if isinstance(option, Play)]
    return _play(view, plays) if plays else _claim(view)


def _claim(view: SeatView) -> Action:
    """The claim that leaves the best hand, if better than what a pass leaves."""
    outlook = Outlook(view)
    claims = [option for option in view.options if option != PASS]
    values = [(outlook.value(*_after(view, claim)), claim) for claim in (PASS, *claims)]
    return max(values, key=lambda entry: entry[0])[1]


def _after(view: SeatView, claim: Action) -> tuple[tuple[Meld, ...], list[int]]:
    """The seat's melds and hand once it has the tile on offer; a pass changes nothing."""
    counts, laid = list(view.hand), view.melds[view.seat or 0]
    match claim:
        case Peng():
            counts[view.current] -= 2
            return (*laid, melds.alike("peng", view.current)), counts
        case Eat(using, along):
            for tile in (*using, *(tile for meld in along for tile in meld.tiles)):
                counts[tile] -= 1
            return (*laid, along_of([view.current, *using]), *along), counts
        case _:
            return laid, counts


def _play(view: SeatView, plays: list[int]) -> Action:
    """Of the tiles that some plan leaves loose, the one whose loss and danger cost least."""
    outlook = Outlook(view)
    laid, counts = view.melds[view.seat or 0], list(view.hand)
    loose = {kind for _, left in outlook.plans(laid, counts) for kind in left}
    best: tuple[float, int] | None = None
    for tile in [tile for tile in plays if tile in loose] or plays:
        counts[tile] -= 1
        value = outlook.value(laid, counts) - CAUTION * danger(view, outlook.unseen, tile)
        counts[tile] += 1
        if best is None or value > best[0]:
            best = value, tile
    assert best is not None
    return PLAYS[best[1]]


def danger(view: SeatView, unseen: list[int], tile: int) -> float:
    """How likely, by its measure, a played tile serves the others: eaten by the next seat, ponged, or a pao.

    A seat never eats or pengs a kind it has played (P7.3).
    """
    seat = view.seat or 0
    following, previous = view.fronts[(seat + 1) % 3], view.fronts[(seat + 2) % 3]
    hidden = max(1, sum(unseen))
    total = 0.0
    if tile not in following.played:
        total += (
            sum([unseen[a] * (unseen[b] - (a == b)) / (1 + (a == b)) for a, b in PARTNERS[tile]], 0.0)
            / hidden
        )
    pairs = unseen[tile] * (unseen[tile] - 1) / hidden
    total += sum([pairs for front in (following, previous) if tile not in front.played], 0.0)
    return total + (unseen[tile] == 3)
