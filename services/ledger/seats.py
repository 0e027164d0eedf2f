"""Who sat at a table, as its records tell in the clear (C1.6): all that is known to whoever may not read an open board."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from services.ledger.record import Record


def sat(record: Record, events: Iterable[tuple[str, Any]]) -> Iterator[str]:
    """Everybody whom a record shows in a seat, entrants and substitutes alike. `events`: those of a clear record, by kind.

    Who is given a seat on an open board is told when that is closed.
    """
    for kind, message in () if record.sealed else events:
        if kind == "seat_replaced" and message.person_id:
            yield message.person_id
    if record.closing is not None:
        yield from filter(None, (*record.closing.people, *record.closing.left))
