"""What a table decides, and what its records make of it. Pure: time and ids come in with the command.

| Module | Commands |
|---|---|
| `opening` | OpenTable, JoinSeat, OpenBoard, DealBoard, EndMatch, SealTable |
| `play` | Act, ExpireClock, DrawCards, CloseBoard |
| `referee` | PauseTable, ResumeTable, ExtendClocks, RecordInfringement, MakeRuling, CallReferee, ReplaceSeat |
| | ConfirmSeat, GiveSeatBack |
| `entering` | EnterBoard |
| `sheets` | those of a match with real cards (`model.sheets`) |

`clocks` says when things are shown and how long a decision took, `evolve` folds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from services.domain import Meta, Rejected
from services.table.decider import entering, opening, play, referee, sheets
from services.table.decider.evolve import evolve, evolve_record
from services.table.model import commands as c
from services.table.model.commands import Command
from services.table.model.events import Event
from services.table.model.state import Table

_DECIDE: Mapping[type, Callable[[Table, Any, Meta], Sequence[Event]]] = {
    c.JoinSeat: opening.join_seat,
    c.OpenBoard: opening.open_board,
    c.DealBoard: opening.deal_board,
    c.DrawCards: play.draw_cards,
    c.EndMatch: opening.end_match,
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
    c.ConfirmSeat: referee.confirm_seat,
    c.GiveSeatBack: referee.give_seat_back,
    c.CallReferee: referee.call_referee,
    c.EnterBoard: entering.enter_board,
    **sheets.DECIDE,
}

_DEALT = frozenset({c.OpenBoard, c.DealBoard, c.DrawCards, c.Act, c.ExpireClock})
"""Commands of tables where the platform deals."""


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
        kind = type(command)
        if state.real_cards and kind in _DEALT:
            raise Rejected(
                "PLAYED_WITH_REAL_CARDS", "C1.3", "nothing is dealt at this table, and no clock runs"
            )
        if state.has_sheet and kind is c.CloseBoard:
            raise Rejected("PLAYED_WITH_REAL_CARDS", "C1.3", "this table has a score sheet, and no boards")
        if kind in sheets.DECIDE and not state.has_sheet:
            raise Rejected(
                "NO_SCORE_SHEET", "C8.6", "this table keeps its own record, and has no score sheet"
            )
        return _DECIDE[kind](state, command, meta)

    evolve = staticmethod(evolve)
    """The table after one event of a record."""

    evolve_record = staticmethod(evolve_record)
    """The table after all events of a record."""
