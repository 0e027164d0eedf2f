"""What differs between two orders of one field: rows, and lines that are crossed. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from services.games.championship import contest as c
from services.games.championship.league import Placing
from services.games.championship.standings import Standing

Row = Standing | Placing


@dataclass(frozen=True, slots=True)
class Line:
    """A rank down to which something is given, and who is on or above it after a change only (`gained`) or before only
    (`lost`)."""

    rank: int
    gained: tuple[int, ...]
    lost: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Changes:
    """Rows that differ, the same entrants on both sides, best first on each; and the lines crossed."""

    before: tuple[Row, ...]
    after: tuple[Row, ...]
    lines: tuple[Line, ...] = ()

    @property
    def ranks(self) -> int:
        """How many entrants change rank."""
        old = {one.entrant: rank(one) for one in self.before}
        return sum(old.get(one.entrant) != rank(one) for one in self.after)


def changes(before: c.Order, after: c.Order, lines: Iterable[int] = ()) -> Changes:
    """What differs between two orders of the same entrants; of `lines`, ranks from 1, those that somebody crosses."""
    old = {one.entrant: _figures(one) for one in before}
    changed = {one.entrant for one in after if _figures(one) != old.get(one.entrant)}
    compared = Changes(
        tuple(one for one in before if one.entrant in changed),
        tuple(one for one in after if one.entrant in changed),
    )
    crossed = (_crossed(compared, line) for line in sorted(set(lines)))
    return Changes(compared.before, compared.after, tuple(one for one in crossed if one.gained or one.lost))


def rank(row: Row) -> int:
    """The rank that people see: shared ones are the same."""
    return row.rank if isinstance(row, Standing) else row.place


def _figures(row: Row) -> tuple[object, ...]:
    """What a change is seen by."""
    if isinstance(row, Standing):
        return row.rank, row.tenths
    return row.place, row.points, row.net, row.won, row.drawn, row.lost


def _crossed(compared: Changes, line: int) -> Line:
    above_before, above_after = (
        {one.entrant for one in side if rank(one) <= line} for side in (compared.before, compared.after)
    )
    gained, lost = above_after - above_before, above_before - above_after
    return Line(line, tuple(sorted(gained)), tuple(sorted(lost)))
