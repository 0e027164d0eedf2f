"""The process in which house AI thinks: `python -m services.table.thinking`; see `services.table.house`.

Requests and answers are frames on its standard input and output, in the same order: four bytes of length, then for a request the
ruleset's id, a zero byte and a serialised SeatView; for an answer the serialised action. The process ends with its input.
"""

from __future__ import annotations

import signal
import sys
from typing import Any, BinaryIO

from fupan.table.v1 import service_pb2 as pb
from services.games import registry
from services.games.rules import Ruleset
from services.ledger.games import GAMES
from services.table import codec

LENGTH = 4
"""Bytes of a frame's length."""


def frame(data: bytes) -> bytes:
    """Data with its length before it."""
    return len(data).to_bytes(LENGTH, "big") + data


def request(rules: Ruleset, view: Any) -> bytes:
    """The question what house AI does in a view."""
    message = pb.SeatView()
    codec.paint(rules.game, view, message)
    return frame(rules.id.encode() + b"\0" + message.SerializeToString())


def answer(data: bytes) -> bytes:
    """The serialised action in answer to a request without its length."""
    ruleset, _, view = data.partition(b"\0")
    rules = registry.find(ruleset.decode())
    game = GAMES[rules.game]
    seen = game.views.from_proto(getattr(pb.SeatView.FromString(view), game.field))
    return game.actions.encode(rules.choose(seen))


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer one request after the other, until there are no more."""
    while len(head := requests.read(LENGTH)) == LENGTH:
        answers.write(frame(answer(requests.read(int.from_bytes(head, "big")))))
        answers.flush()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who ends us closes our input
    serve(sys.stdin.buffer, sys.stdout.buffer)
