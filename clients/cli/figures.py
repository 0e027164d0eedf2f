"""Numbers as they are typed: percentages, amounts, scores by seat."""

from __future__ import annotations

import math

from clients.cli.output import USAGE, Problem
from clients.cli.words import pick

_ROUNDING = 1e-6
"""What multiplying a decimal fraction may add to a whole number."""


def tenths(percent: float) -> int:
    """Tenths of a percent, as requests have them. Raises Problem."""
    return scaled(percent, 1)


def scaled(value: float, decimals: int) -> int:
    """A number in units of its last decimal: 60.5 with one is 605. Raises Problem for more decimals than that."""
    units = value * float(10**decimals)
    if not math.isfinite(units) or abs(units - round(units)) > _ROUNDING:
        raise Problem(
            pick(
                f"{value:g}: a number with at most {decimals} decimals", f"{value:g}：至多 {decimals} 位小数"
            ),
            USAGE,
        )
    return round(units)


def numbers(text: str) -> list[float]:
    """Numbers separated by commas. Raises Problem."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise Problem(
            pick(f"{text!r} must be numbers separated by commas", f"{text!r} 须为逗号分隔的数"), USAGE
        ) from None
