"""Rulings of referees that the chief referee, or a deputy, overturns after their round (C9.2), unless a committee has ruled on them
(C10.7): what pairing asks the table for, and reads in appeals' log.

Of a table that has not signed its log yet none is: there the table itself overturns them, and of one ruling both could.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import grpc

from fupan.table.v1 import service_pb2 as table
from services.domain import Rejected
from services.pairing.decider.overturning import check_played
from services.pairing.model import commands as c
from services.pairing.model import events as e
from services.pairing.model.state import Championship
from services.pairing.rounds import PairingLog
from services.runtime.errors import NotFound
from services.runtime.log import Answer, Envelope

if TYPE_CHECKING:  # a stub class that exists for the type checker only
    from fupan.table.v1.service_pb2_grpc import TableServiceAsyncStub

PEER_SECONDS = 20.0


class Overturning:
    """Overturns rulings that stand."""

    def __init__(
        self,
        log: PairingLog,
        subject_of: Callable[[str], str],
        tables: TableServiceAsyncStub,
        catch_up: Callable[[], Awaitable[None]],
        ended: Callable[[str, str], bool],
    ) -> None:
        """`ended` says whether a championship's table has signed its log, after which nothing is written there."""
        self._log = log
        self._subject_of = subject_of
        self._tables = tables
        self._catch_up = catch_up
        self._ended = ended
        self._contested: dict[tuple[str, str], str] = {}
        """By championship and appeal, the ruling that is contested."""
        self._judged: dict[tuple[str, str], str] = {}
        """By championship and ruling, the appeal in which a committee ruled on it."""

    def filed(self, championship: str, appeal: str, filed: Any) -> None:
        """Appeals' log has `AppealFiled`."""
        if ruling := filed.contested.ruling.ruling:
            self._contested[championship, appeal] = ruling

    def decided(self, championship: str, appeal: str) -> None:
        """Appeals' log has `AppealDecided`."""
        if ruling := self._contested.get((championship, appeal)):
            self._judged[championship, ruling] = appeal

    async def overturn(
        self, state: Championship, command: c.OverturnRuling, envelope: Envelope
    ) -> Answer[e.Event]:
        """Overturn a ruling. Raises Rejected, NotFound, Unavailable, AioRpcError."""
        assert state.settings is not None
        championship = state.settings.championship
        subject = self._subject_of(championship)

        def same(accepted: c.Command) -> bool:
            return accepted == command

        answer = await self._log.repeated(subject, envelope, same)
        if answer is None:
            await self._check(state, championship, command.overturns)
            answer = await self._log.handle(subject, command, envelope, same=same)
        return answer

    async def _check(self, state: Championship, championship: str, ruling: str) -> None:
        name, _, _ = ruling.rpartition(".")
        if not any(name in _tables(one) for one in state.rounds) and name not in state.replays:
            raise NotFound("ruling", ruling)
        check_played(state, name)
        await self._catch_up()
        if not self._ended(championship, name):
            detail = f"until {name} has finished and is signed its rulings are overturned there"
            raise Rejected("TABLES_NOT_SEALED", "C9.2", detail)
        try:
            asked = table.ListRulingsRequest(championship=championship, table=name)
            told = await self._tables.ListRulings(asked, timeout=PEER_SECONDS)
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.NOT_FOUND:
                raise NotFound("ruling", ruling) from None
            raise
        made = next((one for one in told.rulings if one.ruling == ruling), None)
        if made is None:
            raise NotFound("ruling", ruling)
        if by := made.overturned.ruling:
            raise Rejected("RULING_OVERTURNED", "C9.2", f"{ruling} is overturned by ruling {by} already")
        if appeal := self._judged.get((championship, ruling)):
            raise Rejected("RULING_FINAL", "C10.7", f"the committee's ruling in appeal {appeal} is final")


def ruling_id(table: str, subject: str, command_id: str) -> str:
    """What a ruling of the event's is called: by its table, and so that the same command makes the same."""
    return f"{table}.{sha256(f'{subject}|{command_id}'.encode()).hexdigest()[:12]}"


def _tables(round_: Any) -> set[str]:
    return {one.table for one in round_.tables}
