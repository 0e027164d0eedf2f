"""What a command answers with, and how a query waits until it may be relied on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from fupan.common.v1 import record_pb2
from services.runtime.catchup import within
from services.runtime.log import Answer
from services.runtime.positions import parse_position

Waits = Mapping[str, Callable[[int], Awaitable[None]]]
"""By stream: returns when what the service shows holds that stream up to a sequence."""


def receipt(answer: Answer[Any]) -> record_pb2.Receipt:
    """The receipt of an accepted command."""
    return record_pb2.Receipt(hash=answer.hash, position=answer.position)


async def reached(position: str, waits: Waits, tables: bool = False) -> None:
    """Return when a query may be answered that asked for `position` (empty: for none).

    A stream that the service shows nothing of is not waited for, nor one of tables unless `tables`: how long the answer takes
    would tell anybody how many records open tables have written. Raises Rejected("MALFORMED_POSITION"),
    Unavailable("POSITION_NOT_REACHED") after `catchup.PATIENCE`.
    """
    if not position:
        return
    stream, sequence = parse_position(position)
    wait = waits.get(stream)
    if wait is None or (stream.startswith("TABLE-") and not tables):
        return
    async with within():
        await wait(sequence)
