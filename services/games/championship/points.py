"""Points format ("80 points", five rounds): when a match ends and who has won it, points and net levels (C8.1-C8.5).

A match has two sides: 0 is the entrant in seats 0+2, 1 the one in seats 1+3. Times are microseconds of one clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from services.domain import Rejected
from services.games.championship.league import Outcome
from services.games.championship.meetings import Meeting
from services.games.championship.netlevels import LEVELS, PAST_A, net_levels

ROUNDS = 5
"""Of an event (C8.1)."""
MATCH_MICROS = 90 * 60 * 1_000_000
"""A match lasts at most so long (C8.2)."""
WIN, LOSS = 3, 0
"""Points of a match (C8.2)."""
ENOUGH = 80
"""Points with which the defenders win a deal (C8.3 b)."""


class Due(Enum):
    """What a match still needs once its time is over (C8.3)."""

    FINISH_DEAL = "finish_deal"
    """The deal in progress is finished; it decides."""
    ONE_MORE_DEAL = "one_more_deal"
    """Both sides never left 2: one more deal is played; it decides."""


@dataclass(frozen=True, slots=True)
class MatchState:
    """Where a match stands, by side.

    `reached` is when each side reached its level, any number that grows with time, None for the 2 that it began with;
    `dealing` whether a deal is in progress: from its first card drawn until it is scored.
    """

    levels: tuple[str, str]
    reached: tuple[int | None, int | None] = (None, None)
    dealing: bool = False


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The winner's side, and the levels of both sides at the end; a side that has gone past A stays at A.

    `clause` is what decided: S9.5 for going past A, C8.3a, C8.3b or C8.3c at the end of time, or that of a ruling.
    """

    winner: int
    levels: tuple[str, str]
    clause: str

    def net(self, a_is_a_level: bool = False) -> int:
        """Levels that the winner gains and the loser loses (C8.4)."""
        return net_levels(self.levels[self.winner], self.levels[1 - self.winner], a_is_a_level)


def past_a(winner: int, levels: tuple[str, str]) -> MatchResult:
    """A side has risen past A: the match is over, however much time is left (S9.5, C8.2)."""
    return MatchResult(winner, _checked(levels), PAST_A)


def at_time(state: MatchState) -> MatchResult | Due:
    """What happens when 90 minutes are over, or the last deal that a match may have (C8.3).

    Levels differ: a running deal is broken off unscored and the higher level wins. Equal: a deal in progress is finished,
    see `by_deal`; between deals the side that reached the level first wins, or, if both never left 2, one more deal decides.
    Raises Rejected for a level that does not exist, or levels that nobody can have reached at those times.
    """
    one, other = (LEVELS.index(level) for level in _checked(state.levels))
    if one != other:
        return MatchResult(0 if one > other else 1, state.levels, "C8.3a")
    if state.dealing:
        return Due.FINISH_DEAL
    first, second = state.reached
    if one == 0 and first is None and second is None:
        return Due.ONE_MORE_DEAL
    if one == 0 or first is None or second is None or first == second:
        detail = f"both sides at {state.levels[0]}, reached at {first} and {second}"
        raise Rejected("REACHED_CONTRADICTS_LEVELS", "C8.3", detail)
    return MatchResult(0 if first < second else 1, state.levels, "C8.3c")


def by_deal(due: Due, declarer: int, points: int, levels: tuple[str, str]) -> MatchResult:
    """The result after the deal that was `due`: below 80 points the declarer's side wins, else the defenders (C8.3 b, c).

    `declarer` is the declarer's side, `points` the defenders' P with the bottom and fines, `levels` those after the deal,
    which is scored like any other.
    """
    clause = "C8.3b" if due is Due.FINISH_DEAL else "C8.3c"
    return MatchResult(deal_winner(declarer, points), _checked(levels), clause)


def deal_winner(declarer: int, points: int) -> int:
    """The side that wins a deal: the declarer's, `declarer`, if the defenders have fewer than 80 `points`."""
    return declarer if points < ENOUGH else 1 - declarer


def outcome(played: int, meeting: Meeting, result: MatchResult, a_is_a_level: bool = False) -> Outcome:
    """Points and net levels of a match of round `played` (C8.2, C8.4)."""
    net = result.net(a_is_a_level)
    won = result.winner == 0
    points = (WIN, LOSS) if won else (LOSS, WIN)
    return Outcome(played, meeting.first, meeting.second, points, net if won else -net)


def _checked(levels: tuple[str, str]) -> tuple[str, str]:
    """The levels. Raises Rejected for one that does not exist."""
    net_levels(*levels)
    return levels
