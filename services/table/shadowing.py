"""The process in which the shadow referee works: `python -m services.table.shadowing`; see `services.table.shadow`.

Requests and answers are frames on its standard input and output, as in `services.table.thinking`: for a request the name of a game
and the arguments of its check, for an answer what that returns, pickled. It gives way to everything else on the machine, and ends
with its input.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from typing import Any

from services.games.shadow.check import Difference
from services.games.shadowed import CHECKS
from services.table.thinking import LENGTH, frame

NICE = 19
"""Play goes before looking on."""


def request(game: str, *arguments: Any) -> bytes:
    """The question whether the shadow referee says the same."""
    return frame(pickle.dumps((game, arguments)))


def difference(data: bytes) -> Difference | None:
    """What an answer says."""
    return pickle.loads(data)  # type: ignore[no-any-return]


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who ends us closes our input
    os.nice(NICE)
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while len(head := requests.read(LENGTH)) == LENGTH:
        game, arguments = pickle.loads(requests.read(int.from_bytes(head, "big")))
        answers.write(frame(pickle.dumps(CHECKS[game](*arguments))))
        answers.flush()
