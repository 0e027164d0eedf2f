"""What a ruling on a board of a play-off would change: the order of those who shared the rank, and nothing else (C4.5, C10.6)."""

from __future__ import annotations

from dataclasses import replace

from services.games import registry
from services.games.championship import contest as c
from services.games.championship.params import Params
from services.games.championship.standings import Standing
from services.games.scales import sides
from services.scoring import model as m
from services.scoring.field import Field, PlayedBoard, contest
from services.scoring.materiality import Contested, tried
from tests.scoring.given import CHIEF

TERMS = c.Terms("individual", Params(), 1, 1)
ALLOWED = sides(registry.find("paohuzi/competitive-2017").resolve({}), 1)


def board(round_: int, table: str, scores: tuple[int, ...]) -> PlayedBoard:
    return PlayedBoard(round_, 1, 1, table, scores, (10, 10, 10), (5, 5, 5), ())


PLAYED = Field(
    (1, 2, 3),
    {(1, f"r1-t{number}"): (1, (number, 0, 0)) for number in (1, 2, 3)}
    | {(2, f"r2-t{number}"): (1, (number, 0, 0)) for number in (1, 2)},
    (
        *(
            board(1, f"r1-t{number}", (6 if number < 3 else 0, -6 if number < 3 else 0, 0))
            for number in (1, 2, 3)
        ),
        board(2, "r2-t1", (9, -9, 0)),
        board(2, "r2-t2", (3, -3, 0)),
    ),
)
"""Entrants 1 and 2 share rank 1, and 1 wins the play-off."""


def standings(field: Field, *ruled: m.Ruling) -> list[tuple[int, int, bool, int]]:
    rulings = [m.Ruled(number, number, 0, one) for number, one in enumerate(ruled, 1)]
    rows = c.order(contest(field, rulings, TERMS))
    return [(row.rank, row.entrant, row.shared, row.tenths) for row in rows if isinstance(row, Standing)]


def test_C4_5_a_play_off_counts_once_all_of_its_tables_have_closed_all_of_its_boards() -> None:
    assert standings(PLAYED) == [(1, 1, False, 750), (2, 2, False, 750), (3, 3, False, 0)]
    open_ = replace(PLAYED, boards=PLAYED.boards[:-1])
    assert standings(open_) == [(1, 1, True, 750), (1, 2, True, 750), (3, 3, False, 0)]


def test_C4_5_nor_does_it_while_a_board_of_it_is_to_be_played_again() -> None:
    """C9.2: the first attempt is void at once, and nobody has lost for that."""
    order = m.BoardSuperseded("r2-t1", 2, 1, 1, "r2-t1-a2", 2, CHIEF)
    shared = [(1, 1, True, 750), (1, 2, True, 750), (3, 3, False, 0)]
    assert standings(PLAYED, order) == shared
    over = replace(board(2, "r2-t1-a2", (1, -1, 0)), attempt=2)
    played = replace(PLAYED, boards=(*PLAYED.boards, over))
    # Each on a deal of its own, so both have 50 % of it.
    assert standings(played, order) == shared
    void = m.BoardVoided("r2-t1-a2", 2, 1, 2, (600, 600, 600), CHIEF)
    assert standings(played, order, void) == standings(PLAYED)
    once_more = m.BoardSuperseded("r2-t1", 2, 1, 2, "r2-t1-a3", 3, CHIEF)
    assert standings(played, order, void, once_more) == shared
    corrected = m.ResultCorrected("r2-t1", 2, 1, 1, (9, -9, 0), CHIEF)
    assert standings(PLAYED, order, corrected) == standings(PLAYED)


def test_C10_6_whether_a_case_about_its_board_can_matter() -> None:
    found = tried(PLAYED, m.Ledger(), TERMS, Contested(2, "r2-t2", 1), (1,), ALLOWED)
    material = [one for one in found if one.changes.ranks]
    assert {type(one.remedies[0]).__name__ for one in material} >= {"CorrectResult", "AssignPercent"}
    scores = [
        one.remedies[0].scores[0]
        for one in material
        if isinstance(one.remedies[0], m.CorrectResult) and one.smallest
    ]
    # 9 shares the rank again, more goes first.
    assert 9 <= min(scores) <= 10
    changed = {row.entrant for one in material for row in one.changes.after if isinstance(row, Standing)}
    assert changed == {1, 2}
