"""Orders by which tables play a board again, as what they come to at each table (C9.2)."""

from __future__ import annotations

from collections.abc import Iterator

from fupan.scoring.v1.events_pb2 import BoardSuperseded, ReplayOrdered
from services.games.championship.results import replay_table
from services.ledger.codec import Malformed


def superseded(ordered: ReplayOrdered) -> Iterator[BoardSuperseded]:
    """By table, the board that counts no more and the one that does. Raises Malformed."""
    if len(ordered.tables) != len(ordered.instead_of):
        raise Malformed("an order says of every table which attempt it is instead of")
    for table, attempt in zip(ordered.tables, ordered.instead_of, strict=True):
        yield BoardSuperseded(
            table=table,
            round=ordered.round,
            board=ordered.board,
            attempt=attempt,
            by_table=replay_table(table, ordered.attempt),
            by_attempt=ordered.attempt,
            authority=ordered.authority,
        )
