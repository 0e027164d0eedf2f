"""What a table waits for from the service itself: the next duty and when it is due. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from services.table.decider.clocks import GRACE_US
from services.table.model.state import Board, Table

Kind = Literal["open", "deal", "house", "expire", "close", "seal"]


class Duty(NamedTuple):
    """Something the service does by itself at `at_us`: open the next board, deal it, answer for house AI, expire a clock,
    close a board that its deadline has passed, seal the table. `seat` and `ask` name the question."""

    at_us: int
    kind: Kind
    seat: int = 0
    ask: int = 0


def next_duty(table: Table, shown_us: int, now_us: int) -> Duty | None:
    """The next duty; None when only people can move the table on.

    `shown_us`: when everything that happened so far is shown (claim floor); nothing begins before that.
    """
    if table.sealed:
        return None
    facts = table.facts
    if table.slot is None:
        return None if table.referee_called else Duty(shown_us, "seal")
    deadline_us = facts.board_deadline_us
    if 0 < deadline_us <= now_us:
        return Duty(deadline_us, "close")
    duties = [] if table.paused_us else list(_play(table, shown_us))
    if deadline_us:
        duties.append(Duty(deadline_us, "close"))
    return min(duties, default=None)


def _play(table: Table, shown_us: int) -> Iterator[Duty]:
    live = table.live
    if live is None:
        yield Duty(_opening_us(table, shown_us), "open")
    elif live.game is None:
        yield Duty(0, "deal")
    else:
        yield from _questions(table, live)


def _opening_us(table: Table, shown_us: int) -> int:
    facts = table.facts
    if table.closed:
        return max(table.free_us, shown_us) + facts.board_pause_ms * 1000
    return table.free_us + facts.join_wait_ms * 1000 if table.absent else 0


def _questions(table: Table, board: Board) -> Iterator[Duty]:
    """Answers of house AI as soon as the question is shown, and clocks; a question that no longer matters needs neither."""
    asked = table.rules.asked(board.game)
    for question in board.questions:
        if question.seat not in asked:
            continue
        if table.people[question.seat]:
            yield Duty(question.deadline_us + GRACE_US, "expire", question.seat, question.ask)
        else:
            yield Duty(question.shown_us, "house", question.seat, question.ask)
