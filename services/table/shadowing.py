"""The process in which the shadow referee works: `python -m services.table.shadowing`; see `services.table.shadow`.

Requests and answers are frames on its standard input and output, as in `services.table.thinking`, both pickled: a `Question`
with whether to hurry, and what the shadow says otherwise, None where it agrees, or the name of the error over which it could not
look. Nobody else writes to the pipe. It ends with its input.
"""

from __future__ import annotations

import json
import pickle
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, BinaryIO

from services.domain import Meta
from services.games.shadow.check import Difference
from services.games.shadowed import Pace, Played, difference
from services.table.codec import EVENTS
from services.table.decider import TableDecider
from services.table.framing import path_of
from services.table.model.events import BoardSlot, TableOpened
from services.table.model.state import Table
from services.table.replay import Replay
from services.table.thinking import frame, frames, serve

WORK, REST = 0.0003, 0.0012
"""Seconds of CPU for which the process works, and that it rests after them, while there is play: that goes before looking on. The
priority that it is given besides counts only among processes of one session or container."""

Question = tuple[bytes, BoardSlot, bytes, Sequence[bytes]]
"""A board: the first event of its table as if that had no other, which board, its key, and its records, first the one that
opened it."""


class Failed(Exception):
    """The shadow could not look at a board; named by the error that it met."""


def request(
    facts: TableOpened, slot: BoardSlot, key: bytes, records: Sequence[bytes], hurry: bool = False
) -> bytes:
    """The question whether the shadow referee says the same of a board. Of the table's other boards, maybe hundreds, it is told
    nothing. `hurry`: there is nothing that its work could disturb."""
    question: Question = EVENTS.encode(replace(facts, boards=(slot,))), slot, key, records
    return frame(pickle.dumps((question, hurry)))


def told(data: bytes) -> Difference | None:
    """What an answer says. Raises Failed."""
    found: Difference | str | None = pickle.loads(data)
    if isinstance(found, str):
        raise Failed(found)
    return found


def look(question: Question, pace: Pace = iter) -> Difference | None:
    """Where the shadow referee says otherwise of a board than its records."""
    opened, slot, key, records = question
    facts = EVENTS.decode(opened)
    assert isinstance(facts, TableOpened)
    table = TableDecider().evolve(Table(), facts, Meta("", 0, 0, "", ""))
    deal, played = b"", list[Played]()
    replay, rules = Replay(path_of(facts, slot), key, table), table.rules
    for step in filter(None, map(replay.take, pace(records))):
        deal += step.deal
        board = step.table.board
        if board is not None and board.game is not None:
            seat = None if step.acted is None else step.acted.seat
            scores = None if board.result is None else board.result.scores
            played.append(Played(seat, step.action, step.events, board.game, scores))
    params = rules.describe(rules.resolve(json.loads(facts.params)))
    return difference(rules, params, slot.board, deal, played, pace)


def unhurried() -> Pace:
    """A board's pace while there is play: work and rest in turn. A rest begins between two steps, which are short; a timer would
    find its moment itself, and costs more than half of the work."""
    rested = time.thread_time()

    def pace(steps: Iterable[Any]) -> Iterator[Any]:
        nonlocal rested
        for step in steps:
            yield step
            if time.thread_time() - rested >= WORK:
                time.sleep(REST)
                rested = time.thread_time()

    return pace


def answers(requests: BinaryIO) -> Iterator[bytes]:
    """An answer to each request, until there are no more. Of an error no more is told than its name: it may speak of cards."""
    for request in frames(requests):
        try:
            question, hurry = pickle.loads(request)
            found: Difference | str | None = look(question, iter if hurry else unhurried())
        except Exception as error:
            found = type(error).__name__
        yield pickle.dumps(found)


if __name__ == "__main__":
    serve(answers)
