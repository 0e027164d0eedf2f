"""What each role sees of a table, by allow-list: seats, spectators of an open board, officials' lists (P13, design: views).

Live stream, reconnect and replay all come through `seat` with the game's own view. A table shows a *frame*: a state of the
game that may be older than the newest one, because what follows a tile waits for the claim floor.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from services.table.model.events import Question, RefereeCalled, Seat
from services.table.model.matches import Course
from services.table.model.state import Result, Table


class Frame(NamedTuple):
    """What a table shows: a board in a state of its game. `questions` are those shown with it, `result` the board's with its
    last, `course` the match as far as it is shown."""

    board: int
    game: Any
    questions: tuple[Question, ...] = ()
    result: Result | None = None
    course: Course | None = None


class Shown(NamedTuple):
    """What one viewer sees: board number, the game's view, the viewer's own question if any, and how the board ended."""

    board: int
    view: Any
    ask: int
    question: str
    deadline_us: int
    paused: bool
    result: Result | None = None
    course: Course | None = None


NOTHING = Shown(0, None, 0, "", 0, False)
"""Before the first board is dealt."""


def seat(table: Table, frame: Frame | None, number: int | None) -> Shown:
    """What seat `number` sees of a frame; None is a spectator who may see open boards."""
    paused = table.paused_us > 0
    if frame is None:
        return Shown(0, None, 0, "", 0, paused) if paused else NOTHING
    view = table.rules.view(frame.game, number)
    for question in frame.questions:
        if question.seat == number:
            ask, kind, deadline_us = question.ask, question.question, question.deadline_us
            return Shown(frame.board, view, ask, kind, deadline_us, paused, None, frame.course)
    return Shown(frame.board, view, 0, "", 0, paused, frame.result, frame.course)


def ended(table: Table, result: Result, frames: Iterable[Frame], number: int) -> Shown:
    """How a board ended for seat `number`; where no frame of its end is at hand, what it came to alone."""
    for frame in frames:
        if frame.board == result.slot.board:
            return seat(table, frame, number)
    return Shown(result.slot.board, None, 0, "", 0, False, result)


class TableStatus(NamedTuple):
    """What officials see in the list of tables; fields as in the proto, `connected` is added by who knows."""

    table: str
    round: int
    group: int
    seats: tuple[Seat, ...]
    boards: int
    boards_closed: int
    board: int
    paused: bool
    referee_called: bool
    call: RefereeCalled | None
    finished: bool
    thinking: tuple[int, ...]
    deadline_us: int


def most_boards(table: Table) -> int:
    """Boards a table plays, of a match the deals it has at most; 0: no limit."""
    return len(table.facts.boards) if table.course is None else table.course.terms.deals


def status(table: Table) -> TableStatus:
    """Where a table stands, and whose clock runs."""
    facts, live = table.facts, table.live
    questions = () if live is None else live.questions
    seats = [Seat(seat.entrant, person) for seat, person in zip(facts.seats, table.people, strict=True)]
    return TableStatus(
        table=facts.table,
        round=facts.round,
        group=facts.group,
        seats=tuple(seats),
        boards=most_boards(table),
        boards_closed=table.closed,
        board=0 if live is None else live.slot.board,
        paused=table.paused_us > 0,
        referee_called=table.referee_called,
        call=table.call,
        finished=table.slot is None,
        thinking=tuple([question.seat for question in questions]),
        deadline_us=min((question.deadline_us for question in questions), default=0),
    )
