"""Standings: the order of a field with every value that decided it (C3.5, C4), and their canonical form.

`standings` is a function of the facts alone; the order in which facts are given changes no byte of `canonical`.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any

from services.games.championship.params import Params
from services.games.championship.ranking import UNRANKED, Ranking, rank
from services.games.championship.results import Facts, settle
from services.games.championship.vectors import sharing

PLAY_OFF = "C4.5"
"""The clause that is left to decide between entrants that share a rank."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One entrant's place and all that led to it."""

    entrant: int
    place: int
    """From 1, in the strict order for movement: within a shared rank the lower entrant number goes first (C4.5)."""
    rank: int
    """From 1; those that share it skip the following ranks."""
    shared: bool
    """Shared with somebody until a play-off (C4.5)."""
    decided_by: str
    """The first clause after which nobody else stood at its rank: C3.5, C4.1 … C4.4, else C4.5."""
    tenths: int
    """R as published, tenths of a percent (C3.5); 0 without units."""
    exact: Fraction
    """R from 0 to 1."""
    penalty: int
    """Penalties taken off R, tenths of a percent (C10.6)."""
    units: int
    """Boards or sessions that R is the mean of, those with an assigned percentage included."""
    beaten_sum: int
    """Sum of the published R of the opponents beaten (C4.1)."""
    beaten_count: int
    """How many those are."""
    ranks: tuple[int, ...]
    """Dense rank in every unit compared, ascending (C4.2)."""
    boards: int
    """Boards that have a time."""
    micros: int
    """Total thinking time, microseconds (C4.3)."""
    trimmed: Fraction | None
    """Mean microseconds a board without the slowest and the fastest (C4.4); None with fewer than 3 boards."""
    byes: int = 0
    """Rounds in which it had a bye (C1.5); told, and no part of the digest."""

    @property
    def beaten(self) -> Fraction:
        """Mean published R of the opponents beaten, tenths of a percent; 0 if nobody was (C4.1)."""
        return Fraction(self.beaten_sum, max(self.beaten_count, 1))

    @property
    def rank_counts(self) -> tuple[int, ...]:
        """Number of units ranked 1st, 2nd, 3rd, …, up to the last rank it had (C4.2)."""
        held = Counter(self.ranks)
        return tuple(held[rank] for rank in range(1, max(held, default=0) + 1))


def standings(facts: Facts, params: Params) -> tuple[Standing, ...]:
    """Everybody in strict order, best first.

    The field is `facts.entrants` and whoever has a result. Entrants without any unit come last, with R 0 and a rank they
    share. Raises Rejected for facts that contradict each other or lie out of range.
    """
    return of_ranking(rank(settle(facts), facts.entrants, params))


def of_ranking(ranking: Ranking) -> tuple[Standing, ...]:
    """The standings of a ranking."""
    terms, ahead = ranking.terms, ranking.stages[-1].ahead

    def by_place(column: Any) -> list[Any]:
        values: list[Any] = column[ranking.order].tolist()
        return values

    columns = (  # in the order of the fields
        by_place(ranking.numbers),
        range(1, len(ranking.order) + 1),
        by_place(ahead + 1),
        by_place(sharing(ahead) > 1),
        _decided_by(ranking),
        by_place(terms.tenths),
        map(Fraction, by_place(terms.total), by_place(terms.share)),
        by_place(terms.penalty),
        by_place(terms.count),
        by_place(terms.beaten_sum),
        by_place(terms.beaten_count),
        map(_ranked, by_place(terms.ranks)),
        by_place(terms.boards),
        by_place(terms.micros),
        map(_mean, by_place(terms.trimmed), by_place(terms.boards)),
    )
    return tuple(map(Standing, *columns))


def _decided_by(ranking: Ranking) -> list[str]:
    decided = [PLAY_OFF] * len(ranking.order)
    for stage in reversed(ranking.stages):
        for place in (sharing(stage.ahead)[ranking.order] == 1).nonzero()[0].tolist():
            decided[place] = stage.clause
    return decided


def _ranked(ranks: list[int]) -> tuple[int, ...]:
    return tuple(ranks[: ranks.index(UNRANKED)] if UNRANKED in ranks else ranks)


def _mean(trimmed: int, boards: int) -> Fraction | None:
    return Fraction(trimmed, boards - 2) if boards > 2 else None


def play_offs(order: Sequence[Standing]) -> list[list[int]]:
    """Entrants left to a play-off: one list, in strict order, for each rank that is shared (C4.5)."""
    ranks = groupby((standing for standing in order if standing.shared), key=lambda standing: standing.rank)
    return [[standing.entrant for standing in sharers] for _, sharers in ranks]


def canonical(order: Iterable[Standing]) -> bytes:
    """Standings as bytes: UTF-8 JSON without spaces, one array of integers an entrant, best first.

    Each array holds place, entrant, rank, R in tenths of a percent, R as numerator and denominator, penalty, units, sum
    and number of beaten opponents' R, the list of dense ranks, boards, microseconds, and the trimmed mean as numerator
    and denominator (0, 0 where it has none).
    """
    return json.dumps([_row(standing) for standing in order], separators=(",", ":")).encode()


def read(data: bytes) -> tuple[Standing, ...]:
    """The standings of which these bytes are the canonical form, but for what it does not tell: `decided_by` and `byes`. Raises
    ValueError, TypeError or ZeroDivisionError for what is no such form."""
    rows = json.loads(data)
    holders = Counter(rank for _, _, rank, *_ in rows)
    return tuple([_read(row, holders[row[2]] > 1) for row in rows])


def _read(row: list[Any], shared: bool) -> Standing:
    (
        place,
        entrant,
        rank,
        tenths,
        exact,
        of,
        penalty,
        units,
        *beaten,
        ranks,
        boards,
        micros,
        trimmed,
        parts,
    ) = row
    beaten_sum, beaten_count = beaten
    return Standing(
        entrant=entrant,
        place=place,
        rank=rank,
        shared=shared,
        decided_by="",
        tenths=tenths,
        exact=Fraction(exact, of),
        penalty=penalty,
        units=units,
        beaten_sum=beaten_sum,
        beaten_count=beaten_count,
        ranks=tuple(ranks),
        boards=boards,
        micros=micros,
        trimmed=Fraction(trimmed, parts) if parts else None,
    )


def digest(order: Iterable[Standing]) -> bytes:
    """SHA-256 of the canonical form."""
    return hashlib.sha256(canonical(order)).digest()


def _row(standing: Standing) -> list[int | tuple[int, ...]]:
    trimmed = standing.trimmed
    return [
        standing.place,
        standing.entrant,
        standing.rank,
        standing.tenths,
        *standing.exact.as_integer_ratio(),
        standing.penalty,
        standing.units,
        standing.beaten_sum,
        standing.beaten_count,
        standing.ranks,
        standing.boards,
        standing.micros,
        *(trimmed.as_integer_ratio() if trimmed is not None else (0, 0)),
    ]
