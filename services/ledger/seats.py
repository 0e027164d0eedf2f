"""Who sat at a table, as its records tell in the clear (C1.6): all that is known to whoever may not read an open board."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from services.ledger.record import BoardClosing


def sat(closing: BoardClosing | None, events: Iterable[tuple[str, Any]]) -> Iterator[str]:
    """Everybody whom a record shows in a seat, entrants and substitutes alike. `events`: those of a clear record, by kind, none
    of a sealed one; `closing`: what it tells of a board that ended.

    Who is given a seat on an open board is told when that is closed.
    """
    for kind, message in events:
        if kind == "seat_replaced" and message.person_id:
            yield message.person_id
    if closing is not None:
        yield from filter(None, (*closing.people, *closing.left))
