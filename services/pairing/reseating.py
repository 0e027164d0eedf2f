"""Other seats for a round that has not begun, as committees ruled in appeals against its pairing, and those that they left as they
were (C10.6, C10.7).

Rulings are taken up from appeals' log anew after a restart, and carried out once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from services.domain import Cause, Rejected
from services.pairing.model import commands as c
from services.pairing.model.events import SeatedTable
from services.pairing.model.state import SERVICE, Championship
from services.pairing.rounds import PairingLog
from services.runtime.log import Envelope


@dataclass(frozen=True, slots=True)
class Ruled:
    """One of the remedies that a committee ruled, or that it was asked for and rejected, and the record that says so."""

    appeal: str
    number: int
    remedy: Any
    record: Cause
    upheld: bool

    @property
    def command_id(self) -> str:
        """The id of the command that carries it out once."""
        return f"{'reseat' if self.upheld else 'seats stay'} {self.number} {self.appeal}"

    def command(self, state: Championship) -> c.ReseatRound | c.ConfirmSeats:
        """What carries it out."""
        round_, tables = self.remedy.round, self.remedy.tables
        if not self.upheld:
            return c.ConfirmSeats(self.appeal, round_, tuple(one.table for one in tables))
        played = state.round(round_)
        groups = {one.table: one.group for one in played.tables} if played else {}
        seated = (SeatedTable(one.table, groups.get(one.table, 0), tuple(one.entrants)) for one in tables)
        return c.ReseatRound(self.appeal, round_, tuple(seated))


class Reseating:
    """What was ruled and is not carried out, by championship."""

    def __init__(self, log: PairingLog, subject_of: Callable[[str], str]) -> None:
        self._log = log
        self._subject_of = subject_of
        self._ruled: defaultdict[str, list[Ruled]] = defaultdict(list)
        self._sought: dict[tuple[str, str], list[Any]] = {}
        """By championship and appeal: the other seats that are asked for where nothing is decided."""

    def filed(self, championship: str, appeal: str, filed: Any) -> None:
        """Appeals' log has `AppealFiled`."""
        self._sought[championship, appeal] = _seats(filed.sought)

    def ruled(self, championship: str, appeal: str, decided: Any, record: Cause) -> bool:
        """Appeals' log has `AppealDecided`; whether it is about seats."""
        sought, upheld = self._sought.pop((championship, appeal), []), decided.upheld
        left = _seats(decided.left) if decided.left else sought
        about = _seats(decided.remedies) if upheld else left
        ruled = self._ruled[championship]
        ruled += [Ruled(appeal, number, one, record, upheld) for number, one in enumerate(about, 1)]
        return bool(about)

    async def step(self, championship: str) -> None:
        """Change the seats that were ruled, and keep those that were left, in the order of the rulings."""
        waiting, subject = self._ruled[championship], self._subject_of(championship)
        while waiting and (state := self._log.state(subject)) is not None and state.seal is None:
            first = waiting[0]
            command = first.command(state)
            envelope = Envelope(SERVICE, first.command_id, cause=first.record)

            def same(accepted: c.Command, appeal: str = first.appeal) -> bool:
                return isinstance(accepted, c.ReseatRound | c.ConfirmSeats) and accepted.appeal == appeal

            try:
                await self._log.handle(subject, command, envelope, same=same)
            except Rejected as refused:
                if refused.reason != "RECORD_TOO_LARGE" or isinstance(command, c.ConfirmSeats):
                    raise
                # Without any tables it is refused as what no record holds, which the log says, and the event goes on.
                await self._log.handle(subject, replace(command, tables=()), envelope, same=same)
            if waiting and waiting[0] is first:  # another step may have been as far
                waiting.pop(0)


def _seats(remedies: Iterable[Any]) -> list[Any]:
    return [one.reseat_round for one in remedies if one.HasField("reseat_round")]
