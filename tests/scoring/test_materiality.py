"""Whether any ruling that may be made changes a rank, in every format (C10.6, C10.7)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from services.games.championship import contest as c
from services.games.championship.params import Params
from services.games.championship.standings import Standing
from services.scoring import model as m
from services.scoring.field import EndedMatch, Field, PlayedBoard
from services.scoring.materiality import Contested, Tried, tried
from tests.scoring.given import CHIEF, committee
from tests.scoring.test_field import board


def four(table: str, won: int) -> PlayedBoard:
    return replace(board(table, scores=(won, -won, won, -won)), thinking_us=(1, 2, 3, 4), playing_us=())


THREE = Field(
    (1, 2, 3, 4, 5, 6),
    {(1, "r1-t1"): (1, (1, 2, 3)), (1, "r1-t2"): (1, (4, 5, 6))},
    (board("r1-t1", scores=(4, -1, -3)), board("r1-t2", scores=(2, 1, -3))),
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


def found(
    field: Field, form: str, boards: int, about: Contested, rulings: tuple[m.Ruled, ...] = ()
) -> list[Tried]:
    ledger = m.Ledger(rulings=rulings)
    return list(tried(field, ledger, c.Terms(form, Params(), boards, 3), about, (1, 2)))


def kinds(all_tried: list[Tried]) -> set[str]:
    return {type(one.remedy).__name__ for one in all_tried}


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
        (ROOMS, "teams", 1, Contested(1, "r1-m1-open", 1), {"VoidBoard", "CorrectResult"}),
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
    # What is already so changes nothing.
    assert not all(one.changes.ranks for one in all_tried)


def fine(by: m.Authority) -> tuple[m.Ruled, ...]:
    return (m.Ruled(1, 2, 0, m.PenaltySet("late", 1, 900, by)),)


def lifts(all_tried: list[Tried]) -> list[Tried]:
    return [one for one in all_tried if isinstance(one.remedy, m.SetPenalty) and not one.remedy.tenths]


def test_penalties_are_lifted_unless_a_committee_ruled_them() -> None:
    """C10.7."""
    about = Contested(1, "r1-t1", 1)
    (lifted,) = lifts(found(THREE, "individual", 1, about, fine(CHIEF)))
    assert isinstance(lifted.remedy, m.SetPenalty)
    assert lifted.remedy.penalty == "late"
    own = next(row for row in lifted.changes.after if row.entrant == 1)
    assert isinstance(own, Standing)
    assert (own.rank, own.tenths) == (2, 1000)
    assert [one.gained for one in lifted.changes.lines] == [(1,)]
    assert lifts(found(THREE, "individual", 1, about, fine(committee("a-0")))) == []


def test_what_a_committee_has_ruled_is_not_tried_again() -> None:
    """C10.7."""
    ruled = (m.Ruled(1, 2, 0, m.BoardVoided("r1-t1", 1, 1, 1, (600, 600, 600), committee("a-0"))),)
    assert kinds(found(THREE, "individual", 1, Contested(1, "r1-t1", 1), ruled)) == {"SetPenalty"}
