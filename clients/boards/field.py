"""The same board across the field: which tables came to the same decision, what each chose there, and what it led to.

Two tables are at the same decision when the same seat is asked the same and has seen the same since the deal.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from clients import boards
from clients.boards.replays import Replay

_ASKED = ("options", "question", "offers")
"""Keys of a view that say what is asked: whether others have answered yet must make no difference."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice among several actions, at a step of the replay; time in microseconds.

    `known` is a digest of all that the seat had seen and was asked.
    """

    step: int
    known: bytes
    seat: int
    question: str
    action: str
    thinking_us: int
    automatic: bool


@dataclass(frozen=True, slots=True)
class Line:
    """One table's decisions in order; `scores` by seat, None where the board ended without a result."""

    table: str
    attempt: int
    scores: tuple[int, ...] | None
    decisions: tuple[Decision, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """What tables chose at one decision. `mean` is the deciding seat's mean score at those that have a result."""

    action: str
    lines: tuple[Line, ...]
    mean: float | None


@dataclass(frozen=True, slots=True)
class Crossing:
    """A decision, numbered from 1 on the line that is followed, and every choice there, the most frequent first."""

    number: int
    decision: Decision
    choices: tuple[Choice, ...]

    @property
    def tables(self) -> int:
        """How many tables came to this decision."""
        return sum(len(choice.lines) for choice in self.choices)


def line(replay: Replay) -> Line:
    """A table's line, from its replay with all hands."""
    return Line(
        replay.head.table,
        replay.head.attempt,
        scores(replay.steps[-1].views[0]),
        tuple(_decisions(replay)),
    )


def along(lines: Sequence[Line], followed: Line) -> list[Crossing]:
    """The decisions of one table's line, and what all tables that came to them chose. `followed` is one of `lines`."""
    at: dict[bytes, dict[str, list[Line]]] = {}
    for one in lines:
        for decision in one.decisions:
            at.setdefault(decision.known, {}).setdefault(decision.action, []).append(one)
    return [
        Crossing(number, decision, _choices(at[decision.known], decision.seat))
        for number, decision in enumerate(followed.decisions, 1)
    ]


def scores(last: Any) -> tuple[int, ...] | None:
    """Scores by seat in a board's last view; None where it ended without a result."""
    told = boards.record(last)
    if told is None or not told["over"]:
        return None
    if "won" in told:
        return tuple(told["won"]["scores"]) if told["won"] else (0,) * len(told["fronts"])
    return tuple(told["ended"]["scores"]) if told["ended"] else None


def _decisions(replay: Replay) -> Iterator[Decision]:
    seats = range(len(replay.steps[0].views))
    digests, newest, asked = [b""] * len(seats), [""] * len(seats), [""] * len(seats)
    for step in replay.steps:
        if step.seat is not None and step.legal is not None and step.legal.count > 1:
            known = sha256(digests[step.seat] + asked[step.seat].encode()).digest()
            yield Decision(
                step.number,
                known,
                step.seat,
                step.question,
                step.action,
                step.thinking_us,
                step.automatic,
            )
        for seat in seats:
            seen = boards.record(step.views[seat]) or {}
            asked[seat] = json.dumps([seat, *(seen.pop(key, None) for key in _ASKED)])
            if (told := json.dumps(seen)) != newest[seat]:
                newest[seat], digests[seat] = told, sha256(digests[seat] + told.encode()).digest()


def _choices(chosen: dict[str, list[Line]], seat: int) -> tuple[Choice, ...]:
    choices = [Choice(action, tuple(lines), _mean(lines, seat)) for action, lines in chosen.items()]
    return tuple(sorted(choices, key=lambda choice: (-len(choice.lines), choice.action)))


def _mean(lines: Sequence[Line], seat: int) -> float | None:
    results = [one.scores[seat] for one in lines if one.scores is not None]
    return sum(results) / len(results) if results else None
