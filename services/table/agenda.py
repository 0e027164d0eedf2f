"""What a table waits for from the service itself: the next duty and when it is due. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from services.games.shengji.bids import DRAWN
from services.games.shengji.pace import Dealing
from services.table.decider.clocks import GRACE_US
from services.table.model import matches
from services.table.model.dealing import drawing, drawn, own_cards
from services.table.model.matches import Course
from services.table.model.state import Board, Table

Considered = Mapping[tuple[int, int], int]
NOTHING: Considered = MappingProxyType({})

Kind = Literal["open", "deal", "draw", "bid", "house", "expire", "break", "close", "end", "settle", "seal"]


class Duty(NamedTuple):
    """Something the service does by itself at `at_us`: open the next board, deal it, draw its last card, answer for house AI,
    expire a clock, close a board that its deadline has passed, seal the table; break a match's deal off, end the match,
    settle it as it stands when its deadline has passed. `seat` and `ask` name the question, of a `bid` while cards are drawn the
    seat and its newest card."""

    at_us: int
    kind: Kind
    seat: int = 0
    ask: int = 0


def next_duty(table: Table, shown_us: int, now_us: int, considered: Considered = NOTHING) -> Duty | None:
    """The next duty; None when only people can move the table on.

    `shown_us`: when everything that happened so far is shown (claim floor); nothing begins before that. `considered`: by
    board and seat, the card with which house AI has last thought about a bid.
    """
    if table.sealed:
        return None
    facts = table.facts
    if table.slot is None:
        return None if table.referee_called or any(table.given_us) else Duty(shown_us, "seal")
    deadline_us = facts.board_deadline_us
    closing = Duty(deadline_us, "close" if table.live is not None or table.course is None else "settle")
    if 0 < deadline_us <= now_us:
        return closing
    duties = [] if table.paused_us else list(_play(table, shown_us, now_us, considered))
    if deadline_us:
        duties.append(closing)
    return min(duties, default=None)


def _play(table: Table, shown_us: int, now_us: int, considered: Considered) -> Iterator[Duty]:
    if table.real_cards:
        return
    live, course = table.live, table.course
    if course is not None:
        if live is None and matches.verdict(course, now_us) is not None:
            yield Duty(shown_us, "end")
            return
        duty = _time_over(course, live)
        if duty is not None:
            yield duty
            if duty.at_us <= now_us:
                return
    if live is None:
        yield Duty(_opening_us(table, shown_us), "open")
    elif live.game is None:
        yield Duty(0, "deal")
    elif live.dealing is not None and drawing(live.game):
        yield from _dealing(table, live, live.dealing, now_us, considered)
    else:
        yield from _questions(table, live)


def _time_over(course: Course, live: Board | None) -> Duty | None:
    """What the end of a match's time asks for, as things stand (C8.3)."""
    if not course.ends_us or course.deciding:
        return None
    if live is None:
        over = matches.verdict(course, course.ends_us)
        return None if over is None else Duty(course.ends_us, "end")
    if live.game is None:  # the first card is not drawn, and no answer can be on its way here
        return None if matches.settled(course) is None else Duty(course.ends_us, "break")
    if course.level:
        return None  # the deal is finished, and decides
    return Duty(course.ends_us + GRACE_US, "break")


def _opening_us(table: Table, shown_us: int) -> int:
    facts = table.facts
    if table.closed:
        return max(table.free_us, shown_us) + facts.board_pause_ms * 1000
    return table.free_us + facts.join_wait_ms * 1000 if table.absent else 0


def _dealing(
    table: Table, board: Board, dealing: Dealing, now_us: int, considered: Considered
) -> Iterator[Duty]:
    """The last card, and before it bids of house AI: it thinks of one whenever its seat has drawn a card with which it may."""
    yield Duty(dealing.drawn_us(DRAWN) + GRACE_US, "draw")
    newest = dealing.newest(now_us)
    for seat, person in enumerate(table.people):
        if person:
            continue
        thought = considered.get((board.slot.board, seat), 0)
        own = list(own_cards(board.game, seat, max(thought, board.game.drawn - 1)))
        # Of the cards it has drawn since, the newest; else the next one that it will draw.
        past = [card for card in own if card <= newest]
        for card in (*past[-1:], *own[len(past) :]):
            if table.rules.options(drawn(table.rules, board.game, card), seat):
                yield Duty(dealing.drawn_us(card), "bid", seat, card)
                break


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
