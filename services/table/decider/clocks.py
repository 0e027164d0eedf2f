"""When things are shown, and how long a decision took (design: clocks; P6.4, P12, C4.3). Microseconds throughout.

A tile played or drawn, in Shengji cards played, is a *beat*. Whatever follows a beat is shown no earlier than the claim floor
after it, whether anybody was asked or not, so that the pause before it tells nobody who could have claimed the tile.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from services.table.model.events import Acted, Question, TableOpened
from services.table.model.state import Board, Table

GRACE_US = 250_000
"""How long after a deadline the clock is expired: an answer received in time may still be on its way here."""

LEAST_REST_US = 10_000_000
"""Time a question has at least after an outage on our side."""

DELIVERY_US = 500_000
"""Most that the way of a question to the player may take off its thinking time: only the player's own client says when it arrived,
so this is also what one that says so late can gain (C4.3, C4.4)."""

DEMO_THINKING_MS = 5_000
"""Longest thinking time a demo draws."""


def shown(facts: TableOpened, beat_us: int, now_us: int, beats: int) -> tuple[int, ...]:
    """When each of a record's `beats` is shown; `beat_us` is the beat before them."""
    times = []
    for _ in range(beats):
        beat_us = settled(facts, beat_us, now_us)
        times.append(beat_us)
    return tuple(times)


def floored_us(board: Board, acted: Acted | None) -> int:
    """The beat from which a record's first beat keeps its distance; 0, none, for a play: everybody has seen whose turn it is."""
    return 0 if acted is not None and acted.question == "play" else board.beat_us


def settled(facts: TableOpened, beat_us: int, now_us: int) -> int:
    """When what follows a beat is shown."""
    return max(now_us, beat_us + facts.claim_floor_ms * 1000)


def clock_us(facts: TableOpened, question: str) -> int:
    """The time a question allows (P12, S11)."""
    match question:
        case "play":
            return facts.play_clock_ms * 1000
        case "bid":
            return facts.bid_clock_ms * 1000
        case "bury":
            return facts.bury_clock_ms * 1000
    return facts.claim_clock_ms * 1000


def questions(
    table: Table, board: Board, game: Any, answered: int | None, beat: bool, shown_us: int
) -> tuple[Question, ...]:
    """The questions open on `game`, ascending by seat: those that stay as they were, and new ones shown at `shown_us`.

    `answered` is the seat whose answer led here; a record with a `beat` closes what was open before.
    """
    rules, facts = table.rules, table.facts
    asked = rules.asked(game)
    found = []
    for seat in range(board.seats):
        before = None if beat or seat == answered else board.question(seat)
        if before is not None and rules.put(game, seat) and rules.question(game, seat) == before.question:
            found.append(before)
        elif seat in asked:
            kind, ask = rules.question(game, seat), board.asks[seat] + 1
            thinking = demo_thinking(facts, board, seat, ask, kind) if facts.demo else 0
            found.append(Question(seat, ask, kind, shown_us, shown_us + clock_us(facts, kind), thinking))
    return tuple(found)


def demo_thinking(facts: TableOpened, board: Board, seat: int, ask: int, question: str) -> int:
    """Thinking time of a demo's question: whole milliseconds from 1, drawn from the seed."""
    slot = board.slot
    named = f"{facts.demo_seed}|{facts.table}|{slot.board}|{slot.attempt}|{seat}|{ask}"
    drawn = int.from_bytes(sha256(named.encode()).digest()[:8], "big")
    longest_ms = min(DEMO_THINKING_MS, clock_us(facts, question) // 1000)
    return (drawn % max(longest_ms, 1) + 1) * 1000


def thought(facts: TableOpened, question: Question, delivered_us: int, received_us: int) -> int:
    """Time an answer took, from when the question was seen (C4.3); never more than its clock."""
    began = max(question.shown_us, min(delivered_us, question.shown_us + DELIVERY_US))
    return min(max(received_us - began, 0), clock_us(facts, question.question))


def later(questions: Iterable[Question], by_us: int) -> tuple[Question, ...]:
    """Questions after `by_us` that did not count."""
    return tuple([_moved(question, by_us, question.deadline_us + by_us) for question in questions])


def after_outage(questions: Iterable[Question], outage_us: int, now_us: int) -> tuple[Question, ...]:
    """Questions after an outage that ends now: what was left when it began, but at least `LEAST_REST_US`."""
    extended = []
    for question in questions:
        rest = question.deadline_us - (now_us - outage_us)
        extended.append(_moved(question, outage_us, now_us + max(rest, LEAST_REST_US)))
    return tuple(extended)


def _moved(question: Question, by_us: int, deadline_us: int) -> Question:
    shown_us = question.shown_us + by_us
    return Question(
        question.seat, question.ask, question.question, shown_us, deadline_us, question.demo_thinking_us
    )
