"""From facts and rulings to what standings are computed of (C1.7, C2.2, C9.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from services.games.championship import results as r
from services.games.championship.contest import Match, Terms
from services.games.championship.params import Params
from services.games.championship.points import MatchResult
from services.scoring import model as m
from services.scoring.field import EndedMatch, Field, PlayedBoard, contest
from tests.scoring.given import CHIEF, corrected

SEATS = {(1, "r1-t1"): (1, (1, 2, 3)), (1, "r1-t2"): (1, (4, 5, 0))}


def board(
    table: str, number: int = 1, scores: tuple[int, ...] = (2, -1, -1), attempt: int = 1
) -> PlayedBoard:
    return PlayedBoard(1, number, attempt, table, scores, (10, 20, 30), (5, 6, 7), ())


def field(*boards: PlayedBoard) -> Field:
    return Field((1, 2, 3, 4, 5, 6), SEATS, boards)


def facts(played: Field, rulings: Sequence[m.Ruled]) -> r.Facts:
    return contest(played, rulings, Terms("individual", Params(), 2, 2)).facts


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


def test_a_board_that_is_played_again_counts_for_the_seats_of_the_first() -> None:
    """C10.6: once there is a ruling, and beside the first attempt, which the ruling voids."""
    again = board("r1-t1-a2", scores=(8, -4, -4), attempt=2)
    played = field(board("r1-t1"), board("r1-t2"), again)
    ruled = [m.Ruled(1, 4, 0, m.BoardSuperseded("r1-t1", 1, 1, 1, "r1-t1-a2", 2, CHIEF))]
    assert [one.table for one in facts(played, ()).results] == ["r1-t1", "r1-t2"]
    (*_, counts) = facts(played, ruled).results
    assert (counts.table, counts.attempt, counts.seats) == ("r1-t1-a2", 2, (1, 2, 3))
    assert played.closed_everywhere() == {(1, 1)}
    # An attempt that no ruling names is nobody's.
    other = replace(again, attempt=3)
    assert len(facts(field(board("r1-t1"), board("r1-t2"), other), ruled).results) == 2


def test_a_replay_counts_once_every_table_with_its_deal_has_closed_it() -> None:
    """C6.4, C10.6: like any board; and the last ruling on a table's board says which attempt counts."""
    first, second = board("r1-t1"), board("r1-t2")
    one, other = (board(f"{table}-a2", scores=(8, -4, -4), attempt=2) for table in ("r1-t1", "r1-t2"))
    ruled = [
        m.Ruled(1, 4, 0, m.BoardSuperseded("r1-t1", 1, 1, 1, "r1-t1-a2", 2, CHIEF)),
        m.Ruled(2, 4, 0, m.BoardSuperseded("r1-t2", 1, 1, 1, "r1-t2-a2", 2, CHIEF)),
    ]
    assert [each.attempt for each in facts(field(first, second, one), ruled).results] == [1, 1]
    assert [each.attempt for each in facts(field(first, second, one, other), ruled).results] == [1, 1, 2, 2]
    # Once more, and the first result after all.
    again = m.Ruled(3, 5, 0, m.BoardSuperseded("r1-t1", 1, 1, 2, "r1-t1-a3", 3, CHIEF))
    third = board("r1-t1-a3", attempt=3)
    found = facts(field(first, second, one, other, third), [*ruled, again]).results
    assert [each.table for each in found] == ["r1-t1", "r1-t2", "r1-t2-a2", "r1-t1-a3"]
    restored = m.Ruled(3, 5, 0, corrected((3, -1, -2)))
    found = facts(field(first, second, one, other), [*ruled, restored]).results
    assert [each.table for each in found] == ["r1-t1", "r1-t2", "r1-t2-a2"]


def test_who_played_at_a_table() -> None:
    assert field().played_by(1, "r1-t2") == {4, 5}
    assert field().played_by(9, "r1-t2") == frozenset()


def test_a_bye_counts_once_its_round_is_played_everywhere() -> None:
    """C1.5."""
    terms = Terms("pairs", Params(), 1, 3)
    seats = {(1, "t1"): (1, (1, 2, 1, 2)), (1, "t2"): (1, (3, 4, 3, 4))}
    byes, fours = ((1, 5),), (2, -2, 2, -2)
    running = Field((1, 2, 3, 4, 5), seats, (board("t1", scores=fours),), byes=byes)
    assert contest(running, (), terms).byes == ()
    over = Field((1, 2, 3, 4, 5), seats, (board("t1", scores=fours), board("t2", scores=fours)), byes=byes)
    assert contest(over, (), terms).byes == ((5, 1),)


def test_byes_of_a_round_without_tables_count_and_those_of_one_whose_seats_are_not_known_yet_do_not() -> None:
    """C1.5, C7.3: in a fixed movement nobody may be left to meet anybody."""
    terms = Terms("teams", Params(), 1, 3)
    byes = ((1, 5), (2, 4), (2, 5))
    alone = Field((4, 5), {}, (), byes=byes, alone=frozenset({2}))
    assert contest(alone, (), terms).byes == ((4, 2), (5, 2))


def test_C2_2_a_replay_that_was_closed_unfinished_is_worth_60_percent() -> None:
    ruled = [m.Ruled(1, 1, 0, m.BoardSuperseded("r1-t1", 1, 1, 1, "r1-t1-a2", 2, CHIEF))]
    first = board("r1-t1"), board("r1-t2")
    open_, over = field(*first), field(*first, board("r1-t1-a2", scores=(), attempt=2))
    assert r.settle(facts(open_, ruled)).assigned == {}
    assert r.settle(facts(over, ruled)).assigned == {(one, 1, 1): 600 for one in (1, 2, 3)}


def test_matches_count_as_they_end_unless_nothing_decided_them() -> None:
    """C8.2, C2.2, C9.2: and a ruling replaces what the table said."""
    terms = Terms("points", Params(), 0, 5)
    seats = {(1, "t1"): (1, (1, 2, 1, 2)), (1, "t2"): (1, (3, 4, 3, 4))}
    won = EndedMatch(1, "t1", 0, ("A", "7"), "S9.5", 9)
    void = EndedMatch(1, "t2", None, ("2", "2"), "C2.2", 0)
    stray = EndedMatch(1, "t9", 0, ("A", "7"), "S9.5", 9)
    one = Field((1, 2, 3, 4, 5), seats, (board("t1"),), byes=((1, 5),), matches=(won, stray))
    assert contest(one, (), terms).matches == (Match(1, "t1", MatchResult(0, ("A", "7"), "S9.5"), 9),)
    assert (contest(one, (), terms).byes, contest(one, (), terms).facts.results) == ((), ())
    both = Field((1, 2, 3, 4, 5), seats, (), byes=((1, 5),), matches=(won, void))
    ruled = m.Ruled(1, 3, 0, m.MatchCorrected("t2", 1, 1, ("9", "T"), CHIEF))
    counting = contest(both, (ruled,), terms)
    assert counting.byes == ((5, 1),)
    assert counting.matches[-1] == Match(1, "t2", MatchResult(1, ("9", "T"), "C9.2"))
