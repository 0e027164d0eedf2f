"""Decisions of the seats, and of clocks and house AI in their place (P6.4, P12, C1.6, C2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from services.domain import Meta, Rejected
from services.games.shengji.bids import DRAWN
from services.games.shengji.pace import Dealing
from services.table.decider import clocks
from services.table.decider.evolve import acted_on
from services.table.model.commands import Act, CloseBoard, DrawCards, ExpireClock
from services.table.model.dealing import draw, drawing, drawn
from services.table.model.events import (
    Acted,
    Asked,
    BoardClosedUnfinished,
    BoardFinished,
    Event,
    Paced,
    Question,
)
from services.table.model.state import Board, Table, asking

SERVICE = "service:table"
"""The actor of house AI, clocks and whatever else the service does by itself."""


def act(table: Table, command: Act, meta: Meta) -> Sequence[Event]:
    """A seat's answer, or house AI's where it plays. Received by the deadline it counts, even if decided after."""
    if not command.ask:
        return _bid_unasked(table, command, meta)
    board, question = _asked(table, command.seat, command.ask)
    person = _acting(table, board, command, meta)
    received_us = command.received_us or meta.time_us
    if person and received_us < question.shown_us:
        raise _over(table)
    if person and received_us > question.deadline_us:
        raise Rejected("CLOCK_RUN_OUT", _clauses(table).clock, "the answer came after the deadline")
    check_match(table, received_us)
    events = table.rules.decide(board.game, command.seat, command.action)
    facts = table.facts
    if facts.demo:
        thinking_us = question.demo_thinking_us
    else:
        thinking_us = clocks.thought(facts, question, command.delivered_us, received_us) if person else 0
    acted = Acted(
        seat=command.seat,
        automatic=not person and facts.seats[command.seat].entrant > 0,
        thinking_us=thinking_us,
        question=question.question,
        asked_us=question.shown_us,
        delivered_us=command.delivered_us,
        received_us=received_us,
        rtt_us=command.rtt_us,
        reconnects=command.reconnects,
    )
    return (acted, *follow(table, board, board.game, events, acted, meta))


def expire_clock(table: Table, command: ExpireClock, meta: Meta) -> Sequence[Event]:
    """The fallback player's answer, once the deadline and the grace after it have passed (P12)."""
    board, question = _asked(table, command.seat, command.ask)
    if meta.time_us < question.deadline_us + clocks.GRACE_US:
        raise Rejected("CLOCK_RUNNING", _clauses(table).clock, "the seat has time left")
    check_match(table, meta.time_us)
    rules, facts = table.rules, table.facts
    events = rules.decide(board.game, command.seat, rules.fallback(board.game, command.seat))
    acted = Acted(
        seat=command.seat,
        automatic=True,
        thinking_us=question.demo_thinking_us if facts.demo else clocks.clock_us(facts, question.question),
        question=question.question,
        asked_us=question.shown_us,
        delivered_us=0,
        received_us=0,
        rtt_us=0,
        reconnects=0,
    )
    return (acted, *follow(table, board, board.game, events, acted, meta))


def draw_cards(table: Table, command: DrawCards, meta: Meta) -> Sequence[Event]:
    """The last card is drawn: what was bid before is decided, and who may bid still is asked (S4.4, S4.5).

    Bids that were received before it may be on their way here still, as answers are when their clock ends.
    """
    board, dealing = _drawing(table)
    if meta.time_us < dealing.drawn_us(DRAWN) + clocks.GRACE_US:
        raise Rejected("CARDS_TO_DRAW", "S3.1", "the last card is not drawn yet")
    return follow(table, board, board.game, draw(table.rules, board.game, DRAWN), None, meta)


def _bid_unasked(table: Table, command: Act, meta: Meta) -> Sequence[Event]:
    """A bid while cards are drawn: it counts for the card that was the newest when it was received (S4.1, S4.4).

    Received after the last one it answers no question: everybody is asked, once what was bid before is decided (S4.5).
    """
    board, dealing = _drawing(table)
    person = _acting(table, board, command, meta)
    received_us = command.received_us or meta.time_us
    rules, number = table.rules, dealing.newest(received_us)
    if number == DRAWN:
        raise _over(table)
    check_match(table, received_us)
    before = draw(rules, board.game, number)
    game = drawn(rules, board.game, number)
    acted = Acted(
        seat=command.seat,
        automatic=not person and table.facts.seats[command.seat].entrant > 0,
        thinking_us=0,
        question="bid",
        asked_us=0,
        delivered_us=0,
        received_us=received_us,
        rtt_us=command.rtt_us,
        reconnects=command.reconnects,
    )
    events = (*before, *rules.decide(game, command.seat, command.action))
    return (acted, *follow(table, board, board.game, events, acted, meta))


def close_board(table: Table, command: CloseBoard, meta: Meta) -> Sequence[Event]:
    """The open board, or the next one, ends without a result (C2.2)."""
    slot = table.slot
    if slot is None:
        raise Rejected("NO_BOARD_LEFT", "C2.2", "all boards of this table are closed")
    if table.course is not None and table.live is None:
        raise Rejected("NO_DEAL_RUNNING", "C8.2", "no deal is open; the next one is opened by itself")
    return (BoardClosedUnfinished(slot.board, slot.attempt, command.reason),)


def follow(
    table: Table, board: Board, game: Any, events: Sequence[Any], acted: Acted | None, meta: Meta
) -> list[Event]:
    """The game's `events` from `game` on, when they are shown, and the questions or the result they lead to."""
    rules, facts = table.rules, table.facts
    beats, ends_with_beat = 0, False
    for event in events:
        game = rules.evolve(game, event)
        ends_with_beat = rules.is_beat(event)
        beats += ends_with_beat
    times = clocks.shown(facts, clocks.floored_us(board, acted), meta.time_us, beats)
    found: list[Event] = list(events)
    if times and facts.claim_floor_ms:
        found.append(Paced(times))
    outcome = rules.outcome(game)
    if outcome is not None:
        now = asking(board)
        *_, thinking_us, playing_us = now if acted is None else acted_on(table, now, acted)
        slot = board.slot
        found.append(
            BoardFinished(
                slot.board,
                slot.attempt,
                outcome.scores,
                outcome.drawn,
                thinking_us,
                playing_us,
                board.taken_over,
            )
        )
        return found
    beat_us = times[-1] if times else board.beat_us
    shown_us = beat_us if ends_with_beat else clocks.settled(facts, beat_us, meta.time_us)
    answered = None if acted is None else acted.seat
    open_now = clocks.questions(table, board, game, answered, beats > 0, shown_us)
    if open_now != tuple([question for question in board.questions if question.seat != answered]):
        found.append(Asked(open_now))
    return found


def _asked(table: Table, seat: int, ask: int) -> tuple[Board, Question]:
    """The open board and the question `ask` of `seat`. Raises Rejected when it is not, or no longer, open."""
    if table.paused_us:
        raise Rejected("TABLE_PAUSED", "C9.3", "the table is paused by a referee")
    board = table.live
    question = None if board is None else board.question(seat)
    if board is None or question is None or question.ask != ask:
        raise _over(table)
    return board, question


def _drawing(table: Table) -> tuple[Board, Dealing]:
    """The open board, whose cards are being drawn, and how. Raises Rejected when they are not."""
    if table.paused_us:
        raise Rejected("TABLE_PAUSED", "C9.3", "the table is paused by a referee")
    board = table.live
    if board is None or board.dealing is None or not drawing(board.game):
        raise _over(table)
    return board, board.dealing


def _acting(table: Table, board: Board, command: Act, meta: Meta) -> str:
    """The person that acts, empty for house AI. Raises Rejected for another board, or somebody else's seat."""
    if board.slot.board != command.board:
        raise _over(table)
    if not 0 <= command.seat < len(table.people):
        raise Rejected("NO_SUCH_SEAT", _clauses(table).seats, f"seats go from 0 to {len(table.people) - 1}")
    person = table.people[command.seat]
    if meta.actor != (person or SERVICE) or table.given_us[command.seat]:
        raise Rejected("NOT_YOUR_SEAT", "", "somebody else acts for this seat")
    return person


def check_match(table: Table, at_us: int) -> None:
    """Raises Rejected when the time of a match is over and breaks the running deal off (C8.3a)."""
    course = table.course
    if course is not None and course.late(at_us) and not course.level:
        raise Rejected("MATCH_TIME_OVER", "C8.3", "the time is over; the running deal is broken off")


class _Clauses(NamedTuple):
    """Which clauses of a game say what its tables say alike."""

    asked: str
    clock: str
    seats: str


_CLAUSES = {"paohuzi": _Clauses("P6.4", "P12", "P2"), "shengji": _Clauses("S4.5", "S11", "S2.1")}


def _clauses(table: Table) -> _Clauses:
    return _CLAUSES[table.rules.game]


def _over(table: Table) -> Rejected:
    return Rejected("QUESTION_OVER", _clauses(table).asked, "this question is not, or no longer, open")
