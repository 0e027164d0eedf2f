"""How the round that is paired next would be seated by given standings (C6.2, C7.1, C7.2, C8.1). Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from fractions import Fraction

from services.games.championship import contest as c
from services.games.championship import tables as t
from services.games.championship.league import Placing
from services.games.championship.meetings import Round
from services.scoring.field import Field


def seating(plan: t.Plan, order: c.Order, playing: Collection[int], played: Sequence[Round]) -> t.Tables:
    """The tables as pairing lays them out: those `playing` by rank, who came late last (C1.6). Raises Rejected as `seat_ranked`."""
    ranked = [row.entrant for row in order if row.entrant in playing]
    late = sorted(set(playing).difference(ranked))
    scores: dict[int, int | Fraction] = {
        row.entrant: row.points if isinstance(row, Placing) else row.tenths for row in order
    }
    return t.seat_ranked(plan, (*ranked, *late), scores, played)


def met(field: Field, form: str) -> tuple[Round, ...]:
    """Who met whom, and who had byes, by round."""
    tables: dict[int, list[tuple[str, tuple[int, ...]]]] = defaultdict(list)
    for (round_, table), (_, entrants) in field.seats.items():
        tables[round_].append((table, entrants))
    byes: dict[int, list[int]] = defaultdict(list)
    for round_, entrant in field.byes:
        byes[round_].append(entrant)
    return tuple(
        # `…-open` before `…-closed`: the first room of a team match is the open one.
        t.met(form, round_, (entrants for _, entrants in sorted(tables[round_], reverse=True)), byes[round_])
        for round_ in sorted(tables)
    )
