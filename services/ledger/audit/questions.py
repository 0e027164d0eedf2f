"""Questions that seats were asked and their answers, as records tell them: little is kept of each, since a file is full of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple


class Question(NamedTuple):
    """A question that a seat was asked: its number and kind, and its clock."""

    ask: int
    kind: str
    shown_us: int
    deadline_us: int
    demo_us: int


def by_seat(questions: Iterable[Any]) -> dict[int, Question]:
    """Questions of the protos by their seats."""
    new = tuple.__new__
    return {
        one.seat: new(Question, (one.ask, one.question, one.shown_us, one.deadline_us, one.demo_thinking_us))
        for one in questions
    }


class Acted(NamedTuple):
    """That a seat acted; fields as in the proto."""

    seat: int
    automatic: bool
    thinking_us: int
    question: str
    asked_us: int
    delivered_us: int
    received_us: int


def acted(told: Any) -> Acted:
    """The answer that a message tells."""
    times = told.asked_us, told.delivered_us, told.received_us
    return tuple.__new__(Acted, (told.seat, told.automatic, told.thinking_us, told.question, *times))
