"""The tables of a round in every format: who sits where, who has a bye, and back from tables to who met whom.

| Format | Tables |
|---|---|
| `individual`, `machine` | as `movement` lays them out: by lot, by rank, against machines (C1.3, C6) |
| `pairs`, `points` | one for each meeting: an entrant in seats 0+2, another in seats 1+3 (C7.1, C8.2) |
| `teams` | two for each meeting, the open and the closed room (C7.2) |

Everybody plays the same boards in a round (C6.4), so fixed movements are those whose boards do not move.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from services.domain import Rejected
from services.games import registry
from services.games.championship.howell import howell
from services.games.championship.meetings import Meeting, Round, evened
from services.games.championship.mitchell import mitchell
from services.games.championship.movement import (
    Seating,
    seat_against_machine,
    seat_by_lot,
    seat_by_rank,
)
from services.games.championship.round_robin import round_robin
from services.games.championship.swiss import pair
from services.games.championship.teams import rooms

SWISS, MITCHELL, HOWELL, ROUND_ROBIN = "swiss", "mitchell", "howell", "round_robin"
INDIVIDUAL, MACHINE, PAIRS, TEAMS, POINTS = "individual", "machine", "pairs", "teams", "points"

LINES_AFTER, EVEN_LINES, EVEN_PARTS = 1, 2, 3
"""How lines are given to those who meet (C7.1): as a movement has them, and in Swiss rounds to who meets anyhow, as in all events
that were created before there was another way; or evenly, so that they count in who meets (`seat_ranked`), and movements that are
cut short are turned (`meetings.evened`); evenly also in fields that are matched part by part (`swiss.pair`)."""

MOST_APART = 2
"""So much oftener than in the other may anybody have been in one line before the last round, 3:1 say."""

MEETING = frozenset({PAIRS, TEAMS, POINTS})
"""Formats in which two entrants meet; in the others everybody plays for itself."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How an event seats its field: what its settings say of that, and the `seats` of a table."""

    format: str
    seats: int
    rounds: int
    movement: str = SWISS
    groups: int = 1
    layout: str = "row_snake"
    machine_seat: int = 0
    line_method: int = EVEN_PARTS

    @property
    def fixed(self) -> bool:
        """Whether the draw alone decides who meets whom in every round (C7.3)."""
        return self.movement in (MITCHELL, HOWELL, ROUND_ROBIN)


@dataclass(frozen=True, slots=True)
class Table:
    """One table: `name` within its round, group (组) from 1, and by seat the entrant, 0 for house AI.

    `members` says by seat which person of the entrant sits there, from 0; left out, it is the first.
    """

    name: str
    group: int
    entrants: tuple[int, ...]
    members: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Tables:
    """A round: its tables, and who has a bye (輪空)."""

    tables: tuple[Table, ...]
    byes: tuple[int, ...] = ()


def plan_of(settings: Any) -> Plan:
    """The plan of an event with `settings`, any object that has them under their names.

    Raises Rejected for an unknown ruleset, or a method of a later version.
    """
    method = settings.line_method or LINES_AFTER
    if method > EVEN_PARTS:
        detail = f"lines by method {method}, which came with a later version"
        raise Rejected("MOVEMENT_REFUSED", "C7.1", detail)
    return Plan(
        format=settings.format,
        seats=registry.find(settings.ruleset).seats,
        rounds=settings.rounds,
        movement=settings.movement or SWISS,
        groups=settings.groups,
        layout=settings.layout,
        machine_seat=settings.machine_seat,
        line_method=method,
    )


def schedule(plan: Plan, drawn: Sequence[int]) -> tuple[Round, ...]:
    """The rounds of a fixed movement for the `drawn` order (C7.3); in Mitchell's everybody keeps its line.

    Raises Rejected for a field that the movement is not made for, or more rounds than it has.
    """
    rounds = plan.rounds
    match plan.movement:
        case "mitchell":
            return mitchell(drawn, same_boards=True, rounds=rounds)
        case "howell":
            played = howell(drawn, same_boards=True, rounds=rounds)
        case _:
            every = round_robin(drawn)
            if not 1 <= rounds <= len(every):
                raise Rejected("ROUNDS_OUT_OF_RANGE", "C7.3", f"{rounds} rounds, not 1 to {len(every)}")
            played = every[:rounds]
    return played if plan.line_method == LINES_AFTER else evened(played)


def check_field(plan: Plan, entrants: int) -> None:
    """Whether a field of so many can be seated in every round. Raises Rejected."""
    if plan.format in MEETING and entrants < 2:
        raise Rejected("EMPTY_FIELD", "C7", f"{entrants} entrants, at least 2 are needed to meet")
    if plan.fixed:
        schedule(plan, range(1, entrants + 1))


def seat_drawn(
    plan: Plan, number: int, drawn: Sequence[int], withdrawn: Collection[int] = frozenset()
) -> Tables:
    """Round `number` as the draw alone gives it: round 1 of any event (C6.1, C8.1), every round of a fixed movement (C7.3).

    `drawn` is the whole field in the order that the committed draw gives. Who withdrew is not seated; in a fixed movement its
    opponent has a bye. Raises Rejected as the movements do.
    """
    order = [entrant for entrant in drawn if entrant not in withdrawn]
    _check_two_left(plan, order)
    if plan.fixed:
        if number > plan.rounds:
            raise Rejected("NO_SUCH_ROUND", "C7.3", f"this movement has {plan.rounds} rounds")
        return _without(plan, schedule(plan, drawn)[number - 1], withdrawn)
    if plan.format in MEETING:
        return _of_meetings(plan, pair(order, {}))
    if plan.format == MACHINE:
        seatings = seat_against_machine(order, plan.seats, plan.machine_seat, _groups(plan, order))
    else:
        seatings = seat_by_lot(order, plan.seats, _groups(plan, order))
    return _of_seatings(seatings)


def seat_ranked(
    plan: Plan,
    order: Sequence[int],
    scores: Mapping[int, int | Fraction] | None = None,
    played: Sequence[Round] = (),
) -> Tables:
    """A later round of the Swiss movement for those who play on, best first (C6.2, C7.1, C7.2, C8.1).

    `scores`, whose want counts as the lowest of all, and the rounds `played` matter where two entrants meet; see `swiss.pair`.
    Nobody is then in one line more than twice oftener than in the other, where that can be; pairs, who compare within their line,
    not more than once after the last round (C7.1). Raises Rejected as the movements do.
    """
    _check_two_left(plan, order)
    if plan.format in MEETING:
        known = dict(scores or {})
        lowest = min(known.values(), default=0)
        scored = {one: known.get(one, lowest) for one in order}
        apart, abreast = _most_apart(plan, played), plan.line_method == EVEN_PARTS
        return _of_meetings(plan, pair(order, scored, played, apart=apart, abreast=abreast))
    if plan.format == MACHINE:
        return _of_seatings(seat_against_machine(order, plan.seats, plan.machine_seat, _groups(plan, order)))
    return _of_seatings(seat_by_rank(order, plan.seats, _groups(plan, order), plan.layout))


def _most_apart(plan: Plan, played: Sequence[Round]) -> int | None:
    """How far lines may be apart after the next round, where that says who meets whom."""
    if plan.line_method == LINES_AFTER:
        return None
    last = 1 + max((one.number for one in played), default=0) >= plan.rounds
    return 1 if plan.format == PAIRS and last else MOST_APART


def met(form: str, number: int, tables: Iterable[Sequence[int]], byes: Sequence[int] = ()) -> Round:
    """Who met whom in a round, from entrants by seat of its tables; nobody, in a format where nobody meets.

    Of a team match the table that is given first is the open room. Raises Rejected for tables that are none of the format.
    """
    if form not in MEETING:
        return Round(number, ())
    meetings: dict[frozenset[int], Meeting] = {}
    for seats in tables:
        _check_two(seats)
        one, other = seats[:2]
        meetings.setdefault(frozenset(seats), Meeting(one, other, number))
    return Round(number, tuple(meetings.values()), byes[0] if byes else None)


def check(form: str, tables: Iterable[tuple[Sequence[int], Sequence[int]]], machine_seat: int = 0) -> None:
    """Whether tables, as entrants and members by seat, are such as the format has. Raises Rejected.

    Whether everybody has a place is another question.
    """
    if form == MACHINE and any(
        entrant for entrants, _ in tables for seat, entrant in enumerate(entrants) if seat != machine_seat
    ):
        raise Rejected(
            "SEATING_WRONG", "C1.3", f"everybody sits in seat {machine_seat}, house AI in the others"
        )
    if form not in MEETING:
        return
    meetings: dict[frozenset[int], list[Sequence[int]]] = {}
    persons: list[tuple[int, int]] = []
    for entrants, members in tables:
        _check_two(entrants)
        meetings.setdefault(frozenset(entrants), []).append(entrants)
        persons += zip(entrants, members, strict=False)
    if len(set(persons)) != 4 * sum(map(len, meetings.values())):
        raise Rejected("SEATING_WRONG", "C7.1", "every seat is a person's, and no person has two")
    for one, *others in meetings.values():
        if form == TEAMS and [list(other) for other in others] != [[*one[1:], one[0]]]:
            raise Rejected("SEATING_WRONG", "C7.2", "a match has two rooms, each team a pair in each line")
        if form != TEAMS and others:
            raise Rejected("SEATING_WRONG", "C7.1", "two entrants meet at one table")


def _check_two(seats: Sequence[int]) -> None:
    if len(seats) != 4 or seats[:2] != seats[2:] or seats[0] == seats[1] or not all(seats):
        raise Rejected("SEATING_WRONG", "C7.1", "one entrant sits in seats 0 and 2, another in seats 1 and 3")


def _groups(plan: Plan, order: Sequence[int]) -> int:
    at_a_table = 1 if plan.format == MACHINE else plan.seats
    return min(plan.groups, -(-len(order) // at_a_table))


def _of_seatings(seatings: Iterable[Seating]) -> Tables:
    return Tables(
        tuple(
            Table(f"t{number}", one.group, tuple(entrant or 0 for entrant in one.seats))
            for number, one in enumerate(seatings, 1)
        )
    )


def _of_meetings(plan: Plan, played: Round) -> Tables:
    tables: list[Table] = []
    for number, meeting in enumerate(played.meetings, 1):
        if plan.format == TEAMS:
            for name, room in zip(("open", "closed"), rooms(meeting), strict=True):
                entrants, members = zip(*room, strict=True)
                tables.append(Table(f"t{number}-{name}", 1, entrants, members))
        else:
            tables.append(Table(f"t{number}", 1, meeting.seats, (0, 0, 1, 1)))
    return Tables(tuple(tables), () if played.bye is None else (played.bye,))


def _check_two_left(plan: Plan, order: Sequence[int]) -> None:
    if plan.format in MEETING and len(order) < 2:
        raise Rejected("EMPTY_FIELD", "C7", "nobody is left to meet")


def _without(plan: Plan, due: Round, withdrawn: Collection[int]) -> Tables:
    """A scheduled round without those who withdrew; who was to meet them has a bye, perhaps all who are left."""
    staying = tuple(one for one in due.meetings if not {one.first, one.second} & set(withdrawn))
    left = [
        entrant
        for one in due.meetings
        if one not in staying
        for entrant in (one.first, one.second)
        if entrant not in withdrawn
    ]
    byes = [due.bye] if due.bye is not None and due.bye not in withdrawn else []
    seated = _of_meetings(plan, Round(due.number, staying))
    return Tables(seated.tables, (*byes, *sorted(left)))
