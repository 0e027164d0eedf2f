"""How a table and its boards begin, and how the finished table is sealed."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from services.domain import Meta, Rejected
from services.games import registry
from services.games.shengji.ruleset import Shengji
from services.table.decider.evolve import dealt
from services.table.decider.play import follow
from services.table.model import matches
from services.table.model.commands import DealBoard, EndMatch, JoinSeat, OpenBoard, OpenTable, SealTable
from services.table.model.dealing import paced
from services.table.model.events import (
    BoardDealt,
    BoardOpened,
    DealingStarted,
    Event,
    MatchStanding,
    SeatJoined,
    TableOpened,
    TableSealed,
)
from services.table.model.matches import Course
from services.table.model.state import Table, canonical, resolved


def open_table(table: Table, command: OpenTable, meta: Meta) -> Sequence[Event]:
    """TableOpened with resolved parameters. Opening the same table again changes nothing."""
    wanted = command.table
    facts = dataclasses.replace(wanted, params=canonical(wanted.ruleset, wanted.params))
    if table.opened is not None:
        if table.opened == facts:
            return ()
        raise Rejected("TABLE_EXISTS", "", f"table {wanted.table} was opened otherwise")
    _check_seats(facts)
    _check_boards(facts)
    _check_clocks(facts)
    return (facts,)


def _check_boards(facts: TableOpened) -> None:
    slots, rules = facts.boards, registry.find(facts.ruleset)
    if facts.match is not None:
        if slots or not isinstance(rules, Shengji):
            raise Rejected("MALFORMED_TABLE", "C8.2", "a match has deals of its own, and is of Shengji")
        if facts.match.time_ms < 0 or facts.match.deals < 0:
            raise Rejected("MALFORMED_TABLE", "C8.2", "a match is limited by time, by deals, or not at all")
        return
    if facts.real_cards and not isinstance(rules, Shengji):
        raise Rejected("MALFORMED_TABLE", "P0", "boards with real cards are of Shengji")
    if not slots or len(set(slots)) < len(slots) or any(slot.board < 1 or slot.attempt < 1 for slot in slots):
        raise Rejected(
            "MALFORMED_TABLE", "C1.1", "a table plays one board or more, each once, counted from 1"
        )


def _check_clocks(facts: TableOpened) -> None:
    clocks = [facts.play_clock_ms, facts.claim_clock_ms]
    clause = "P12"
    if isinstance(registry.find(facts.ruleset), Shengji):
        clocks += [facts.bid_clock_ms, facts.bury_clock_ms]
        clause = "S11"
    if min(clocks) < 1 or facts.deal_pace_ms < 0:
        raise Rejected("MALFORMED_TABLE", clause, "every clock allows at least a millisecond")


def _check_seats(facts: TableOpened) -> None:
    seats = registry.find(facts.ruleset).seats
    people = [seat.person_id for seat in facts.seats if seat.person_id]
    if len(facts.seats) != seats:
        raise Rejected("MALFORMED_TABLE", "C1.1", f"{facts.ruleset} has {seats} seats")
    if len(set(people)) < len(people) or any(seat.person_id and not seat.entrant for seat in facts.seats):
        raise Rejected("MALFORMED_TABLE", "C1.5", "nobody sits twice, and house AI has no person")


def join_seat(table: Table, command: JoinSeat, meta: Meta) -> Sequence[Event]:
    """SeatJoined; once is enough."""
    if not 0 <= command.seat < len(table.people) or table.seated(command.seat) != meta.actor:
        raise Rejected("NOT_YOUR_SEAT", "", "somebody else sits there")
    return () if table.joined[command.seat] else (SeatJoined(command.seat),)


def open_board(table: Table, command: OpenBoard, meta: Meta) -> Sequence[Event]:
    """BoardOpened for the next board, once the players are there, or were waited for, and the pause is over."""
    slot, facts = table.slot, table.facts
    if (
        table.live is not None
        or slot is None
        or (slot.board, slot.attempt) != (command.board, command.attempt)
    ):
        raise Rejected("NOT_THE_NEXT_BOARD", "C1.1", "boards are played in their order, one at a time")
    if table.paused_us:
        raise Rejected("TABLE_PAUSED", "C9.3", "the table is paused by a referee")
    waited_ms = (meta.time_us - table.free_us) // 1000
    if table.closed == 0:
        if table.absent and waited_ms < facts.join_wait_ms:
            raise Rejected("WAITING_FOR_PLAYERS", "", "not everybody has sat down yet")
    elif waited_ms < facts.board_pause_ms:
        raise Rejected("BETWEEN_BOARDS", "", "the pause after the last board is not over")
    return (BoardOpened(command.board, command.attempt, _standing(table, command.board, meta.time_us)),)


def _standing(table: Table, deal: int, at_us: int) -> MatchStanding | None:
    """Where the match stands before its next deal. Raises Rejected when it has none."""
    _check_match_runs(table.course, at_us)
    return None if table.course is None else matches.standing(table.course, deal, at_us)


def _check_match_runs(course: Course | None, at_us: int) -> None:
    """Raises Rejected for a match that is decided before the first card of another deal is drawn (C8.3a, C8.3c)."""
    if course is not None and matches.verdict(course, at_us) is not None:
        raise Rejected("MATCH_OVER", "C8.3", "the match is decided; no deal is played any more")


def deal_board(table: Table, command: DealBoard, meta: Meta) -> Sequence[Event]:
    """BoardDealt, what follows the deal by itself, and the first questions (P3, P5.1)."""
    board = table.live
    if board is None or board.game is not None:
        raise Rejected("NO_BOARD_TO_DEAL", "P3", "no opened board waits for its deal")
    if table.paused_us:
        raise Rejected("TABLE_PAUSED", "C9.3", "the table is paused by a referee")
    rules, facts, course = table.rules, table.facts, table.course
    _check_match_runs(course, meta.time_us)
    if (command.first_drawer is not None) != (course is not None and board.slot.board == 1):
        raise Rejected("LOT_MISPLACED", "S3.2", "the lot is drawn for a match's first deal, and for no other")
    event = BoardDealt(command.deal, command.first_drawer)
    game = dealt(table, event)
    if facts.deal_pace_ms and paced(rules, resolved(facts.ruleset, facts.params)):
        return (event, DealingStarted(meta.time_us, facts.deal_pace_ms * 1000))
    return (event, *follow(table, board, game, rules.opening(game), None, meta))


def end_match(table: Table, command: EndMatch, meta: Meta) -> Sequence[Event]:
    """MatchEnded between two deals; with a reason also before it is decided, settled as it stands (C8.3, C2.2)."""
    course = table.course
    if course is None:
        raise Rejected("NO_MATCH", "C8.2", "no match is played at this table")
    if course.ended is not None:
        return ()
    if table.live is not None:
        raise Rejected("DEAL_RUNNING", "C8.3", "a deal is open; the match is over after it")
    if table.paused_us and not command.reason:
        raise Rejected("TABLE_PAUSED", "C9.3", "the table is paused by a referee")
    found = matches.verdict(course, meta.time_us)
    if found is None and not command.reason:
        raise Rejected("MATCH_RUNNING", "C8.2", "nothing has decided the match yet")
    return (matches.ended(course, table.facts.round, found or matches.settled(course), meta.time_us),)


def seal_table(table: Table, command: SealTable, meta: Meta) -> Sequence[Event]:
    """TableSealed over the record before it, after the last board."""
    if table.slot is not None:
        raise Rejected("BOARDS_LEFT", "C1.1", "the table has boards left to play")
    if table.referee_called:
        raise Rejected("REFEREE_CALLED", "C9.3", "a referee was called and has not ruled yet")
    if any(table.given_us):
        raise Rejected("SEAT_NOT_CONFIRMED", "C1.6", "a seat was given, and is not confirmed yet")
    if command.head_version + 1 != meta.version:
        raise Rejected("HEAD_MOVED", "", "the table's log went on since the signature was made")
    return (
        TableSealed(command.head_version, command.head, command.signature, command.key, command.public_key),
    )
