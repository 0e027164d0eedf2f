"""Who sat at a table, as its records tell in the clear (C1.6): all that is known to whoever may not read an open board."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from services.ledger.record import BoardClosing


class Told(Protocol):
    """What a record tells in the clear: who sits there from it on, where it is sealed and changes that, and how a board ended."""

    @property
    def people(self) -> tuple[str, ...]:
        """See `services.ledger.record.Record`."""

    @property
    def closing(self) -> BoardClosing | None:
        """See `services.ledger.record.Record`."""


def sat(told: Told, events: Iterable[tuple[str, Any]]) -> Iterator[str]:
    """Everybody whom a record shows in a seat, entrants and substitutes alike. `events`: those of a clear record, by kind, none
    of a sealed one.

    Of an open board, records of older versions tell nothing until it is closed.
    """
    yield from filter(None, told.people)
    for kind, message in events:
        if kind == "seat_replaced" and message.person_id:
            yield message.person_id
    if told.closing is not None:
        yield from filter(None, (*told.closing.people, *told.closing.left))
