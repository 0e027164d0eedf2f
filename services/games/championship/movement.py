"""Seating of individuals: the draw of round 1, the Swiss movement (瑞士移位法) and play against machines.

Seats count from 0, groups (组) from 1. None in a seat is house AI (C1.5): it fills what the field leaves open in the last
tables, never a whole table. Byes and the movements of pairs and teams (C1.5, C7) are modules beside this one: `swiss`, `mitchell`,
`howell`, `round_robin`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from services.domain import Rejected
from services.games.championship.params import CHOICES
from services.games.championship.results import MOST_SEATS

Seats = list[int | None]
Layout = Callable[[Sequence[int], int, int], list[Seats]]
"""Members of a group best first, its tables, seats of a table -> the tables."""


@dataclass(frozen=True, slots=True)
class Seating:
    """One table of a round: its group from 1, and by seat the entrant number or None for house AI."""

    group: int
    seats: tuple[int | None, ...]


def group_sizes(tables: int, groups: int) -> tuple[int, ...]:
    """Tables of each group; what does not divide goes to the earlier groups, one more each (C6.2).

    Raises Rejected unless every group gets a table.
    """
    if not 1 <= groups <= tables:
        raise Rejected("GROUPS_OUT_OF_RANGE", "C6.2", f"{groups} groups for {tables} tables")
    each, more = divmod(tables, groups)
    return tuple(each + (group < more) for group in range(groups))


def seat_by_lot(order: Sequence[int], seats: int, groups: int = 1) -> tuple[Seating, ...]:
    """Round 1: the drawn `order` of the entrants, laid out table by table, seat by seat (C6.1).

    `order` is the shuffle that the dealer committed to; house AI gets the last seats of the last table. Raises as
    `seat_by_rank`.
    """
    return _seat(order, seats, groups, _straight)


def seat_by_rank(
    order: Sequence[int], seats: int, groups: int = 1, layout: str = "row_snake"
) -> tuple[Seating, ...]:
    """Later rounds: the first entrants of the strict `order` to group 1, and so on, a snake in each group (C6.2, C6.3).

    `row_snake` fills table by table, every second one from the last seat to the first; `column_snake` fills seat by
    seat over the group's tables, every second one from the last table to the first. House AI comes last: in the row
    snake in the seats of the last table that would be filled last, in the column snake in the last seat of the last
    tables (C1.5). Raises Rejected for an empty order, an entrant seated twice, seats not within 1 to 100, more groups than
    tables or an unknown layout.
    """
    if layout not in CHOICES["layout"][1]:
        raise Rejected(
            "PARAMETER_OUT_OF_RANGE", "C6.3", f"layout: {layout!r} is not known", parameter="layout"
        )
    return _seat(order, seats, groups, _row_snake if layout == "row_snake" else _column_snake)


def seat_against_machine(order: Sequence[int], seats: int, seat: int, groups: int = 1) -> tuple[Seating, ...]:
    """人机赛: every entrant in the same `seat` of a table of its own, house AI in the others (C1.3).

    Tables follow `order`, in groups as in C6.2. Raises as `seat_by_rank`, and for a seat that the table has not.
    """
    if not 0 <= seat < min(seats, MOST_SEATS):
        raise Rejected("NO_SUCH_SEAT", "C1.3", f"seat {seat} of a table of {seats}")
    alone = _seat(order, 1, groups, _straight)
    before, after = (None,) * seat, (None,) * (seats - seat - 1)
    return tuple(Seating(table.group, before + table.seats + after) for table in alone)


def _seat(order: Sequence[int], seats: int, groups: int, layout: Layout) -> tuple[Seating, ...]:
    if not order:
        raise Rejected("EMPTY_FIELD", "C6.1", "nobody to seat")
    if len(set(order)) != len(order):
        raise Rejected("SEATED_TWICE", "C6.2", "an entrant stands twice in the order")
    if not 1 <= seats <= MOST_SEATS:
        raise Rejected("SEATS_OUT_OF_RANGE", "C6.3", f"a table of {seats} seats, not 1 to {MOST_SEATS}")
    seating: list[Seating] = []
    first = 0
    for group, tables in enumerate(group_sizes(-(-len(order) // seats), groups), 1):
        members = order[first : first + tables * seats]
        first += len(members)
        seating.extend(Seating(group, tuple(table)) for table in layout(members, tables, seats))
    return tuple(seating)


def _straight(members: Sequence[int], tables: int, seats: int) -> list[Seats]:
    rows = [list[int | None](members[table * seats : (table + 1) * seats]) for table in range(tables)]
    rows[-1] += [None] * (seats - len(rows[-1]))
    return rows


def _row_snake(members: Sequence[int], tables: int, seats: int) -> list[Seats]:
    rows = _straight(members, tables, seats)
    return [row[::-1] if table % 2 else row for table, row in enumerate(rows)]


def _column_snake(members: Sequence[int], tables: int, seats: int) -> list[Seats]:
    rows: list[Seats] = [[None] * seats for _ in range(tables)]
    for seat in range(seats):
        column = members[seat * tables : (seat + 1) * tables]
        for row, entrant in zip(rows, column[::-1] if seat % 2 else column, strict=False):
            row[seat] = entrant
    return rows
