"""The published case format on the shadow referee: the same keys as `fupan rules check` finds, by other means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from services.domain import Rejected
from services.games.shadow import hands as shadow
from services.games.shadow.claims import tidy
from services.games.shadow.paohuzi import Board

Case = dict[str, Any]


def judged(case: Case) -> dict[str, Any]:
    """Everything the shadow finds for a case of Paohuzi."""
    return {"meld": meld, "win": win, "script": script}[case["kind"]](case)


def meld(case: Case) -> dict[str, Any]:
    legal = shadow.is_legal(case["meld"])
    return {"legal": legal, "huxi": shadow.huxi(tuple(case["meld"])) if legal else 0}


def win(case: Case) -> dict[str, Any]:
    rules = shadow.rules(case.get("params", {}))
    position = case.get("position", [])
    table = [tuple(each) for each in case["table"]]
    hand, tile = case["hand"], case["tile"]
    by = "dealt" if tile is None else case["drawn_by"]
    if by == "discard":  # P8.3
        readings: Iterator[shadow.Reading] = iter(())
    elif by == "dealt":
        readings = shadow.sevens(table, hand)
    else:
        readings = (shadow.own_draw if by == "own" else shadow.others_draw)(table, hand, tile)
    untouched = "untouched" in position or by == "dealt"
    moment = shadow.Moment(by, last_tile="last_tile" in position, untouched=untouched)
    best = shadow.best(shadow.wins(rules, readings, moment))
    if best is None:
        return {"win": False, "huxi": None, "fan": None, "names": None, "scores": None}
    return {
        "win": True,
        "huxi": best.huxi,
        "fan": best.fan,
        "names": best.names,
        "scores": shadow.scores(0, best.pay),
    }


def script(case: Case) -> dict[str, Any]:
    deal = case["deal"]
    rules = shadow.rules(case.get("params", {}))
    board = Board(rules, case["dealer"], deal["hands"], deal["bright"], deal["stock"])
    refused = None
    for number, act in enumerate(case["acts"], start=1):
        refused = None
        try:
            board.act(act["seat"], act["do"])
        except Rejected as refusal:
            if number < len(case["acts"]) and refusal.clause != "P6.4":
                raise
            refused = refusal.clause
    return {"refused": refused, **found(board)}


def found(board: Board) -> dict[str, Any]:
    """What a script may expect of the board as it stands."""
    return {
        "options": {str(seat): options for seat, options in board.options().items()},
        "owes": board.owes(),
        "next_draw": board.next_draw(),
        "melds": {str(seat): [list(meld) for meld in board.melds[seat]] for seat in range(3)},
        "dead_hand": [seat for seat in range(3) if board.dead[seat]],
        "over": board.over,
        "scores": board.scores,
    }


def canonical(key: str, value: Any) -> Any:
    """An expected or found value in one spelling: the order of tiles, options and melds does not matter."""
    if key == "options":
        return {seat: sorted(tidy(do) for do in options) for seat, options in value.items()}
    if key == "melds":
        return {
            seat: sorted([name, *shadow.in_order(tiles)] for name, *tiles in melds)
            for seat, melds in value.items()
        }
    return sorted(value) if key == "dead_hand" else value
