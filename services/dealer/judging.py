"""What the dealer itself reads in the log of an appeal before it gives out a key or a board."""

from __future__ import annotations

from dataclasses import dataclass

from fupan.appeals.v1 import events_pb2 as pb
from services.ledger import record as ledger
from services.runtime.store import EventStore


@dataclass(slots=True)
class Judged:
    """An appeal for the dealer: the contested board, or that of a contested ruling, the panel as it stands, its key, whether its
    voting is over."""

    board: pb.ContestedBoard | None = None
    members: frozenset[str] = frozenset()
    ballot_key: bytes = b""
    voting_closed: bool = False

    def add(self, event: pb.Event) -> None:
        """Take in one event."""
        match event.WhichOneof("kind"):
            case "appeal_filed":
                contested = event.appeal_filed.contested
                board = contested.ruling.at if contested.HasField("ruling") else contested.board
                self.board = board if board.table else None
            case "panel_appointed":
                appointed = event.panel_appointed
                self.members = frozenset(one.person_id for one in appointed.members)
                self.ballot_key, self.voting_closed = appointed.ballot_key, False
            case "member_replaced":
                replaced = event.member_replaced
                self.members = self.members - {replaced.person_id} | {replaced.by.person_id}
            case "conflict_declared":
                self.members -= {event.conflict_declared.person_id}
            case "ballot_rejected" | "panel_dissolved":
                self.members = frozenset()
            case "voting_closed":
                self.voting_closed = True


async def read_case(store: EventStore, subject: str) -> Judged:
    """The appeal of a subject; one there is not contests nothing and has no panel."""
    judged = Judged()
    async for stored in store.read(subject):
        for data in ledger.body_of(ledger.decode(stored.data)).events if stored.data else ():
            judged.add(pb.Event.FromString(data))
    return judged
