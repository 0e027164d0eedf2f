"""Cases of Paohuzi hands: what a meld is worth (`meld`), whether and how a hand wins (`win`)."""

from __future__ import annotations

from typing import Any

from services.domain import Rejected
from services.games.paohuzi import melds, params, reading, tiles
from services.games.paohuzi.melds import Meld
from services.games.paohuzi.params import Params

_LAID = frozenset({"run", "jiao", "peng", "wei", "chouwei", "ti", "pao"})
_DRAWN_BY = ("own", "other", "discard")
_POSITIONS = frozenset({reading.LAST_TILE, reading.UNTOUCHED})
_NO_WIN = {"win": False, "huxi": None, "fan": None, "names": None, "scores": None}


def meld(case: dict[str, Any]) -> dict[str, Any]:
    """Whether the meld is `legal` (P4) and its `huxi` (P9); what is no meld of real tiles is not legal."""
    _resolved(case)
    words = case["meld"]
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise Rejected("MALFORMED_CASE", "P4", "a meld is a list of its name and tiles")
    try:
        candidate = melds.parse(words)
    except Rejected:
        return {"legal": False, "huxi": 0}
    legal = melds.legal(candidate)
    return {"legal": legal, "huxi": melds.huxi(candidate) if legal else 0}


def win(case: dict[str, Any]) -> dict[str, Any]:
    """Whether the hand wins (P8) and its best reading; `refused` where no event may have these parameters."""
    try:
        resolved = _resolved(case)
    except Rejected as refusal:
        if refusal.reason == "UNKNOWN_RULESET":
            raise
        return {"refused": refusal.clause}
    laid, hand = _laid(_list(case["table"])), [tiles.parse(word) for word in _list(case["hand"])]
    tile = None if case["tile"] is None else tiles.parse(case["tile"])
    _check_copies(laid, [*hand, tile] if tile else hand)
    best = reading.best(resolved, laid, tiles.count(hand), tile, _drawn(case), _position(case))
    if best is None:
        return _NO_WIN
    return {
        "win": True,
        "huxi": best.huxi,
        "fan": best.fan,
        "names": list(best.names),
        "scores": list(best.scores),
    }


def _resolved(case: dict[str, Any]) -> Params:
    if case.get("ruleset", params.RULESET) != params.RULESET:
        raise Rejected("UNKNOWN_RULESET", "P0", f"{case['ruleset']!r} is not a ruleset of Paohuzi")
    return params.resolve(case.get("params", {}))


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise Rejected("MALFORMED_CASE", detail=f"{value!r} is not a list")
    return value


def _laid(table: list[list[str]]) -> tuple[Meld, ...]:
    laid = tuple(melds.parse(words) for words in table)
    for each in laid:
        if each.name not in _LAID or not melds.legal(each):
            raise Rejected("MALFORMED_CASE", "P4", f"{melds.show(each)} cannot lie on a table")
    return laid


def _check_copies(laid: tuple[Meld, ...], in_hand: list[int]) -> None:
    counts = tiles.count([*in_hand, *(kind for each in laid for kind in each.tiles)])
    for kind, number in enumerate(counts):
        if number > tiles.COPIES:
            raise Rejected("MALFORMED_CASE", "P1.1", f"{number} copies of {tiles.show(kind)}")


def _drawn(case: dict[str, Any]) -> str:
    if case["tile"] is None:
        if any(name != "ti" for name, *_ in case["table"]):
            raise Rejected("MALFORMED_CASE", "P8.3", "a dealt hand has nothing on the table but dealt ti")
        return "dealt"
    if case["drawn_by"] not in _DRAWN_BY:
        raise Rejected("MALFORMED_CASE", "P8.3", f"drawn_by is one of {', '.join(_DRAWN_BY)}")
    return str(case["drawn_by"])


def _position(case: dict[str, Any]) -> frozenset[str]:
    told = case.get("position")
    position = frozenset([] if told is None else _list(told))
    if not position <= _POSITIONS:
        raise Rejected("MALFORMED_CASE", "P10", f"position holds any of {', '.join(sorted(_POSITIONS))}")
    return position
