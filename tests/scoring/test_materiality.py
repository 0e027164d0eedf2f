"""Whether any ruling of a case changes a rank, and the least that does, in every format (C10.6, C10.7)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from services.games import registry
from services.games.championship import contest as c
from services.games.championship.params import Params
from services.games.championship.standings import Standing
from services.games.scales import sides
from services.runtime.errors import NotFound
from services.scoring import model as m
from services.scoring.field import EndedMatch, Field, PlayedBoard, contest
from services.scoring.foreseen import foreseen, open_replays
from services.scoring.materiality import (
    NOT_RULED,
    About,
    Contested,
    ContestedPairing,
    ContestedPenalty,
    Tried,
    tried,
)
from tests.scoring.given import CHIEF, committee
from tests.scoring.test_field import board


def four(table: str, won: int) -> PlayedBoard:
    return replace(board(table, scores=(won, -won, won, -won)), thinking_us=(1, 2, 3, 4), playing_us=())


THREE = Field(
    (1, 2, 3, 4, 5, 6),
    {(1, "r1-t1"): (1, (1, 2, 3)), (1, "r1-t2"): (1, (4, 5, 6))},
    (board("r1-t1", scores=(4, -2, -2)), board("r1-t2", scores=(2, -1, -1))),
)
LINES = Field(
    (1, 2, 3, 4),
    {(1, "r1-t1"): (1, (1, 2, 1, 2)), (1, "r1-t2"): (1, (3, 4, 3, 4))},
    (four("r1-t1", 2), four("r1-t2", 1)),
)
ROOMS = Field(
    (1, 2),
    {(1, "r1-m1-open"): (1, (1, 2, 1, 2)), (1, "r1-m1-closed"): (1, (2, 1, 2, 1))},
    (four("r1-m1-open", 2), four("r1-m1-closed", 1)),
)
MATCH = Field(
    (1, 2), {(1, "t1"): (1, (1, 2, 1, 2))}, (), matches=(EndedMatch(1, "t1", 0, ("A", "7"), "S9.5", 9),)
)


PAOHUZI, SHENGJI = (
    registry.find(one).resolve({}) for one in ("paohuzi/competitive-2017", "shengji/xiamen-2015")
)


def found(
    field: Field, form: str, boards: int, about: About, rulings: tuple[m.Ruled, ...] = ()
) -> list[Tried]:
    ledger = m.Ledger(rulings=rulings)
    allowed = sides(PAOHUZI if form == "individual" else SHENGJI, 1) if boards else ()
    return tried(field, ledger, c.Terms(form, Params(), boards, 2), about, (1, 2), allowed)


def kinds(all_tried: list[Tried]) -> set[str]:
    return {type(one.remedies[0]).__name__ for one in all_tried}


@pytest.mark.parametrize(
    ("field", "form", "boards", "about", "made_of"),
    [
        (
            *(THREE, "individual", 1, Contested(1, "r1-t1", 1)),
            {"VoidBoard", "CorrectResult", "AssignPercent", "ReplayBoard", "SetPenalty"},
        ),
        (
            *(LINES, "pairs", 1, Contested(1, "r1-t1", 1)),
            {"VoidBoard", "CorrectResult", "AssignPercent", "ReplayBoard", "SetPenalty"},
        ),
        (
            *(ROOMS, "teams", 1, Contested(1, "r1-m1-open", 1)),
            {"VoidBoard", "CorrectResult", "ReplayBoard"},
        ),
        (MATCH, "points", 0, Contested(1, "t1", 0), {"CorrectMatch"}),
    ],
)
def test_every_kind_that_a_format_knows_is_tried_and_some_change_a_rank(
    field: Field, form: str, boards: int, about: Contested, made_of: set[str]
) -> None:
    all_tried = found(field, form, boards, about)
    assert kinds(all_tried) == made_of
    assert any(one.changes.ranks for one in all_tried)
    assert any(one.changes.lines for one in all_tried)
    # The least of a kind that changes a rank, and the least that moves somebody over each line.
    assert {goal for one in all_tried for goal in one.smallest} >= {0, 1}


def scores(all_tried: list[Tried]) -> list[tuple[tuple[int, ...], int, tuple[int, ...]]]:
    """Scores tried, how far each is from what stands, and what no smaller one does."""
    return [
        (one.remedies[0].scores, one.size, one.smallest)
        for one in all_tried
        if isinstance(one.remedies[0], m.CorrectResult)
    ]


def test_the_least_score_that_changes_a_rank_is_one_that_the_game_allows() -> None:
    """P11.1: the winner gains what both others lose. More of the same changes nothing; level with the other table does."""
    assert scores(found(THREE, "individual", 1, Contested(1, "r1-t1", 1))) == [
        ((720, -360, -360), 716, ()),
        ((2, -1, -1), 2, (0, 1, 2)),
        ((0, 0, 0), 4, ()),
    ]


def test_a_win_however_small_may_decide_a_tie() -> None:
    """C4.1: whom one has beaten, where matchpoints stay what they are."""
    drawn = replace(THREE, boards=(board("r1-t1", scores=(0, 0, 0)), board("r1-t2", scores=(8, -4, -4))))
    best = scores(found(drawn, "individual", 1, Contested(1, "r1-t1", 1)))
    assert [(one, size) for one, size, smallest in best if 0 in smallest] == [
        ((-1, 2, -1), 2),
        ((-1, -1, 2), 2),
    ]


def test_fines_bring_scores_that_play_alone_does_not() -> None:
    """S9.2, S9.6, C11.1: both declarers' sides have all 80 there are; a fine of the defenders makes one of them more."""
    level = replace(LINES, boards=(four("r1-t1", 80), four("r1-t2", 80)))
    best = scores(found(level, "pairs", 1, Contested(1, "r1-t1", 1)))
    assert ((85, -85, 85, -85), 5, (0, 1, 2)) in best
    declaring, _ = sides(SHENGJI, 1)
    assert (declaring.losses[0], declaring.losses[-1]) == (5, 280)


def penalties(all_tried: list[Tried]) -> list[tuple[m.Remedy, int, tuple[int, ...]]]:
    return [
        (one.remedies[0], one.size, one.smallest)
        for one in all_tried
        if isinstance(one.remedies[0], m.SetPenalty)
    ]


def test_a_penalty_is_added_beside_those_that_there_are() -> None:
    """C10.6: as little as changes a rank; whoever has nothing left has nothing to lose."""
    about = Contested(1, "r1-t1", 1)
    assert penalties(found(THREE, "individual", 1, about)) == [
        (m.SetPenalty("r1-t1-1-1", 1, 1, NOT_RULED), 1, (0, 1, 2))
    ]
    before = (m.Ruled(1, 2, 0, m.PenaltySet("r1-t1-1-1", 1, 100, CHIEF)),)
    better = m.Ruled(2, 3, 0, m.PercentAssigned(2, 1, 1, 600, CHIEF))
    # 6, 1, 2, 5 have 100, 90, 60 and 50 %: with 60 the first of them would still come before the other.
    assert penalties(found(THREE, "individual", 1, about, (*before, better))) == [
        (m.SetPenalty("r1-t1-1-1-2", 1, 301, NOT_RULED), 301, (2,)),
        (m.SetPenalty("r1-t1-1-2", 2, 100, NOT_RULED), 100, (0,)),
    ]


def fine(by: m.Authority) -> tuple[m.Ruled, ...]:
    better = m.PercentAssigned(2, 1, 1, 600, CHIEF)
    return m.Ruled(1, 2, 0, m.PenaltySet("late", 1, 900, by)), m.Ruled(2, 3, 0, better)


def test_a_penalty_is_lifted_as_far_as_it_takes_unless_a_committee_ruled_it() -> None:
    """C10.6, C10.7."""
    late = ContestedPenalty("late")
    *parts, whole = found(THREE, "individual", 1, late, fine(CHIEF))
    assert [(one.remedies, one.size, one.smallest) for one in parts] == [
        ((m.SetPenalty("late", 1, 500, NOT_RULED),), 400, (0,)),
        ((m.SetPenalty("late", 1, 400, NOT_RULED),), 500, (2,)),
    ]
    assert (whole.size, whole.smallest) == (900, (1,))
    assert whole.remedies == (m.SetPenalty("late", 1, 0, NOT_RULED),)
    own = next(row for row in whole.changes.after if row.entrant == 1)
    assert isinstance(own, Standing)
    assert own.tenths == 1000
    assert found(THREE, "individual", 1, late, fine(committee("a-0"))) == []
    with pytest.raises(NotFound):
        found(THREE, "individual", 1, ContestedPenalty("loud"), fine(CHIEF))


def test_who_disputes_a_pairing_may_be_given_percentages_for_all_boards_of_the_round() -> None:
    """C10.1."""
    all_tried = found(THREE, "individual", 1, ContestedPairing(1, 4))
    assert kinds(all_tried) == {"AssignPercent"}
    assert {(remedy.entrant, remedy.board) for one in all_tried for remedy in one.remedies} == {(4, 1)}  # type: ignore[union-attr]


def test_what_a_committee_has_ruled_is_not_tried_again() -> None:
    """C10.7."""
    ruled = (m.Ruled(1, 2, 0, m.BoardVoided("r1-t1", 1, 1, 1, (600, 600, 600), committee("a-0"))),)
    assert found(THREE, "individual", 1, Contested(1, "r1-t1", 1), ruled) == []


def test_a_replay_at_one_table_is_known_to_come_to_half() -> None:
    """C3.3: whatever is scored there; what several tables make of a new deal nobody knows."""
    (again,) = (
        one
        for one in found(THREE, "individual", 1, Contested(1, "r1-t1", 1))
        if isinstance(one.remedies[0], m.ReplayBoard)
    )
    half = m.Ruled(1, 2, 0, m.BoardVoided("r1-t1", 1, 1, 1, (500, 500, 500), CHIEF))
    terms = c.Terms("individual", Params(), 1, 2)
    order = c.order(contest(THREE, (half,), terms))
    assert [row for row in order if row in again.changes.after] == list(again.changes.after)
    one = m.BoardSuperseded("r1-t1", 1, 1, 1, "r1-t1-a2", 2, CHIEF)
    other = replace(one, table="r1-t2", by_table="r1-t2-a2")
    seats = dict.fromkeys(THREE.seats, 3)
    together = (m.Ruled(1, 2, 0, one), m.Ruled(2, 2, 0, other))
    assert foreseen(together, "individual", seats) == together
    assert foreseen(together[:1], "teams", seats) == together[:1]
    (alone,) = foreseen(together[:1], "individual", seats)
    assert alone.event == half.event
    assert [open_replays(together, "individual"), open_replays(together[:1], "individual")] == [
        (0, 1),
        (1, 0),
    ]
