"""A referee's ruling that the chief referee, or a deputy, overturns once the round of its table is closed (C9.2)."""

from __future__ import annotations

from collections.abc import Sequence

from services.domain import Meta, Rejected
from services.games.clauses import CLAUSES
from services.pairing.model import commands as c
from services.pairing.model import events as e
from services.pairing.model.state import Championship


def decide(state: Championship, command: c.OverturnRuling, meta: Meta) -> Sequence[e.Event]:
    """RulingOverturned. Raises Rejected."""
    if not command.text.strip():
        raise Rejected("TEXT_MISSING", "C9.2", "say what holds instead")
    if not command.reason.strip():
        raise Rejected("REASON_MISSING", "C9.4", "a ruling is overturned with a reason")
    if command.clause and command.clause not in CLAUSES:
        raise Rejected("NO_SUCH_CLAUSE", "C9.3", f"{command.clause!r} is no clause of the rules")
    check_played(state, command.overturns.rpartition(".")[0])
    if command.overturns in state.overturned:
        raise Rejected("RULING_OVERTURNED", "C9.2", f"{command.overturns} is overturned already")
    return [
        e.RulingOverturned(command.ruling, command.overturns, command.text, command.clause, command.reason)
    ]


def check_played(state: Championship, table: str) -> None:
    """Whether nothing of what a table has dealt is played any more: until then its rulings are changed there. Raises Rejected."""
    if (deal := state.replays.get(table)) is not None:
        running = not state.again[deal].over
    else:
        playing = (one for one in state.rounds if not one.closed_us)
        running = any(table == seated.table for one in playing for seated in one.tables)
    if running:
        raise Rejected(
            "ROUND_RUNNING",
            "C9.2",
            "a ruling is overturned at its table while that plays, and once its round is closed",
        )
