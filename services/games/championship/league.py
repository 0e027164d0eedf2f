"""Tables of matches: points, net, head-to-head and byes, for the points format (C8.5) and for teams (C7.2)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby

from services.domain import Rejected

POINTS, NET, HEAD_TO_HEAD, NUMBER = "points", "net", "head_to_head", "number"
"""What decides, in this order (C8.5)."""

Group = list[int]
"""Entrants that nothing has told apart yet, by number."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A match that counts: points of `first` and `second`, and the net that `first` gains and `second` loses."""

    round: int
    first: int
    second: int
    points: tuple[int, int]
    net: int


@dataclass(frozen=True, slots=True)
class Placing:
    """One entrant's place and all that led to it."""

    entrant: int
    place: int
    """From 1; nobody shares one."""
    decided_by: str
    """The first of POINTS, NET, HEAD_TO_HEAD, NUMBER after which nobody else stood at its rank."""
    points: Fraction
    """Those of its byes included."""
    bye_points: Fraction
    """What its byes are worth (C1.5)."""
    net: int
    """Net levels, or the difference of the boards; a bye has none."""
    head_to_head: int
    """Matches won less matches lost against those of equal points and net."""
    won: int
    drawn: int
    lost: int
    byes: int


@dataclass(slots=True)
class _Record:
    points: Fraction = Fraction(0)
    byes: int = 0
    bye_points: Fraction = Fraction(0)
    net: int = 0
    results: list[int] = field(default_factory=list)
    """1 won, 0 drawn, −1 lost."""
    against: Counter[int] = field(default_factory=Counter)
    """Opponent -> matches won less matches lost."""

    def add(self, opponent: int, points: int, theirs: int, net: int) -> None:
        result = (points > theirs) - (points < theirs)
        self.points += points
        self.net += net
        self.results.append(result)
        self.against[opponent] += result

    def give(self, byes: int, win: int) -> None:
        mean = self.points / len(self.results) if self.results else Fraction(0)
        self.byes, self.bye_points = byes, byes * max(mean, Fraction(win, 2))
        self.points += self.bye_points

    def placing(self, entrant: int, place: int, decided_by: str, head_to_head: int) -> Placing:
        count = self.results.count
        return Placing(
            entrant=entrant,
            place=place,
            decided_by=decided_by,
            points=self.points,
            bye_points=self.bye_points,
            net=self.net,
            head_to_head=head_to_head,
            won=count(1),
            drawn=count(0),
            lost=count(-1),
            byes=self.byes,
        )


def rank(
    entrants: Collection[int], outcomes: Iterable[Outcome], byes: Iterable[int], win: int
) -> tuple[Placing, ...]:
    """Everybody in strict order: points, then net, then head-to-head, then entrant number (C8.5).

    `byes` names the entrant of every bye; one is worth the mean of the points of the entrant's matches, at least half of a
    `win` (C1.5). Head-to-head is matches won less matches lost among those of equal points and net, and again among those
    whom that leaves equal; who has met none of them stands between winners and losers. The order in which outcomes are given
    does not matter. Raises Rejected for an outcome or a bye of an entrant that is not of the field.
    """
    records = _records(entrants, outcomes, Counter(byes), win)
    splits: tuple[tuple[str, Callable[[Group], list[Group]]], ...] = (
        (POINTS, lambda tied: _split(tied, lambda entrant: records[entrant].points)),
        (NET, lambda tied: _split(tied, lambda entrant: records[entrant].net)),
        (HEAD_TO_HEAD, lambda tied: _by_meetings(tied, records)),
        (NUMBER, lambda tied: [[entrant] for entrant in tied]),
    )
    groups: list[Group] = [sorted(records)] if records else []
    decided_by: dict[int, str] = {}
    head_to_head: dict[int, int] = {}
    for by, split in splits:
        if by == HEAD_TO_HEAD:
            head_to_head = {
                entrant: balance for tied in groups for entrant, balance in _balances(tied, records).items()
            }
        groups = [part for tied in groups for part in (split(tied) if len(tied) > 1 else [tied])]
        decided_by = {**{tied[0]: by for tied in groups if len(tied) == 1}, **decided_by}
    return tuple(
        records[entrant].placing(entrant, place, decided_by[entrant], head_to_head[entrant])
        for place, (entrant,) in enumerate(groups, 1)
    )


def canonical(order: Iterable[Placing]) -> bytes:
    """Placings as bytes: UTF-8 JSON without spaces, one array of integers an entrant, best first.

    Each array holds place, entrant, points and those of byes as numerator and denominator, net, head-to-head, and the numbers of
    matches won, drawn and lost and of byes.
    """
    rows = [
        [
            one.place,
            one.entrant,
            *one.points.as_integer_ratio(),
            *one.bye_points.as_integer_ratio(),
            one.net,
            one.head_to_head,
            one.won,
            one.drawn,
            one.lost,
            one.byes,
        ]
        for one in order
    ]
    return json.dumps(rows, separators=(",", ":")).encode()


def read(data: bytes) -> tuple[Placing, ...]:
    """The placings of which these bytes are the canonical form, but for what it does not tell: `decided_by`. Raises ValueError,
    TypeError or ZeroDivisionError for what is no such form."""
    return tuple(
        [
            Placing(entrant, place, "", Fraction(points, of), Fraction(byes, byes_of), *rest)
            for place, entrant, points, of, byes, byes_of, *rest in json.loads(data)
        ]
    )


def _records(
    entrants: Collection[int], outcomes: Iterable[Outcome], byes: Counter[int], win: int
) -> dict[int, _Record]:
    records = {entrant: _Record() for entrant in entrants}
    for outcome in outcomes:
        for entrant in (outcome.first, outcome.second):
            _known(entrant, records)
        (points, theirs), net = outcome.points, outcome.net
        records[outcome.first].add(outcome.second, points, theirs, net)
        records[outcome.second].add(outcome.first, theirs, points, -net)
    for entrant, count in byes.items():
        _known(entrant, records)
        records[entrant].give(count, win)
    return records


def _known(entrant: int, records: Collection[int]) -> None:
    if entrant not in records:
        raise Rejected("NO_SUCH_ENTRANT", "C1.2", f"entrant {entrant} is not of the field")


def _split(tied: Group, key: Callable[[int], Fraction | int]) -> list[Group]:
    """The tied by key, highest first, those of one key in the order they had."""
    return [list(group) for _, group in groupby(sorted(tied, key=key, reverse=True), key)]


def _by_meetings(tied: Group, records: Mapping[int, _Record]) -> list[Group]:
    balances = _balances(tied, records)
    parts = _split(tied, lambda entrant: balances[entrant])
    if len(parts) == 1:
        return parts
    return [smaller for part in parts for smaller in _by_meetings(part, records)]


def _balances(tied: Group, records: Mapping[int, _Record]) -> dict[int, int]:
    """Matches won less matches lost against the others that are tied."""
    others = set(tied)
    return {
        entrant: sum(balance for other, balance in records[entrant].against.items() if other in others)
        for entrant in tied
    }
