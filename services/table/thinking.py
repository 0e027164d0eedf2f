"""The process in which house AI thinks: `python -m services.table.thinking`; see `services.table.house`.

Requests and answers are frames on its standard input and output, in the same order: four bytes of length, then for a request the
ruleset's id and a view, for an answer the action, pickled. Both ends are the same program and nobody else writes to the pipe; a
view is sent with what its seat remembers, which no message for players holds. The process ends with its input.
"""

from __future__ import annotations

import pickle
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from services.games import registry
from services.games.rules import Ruleset
from services.runtime import garbage

LENGTH = 4
"""Bytes of a frame's length."""


def frame(data: bytes) -> bytes:
    """Data with its length before it."""
    return len(data).to_bytes(LENGTH, "big") + data


def request(rules: Ruleset, view: Any) -> bytes:
    """The question what house AI does in a view."""
    return frame(pickle.dumps((rules.id, view)))


def answer(data: bytes) -> bytes:
    """The pickled action in answer to a request without its length."""
    ruleset, view = pickle.loads(data)
    return pickle.dumps(registry.find(ruleset).choose(view))


def action(data: bytes) -> Any:
    """The action that an answer holds."""
    return pickle.loads(data)


def frames(requests: BinaryIO) -> Iterator[bytes]:
    """One request after the other, until there are no more or the last breaks off: who asked was killed."""
    while len(head := requests.read(LENGTH)) == LENGTH:
        length = int.from_bytes(head, "big")
        if len(data := requests.read(length)) < length:
            return
        yield data


def serve(answers: Callable[[BinaryIO], Iterator[bytes]]) -> None:
    """Write the answers to what comes in, until nobody asks or reads any more; then the process ends without a word."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who ends us closes our input
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for each in garbage.rarely(answers(sys.stdin.buffer)):
        sys.stdout.buffer.write(frame(each))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    serve(lambda requests: map(answer, frames(requests)))
