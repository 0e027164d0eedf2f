"""Figures and times as pages show them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, tzinfo
from fractions import Fraction
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def tenths(value: int) -> str:
    """Tenths of a percent as a percentage: 603 is `60.3`."""
    return f"{value / 10:.1f}"


def seconds(microseconds: int) -> str:
    """A duration in seconds, one decimal."""
    return f"{microseconds / 1_000_000:.1f}"


def exact_seconds(microseconds: str) -> str:
    """A mean of durations, an exact fraction of microseconds, in seconds as far as a microsecond."""
    return f"{float(Fraction(microseconds)) / 1_000_000:.6f}".rstrip("0").rstrip(".")


def signed(score: int) -> str:
    """A score with its sign: `+4`, `−2`, `0`."""
    return f"+{score}" if score > 0 else f"−{-score}" if score else "0"


def mean(total: int, number: int) -> str:
    """A mean of tenths of a percent, two decimals; a dash where there is none."""
    return f"{total / number / 10:.2f}" if number else "—"


def zone(name: str) -> tzinfo:
    """The zone of that IANA name; UTC where this machine does not know it."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def moment(microseconds: int, at: tzinfo) -> str:
    """A time given in microseconds since 1970, to the second, in a zone; a dash for 0."""
    if not microseconds:
        return "—"
    return datetime.fromtimestamp(microseconds / 1_000_000, at).strftime("%Y-%m-%d %H:%M:%S %Z")


def hexes(digest: bytes) -> str:
    """A digest in groups of eight, so that a line can break and an eye compare."""
    text = digest.hex()
    return " ".join(text[at : at + 8] for at in range(0, len(text), 8))


def counts(numbers: Iterable[int], most: int = 5) -> str:
    """How often an entrant was 1st, 2nd, … (C4.2), the first few."""
    return " · ".join(str(number) for number in list(numbers)[:most])
