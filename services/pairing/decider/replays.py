"""When a board that is played again is seated, and what waits for it (C9.2, C10.6).

Between rounds, so that nobody is to play at two tables at once.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from services.domain import Meta, Rejected
from services.pairing.model import commands as c
from services.pairing.model import events as e
from services.pairing.model.events import Event
from services.pairing.model.state import Championship, Deal

RUNNING = "REPLAY_RUNNING"


def seat(state: Championship, command: c.SeatReplay, meta: Meta) -> Sequence[Event]:
    """The same seats once more, whether the round is closed or the competition has ended. Raises Rejected, see `check_free`."""
    if command.table in state.replays:
        return []
    played = state.round(command.round)
    tables = played.tables if played is not None else ()
    seated = next((one for one in tables if one.table == command.replaces), None)
    if seated is None:
        raise Rejected("NO_SUCH_TABLE", "C10.6", f"round {command.round} has no table {command.replaces}")
    check_free(state, (command.round, command.board, command.attempt), seated.entrants)
    table = replace(seated, table=command.table)
    return [
        e.ReplaySeated(
            command.round,
            command.board,
            command.attempt,
            table,
            command.replaces,
            command.deals_batch,
            command.tables,
        )
    ]


def check_free(state: Championship, deal: Deal, entrants: Collection[int]) -> None:
    """Whether entrants may sit down to play a deal: no round runs, and they have no other board to play again first. Raises
    Rejected."""
    if round_ := next((one.number for one in state.rounds if one.phase == "running"), 0):
        detail = f"round {round_} is running: boards are played again once it has closed"
        raise Rejected("ROUND_RUNNING", "C10.6", detail)
    others = (again for other, again in state.again.items() if other != deal and not again.over)
    people = {entrant for entrant in entrants if entrant}
    for one in (table for again in others for table in again.seated):
        if not people.isdisjoint(one.entrants):
            raise Rejected(RUNNING, "C10.6", f"another board is played again at {one.table} first")


def check_none_open(state: Championship, round_: int) -> None:
    """Whether a round may begin: every board that was to be played again has been. Raises Rejected."""
    if waiting := sum(again.tables - again.closed for again in state.again.values()):
        detail = f"round {round_} begins once the boards that are played again have been, at {waiting} tables"
        raise Rejected(RUNNING, "C10.6", detail)


def end(state: Championship, command: c.EndReplay, meta: Meta) -> Sequence[Event]:
    """A replay's table has closed its board; it does so once."""
    open_ = command.table in state.replays and command.table not in state.replayed
    return [e.BoardReplayed(command.table)] if open_ else []
