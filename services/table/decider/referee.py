"""Acts of referees (C9.3, C9.4, C11), changes of who sits where (C1.6), and clocks after an outage."""

from __future__ import annotations

from collections.abc import Sequence

from services.domain import Meta, Rejected
from services.games.championship import conduct
from services.games.clauses import CLAUSES
from services.games.shengji import infringements
from services.games.shengji.ruleset import Shengji
from services.table.decider import clocks
from services.table.decider.play import check_match, follow
from services.table.model import matches
from services.table.model.commands import (
    CallReferee,
    ConfirmSeat,
    ExtendClocks,
    GiveSeatBack,
    MakeRuling,
    PauseTable,
    RecordInfringement,
    ReplaceSeat,
    ResumeTable,
)
from services.table.model.events import (
    ClockExtended,
    Event,
    InfringementRecorded,
    RefereeCalled,
    RulingMade,
    SeatConfirmed,
    SeatReplaced,
    TablePaused,
    TableResumed,
)
from services.table.model.state import Table


def pause_table(table: Table, command: PauseTable, meta: Meta) -> Sequence[Event]:
    """TablePaused: clocks stand still."""
    if table.paused_us:
        raise Rejected("TABLE_PAUSED", "C9.3", "the table is paused already")
    return (TablePaused(command.reason),)


def resume_table(table: Table, command: ResumeTable, meta: Meta) -> Sequence[Event]:
    """TableResumed: every open question has what it had left."""
    if not table.paused_us:
        raise Rejected("TABLE_NOT_PAUSED", "C9.3", "the table is not paused")
    board = table.live
    waiting, by_us = () if board is None else board.questions, meta.time_us - table.paused_us
    return (TableResumed(clocks.later(waiting, by_us), matches.later(table.course, by_us), command.reason),)


def extend_clocks(table: Table, command: ExtendClocks, meta: Meta) -> Sequence[Event]:
    """ClockExtended for the open questions, cards being drawn and a match's time; nothing where no clock runs."""
    if table.paused_us or command.outage_us <= 0 or not table.timed:
        return ()
    board = table.live
    waiting = () if board is None else board.questions
    extended = clocks.after_outage(waiting, command.outage_us, meta.time_us)
    ends_us = matches.later(table.course, command.outage_us)
    return (ClockExtended(extended, command.outage_us, command.reason, ends_us),)


def record_infringement(table: Table, command: RecordInfringement, meta: Meta) -> Sequence[Event]:
    """InfringementRecorded of the catalogue (C11.1, S10), and what it changes in the running deal (S9.2).

    On duplicate boards with real cards that can be any row, and points are entered with the board's.
    """
    _check_seat(table, command.seat)
    seat, code, outcome, fine = command.seat, command.code, command.outcome, command.fine
    if isinstance(table.rules, Shengji) and code.startswith("S10."):
        _check_row(table, code)
    else:
        conduct.check(code)
        conduct.check_seat(code)
    conduct.check_outcome(outcome, fine)
    recorded = InfringementRecorded(seat, code, outcome, command.reason, fine)
    if table.facts.real_cards or not infringements.moves_points(code, outcome, fine):
        return (recorded,)
    board = table.live
    if not isinstance(table.rules, Shengji) or board is None or board.game is None:
        raise Rejected("NO_DEAL_RUNNING", "S9.2", "points are moved within a running deal of Shengji only")
    check_match(table, table.paused_us or meta.time_us)
    moved = table.rules.penalise(board.game, seat, code, outcome, fine)
    return (recorded, *follow(table, board, board.game, moved, None, meta))


def _check_row(table: Table, code: str) -> None:
    """Whether a row of S10 can be recorded: at a table that deals, the rules see to the rest. Raises Rejected."""
    row = infringements.find(code)
    if table.facts.real_cards or row.online == "recorded":
        return
    if table.has_sheet:
        raise Rejected("PLAYED_WITH_REAL_CARDS", "S9.2", "infringements are entered on the score sheet")
    raise Rejected("NOT_ONLINE", code, f"{code} is {row.online} in online play (S10)")


def make_ruling(table: Table, command: MakeRuling, meta: Meta) -> Sequence[Event]:
    """RulingMade; it may be appealed by its id (C10.1)."""
    if command.clause and command.clause not in CLAUSES:
        raise Rejected("NO_SUCH_CLAUSE", "C9.3", f"{command.clause!r} is no clause of the rules")
    if command.overturns and not command.reason.strip():
        raise Rejected("REASON_MISSING", "C9.4", "a ruling is overturned with a reason")
    if command.overturns in table.overturned:  # by another order that came at the same time
        raise Rejected("RULING_OVERTURNED", "C9.2", f"{command.overturns} is overturned already")
    return (RulingMade(command.ruling, command.text, command.clause, command.overturns, command.reason),)


def replace_seat(table: Table, command: ReplaceSeat, meta: Meta) -> Sequence[Event]:
    """SeatReplaced from the next decision on; nothing when it is so already (C1.6)."""
    _check_seat(table, command.seat)
    if not table.facts.seats[command.seat].entrant:
        raise Rejected("HOUSE_SEAT", "C1.5", "house AI fills this seat; it is nobody's")
    if table.given_us[command.seat]:
        raise Rejected(
            "SEAT_NOT_CONFIRMED", "C1.6", "the seat was given to somebody else, and is not confirmed yet"
        )
    if table.people[command.seat] == command.person_id:
        return ()
    if command.person_id and command.person_id in table.people:
        raise Rejected("SITS_ALREADY", "C1.6", "the person sits at this table already")
    return (SeatReplaced(command.seat, command.person_id, command.reason),)


def give_seat_back(table: Table, command: GiveSeatBack, meta: Meta) -> Sequence[Event]:
    """SeatReplaced as if the seat had not been given; nothing where it is confirmed, or its person has it no more (C1.6)."""
    if not _waits(table, command):
        return ()
    instead = table.instead[command.seat]
    if instead in table.people:
        instead = ""
    reason = f"{command.person_id} was given a seat at {command.sits_at} at the same time"
    return (SeatReplaced(command.seat, instead, reason, command.sits_at),)


def confirm_seat(table: Table, command: ConfirmSeat, meta: Meta) -> Sequence[Event]:
    """SeatConfirmed; nothing where it is already, or the seat was given back, or to somebody else (C1.6)."""
    return (SeatConfirmed(command.seat),) if _waits(table, command) else ()


def _waits(table: Table, command: ConfirmSeat | GiveSeatBack) -> bool:
    """Whether a seat is not confirmed since the record that gave it to that person."""
    _check_seat(table, command.seat)
    given = table.people[command.seat], table.given_us[command.seat]
    return given == (command.person_id, command.given_us)


def call_referee(table: Table, command: CallReferee, meta: Meta) -> Sequence[Event]:
    """RefereeCalled by who sits there; a second call changes nothing."""
    _check_seat(table, command.seat)
    if table.seated(command.seat) != meta.actor:
        raise Rejected("NOT_YOUR_SEAT", "", "somebody else sits there")
    return () if table.referee_called else (RefereeCalled(command.seat, command.reason),)


def _check_seat(table: Table, seat: int) -> None:
    if not 0 <= seat < len(table.people):
        raise Rejected("NO_SUCH_SEAT", "P2", f"seats go from 0 to {len(table.people) - 1}")
