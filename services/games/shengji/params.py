"""Parameters of the two rulesets of Shengji: names and defaults of the rules page, and their validation.

What the rules page marks `[decision]` without naming an alternative has one value and no parameter. Clocks (S11) belong to
the event, not to the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from services.domain import Rejected
from services.games.shengji.cards import RANKS

XIAMEN = "shengji/xiamen-2015"
DUPLICATE = "shengji/duplicate-2017"

PACKS = 2
_LEVELS = frozenset(RANKS)
MOST_THROW_FINE = 100
"""More a card than any federation asks; keeps stored parameters within reason."""


@dataclass(frozen=True, slots=True)
class Params:
    """Resolved parameters of a deal, the defaults being those of `shengji/xiamen-2015`."""

    profile: str = "steps20"
    """How points make levels: `steps20` (S9.3) or `steps40` (S9.7)."""
    packs: int = PACKS
    """Packs of cards; other numbers than 2 are refused by name (S1.0)."""
    bid_phase: str = "while_drawing"
    """When trumps may be bid: while cards are drawn and after, or only `after_deal` (S4.1)."""
    no_bid_rule: str = "third_card"
    """What sets trumps when nobody bids (S4.6)."""
    demote: str = "all_eight"
    """Level cards that fall when nobody bids: `all_eight`, `declaring_side_held` or `none` (S4.6)."""
    revolution: bool = True
    """A defender with 15 points or fewer may void the deal (S4.8)."""
    throw_fine: int = 10
    """Points a card in a beaten component of a failed throw, 0 to 100 (S6.4)."""
    partial_tractor_follow: bool = True
    """A tractor too long to be answered takes the longest one held first (S7.2)."""
    overruff: str = "largest"
    """What an over-ruff must beat: the highest of the `largest` kind, or `all` components (S8.1)."""
    tractor_over_pairs: bool = True
    """A tractor beats as many unconnected pairs (S8.3a)."""
    bottom_shape: str = "winner"
    """Whose shape multiplies the bottom: the winning play's or the `lead`'s (S9.1)."""
    declarer_rotation: str = "side_keeps"
    """Who declares next: the declarer's partner after a deal won, else the next seat; or `clockwise_always` (S9.4)."""
    must_play: tuple[str, ...] = ()
    """Levels that must be held as declarer before a side rises beyond them, ascending (S9.5)."""
    score: str = "points"
    """Raw score of a duplicate board: `points` about 80, or `levels` (S9.6)."""


CHOICES: Mapping[str, tuple[str, tuple[Any, ...]]] = {
    "profile": ("S9.7", ("steps20", "steps40")),
    "bid_phase": ("S4.1", ("while_drawing", "after_deal")),
    "no_bid_rule": ("S4.6", ("third_card",)),
    "demote": ("S4.6", ("all_eight", "declaring_side_held", "none")),
    "revolution": ("S4.8", (True, False)),
    "partial_tractor_follow": ("S7.2", (True, False)),
    "overruff": ("S8.1", ("largest", "all")),
    "tractor_over_pairs": ("S8.3a", (True, False)),
    "bottom_shape": ("S9.1", ("winner", "lead")),
    "declarer_rotation": ("S9.4", ("side_keeps", "clockwise_always")),
    "score": ("S9.6", ("points", "levels")),
}
"""Parameter to (clause, admissible values)."""

DEFAULTS: Mapping[str, Params] = {
    XIAMEN: Params(),
    DUPLICATE: Params(revolution=False, tractor_over_pairs=False),
}
"""Ruleset id to its parameters."""


def resolve(ruleset: str, overrides: Mapping[str, Any]) -> Params:
    """Parameters of `ruleset` with `overrides` laid over its defaults.

    Raises Rejected, naming the parameter, for one that does not exist (S0), a value out of range (its clause), and a
    revolution in duplicate play (S4.8).
    """
    if ruleset not in DEFAULTS:
        raise Rejected("UNKNOWN_RULESET", "", f"{ruleset!r} is not a ruleset of Shengji")
    values: dict[str, Any] = asdict(DEFAULTS[ruleset])
    for name, value in overrides.items():
        if name not in values:
            raise _refused("UNKNOWN_PARAMETER", str(name), "", "no such parameter")
        values[name] = _checked(name, value)
    params = Params(**values)
    if ruleset == DUPLICATE and params.revolution:
        raise _refused("PARAMETER_OUT_OF_RANGE", "revolution", "S4.8", "off in duplicate play")
    return params


def describe(params: Params) -> dict[str, Any]:
    """Every parameter as a plain JSON value; `resolve(ruleset, describe(p)) == p`."""
    return {**asdict(params), "must_play": list(params.must_play)}


def _checked(name: str, value: Any) -> Any:
    match name:
        case "packs":
            _require(type(value) is int and value == PACKS, name, "S1.0", "only two packs are supported")
        case "throw_fine":
            whole = type(value) is int and 0 <= value <= MOST_THROW_FINE
            _require(whole, name, "S6.4", f"a whole number from 0 to {MOST_THROW_FINE}")
        case "must_play":
            return _levels(value)
        case _:
            clause, choices = CHOICES[name]
            admissible = any(type(value) is type(choice) and value == choice for choice in choices)
            _require(admissible, name, clause, " or ".join(str(choice).lower() for choice in choices))
    return value


def _levels(value: Any) -> tuple[str, ...]:
    listed = isinstance(value, list | tuple) and all(type(each) is str and each in _LEVELS for each in value)
    _require(listed, "must_play", "S9.5", f"a list of levels {' '.join(RANKS)}")
    return tuple(level for level in RANKS if level in value)


def _require(admissible: bool, name: str, clause: str, wanted: str) -> None:
    if not admissible:
        raise _refused("PARAMETER_OUT_OF_RANGE", name, clause, wanted)


def _refused(reason: str, name: str, clause: str, wanted: str) -> Rejected:
    return Rejected(reason, clause, f"{name}: {wanted}", parameter=name)
