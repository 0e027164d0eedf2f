"""The player that acts when a clock runs out (S11): passes, lays the lowest cards, leads and follows with the lowest."""

from __future__ import annotations

from services.games.shengji import follow, questions
from services.games.shengji.actions import PASS, Action, Bury, Play
from services.games.shengji.bottom import SIZE
from services.games.shengji.state import State


def fallback(state: State, seat: int) -> Action:
    """What is played for `seat`, which has a question open. Raises ValueError if it has none."""
    hand = state.hands[seat]
    match questions.put(state, seat):
        case "bid" | "revolt":
            return PASS
        case "bury":
            low = [card for card in state.orders[seat].low_first for _ in range(hand[card])]
            return Bury(tuple(sorted(low[:SIZE])))
        case "lead":
            return Play((next(card for card in state.orders[seat].low_first if hand[card]),))
        case "follow" if state.demand:
            partial = state.params.partial_tractor_follow
            return Play(follow.follows(state.orders[seat], hand, state.demand, partial=partial).lowest())
    raise ValueError(f"seat {seat} has no question open")
