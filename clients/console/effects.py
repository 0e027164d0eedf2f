"""What rulings would change, and have changed: standings compared, lines crossed, seats of the next round (C10.6, C10.8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from grpc import StatusCode
from grpc.aio import AioRpcError

from clients.appealing import to_weigh
from clients.console.comparing import Change, changes
from clients.console.desk import Desk, Event
from clients.console.session import Session
from fupan.appeals.v1 import service_pb2 as appeals
from fupan.scoring.v1 import events_pb2 as ruled
from fupan.scoring.v1 import service_pb2 as pb

MATERIAL_ENTRANTS = 2_000
"""So many entrants' rankings are tried in a moment; with more, a page does so when it is asked to."""

MATERIAL_SECONDS = 60.0
"""What somebody may wait who has asked."""


@dataclass(frozen=True, slots=True)
class Effect:
    """Two standings compared.

    `cause`: what is `sought`, or `tried` instead, would change; what a `ruling`, its `arithmetic` put right, or a `replay` that it
    ordered has changed. `lines`: those that somebody crosses, None where nobody asked. `seating`: None where ranks seat no further
    round; `reseated`: a round that has not begun, with other seats. `alone`, `open`: boards that one table, or several, would play
    again, with whatever result.
    """

    cause: str
    changes: list[Change]
    lines: Sequence[pb.LineCrossed] | None = None
    seating: pb.NextSeating | None = None
    reseated: pb.NextSeating | None = None
    alone: int = 0
    open: int = 0


async def would_change(
    desk: Desk, who: Session, championship: str, cause: str, remedies: Sequence[ruled.Remedy]
) -> Effect:
    """What remedies would change; nothing is written. Raises AioRpcError."""
    asked = pb.WhatIfRequest(championship=championship, remedies=remedies, only_changes=True, seating=True)
    answer = await desk.services.ask(desk.services.scoring.WhatIf, asked, who.token)
    seating = answer.seating if answer.HasField("seating") else None
    reseated = answer.reseated if answer.HasField("reseated") else None
    changed = changes(answer.before, answer.after)
    replays = answer.replays_alone, answer.replays_open
    return Effect(cause, changed, answer.lines, seating, reseated, *replays)


async def materiality(desk: Desk, who: Session, event: Event, told: appeals.Appeal) -> Sequence[pb.Tried]:
    """The smallest rulings that change a rank, of what is contested and of what else something is asked for. Raises AioRpcError."""
    found: list[pb.Tried] = []
    rpc = desk.services.scoring.Materiality
    for about in to_weigh(told.filed, event.settings.format == "points"):
        about.championship = event.id
        try:
            answer = await desk.services.ask(rpc, about, who.token, seconds=MATERIAL_SECONDS)
        except AioRpcError as error:
            if about.penalty and error.code() is StatusCode.NOT_FOUND:  # it is to be added
                continue
            raise
        found += answer.tried
    return found


async def has_changed(desk: Desk, who: Session, championship: str, told: appeals.Appeal) -> list[Effect]:
    """What an appeal's ruling has changed of the standings published last before it was filed, and what the replay it ordered has;
    nothing where none were published by then. Raises AioRpcError."""
    filed = datetime.fromtimestamp(told.filed_us / 1_000_000, UTC).isoformat()
    asked = pb.CompareStandingsRequest(championship=championship, since=filed)
    try:
        answer = await desk.services.ask(desk.services.scoring.CompareStandings, asked, who.token)
    except AioRpcError as error:
        if error.code() in (StatusCode.NOT_FOUND, StatusCode.FAILED_PRECONDITION):
            return []
        raise
    found: list[Effect] = []
    own = False
    for step in answer.steps:
        # A board that was played again follows the ruling that ordered it.
        own = own if step.cause == "replay" else any(_ruled_in(one) == told.appeal for one in step.events)
        if own:
            found.append(Effect(step.cause, changes(step.before, step.after)))
    return found


def authority(event: ruled.Event) -> ruled.Authority:
    """By whom, in which appeal and why something was decided; empty for what needs no authority."""
    decided = getattr(event, event.WhichOneof("kind") or "", None)
    return getattr(decided, "authority", None) or ruled.Authority()


def _ruled_in(event: ruled.Event) -> str:
    return authority(event).appeal
