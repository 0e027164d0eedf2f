"""The player that acts when a clock runs out (P12): wins if it can, passes claims, plays the loosest tile."""

from __future__ import annotations

from services.games.paohuzi import eats, questions
from services.games.paohuzi.actions import PASS, WIN, Action, Play
from services.games.paohuzi.state import State

COPY = 4
MELD = 2
ONE_SHORT = 1


def fallback(state: State, seat: int) -> Action:
    """What is played for `seat`, which has a question open. Raises ValueError if it has none."""
    choice = questions.put(state, seat)
    if WIN in choice:
        return WIN
    if PASS in choice:
        return PASS
    plays = [action.tile for action in choice if isinstance(action, Play)]
    if not plays:
        raise ValueError(f"seat {seat} has no question open")
    return Play(loosest(state.seats[seat].hand, plays))


def loosest(hand: bytes, plays: list[int]) -> int:
    """The tile least tied to the rest of the hand; equally loose ones: the lowest code (P12).

    A tile's ties are 4 for a second copy in the hand, 2 for every run or jiao the hand can make with it, and
    1 for every one it is one tile short of. Kan count for nothing: they are never broken.
    """
    have = eats.free(hand)
    return min(plays, key=lambda tile: (_ties(have, tile), tile))


def _ties(have: bytearray, tile: int) -> int:
    ties = COPY * (have[tile] - 1)
    for first, second in eats.PARTNERS[tile]:
        wanted = {first: 1, second: 1} if first != second else {first: 2}
        wanted[tile] = wanted.get(tile, 0) + 1
        missing = sum(max(0, number - have[kind]) for kind, number in wanted.items())
        ties += MELD if not missing else ONE_SHORT if missing == 1 else 0
    return ties
