"""What is known of boards that would be played again before they are (C3.3, C10.6). Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from services.games.championship.results import SHARED_FAULT
from services.games.championship.tables import TEAMS
from services.scoring import model as m

ALONE = SHARED_FAULT
"""What every seat gets that has nobody to be compared with, tenths of a percent (C3.3)."""


def foreseen(
    rulings: Sequence[m.Ruled], form: str, seats: Mapping[tuple[int, str], int]
) -> tuple[m.Ruled, ...]:
    """`rulings` that nobody made, with what their replays come to where that is known: 50 % for each seat of a board that one table
    plays again alone, whatever it scores. `seats` is how many a table has, by round and table."""
    orders = [one.event for one in rulings if isinstance(one.event, m.BoardSuperseded)]
    together = Counter(map(_deal, orders))

    def known(ruled: m.Ruled) -> m.Ruled:
        event = ruled.event
        if form == TEAMS or not isinstance(event, m.BoardSuperseded) or together[_deal(event)] > 1:
            return ruled
        shares = (ALONE,) * seats[event.round, event.table]
        at = event.table, event.round, event.board, event.attempt
        return replace(ruled, event=m.BoardVoided(*at, shares, event.authority))

    return tuple(map(known, rulings))


def open_replays(rulings: Sequence[m.Ruled], form: str) -> tuple[int, int]:
    """How many boards would be played again at one table alone, and how many at several, of which nothing is known."""
    orders = [one.event for one in rulings if isinstance(one.event, m.BoardSuperseded)]
    together = Counter(map(_deal, orders)).values()
    alone = 0 if form == TEAMS else sum(tables == 1 for tables in together)
    return alone, len(together) - alone


def _deal(event: m.BoardSuperseded) -> tuple[int, int, int]:
    return event.round, event.board, event.by_attempt
