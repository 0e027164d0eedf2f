"""Boards with real cards: how each came out, as a referee enters it once both sides have agreed (C1.3, S9.6)."""

from __future__ import annotations

from collections.abc import Sequence

from services.domain import Meta, Rejected
from services.games import scales
from services.games.shengji.agreement import check_agreed
from services.games.shengji.result import SEATS, declares, scores
from services.table.decider.evolve import taken_over
from services.table.model.commands import EnterBoard
from services.table.model.events import BoardEntered, BoardFinished, BoardOpened, Event
from services.table.model.state import Table, resolved


def enter_board(table: Table, command: EnterBoard, meta: Meta) -> Sequence[Event]:
    """The next board opened, entered and finished at once. Raises Rejected."""
    facts, slot = table.facts, table.slot
    if not facts.real_cards:
        raise Rejected("DEALT_HERE", "C1.3", "this table keeps its own record of its boards")
    if slot is None:
        raise Rejected("NO_BOARD_LEFT", "C2.2", "all boards of this table are closed")
    if command.board != slot.board:
        raise Rejected("NOT_THE_NEXT_BOARD", "C1.1", f"the next board to enter is board {slot.board}")
    params = resolved(facts.ruleset, facts.params)
    explained = bool(command.reason.strip())
    scales.check_points(params, command.points, explained)
    check_agreed(table.people, command.agreed, explained)
    made, no_time = scores(params, command.points, declares(slot.board)), (0,) * len(SEATS)
    at = slot.board, slot.attempt
    return (
        BoardOpened(*at),
        BoardEntered(*at, command.points, command.agreed, command.reason),
        BoardFinished(*at, made, False, no_time, no_time, taken_over(table)),
    )
