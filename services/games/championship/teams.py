"""Teams of four (队式赛): a match at two tables on the same boards, Swiss by match points (C7.2).

What a match point is, the clause leaves open. Here C3.2 is applied to the two teams of a match: 2 for the better match
result, 1 for an equal one, 0 for the worse.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.games.championship.league import Outcome
from services.games.championship.meetings import Meeting, Round
from services.games.championship.results import Facts, settle

WIN, DRAW, LOSS = 2, 1, 0
"""Match points."""

Seat = tuple[int, int]
"""(team, member of it from 0)"""
Room = tuple[Seat, Seat, Seat, Seat]
"""By seat."""


def rooms(meeting: Meeting) -> tuple[Room, Room]:
    """The open and the closed room: members 0 and 1 of both teams sit in the open one, 2 and 3 in the closed one.

    `first` has seats 0+2 of the open room and seats 1+3 of the closed one, so that each team has a pair in each line.
    """
    one, other = meeting.first, meeting.second
    return (
        ((one, 0), (other, 0), (one, 1), (other, 1)),
        ((other, 2), (one, 2), (other, 3), (one, 3)),
    )


@dataclass(frozen=True, slots=True)
class Swing:
    """A board that both rooms scored: by how much one side did better in both together."""

    board: int
    difference: int


def compared(played: Sequence[Round], facts: Facts) -> Iterator[tuple[int, Meeting, tuple[Swing, ...]]]:
    """Round, meeting and boards of every match that has a board to compare; swings are those of `first`.

    A swing is the raw score of seats 0+2 where `first` sits there less that where `second` does. A board that one of the rooms
    has not scored, that a ruling took away, or where house AI plays for somebody is not compared (C1.7, C2.2). Raises as
    `results.settle`.
    """
    scores: dict[tuple[int, int, int], dict[tuple[int, int], int]] = defaultdict(dict)
    for result in settle(facts).results:
        one, other = result.seats[:2]
        if one is not None and other is not None and result.seats == (one, other, one, other):
            scores[result.round, one, other][result.board, result.attempt] = result.scores[0]
    for each in played:
        for meeting in each.meetings:
            open_room = scores[each.number, meeting.first, meeting.second]
            closed_room = scores[each.number, meeting.second, meeting.first]
            both = sorted(open_room.keys() & closed_room.keys())
            if both:
                swings = (Swing(board[0], open_room[board] - closed_room[board]) for board in both)
                yield each.number, meeting, tuple(swings)


def outcome(played: int, meeting: Meeting, difference: int) -> Outcome:
    """The outcome of a match in round `played`, `difference` being the match result of `first`."""
    points = (WIN, LOSS) if difference > 0 else (LOSS, WIN) if difference < 0 else (DRAW, DRAW)
    return Outcome(played, meeting.first, meeting.second, points, difference)
