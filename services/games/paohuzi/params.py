"""Parameters of the ruleset `paohuzi/competitive-2017`: defaults, fan profiles as data, and their validation.

What the rules page marks `[decision]` without naming an alternative (dealer by board, moment of 荒庄, order
of two winners …) has one value and no parameter. Clocks (P12) belong to the event, not to the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from services.domain import Rejected

RULESET = "paohuzi/competitive-2017"

FAN_CODES = (
    "plain",
    "red",
    "great_red",
    "one_red",
    "black",
    "all_triplets",
    "eighteen_big",
    "eighteen_small",
    "heaven",
    "earth",
    "last_tile",
    "untouched",
    "own_draw",
)
"""Codes of the named hands in the order of the table in P10."""

FAN_COMBINE = ("add", "max", "multiply")
LEAST_MIN_HUXI = 6
"""An event that asks for less is refused (P8.2)."""
MOST_MIN_HUXI = 100
"""More than any hand holds; keeps stored parameters within reason."""
MOST_FAN = 1000

FanTable = tuple[tuple[str, int], ...]
"""(code, fan) of the named hands that are on, in table order."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A federation's fan table: names left out are off; `red_step`: what red gains per red tile above ten."""

    fan: FanTable
    red_step: int


PROFILES = {
    "competitive-2017": Profile(
        (("plain", 1), ("red", 2), ("great_red", 4), ("one_red", 3), ("black", 5)), red_step=0
    ),
    "duohongdui": Profile(
        (
            ("plain", 1),
            ("red", 2),
            ("one_red", 4),
            ("black", 6),
            ("all_triplets", 6),
            ("heaven", 4),
            ("earth", 4),
            ("last_tile", 4),
            ("untouched", 4),
        ),
        red_step=1,
    ),
}


@dataclass(frozen=True, slots=True)
class Params:
    """Resolved parameters of a board; it keeps those it was opened with."""

    profile: str = "competitive-2017"
    min_huxi: int = 15
    fan: FanTable = PROFILES["competitive-2017"].fan
    red_step: int = PROFILES["competitive-2017"].red_step
    fan_combine: str = "add"
    dihu_on_bright_tile: bool = False


DEFAULT = Params()


def resolve(overrides: Mapping[str, Any]) -> Params:
    """Parameters with `overrides` laid over the defaults (of the named `profile`).

    `fan` maps codes to a fan or None (off) and changes only the codes it names. Raises Rejected, naming the
    parameter, for one that does not exist (P0) or a value out of range (P8.2 `min_huxi`, P8.3
    `dihu_on_bright_tile`, else P10).
    """
    for name in overrides:
        if name not in Params.__dataclass_fields__:
            raise _refused("UNKNOWN_PARAMETER", str(name), "P0", "no such parameter")
    name = overrides.get("profile", DEFAULT.profile)
    if not isinstance(name, str) or name not in PROFILES:
        raise _refused("PARAMETER_OUT_OF_RANGE", "profile", "P10", f"one of {', '.join(PROFILES)}")
    profile = PROFILES[name]
    combine = overrides.get("fan_combine", DEFAULT.fan_combine)
    if combine not in FAN_COMBINE:
        raise _refused("PARAMETER_OUT_OF_RANGE", "fan_combine", "P10", f"one of {', '.join(FAN_COMBINE)}")
    dihu = overrides.get("dihu_on_bright_tile", DEFAULT.dihu_on_bright_tile)
    if not isinstance(dihu, bool):
        raise _refused("PARAMETER_OUT_OF_RANGE", "dihu_on_bright_tile", "P8.3", "true or false")
    return Params(
        profile=name,
        min_huxi=_within(
            "min_huxi", overrides.get("min_huxi", DEFAULT.min_huxi), LEAST_MIN_HUXI, MOST_MIN_HUXI, "P8.2"
        ),
        fan=_fan_table(profile.fan, overrides.get("fan", {})),
        red_step=_within("red_step", overrides.get("red_step", profile.red_step), 0, MOST_FAN, "P10"),
        fan_combine=combine,
        dihu_on_bright_tile=dihu,
    )


def describe(params: Params) -> dict[str, Any]:
    """Every parameter as plain JSON, named hands that are off as None; `resolve(describe(p)) == p`."""
    fans = dict(params.fan)
    return {
        "profile": params.profile,
        "min_huxi": params.min_huxi,
        "fan": {code: fans.get(code) for code in FAN_CODES},
        "red_step": params.red_step,
        "fan_combine": params.fan_combine,
        "dihu_on_bright_tile": params.dihu_on_bright_tile,
    }


def _fan_table(base: FanTable, overrides: Any) -> FanTable:
    if not isinstance(overrides, Mapping):
        raise _refused("PARAMETER_OUT_OF_RANGE", "fan", "P10", "a mapping from code to fan or null")
    fans: dict[str, int | None] = dict(base)
    for code, fan in overrides.items():
        if code not in FAN_CODES:
            raise _refused("UNKNOWN_PARAMETER", f"fan.{code}", "P10", "no such named hand")
        fans[code] = None if fan is None else _within(f"fan.{code}", fan, 0, MOST_FAN, "P10")
    return tuple((code, fan) for code in FAN_CODES if (fan := fans.get(code)) is not None)


def _within(name: str, value: Any, least: int, most: int, clause: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise _refused("PARAMETER_OUT_OF_RANGE", name, clause, f"a whole number from {least} to {most}")
    return value


def _refused(reason: str, name: str, clause: str, wanted: str) -> Rejected:
    return Rejected(reason, clause, f"{name}: {wanted}", parameter=name)
