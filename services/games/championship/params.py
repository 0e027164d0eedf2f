"""Parameters of a championship's arithmetic: names and defaults of `rules/championship.md`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from services.domain import Rejected

CHOICES: Mapping[str, tuple[str, tuple[Any, ...]]] = {
    "mp_unit": ("C3.0", ("board", "session")),
    "compare_within": ("C3.1", ("field", "group")),
    "tie_on": ("C3.5", ("published", "exact")),
    "beaten_scope": ("C4.1", ("round", "board")),
    "thinking_time": ("C4.3", ("all_decisions", "plays")),
    "layout": ("C6.3", ("row_snake", "column_snake")),
    "a_is_a_level": ("C8.4", (False, True)),
}
"""Parameter to (clause, admissible values); the first value is the default of Paohuzi."""

MAX_BOARDS_PER_SESSION = 1_000


@dataclass(frozen=True, slots=True)
class Params:
    """Resolved parameters, the defaults being those of Paohuzi. Raises Rejected for a value out of range."""

    mp_unit: str = "board"
    """Unit of comparison (C3.0)."""
    boards_per_session: int = 1
    """Boards of a session (局), 1-1000; counts with `mp_unit = session` only (C3.0)."""
    compare_within: str = "field"
    """Comparison group: the field, or the group (组) of the round (C3.1)."""
    tie_on: str = "published"
    """Equality of R: of the published tenths of a percent, or of the exact fractions (C3.5)."""
    beaten_scope: str = "round"
    """Opponents are beaten by the round or by the board (C4.1)."""
    thinking_time: str = "all_decisions"
    """Time that counts: all decisions, or plays of a tile or card only (C4.3)."""
    layout: str = "row_snake"
    """How a group is seated by rank (C6.3)."""
    a_is_a_level: bool = False
    """Net levels count A as a level of its own (C8.4)."""

    def __post_init__(self) -> None:
        for name, (clause, choices) in CHOICES.items():
            value = getattr(self, name)
            if not any(value is choice or (type(value) is str and value == choice) for choice in choices):
                words = " or ".join(str(choice).lower() for choice in choices)
                raise Rejected("PARAMETER_OUT_OF_RANGE", clause, f"{name}: {words}", parameter=name)
        boards = self.boards_per_session
        if type(boards) is not int or not 1 <= boards <= MAX_BOARDS_PER_SESSION:
            wanted = f"boards_per_session: a whole number from 1 to {MAX_BOARDS_PER_SESSION}"
            raise Rejected("PARAMETER_OUT_OF_RANGE", "C3.0", wanted, parameter="boards_per_session")


DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "paohuzi": {},
    "shengji": {"mp_unit": "session", "compare_within": "group"},
}
"""What a game's defaults change (C3.0, C3.1)."""


def resolve(game: str, overrides: Mapping[str, Any]) -> Params:
    """Parameters of `game` (`paohuzi` or `shengji`) with `overrides` laid over its defaults.

    Raises Rejected, naming the parameter, for one that does not exist or a value out of range.
    """
    if game not in DEFAULTS:
        raise Rejected("UNKNOWN_GAME", "C3.0", f"{game}: one of {', '.join(DEFAULTS)}")
    known = {field.name for field in fields(Params)}
    for name in overrides:
        if name not in known:
            raise Rejected("UNKNOWN_PARAMETER", "", f"{name}: no such parameter", parameter=str(name))
    return Params(**{**DEFAULTS[game], **overrides})


def describe(params: Params) -> dict[str, Any]:
    """Every parameter as a plain JSON value; `resolve(game, describe(p)) == p`."""
    return asdict(params)
