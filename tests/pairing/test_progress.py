"""How far a round is, told to those who watch and to everybody."""

from __future__ import annotations

from typing import Any

from services.domain import Cause
from services.ledger.record import BoardClosing
from services.pairing.model.events import SeatedTable
from services.pairing.progress import Progress

TABLES = [SeatedTable(f"t{number}", 1, (1, 2, 3)) for number in range(1, 4)]


def test_a_round_of_matches_is_done_when_all_have_ended() -> None:
    """C8.2: once each, whatever is read twice; who holds it up has played fewest deals."""
    progress, record = Progress(), Cause("fupan.e1.table.0.cup.t1", 9)
    for board in (1, 2):
        progress.closed("cup", "t3", BoardClosing(1, board, 1, False, (), (), (), ()), 5, record)
    for _ in range(2):
        progress.ended("cup", "t1", 1, 7, record)
    played = progress.of("cup", 1)
    assert (played.matches_ended, played.done(3, 0), played.last) == (1, False, record)
    assert played.behind(TABLES, 0) == (2, [TABLES[1], TABLES[2]])
    for table in ("t2", "t3"):
        progress.ended("cup", table, 1, 8, record)
    assert progress.of("cup", 1).done(3, 0)


def sat(progress: Progress, board: int, people: tuple[str, ...], **unconfirmed: Any) -> None:
    closing = BoardClosing(1, board, 1, False, (), (), (), (), people, **unconfirmed)
    progress.closed("cup", "t1", closing, 1)


def test_who_sat_at_a_table_is_kept_where_it_changes() -> None:
    """C1.6: whoever waits for a confirmation does not sit there; closings of older records tell nothing."""
    progress = Progress()
    sat(progress, 1, ("a", "b", "c"))
    sat(progress, 2, ())
    sat(progress, 3, ("a", "b", "c"))
    sat(progress, 4, ("a", "", "d"), given_us=(0, 0, 7), instead=("", "", "c"))
    sat(progress, 5, ("a", "", "d"))
    assert progress.of("cup", 1).of("t1").people == [
        (1, ("a", "b", "c")),
        (4, ("a", "", "c")),
        (5, ("a", "", "d")),
    ]


def closed(progress: Progress, table: str, board: int, attempt: int = 1) -> None:
    progress.closed("cup", table, BoardClosing(1, board, attempt, False, (), (), (), ()), 1)


def test_boards_count_for_everybody_once_all_tables_have_closed_them() -> None:
    progress = Progress()
    for table in ("t1", "t2"):
        closed(progress, table, 1)
    closed(progress, "t1", 2)
    played = progress.of("cup", 1)
    assert (played.boards_closed, played.everywhere(len(TABLES))) == (3, 0)
    closed(progress, "t3", 1)
    assert played.everywhere(len(TABLES)) == 1


def test_a_closing_that_is_read_twice_and_a_second_attempt_count_for_nothing() -> None:
    progress = Progress()
    for attempt in (1, 1, 2):
        closed(progress, "t1", 1, attempt)
    played = progress.of("cup", 1)
    assert (played.boards_closed, played.closings[1]) == (1, 1)


def test_the_tables_that_hold_a_round_up_come_first() -> None:
    progress = Progress()
    for table, boards in (("t1", 2), ("t2", 0), ("t3", 1)):
        for board in range(1, boards + 1):
            closed(progress, table, board)
    behind, slowest = progress.of("cup", 1).behind(TABLES, 2)
    assert behind == 2
    assert [one.table for one in slowest] == ["t2", "t3"]
