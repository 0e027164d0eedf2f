"""Other seats for a round that has not begun, as committees ruled in appeals against its pairing (C10.6).

Rulings are taken up from appeals' log anew after a restart, and carried out once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from services.domain import Cause, Rejected
from services.pairing.model import commands as c
from services.pairing.model.events import SeatedTable
from services.pairing.model.state import SERVICE
from services.pairing.rounds import PairingLog
from services.runtime.log import Envelope


class Reseating:
    """What was ruled and is not carried out, by championship: appeal, number and remedy, and the record that says so."""

    def __init__(self, log: PairingLog, subject_of: Callable[[str], str]) -> None:
        self._log = log
        self._subject_of = subject_of
        self._ruled: defaultdict[str, list[tuple[str, int, Any, Cause]]] = defaultdict(list)

    def ruled(self, championship: str, appeal: str, decided: Any, record: Cause) -> bool:
        """Appeals' log has `AppealDecided`; whether it brings seats."""
        remedies = [one.reseat_round for one in decided.remedies if one.HasField("reseat_round")]
        ruled = self._ruled[championship]
        ruled += [(appeal, number, remedy, record) for number, remedy in enumerate(remedies, 1)]
        return bool(remedies)

    async def step(self, championship: str) -> None:
        """Change the seats that were ruled, in the order of the rulings."""
        waiting, subject = self._ruled[championship], self._subject_of(championship)
        while waiting and (state := self._log.state(subject)) is not None and state.seal is None:
            appeal, number, remedy, record = first = waiting[0]
            played = state.round(remedy.round)
            groups = {one.table: one.group for one in played.tables} if played else {}
            tables = tuple(
                SeatedTable(one.table, groups.get(one.table, 0), tuple(one.entrants)) for one in remedy.tables
            )
            command = c.ReseatRound(appeal, remedy.round, tables)
            envelope = Envelope(SERVICE, f"reseat {number} {appeal}", cause=record)

            def same(accepted: c.Command, appeal: str = appeal) -> bool:
                return isinstance(accepted, c.ReseatRound) and accepted.appeal == appeal

            try:
                await self._log.handle(subject, command, envelope, same=same)
            except Rejected as refused:
                if refused.reason != "RECORD_TOO_LARGE":
                    raise
                # No record holds so many tables. Without any it is refused, which the log says, and the event goes on.
                await self._log.handle(subject, replace(command, tables=()), envelope, same=same)
            if waiting and waiting[0] is first:  # another step may have been as far
                waiting.pop(0)
