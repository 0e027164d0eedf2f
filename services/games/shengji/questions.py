"""What every seat is asked, and what it may do then.

When trumps are bid after dealing, all seats are asked at once, whatever they hold, so that the wait tells nothing; their answers
count in the order of S4.4 or S4.5. Both defenders are asked whether they revolt while the declarer buries (S4.8).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from services.games.shengji import bids, choices
from services.games.shengji.actions import PASS, Action
from services.games.shengji.result import SEATS
from services.games.shengji.state import State, drawn_cards

Question = Literal["", "bid", "revolt", "bury", "lead", "follow"]
"""What a seat sees itself asked; empty: nothing."""


def asked(state: State) -> tuple[int, ...]:
    """Seats the table waits for, ascending."""
    match state.phase:
        case "play":
            return (state.turn,)
        case "call":
            return tuple([seat for seat in SEATS if state.answers[seat] is None])
        case "ask":
            return _may_overcall(state)
        case "bury":
            return tuple([seat for seat in SEATS if put(state, seat)])
        case _:
            return ()


def put(state: State, seat: int) -> Question:
    """The question as put to `seat`, until it answers or the question is settled.

    A seat that another's pair goes before is no longer asked (S4.5), but its view does not tell: it may still answer.
    """
    match state.phase:
        case "play":
            if seat == state.turn:
                return "follow" if state.trick else "lead"
            return ""
        case "call" | "ask":
            return "bid" if state.answers[seat] is None else ""
        case "bury":
            if seat == state.declarer:
                return "" if state.buried else "bury"
            return "revolt" if state.undecided[seat] else ""
        case _:
            return ""


def options(state: State, seat: int) -> Sequence[Action]:
    """Legal actions of a seat now, in a fixed order, counted but not listed; while cards are drawn, the bids it may offer."""
    hand = state.hands[seat]
    match put(state, seat):
        case "follow" if state.demand:
            partial = state.params.partial_tractor_follow
            return choices.follows(state.orders[seat], hand, state.demand, partial=partial)
        case "lead":
            return choices.leads(state.orders[seat], hand)
        case "bid":
            return (*_bids(state, seat), PASS)
        case "revolt":
            return choices.revolts(state.params, hand)
        case "bury":
            return choices.buries(hand)
        case _:
            return _bids(state, seat) if state.phase == "drawing" and state.answers[seat] is None else ()


def _bids(state: State, seat: int) -> tuple[Action, ...]:
    return choices.bids(
        state.params, state.setting.level, state.standing, seat, drawn_cards(state, seat), state.drawn
    )


def _may_overcall(state: State) -> tuple[int, ...]:
    """Seats whose answer still counts: those that have not answered and come before the first pair given (S4.5)."""
    waiting = []
    for seat in bids.asked(state.standing, state.setting.declarer):
        answer = state.answers[seat]
        if answer is None:
            waiting.append(seat)
        elif answer != "pass":
            break
    return tuple(sorted(waiting))
