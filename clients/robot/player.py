"""An AI player: sits down, answers every question by the house's policy on what its seat sees, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass

from clients.robot.seat import Moment, Refused, Replaced, Seat
from services.games import registry

# The question was over before the answer came: others were faster, or the clock was.
_HARMLESS = frozenset({"QUESTION_OVER"})


@dataclass(slots=True)
class Count:
    """What one or many robots did."""

    answers: int = 0
    refused: int = 0


class Robot:
    """One AI player at its seat. `warn` gets a line about what should not have happened."""

    def __init__(self, person: str, seat: Seat, count: Count, warn: Callable[[str], None]) -> None:
        self.person = person
        self._seat = seat
        self._count = count
        self._warn = warn

    async def play(self) -> None:
        """Play until the championship has ended, or somebody else took the seat. Raises AioRpcError when refused for good."""
        async with aclosing(self._seat.moments()) as moments:
            try:
                async for told in moments:
                    match told:
                        case Moment() if told.due:
                            self._count.answers += 1
                            await self._seat.answer(told, registry.find(told.ruleset).choose(told.view))
                        case Refused() if told.reason not in _HARMLESS:
                            self._count.refused += 1
                            self._warn(f"{self.person}: {told.reason} {told.clause} {told.message}".strip())
            except Replaced:
                self._warn(f"{self.person}: another stream took this seat")
