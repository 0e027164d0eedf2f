"""Two standings side by side, as far as they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fupan.scoring.v1 import service_pb2 as scoring


@dataclass(frozen=True, slots=True)
class Change:
    """One entrant's rows; `before` None where it had none."""

    before: scoring.StandingRow | None
    after: scoring.StandingRow


def changes(before: Sequence[scoring.StandingRow], after: Sequence[scoring.StandingRow]) -> list[Change]:
    """Whoever's rank or result differs, in the new order."""
    earlier = {row.entrant: row for row in before}
    both = (Change(earlier.get(row.entrant), row) for row in after)
    return [one for one in both if one.before is None or _figures(one.before) != _figures(one.after)]


def _figures(row: scoring.StandingRow) -> tuple[int, int, str, int]:
    return row.rank, row.percent_tenths, row.points, row.net
