"""The fold: what each event makes of a table. It never refuses a recorded fact."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from services.domain import Meta, changer
from services.games import registry
from services.games.rules import Ruleset
from services.games.shengji.pace import Dealing
from services.table.decider import sheets
from services.table.model import events as e
from services.table.model import matches
from services.table.model.state import (
    REMEMBERED,
    Asking,
    Board,
    Result,
    Table,
    asking,
    in_play,
    on,
    resolved,
)

_at = changer(Board, "game")


def evolve(table: Table, event: Any, meta: Meta) -> Table:
    """The table after one event; whatever is not the table's own is the game's."""
    return evolve_record(table, (event,), meta)


def evolve_record(table: Table, events: Iterable[Any], meta: Meta) -> Table:
    """The table after all events of a record. What changes the board or its game alone is put on the table once."""
    game, now, rules = _parts(table)
    for event in events:
        kind = type(event)
        on_board = _ON_BOARD.get(kind)
        if on_board is not None:
            if now is not None:
                now = on_board(table, now, event)
        elif (own := _EVOLVE.get(kind)) is not None:
            table = own(_put(table, game, now), event, meta)
            game, now, rules = _parts(table)
        elif game is not None and rules is not None:
            game = rules.evolve(game, event)
    return _put(table, game, now)


def _parts(table: Table) -> tuple[Any, Asking | None, Ruleset | None]:
    board = table.board
    return (None, None, None) if board is None else (board.game, asking(board), table.ruleset)


def _put(table: Table, game: Any, now: Asking | None) -> Table:
    """The table with what its board has come to."""
    board = table.board
    if board is None or now is None or (game is board.game and now == asking(board)):
        return table
    return on(table, in_play(board, game, now))


def _table_opened(table: Table, event: e.TableOpened, meta: Meta) -> Table:
    people = tuple([seat.person_id for seat in event.seats])
    course = None
    if event.match is not None:
        course = matches.begin(event.match, resolved(event.ruleset, event.params))
    return Table(
        event,
        people,
        (False,) * len(people),
        free_us=meta.time_us,
        given_us=(0,) * len(people),
        instead=("",) * len(people),
        ruleset=registry.find(event.ruleset),
        course=course,
    )


def _seat_joined(table: Table, event: e.SeatJoined, meta: Meta) -> Table:
    """Records of older versions have nothing else that confirms a seat."""
    return _confirmed(table, event.seat)._replace(joined=_with(table.joined, event.seat, True))


def _seat_confirmed(table: Table, event: e.SeatConfirmed, meta: Meta) -> Table:
    return _confirmed(table, event.seat)


def _confirmed(table: Table, seat: int) -> Table:
    if not table.given_us[seat]:
        return table
    return table._replace(given_us=_with(table.given_us, seat, 0), instead=_with(table.instead, seat, ""))


def _board_opened(table: Table, event: e.BoardOpened, meta: Meta) -> Table:
    nothing = (0,) * len(table.people)
    board = Board(
        slot=e.BoardSlot(event.board, event.attempt),
        seats=len(table.people),
        asks=nothing,
        thinking_us=nothing,
        playing_us=nothing,
        taken_over=taken_over(table),
    )
    course = table.course
    if course is not None and event.match is not None:
        course = matches.opened(course, event.match)
    return table._replace(board=board, course=course)


def taken_over(table: Table) -> tuple[int, ...]:
    """Seats of entrants that have nobody there: house AI plays (C1.7)."""
    seats = zip(table.facts.seats, table.people, strict=True)
    return tuple([number for number, (seat, person) in enumerate(seats) if seat.entrant and not person])


def _board_dealt(table: Table, event: e.BoardDealt, meta: Meta) -> Table:
    board, course = table.board, table.course
    if board is None:
        return table
    table = on(table, _at(board, dealt(table, event)))
    return table if course is None else table._replace(course=matches.drawn_by(course, event.first_drawer))


def dealt(table: Table, event: e.BoardDealt) -> Any:
    """The game as it was dealt on the table's board, in a match under its setting."""
    facts, board, course = table.facts, table.board, table.course
    assert board is not None
    params, deal = resolved(facts.ruleset, facts.params), tuple(event.deal)
    if course is None:
        return table.rules.start(params, board.slot.board, deal)
    return matches.deal(table.rules, matches.drawn_by(course, event.first_drawer), deal)


def _dealing_started(table: Table, event: e.DealingStarted, meta: Meta) -> Table:
    board = table.board
    if board is None:
        return table
    return on(table, board._replace(dealing=Dealing(event.start_us, event.pace_us)))


def acted_on(table: Table, now: Asking, event: e.Acted) -> Asking:
    """A board after an answer: its question is closed and its time counted, in a demo when it was asked."""
    seat = event.seat
    questions, asks, beat_us, total, playing = now
    left = tuple([question for question in questions if question.seat != seat])
    if not table.facts.demo:
        total, playing = _thought(total, playing, seat, event.question, event.thinking_us)
    return left, asks, beat_us, total, playing


def _thought(
    total: tuple[int, ...], playing: tuple[int, ...], seat: int, question: str, thinking_us: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Thinking times, all and of plays alone, with what `seat` took for a question."""
    if thinking_us:
        total = _with(total, seat, total[seat] + thinking_us)
        if question == "play":
            playing = _with(playing, seat, playing[seat] + thinking_us)
    return total, playing


def _asked(table: Table, now: Asking, event: e.Asked) -> Asking:
    _, before, beat_us, total, playing = now
    demo, asks, questions = table.facts.demo, list(before), event.questions
    for question in questions:
        seat, ask = question.seat, question.ask
        if ask > asks[seat]:
            asks[seat] = ask
            if demo:
                took_us = question.demo_thinking_us
                total, playing = _thought(total, playing, seat, question.question, took_us)
    return questions, tuple(asks), beat_us, total, playing


def _paced(table: Table, now: Asking, event: e.Paced) -> Asking:
    questions, asks, _, total, playing = now
    return questions, asks, event.shown_us[-1], total, playing


def _board_entered(table: Table, event: e.BoardEntered, meta: Meta) -> Table:
    return table  # what it came to follows with its end


def _board_finished(table: Table, event: e.BoardFinished, meta: Meta) -> Table:
    slot = e.BoardSlot(event.board, event.attempt)
    result = Result(slot, False, event.scores, event.thinking_us, event.playing_us, event.taken_over)
    board, course = table.board, table.course
    if course is not None and board is not None:
        # A paused match stands at the moment it was paused, also when a referee ends its deal meanwhile.
        stands_us = table.paused_us or meta.time_us
        table = table._replace(course=matches.finished(course, event.board, board.game, stands_us))
    return ended(table, result, meta.time_us)


def _board_closed(table: Table, event: e.BoardClosedUnfinished, meta: Meta) -> Table:
    slot, live = e.BoardSlot(event.board, event.attempt), table.live
    over = taken_over(table) if live is None else live.taken_over
    return ended(table, Result(slot, True, taken_over=over), meta.time_us)


def ended(table: Table, result: Result, time_us: int) -> Table:
    """The table after a board; a pause ends with the board it was made on."""
    board, course = table.board, table.course
    result = result._replace(people=result.people or table.people)
    if table.paused_us:
        course = matches.moved(course, matches.later(course, time_us - table.paused_us))
    if board is not None and not board.closed:
        result = result._replace(left=result.left or board.left)
        board = board._replace(questions=(), closed=True, result=result)
    return table._replace(
        board=board,
        closed=table.closed + 1,
        results=(*table.results, result)[-REMEMBERED:],
        free_us=time_us,
        paused_us=0,
        course=course,
    )


def _table_paused(table: Table, event: e.TablePaused, meta: Meta) -> Table:
    return table._replace(paused_us=meta.time_us)


def _table_resumed(table: Table, event: e.TableResumed, meta: Meta) -> Table:
    return _later(table, event, meta.time_us - table.paused_us)


def _clock_extended(table: Table, event: e.ClockExtended, meta: Meta) -> Table:
    return _later(table, event, event.outage_us)


def _later(table: Table, event: e.TableResumed | e.ClockExtended, by_us: int) -> Table:
    """The table after time that did not count: clocks, cards being drawn, the end of a match."""
    board = table.board
    if board is not None:
        going_on = None if board.dealing is None else board.dealing.later(by_us)
        board = board._replace(questions=event.questions, dealing=going_on)
    course = matches.moved(table.course, event.match_ends_us)
    return table._replace(board=board, course=course, paused_us=0)


def _match_ended(table: Table, event: e.MatchEnded, meta: Meta) -> Table:
    course = table.course
    return table if course is None else table._replace(course=matches.over(course, event))


def _infringement_recorded(table: Table, event: e.InfringementRecorded, meta: Meta) -> Table:
    return table._replace(referee_called=False, call=None)


def _ruling_made(table: Table, event: e.RulingMade, meta: Meta) -> Table:
    overturned = table.overturned | {event.overturns} if event.overturns else table.overturned
    return table._replace(referee_called=False, call=None, overturned=overturned)


def _seat_replaced(table: Table, event: e.SeatReplaced, meta: Meta) -> Table:
    seat, board, instead = event.seat, table.board, ""
    if event.person_id and not event.sits_at:
        # In records of older versions a seat went on before it counted.
        instead = table.instead[seat] if table.given_us[seat] else table.people[seat]
    if board is not None and not board.closed:
        if not event.sits_at:
            board = _left(board, table.people[seat])
        if not event.person_id:
            board = board._replace(taken_over=tuple(sorted({*board.taken_over, seat})))
    return table._replace(
        people=_with(table.people, seat, event.person_id),
        joined=_with(table.joined, seat, False),
        board=board,
        given_us=_with(table.given_us, seat, meta.time_us if event.person_id else 0),
        instead=_with(table.instead, seat, instead),
    )


def _left(board: Board, person: str) -> Board:
    return board._replace(left=(*board.left, person)) if person and person not in board.left else board


def _referee_called(table: Table, event: e.RefereeCalled, meta: Meta) -> Table:
    return table._replace(referee_called=True, call=event)


def _table_sealed(table: Table, event: e.TableSealed, meta: Meta) -> Table:
    return table._replace(sealed=True)


def _with(values: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    changed = list(values)
    changed[index] = value
    return tuple(changed)


_EVOLVE: Mapping[type, Callable[[Table, Any, Meta], Table]] = {
    e.TableOpened: _table_opened,
    e.SeatJoined: _seat_joined,
    e.BoardOpened: _board_opened,
    e.BoardDealt: _board_dealt,
    e.BoardFinished: _board_finished,
    e.BoardClosedUnfinished: _board_closed,
    e.TablePaused: _table_paused,
    e.TableResumed: _table_resumed,
    e.ClockExtended: _clock_extended,
    e.MatchEnded: _match_ended,
    e.DealingStarted: _dealing_started,
    e.BoardEntered: _board_entered,
    e.InfringementRecorded: _infringement_recorded,
    e.RulingMade: _ruling_made,
    e.SeatReplaced: _seat_replaced,
    e.SeatConfirmed: _seat_confirmed,
    e.RefereeCalled: _referee_called,
    e.TableSealed: _table_sealed,
    **sheets.EVOLVE,
}

_ON_BOARD: Mapping[type, Callable[[Table, Asking, Any], Asking]] = {
    e.Acted: acted_on,
    e.Asked: _asked,
    e.Paced: _paced,
}
"""What every decision brings, and changes nothing but the board."""

OWN = frozenset({*_EVOLVE, *_ON_BOARD})
"""The table's own events; whatever else stands in its records is the game's."""
