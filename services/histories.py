"""Tables' records as they stand, for services that follow their streams: the chief referee may have decided between two histories
of a table (C9.2, docs/adr/0015-forks-are-decided.md)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from fupan.pairing.v1.events_pb2 import ForkDecided
from services.directory import Directory, Noticed
from services.ledger.record import Stored
from services.runtime.follower import Read, readable
from services.runtime.streams import parse

Deliver = Callable[[list[Read]], Awaitable[None]]


def standing(directory: Directory, deliver: Deliver, spawn: Callable[[Any, str], object]) -> Deliver:
    """What is to be given the records of tables' streams in place of `deliver`, which then gets those that stand, as far as that is
    decided by then: what fell is left out, and what a decision brings comes when that is read, by `spawn`."""

    def noticed(one: Noticed) -> None:
        if one.kind == "fork_decided" and one.event.records:
            spawn(deliver(_brought(one.event)), "decided history")

    async def those_that_stand(reads: list[Read]) -> None:
        await deliver([read for read in reads if not _fell(directory, read)])

    directory.listen(noticed)
    return those_that_stand


def _brought(decided: ForkDecided) -> list[Read]:
    """What a decision brings, at the place where the history that fell ends."""
    stream = parse(decided.subject).stream
    stored = (Stored(stream, decided.until, decided.subject, data) for data in decided.records)
    return [read for read in map(readable, stored) if read is not None]


def _fell(directory: Directory, read: Read) -> bool:
    subject, version = read.stored.subject, read.record.header.version
    championship = parse(subject).championship
    rulings = directory.get(championship).rulings if directory.known(championship) else {}
    return any(ruled.fells(version, read.stored.sequence) for ruled in rulings.get(subject, {}).values())
