"""What differs between two orders: rows and lines (C10.6)."""

from __future__ import annotations

from services.games.championship import contest as c
from services.games.championship.params import Params
from services.scoring import model as m
from services.scoring.changes import changes
from services.scoring.field import EndedMatch, Field, contest
from tests.scoring.given import CHIEF, corrected
from tests.scoring.test_field import board

BY_PERCENT = c.Terms("individual", Params(), 1, 2)
BY_MATCHES = c.Terms("points", Params(), 0, 5)
SEATS = {(1, "r1-t1"): (1, (1, 2, 3)), (1, "r1-t2"): (1, (4, 5, 6))}
FIELD = Field(
    (1, 2, 3, 4, 5, 6),
    SEATS,
    (board("r1-t1", scores=(4, -1, -3)), board("r1-t2", scores=(2, 1, -3))),
)


def ranks(rows: c.Order) -> dict[int, int]:
    return {one.entrant: one.place for one in rows}


def test_only_rows_that_differ_and_lines_that_are_crossed() -> None:
    before = c.order(contest(FIELD, (), BY_PERCENT))
    assert not changes(before, before, (1, 2)).lines
    assert changes(before, before).after == ()
    ruled = (m.Ruled(1, 3, 0, corrected((1, 2, -3))),)
    after = c.order(contest(FIELD, ruled, BY_PERCENT))
    changed = changes(before, after, (2, 6, 2))
    # Seats 0 and 1 are turned round; seat 2 is equal as it was, and its rank among the six too.
    assert {one.entrant for one in changed.before} == {one.entrant for one in changed.after} == {1, 2, 4, 5}
    assert changed.ranks == 4
    assert [(one.rank, one.gained, one.lost) for one in changed.lines] == [(2, (2, 4), (1, 5))]


def test_a_match_that_is_corrected_changes_points_net_and_matches_won() -> None:
    """C8.4, C8.5."""
    seats = {(1, "t1"): (1, (1, 2, 1, 2)), (1, "t2"): (1, (3, 4, 3, 4))}
    ended = EndedMatch(1, "t1", 0, ("A", "7"), "S9.5", 9), EndedMatch(1, "t2", 0, ("A", "Q"), "S9.5", 9)
    field = Field((1, 2, 3, 4), seats, (), matches=ended)
    before = c.order(contest(field, (), BY_MATCHES))
    narrower = m.Ruled(1, 3, 0, m.MatchCorrected("t1", 1, 0, ("A", "8"), CHIEF))
    changed = changes(before, c.order(contest(field, (narrower,), BY_MATCHES)), (1,))
    assert ({one.entrant for one in changed.after}, changed.ranks, changed.lines) == ({1, 2}, 0, ())
    turned = m.Ruled(1, 3, 0, m.MatchCorrected("t1", 1, 1, ("7", "A"), CHIEF))
    after = c.order(contest(field, (turned,), BY_MATCHES))
    changed = changes(before, after, (1,))
    assert (ranks(before)[1], ranks(after)[2]) == (1, 1)
    assert [(one.gained, one.lost) for one in changed.lines] == [((2,), (1,))]
