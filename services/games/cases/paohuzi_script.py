"""Cases of Paohuzi at the table: a deal, acts in the order given, and what the board has come to (`script`)."""

from __future__ import annotations

from typing import Any

from services.domain import Rejected, fold
from services.games import registry
from services.games.paohuzi import actions, melds, params, questions, tiles
from services.games.paohuzi.actions import Action
from services.games.paohuzi.decide import decide, opening
from services.games.paohuzi.evolve import evolve
from services.games.paohuzi.params import Params
from services.games.paohuzi.state import DEALT, SEATS, State, next_draw, owes, start

_STOCK = len(tiles.DECK) - 3 * DEALT - 1


def script(case: dict[str, Any]) -> dict[str, Any]:
    """All that a script may expect of the board after its last act, which may be refused only if it expects so.

    `refused` is the clause that refused the last act, or the parameters, or None. An act of a seat that is no longer asked is
    refused by P6.4; at a table its answer would be void, so that the board is the same (see `questions.put`).
    """
    if registry.find(case.get("ruleset", params.RULESET)).game != "paohuzi":
        raise Rejected("UNKNOWN_RULESET", detail=f"{case['ruleset']!r} is not a ruleset of Paohuzi")
    try:
        resolved = params.resolve(case.get("params", {}))
    except Rejected as refusal:
        return {"refused": refusal.clause}
    state = _dealt(case, resolved)
    state = fold(evolve, state, opening(state))
    refused = None
    acts = _list(case["acts"])
    for number, act in enumerate(acts, start=1):
        seat, action = _act(act)
        expected = number == len(acts) and "refused" in case["expect"]
        try:
            state, refused = _acted(state, seat, action), None
        except Rejected as refusal:
            if not expected and refusal.reason != _LATE:
                raise
            refused = refusal.clause
    return {"refused": refused, **_found(state)}


_LATE = "NO_LONGER_ASKED"


def _act(act: dict[str, Any]) -> tuple[int, Action]:
    seat = act["seat"]
    if type(seat) is not int:
        raise Rejected("MALFORMED_CASE", "P2", f"{seat!r} is not a seat")
    return seat, actions.parse(act["do"])


def _acted(state: State, seat: int, action: Action) -> State:
    if seat in SEATS and action in questions.put(state, seat) and seat not in questions.asked(state):
        raise Rejected(_LATE, "P6.4", "a better claim has been given")
    return fold(evolve, state, decide(state, seat, action))


def _found(state: State) -> dict[str, Any]:
    over = state.result is not None
    return {
        "options": {
            str(seat): [actions.show(option) for option in questions.options(state, seat)]
            for seat in questions.asked(state)
        },
        "owes": owes(state),
        "next_draw": next_draw(state),
        "melds": {str(seat): [melds.show(meld) for meld in state.seats[seat].melds] for seat in SEATS},
        "dead_hand": [seat for seat in SEATS if state.seats[seat].dead],
        "over": over,
        "scores": list(getattr(state.result, "scores", (0, 0, 0))) if over else None,
    }


def canonical(key: str, value: Any) -> Any:
    """The value in the engine's spelling, where tile or meld order does not matter."""
    if key == "options":
        return {
            seat: [actions.show(actions.parse(text)) for text in _list(texts)]
            for seat, texts in value.items()
        }
    if key == "melds":
        return {
            seat: sorted(melds.show(melds.parse(meld)) for meld in _list(laid))
            for seat, laid in value.items()
        }
    return sorted(_list(value)) if key == "dead_hand" else value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise Rejected("MALFORMED_CASE", detail=f"{value!r} is not a list")
    return value


def _dealt(case: dict[str, Any], resolved: Params) -> State:
    deal = case["deal"]
    hands = [[tiles.parse(word) for word in hand] for hand in deal["hands"]]
    bright, stock = tiles.parse(deal["bright"]), [tiles.parse(word) for word in deal["stock"]]
    dealer = case["dealer"]
    if (
        type(dealer) is not int
        or dealer not in SEATS
        or [len(hand) for hand in hands] != [DEALT] * 3
        or len(stock) != _STOCK
    ):
        raise Rejected(
            "MALFORMED_CASE", "P3", "a deal is a dealer, three hands of 20, a bright tile, 19 in stock"
        )
    if sorted([*(tile for hand in hands for tile in hand), bright, *stock]) != list(tiles.DECK):
        raise Rejected("MALFORMED_CASE", "P1.1", "the deal is not the 80 tiles")
    return start(resolved, dealer, hands, bright, stock)
