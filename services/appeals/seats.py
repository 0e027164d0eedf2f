"""Other seats for a round whose pairing is contested: possible while it has not begun (C10.1, C10.6)."""

from __future__ import annotations

from collections import Counter

from services.appeals.model import events as e
from services.directory import Championship
from services.domain import Rejected
from services.runtime.errors import NotFound

INSTEAD = "ask for percentages for its boards, or for a penalty"


def check(known: Championship, contested: e.Contested, sought: e.ReseatRound) -> None:
    """Whether a round could be seated as is asked for, by what is known now. Raises Rejected, NotFound."""
    if contested != e.ContestedPairing(sought.round):
        raise Rejected(
            "SEATING_WRONG", "C10.6", "other seats are asked for where the pairing of that round is contested"
        )
    played = known.rounds.get(sought.round)
    if played is None or not played.paired:
        raise NotFound("round", sought.round)
    if sought.round > known.settings.rounds:
        raise Rejected(
            "SEATING_WRONG", "C4.5", "in a play-off all sit in the same seat, each at its own table"
        )
    if played.phase != "paired":
        raise Rejected("ROUND_STARTED", "C10.6", f"round {sought.round} has begun: {INSTEAD}")
    named = [one.table for one in sought.tables]
    if not named or len(set(named)) < len(named) or not played.tables.keys() >= set(named):
        raise Rejected("SEATING_WRONG", "C9.2", "name tables of this round, each of them once")
    before = [played.tables[table].entrants for table in named]
    after = [one.entrants for one in sought.tables]
    if list(map(len, before)) != list(map(len, after)) or _all(before) != _all(after):
        raise Rejected(
            "SEATING_WRONG",
            "C10.6",
            "the tables named exchange the seats they have, and nobody comes or goes",
        )


def _all(tables: list[tuple[int, ...]]) -> Counter[int]:
    return Counter(entrant for entrants in tables for entrant in entrants)
