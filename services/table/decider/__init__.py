"""What a table decides, and what its records make of it. Pure: time and ids come in with the command.

| Module | Commands |
|---|---|
| `opening` | OpenTable, JoinSeat, OpenBoard, DealBoard, SealTable |
| `play` | Act, ExpireClock, CloseBoard |
| `referee` | PauseTable, ResumeTable, ExtendClocks, RecordInfringement, MakeRuling, ReplaceSeat, CallReferee |

`clocks` says when things are shown and how long a decision took, `evolve` folds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from services.domain import Meta, Rejected
from services.table.decider import opening, play, referee
from services.table.decider.evolve import evolve
from services.table.model import commands as c
from services.table.model.commands import Command
from services.table.model.events import Event
from services.table.model.state import Table

_DECIDE: Mapping[type, Callable[[Table, Any, Meta], Sequence[Event]]] = {
    c.JoinSeat: opening.join_seat,
    c.OpenBoard: opening.open_board,
    c.DealBoard: opening.deal_board,
    c.SealTable: opening.seal_table,
    c.Act: play.act,
    c.ExpireClock: play.expire_clock,
    c.CloseBoard: play.close_board,
    c.PauseTable: referee.pause_table,
    c.ResumeTable: referee.resume_table,
    c.ExtendClocks: referee.extend_clocks,
    c.RecordInfringement: referee.record_infringement,
    c.MakeRuling: referee.make_ruling,
    c.ReplaceSeat: referee.replace_seat,
    c.CallReferee: referee.call_referee,
}


class TableDecider:
    """`services.domain.Decider` of a table."""

    def initial(self, subject: str) -> Table:
        """No table yet."""
        return Table()

    def decide(self, state: Table, command: Command, meta: Meta) -> Sequence[Event]:
        """Events of an accepted command; empty when it changes nothing. Raises Rejected."""
        if isinstance(command, c.OpenTable):
            return opening.open_table(state, command, meta)
        if state.opened is None:
            raise Rejected("NO_SUCH_TABLE", "", "the table was never opened")
        if state.sealed:
            raise Rejected("TABLE_SEALED", "C9.4", "the table is finished and sealed")
        return _DECIDE[type(command)](state, command, meta)

    def evolve(self, state: Table, event: Event, meta: Meta) -> Table:
        """The table after one event of the record that `meta` describes."""
        return evolve(state, event, meta)
