"""An AI player: sits down and answers every question from what its seat sees, and nothing else.

It plays by the house's policy, but for lapses that differ from person to person: a field of equals would tie on every board.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from random import Random
from typing import Any

from clients.robot.seat import Moment, Refused, Replaced, Seat
from services.games import registry
from services.games.shengji.actions import PASS, Play
from services.games.shengji.view import SeatView as ShengjiView

MOST_LAPSES = 0.3
"""Share of its decisions that the weakest player takes at random."""

# The answer came too late: others, the clock, or a referee were faster.
_LATE = frozenset(
    {
        "ALREADY_ANSWERED",
        "BETWEEN_BOARDS",
        "CLOCK_RUN_OUT",
        "MATCH_TIME_OVER",
        "PAIR_STANDS",
        "QUESTION_OVER",
        "SINGLE_STANDS",
        "TABLE_PAUSED",
        "TABLE_SEALED",
    }
)


@dataclass(slots=True)
class Count:
    """What one or many robots did."""

    answers: int = 0
    refused: int = 0


def decide(person: str, moment: Moment) -> Any:
    """What `person` does: the policy's choice, or in a lapse another legal action. The same moment always gives the same answer."""
    rules = registry.find(moment.ruleset)
    action = rules.choose(moment.view)
    lapses = Random(person).uniform(0, MOST_LAPSES)
    chance = Random(f"{person} {moment.round} {moment.board} {moment.ask}")
    slips = _slips(moment.view)
    if not slips or rules.show(action) == "win" or chance.random() >= lapses:
        return action
    return chance.choice(slips)


def _slips(view: Any) -> Sequence[Any]:
    """What a lapse may come to: any legal action; in Shengji a card led or a follow. Most throws at random would only fail."""
    if not isinstance(view, ShengjiView):
        options: Sequence[Any] = view.options
        return options
    match view.question:
        case "lead":
            return [Play((card,)) for card in sorted(set(view.hand))]
        case "follow":
            return view.options
        case _:
            return ()


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
                        case Moment() if told.due or told.may_bid:
                            action = decide(self.person, told)
                            if told.due or action != PASS:
                                self._count.answers += 1
                                await self._seat.answer(told, action)
                        case Refused() if told.reason not in _LATE:
                            self._count.refused += 1
                            self._warn(f"{self.person}: {told.reason} {told.clause} {told.message}".strip())
            except Replaced:
                self._warn(f"{self.person}: another stream took this seat")
