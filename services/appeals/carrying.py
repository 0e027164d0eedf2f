"""Rulings that scoring or pairing could not carry out: they say so in their logs, and the chief referee must see to it (C10.6)."""

from __future__ import annotations

from typing import Any

from fupan.appeals.v1 import service_pb2 as pb
from fupan.scoring.v1 import events_pb2 as scoring
from services.directory import Noticed
from services.domain import Rejected
from services.runtime.errors import explain
from services.runtime.follower import Read
from services.runtime.streams import parse


class Carrying:
    """What was not carried out, by championship and appeal."""

    def __init__(self) -> None:
        self._refused: dict[tuple[str, str], list[pb.NotCarriedOut]] = {}

    def refused(self, championship: str, appeal: str) -> tuple[pb.NotCarriedOut, ...]:
        """What of an appeal's ruling could not be carried out, in the order in which it was refused."""
        found = self._refused.get((championship, appeal), ())
        return tuple(sorted(found, key=lambda one: (one.refused_us, one.by)))

    def noticed(self, noticed: Noticed) -> None:
        """An event of pairing's."""
        if noticed.kind == "reseating_refused":
            self._note("pairing", noticed.championship.id, noticed.event, noticed.place.time_us)

    def read_scoring(self, reads: list[Read]) -> None:
        """Scoring's records."""
        for read in reads:
            for data in read.body.events if read.body else ():
                event = scoring.Event.FromString(data)
                if event.WhichOneof("kind") == "correction_refused":
                    championship = parse(read.stored.subject).championship
                    self._note("scoring", championship, event.correction_refused, read.record.header.time_us)

    def _note(self, by: str, championship: str, event: Any, time_us: int) -> None:
        told = explain(Rejected(event.reason, event.clause, event.detail))
        refused = pb.NotCarriedOut(
            by=by,
            reason=event.reason,
            clause=event.clause,
            text=told.message,
            text_zh=told.message_zh,
            refused_us=time_us,
        )
        self._refused.setdefault((championship, event.appeal), []).append(refused)
