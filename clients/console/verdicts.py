"""Rulings of referees that a visitor may know of, at the tables of an entrant: each can be contested by its id (C9.3, C10.1)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from grpc import StatusCode
from grpc.aio import AioRpcError

from clients.console.desk import Desk, Event
from clients.console.session import Session
from fupan.appeals.v1 import events_pb2 as appeals
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import service_pb2 as scoring
from fupan.table.v1 import service_pb2 as pb

_NOTHING = (
    StatusCode.NOT_FOUND,
    StatusCode.INVALID_ARGUMENT,
    StatusCode.UNAVAILABLE,
    StatusCode.DEADLINE_EXCEEDED,
)


async def of_entrant(
    desk: Desk, who: Session, event: Event, told: scoring.ExplainScoreResponse
) -> Sequence[pb.Ruling]:
    """What was ruled where an entrant has played, and plays now, oldest first. `told`: its score explained. Raises AioRpcError."""
    names = [one.table for of in (told.units, told.play_offs, told.matches) for one in of]
    names += await _now(desk, event, told.row.entrant)
    found = await asyncio.gather(*(at(desk, who, event, name) for name in dict.fromkeys(filter(None, names))))
    return sorted((one for rulings in found for one in rulings), key=lambda one: one.made_us)


async def at(desk: Desk, who: Session, event: Event, table: str) -> Sequence[pb.Ruling]:
    """What was ruled at a table; nothing at one that is not opened, and while nobody can say. Raises AioRpcError."""
    asked = pb.ListRulingsRequest(championship=event.id, table=table)
    try:
        told = await desk.services.ask(desk.services.table.ListRulings, asked, who.token)
    except AioRpcError as error:
        if error.code() in _NOTHING:
            return ()
        raise
    return told.rulings


async def located(desk: Desk, who: Session, event: Event, contested: appeals.Contested) -> appeals.Contested:
    """What is contested, a ruling that the visitor may know of with the board on which it was made. Raises AioRpcError."""
    named = contested.ruling.ruling
    if not named:
        return contested
    table, _, _ = named.rpartition(".")
    for one in await at(desk, who, event, table):
        if one.ruling == named:
            place = appeals.ContestedBoard(table=table, round=one.round, board=one.board, attempt=one.attempt)
            return appeals.Contested(ruling=appeals.ContestedRuling(ruling=named, at=place))
    return contested


async def _now(desk: Desk, event: Event, entrant: int) -> Iterable[str]:
    """The tables of an entrant in the newest round, of which its score may tell nothing yet."""
    if not event.told.current_round:
        return ()
    asked = pairing.GetRoundRequest(championship=event.id, round=event.told.current_round)
    told = await desk.services.ask(desk.services.pairing.GetRound, asked)
    return [one.table.table for one in told.tables if entrant in one.table.entrants]
