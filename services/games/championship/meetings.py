"""Who meets whom: the rounds of pairs and teams, whatever movement made them (C7, C8.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from services.domain import Rejected


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two entrants at a table, or two teams at their two tables.

    `first` sits in seats 0+2, `second` in seats 1+3; of teams `first` does so in the open room. `boards` is the number of
    the set of boards they play, from 1: the same number, the same deals.
    """

    first: int
    second: int
    boards: int

    @property
    def seats(self) -> tuple[int, int, int, int]:
        """Entrant by seat of a table of four."""
        return self.first, self.second, self.first, self.second


@dataclass(frozen=True, slots=True)
class Round:
    """One round: its number from 1, its meetings in the order of tables, and who has the bye (輪空)."""

    number: int
    meetings: tuple[Meeting, ...]
    bye: int | None = None


def field_of(entrants: Sequence[int], least: int = 1) -> list[int | None]:
    """The entrants, with None for nobody at the end of an odd field: whoever meets nobody has the bye (C1.5).

    Raises Rejected for fewer than `least` entrants or one that stands there twice.
    """
    if len(entrants) < least:
        raise Rejected("EMPTY_FIELD", "C7", f"{len(entrants)} entrants, at least {least} are needed")
    if len(set(entrants)) != len(entrants):
        raise Rejected("SEATED_TWICE", "C7", "an entrant stands twice in the field")
    return [*entrants, None] if len(entrants) % 2 else [*entrants]


def round_of(number: int, tables: Sequence[tuple[int | None, int | None, int]]) -> Round:
    """A round from (first, second, boards) by table; the table with None is not played, its entrant has the bye."""
    meetings = tuple(
        Meeting(first, second, boards)
        for first, second, boards in tables
        if first is not None and second is not None
    )
    byes = [one if two is None else two for one, two, _ in tables if (one is None) != (two is None)]
    return Round(number, meetings, byes[0] if byes else None)


def evened(rounds: Sequence[Round]) -> tuple[Round, ...]:
    """The same meetings with lines turned so that everybody is in one as often as in the other, or once more; rounds of which
    that is true already stay as they are.

    Lines follow walks along the meetings, from an entrant in seats 0+2 to its opponent, which then is there in another of its
    meetings. A walk begins with the first entrant that has a meeting left, goes on by the first one left wherever it comes, and
    ends where nothing is left. Entrants stand in the order of their first meetings, and behind all meetings those with an odd
    number of them meet nobody, in that order.
    """
    meetings = [one for each in rounds for one in each.meetings]
    leaning = Counter(one.first for one in meetings)
    leaning.subtract(one.second for one in meetings)
    if max(map(abs, leaning.values()), default=0) <= 1:
        return tuple(rounds)
    first = _walked([(one.first, one.second) for one in meetings])
    turned = iter(
        one if one.first == first[at] else Meeting(one.second, one.first, one.boards)
        for at, one in enumerate(meetings)
    )
    return tuple(Round(each.number, tuple(islice(turned, len(each.meetings))), each.bye) for each in rounds)


def _walked(meetings: Sequence[tuple[int, int]]) -> dict[int, int | None]:
    """Who sits in seats 0+2 by the place of the meeting, as `evened` walks; None is nobody, whom those with an odd number meet."""
    ends: list[tuple[int | None, int | None]] = [*meetings]
    left: dict[int | None, list[int]] = {one: [] for both in meetings for one in both}
    for at, both in enumerate(meetings):
        for one in both:
            left[one].append(at)
    for odd in [one for one, own in left.items() if len(own) % 2]:
        left[odd].append(len(ends))
        left.setdefault(None, []).append(len(ends))
        ends.append((odd, None))
    first: dict[int, int | None] = {}
    for start in left:
        here = start
        while own := [at for at in left[here] if at not in first]:
            first[own[0]] = here
            upper, lower = ends[own[0]]
            here = lower if here == upper else upper
    return first


def opponents(played: Sequence[Round]) -> Iterator[tuple[int, int]]:
    """(entrant, opponent) of every meeting, both ways round, as often as they met."""
    for each in played:
        for meeting in each.meetings:
            yield meeting.first, meeting.second
            yield meeting.second, meeting.first
