"""Other seats for a round whose pairing is contested, laid over those it has: as long as it has not begun (C10.1, C10.6). Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from services.directory import Championship, Round
from services.domain import Rejected
from services.runtime.errors import NotFound
from services.scoring import model as m

INSTEAD = "ask for percentages for its boards, or for a penalty"

Seats = Mapping[str, tuple[int, ...]]
"""Entrants by seat, by table."""


def laid(known: Championship, reseats: Sequence[m.ReseatRound]) -> tuple[int, Seats, Seats]:
    """A round, who sits where in it, and who would with all of `reseats`, at least one. Raises Rejected, NotFound."""
    round_ = reseats[0].round
    before = {name: one.entrants for name, one in _to_begin(known, round_).tables.items()}
    after = dict(before)
    for sought in reseats:
        _to_begin(known, sought.round)
        _check(after, sought)
        after |= {one.table: one.entrants for one in sought.tables}
    return round_, before, after


def _to_begin(known: Championship, number: int) -> Round:
    """A round that is paired and has not begun: there is one at most."""
    played = known.rounds.get(number)
    if played is None or not played.paired:
        raise NotFound("round", number)
    if number > known.settings.rounds:
        raise Rejected(
            "SEATING_WRONG", "C4.5", "in a play-off all sit in the same seat, each at its own table"
        )
    if played.phase != "paired":
        raise Rejected("ROUND_STARTED", "C10.6", f"round {number} has begun: {INSTEAD}")
    return played


def _check(seats: Seats, sought: m.ReseatRound) -> None:
    named = [one.table for one in sought.tables]
    if not named or len(set(named)) < len(named) or not seats.keys() >= set(named):
        raise Rejected("SEATING_WRONG", "C9.2", "name tables of this round, each of them once")
    before = [seats[table] for table in named]
    after = [one.entrants for one in sought.tables]
    if list(map(len, before)) != list(map(len, after)) or _all(before) != _all(after):
        raise Rejected(
            "SEATING_WRONG",
            "C10.6",
            "the tables named exchange the seats they have, and nobody comes or goes",
        )


def _all(tables: Iterable[tuple[int, ...]]) -> Counter[int]:
    return Counter(entrant for entrants in tables for entrant in entrants)
