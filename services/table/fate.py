"""What became of a seat that was given: told by its table's log, the same at every replica and for ever (C1.6)."""

from __future__ import annotations

from services.ledger import record as ledger
from services.ledger.record import Head
from services.runtime.errors import Unavailable
from services.runtime.log import Answer
from services.table.codec import EVENTS
from services.table.hall import TableLog
from services.table.leaves import Leaves
from services.table.model.events import Event, SeatConfirmed, SeatJoined, SeatReplaced
from services.table.replay import key_of
from services.table.seating import Place


async def counted(log: TableLog, leaves: Leaves, place: Place, given: Answer[Event]) -> bool:
    """Whether a seat counted that a record has `given`, and that does not wait any more.

    Where it was neither confirmed nor given back it is one of an older version, which confirmed none. Raises Unavailable.
    """
    head = Head(given.version, given.sequence, given.hash, given.time_us)
    async for stored in log.read(place.subject, head):
        record, key = ledger.decode(stored.data), None
        if record.sealed:
            key = await key_of(leaves, log, place.subject, record.header.key_ids[0])
            if key is None:
                raise Unavailable("PEER_UNAVAILABLE")
        for event in map(EVENTS.decode, ledger.body_of(record, key).events):
            match event:
                case SeatConfirmed(seat=place.seat) | SeatJoined(seat=place.seat):
                    return True
                case SeatReplaced(seat=place.seat):
                    return not event.sits_at
    return True
