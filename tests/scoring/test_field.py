"""From facts and rulings to what standings are computed of (C1.7, C2.2, C9.2)."""

from __future__ import annotations

from services.games.championship import results as r
from services.scoring import model as m
from services.scoring.field import Field, PlayedBoard, facts
from tests.scoring.given import CHIEF, corrected

SEATS = {(1, "r1-t1"): (1, (1, 2, 3)), (1, "r1-t2"): (1, (4, 5, 0))}


def board(
    table: str, number: int = 1, scores: tuple[int, ...] = (2, -1, -1), attempt: int = 1
) -> PlayedBoard:
    return PlayedBoard(1, number, attempt, table, scores, (10, 20, 30), (5, 6, 7), ())


def field(*boards: PlayedBoard) -> Field:
    return Field((1, 2, 3, 4, 5, 6), SEATS, boards)


def test_only_boards_that_all_tables_of_the_round_have_closed_count() -> None:
    played = field(board("r1-t1"), board("r1-t2"), board("r1-t1", 2))
    assert played.closed_everywhere() == {(1, 1)}
    assert [(one.table, one.board) for one in facts(played, ()).results] == [("r1-t1", 1), ("r1-t2", 1)]
    assert facts(played, ()).entrants == (1, 2, 3, 4, 5, 6)


def test_a_table_that_is_not_seated_counts_for_nothing() -> None:
    """A round whose seats do not count yet, or a table that plays a board over."""
    assert field(board("r1-t1"), board("r1-t9")).closed_everywhere() == frozenset()


def test_house_ai_is_nobody_and_times_go_along() -> None:
    """C1.7, C4.3."""
    result = facts(field(board("r1-t1"), board("r1-t2")), ()).results[1]
    assert result.seats == (4, 5, None)
    assert (result.micros, result.play_micros) == ((10, 20, 30), (5, 6, 7))


def test_rulings_keep_their_order() -> None:
    ruled = [
        m.Ruled(1, 4, 0, corrected()),
        m.Ruled(2, 4, 0, m.BoardVoided("r1-t2", 1, 1, 1, (600, 600, 600), CHIEF)),
        m.Ruled(3, 5, 0, m.PercentAssigned(5, 1, 1, 400, CHIEF)),
        m.Ruled(4, 6, 0, m.PenaltySet("late", 1, 20, CHIEF)),
        m.Ruled(5, 7, 0, m.BoardSuperseded("r1-t1", 1, 1, 1, "r1-t9", 2, CHIEF)),
    ]
    assert facts(field(), ruled).rulings == (
        r.Corrected(1, 1, 1, "r1-t1", (3, -1, -2)),
        r.Voided(2, 1, 1, "r1-t2", (600, 600, 600)),
        r.Assigned(3, 5, 1, 1, 400),
        r.Penalised(4, "late", 1, 20),
        r.Voided(5, 1, 1, "r1-t1"),
    )


def test_who_played_at_a_table() -> None:
    assert field().played_by(1, "r1-t2") == {4, 5}
    assert field().played_by(9, "r1-t2") == frozenset()
