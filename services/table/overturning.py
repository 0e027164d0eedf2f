"""A ruling that the chief referee, or a deputy, overturns at its table (C9.2) unless a committee has judged it (C10.7)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from fupan.appeals.v1 import service_pb2 as appeals
from services.directory import Directory
from services.domain import Rejected
from services.runtime.errors import Denied, NotFound
from services.runtime.identity import Caller
from services.runtime.streams import parse
from services.table.model.events import RulingMade
from services.table.rulings import Rulings

if TYPE_CHECKING:  # a stub class that exists for the type checker only
    from fupan.appeals.v1.service_pb2_grpc import AppealsServiceAsyncStub

PEER_SECONDS = 20.0
HEADS = frozenset({"chief_referee", "deputy"})

Decided = Callable[[str, str], Awaitable[str]]
"""The appeal in which a committee has decided on a ruling of a championship; empty where none has."""


class Overturning:
    """Judges who may overturn what."""

    def __init__(self, rulings: Rulings, directory: Directory, decided: Decided) -> None:
        self._rulings = rulings
        self._directory = directory
        self._decided = decided

    async def check(self, subject: str, ruling: str, overturned: str, who: Caller) -> None:
        """Whether a caller may overturn a ruling of a table by another one, `ruling`.

        Raises Denied, NotFound, Rejected, Unavailable, AioRpcError.
        """
        championship = parse(subject).championship
        if not HEADS & self._directory.roles(championship, who.person):
            raise Denied("NOT_IN_ROLE", "C9.2 lets the chief referee overturn a ruling, no other")
        made = [act.event for act in await self._rulings.acts(subject) if isinstance(act.event, RulingMade)]
        known = {one.ruling for one in made}
        if ruling in known:  # the same command, which the log answers as before
            return
        if overturned not in known:
            raise NotFound("ruling", overturned)
        if by := next((one.ruling for one in made if one.overturns == overturned), ""):
            raise Rejected("RULING_OVERTURNED", "C9.2", f"{overturned} is overturned by ruling {by} already")
        if appeal := await self._decided(championship, overturned):
            raise Rejected("RULING_FINAL", "C10.7", f"the committee's ruling in appeal {appeal} is final")


def deciding(stub: AppealsServiceAsyncStub) -> Decided:
    """`Decided` as the appeals service tells."""

    async def decided(championship: str, ruling: str) -> str:
        asked = appeals.ListAppealsRequest(championship=championship)
        told = await stub.ListAppeals(asked, timeout=PEER_SECONDS)
        found = (one for one in told.appeals if one.HasField("decision"))
        return next((one.appeal for one in found if one.filed.contested.ruling.ruling == ruling), "")

    return decided
