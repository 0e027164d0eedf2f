"""A table's boards with real cards, by what a referee entered of each (C1.3, S9.6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from services.domain import Rejected
from services.games.rules import Outcome
from services.games.scales import check_points
from services.games.shengji.agreement import check_agreed
from services.games.shengji.params import Params
from services.games.shengji.result import declares, scores


class EnteredReplay:
    """What was entered last, until its board is finished."""

    def __init__(self, params: Params) -> None:
        self._params = params
        self._message: Any = None

    def told(self, message: Any) -> None:
        """A referee entered how a board came out."""
        self._message = message

    def finished(self, board: int, attempt: int, people: Sequence[str]) -> Outcome:
        """How a board came out that is finished now: cards and fines can make its points, and both sides agreed, or a reason
        stands for what is missing (S9.1, S9.2, C8.6). Raises Rejected."""
        message, self._message = self._message, None
        if message is None or (message.board, message.attempt) != (board, attempt):
            raise Rejected("NOT_ENTERED", "S9.6", f"board {board} was finished without an entry")
        explained = bool(message.reason.strip())
        check_points(self._params, message.points, explained)
        check_agreed(people, message.agreed, explained)
        return Outcome(scores(self._params, message.points, declares(board)), False)
