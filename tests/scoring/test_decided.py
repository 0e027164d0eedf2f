"""What stands beside a result is what decides it: a percentage that a later ruling on its table lifted is told no more (C10.6)."""

from __future__ import annotations

from services.games.championship.contest import Terms
from services.games.championship.matchpoints import published
from services.games.championship.params import Params
from services.games.championship.standings import standings
from services.scoring import model as m
from services.scoring.decided import Decided
from services.scoring.field import Field, contest
from tests.scoring.given import CHIEF, corrected
from tests.scoring.test_field import board

SEATS = {(1, "r1-t1"): (1, (1, 2, 3)), (1, "r1-t2"): (1, (4, 5, 6))}
AGAIN = "r1-t1-a2"

GIVEN = m.PercentAssigned(1, 1, 1, 300, CHIEF)
VOID = m.BoardVoided("r1-t1", 1, 1, 1, (600, 600, 600), CHIEF)
ELSEWHERE = m.BoardVoided("r1-t2", 1, 1, 1, (600, 600, 600), CHIEF)
REPLAY = m.BoardSuperseded("r1-t1", 1, 1, 1, AGAIN, 2, CHIEF)
THERE = m.ResultCorrected(AGAIN, 1, 1, 2, (3, -1, -2), CHIEF)


def kinds(*events: m.Ruling, table: str = "r1-t1") -> list[str]:
    """What is told of entrant 1's result on a board at a table."""
    ruled = [m.Ruled(number, number, 0, event) for number, event in enumerate(events, 1)]
    return [one.kind for one in Decided(ruled, m.Ledger()).told(1, [1], [table, 1])]


def tenths(*events: m.Ruling) -> int:
    """What entrant 1 gets for the board."""
    ruled = [m.Ruled(number, number, 0, event) for number, event in enumerate(events, 1)]
    played = Field((1, 2, 3, 4, 5, 6), SEATS, (board("r1-t1"), board("r1-t2"), board(AGAIN, attempt=2)))
    facts = contest(played, ruled, Terms("individual", Params(), 1, 2)).facts
    return next(published(one.exact) for one in standings(facts, Params()) if one.entrant == 1)


def test_C10_6_a_percentage_stands_beside_what_was_ruled_before_it() -> None:
    assert (kinds(corrected(), GIVEN), tenths(corrected(), GIVEN)) == (["corrected", "assigned"], 300)
    assert (kinds(VOID, GIVEN), tenths(VOID, GIVEN)) == (["voided", "assigned"], 300)
    assert (kinds(GIVEN, ELSEWHERE), tenths(GIVEN, ELSEWHERE)) == (["assigned"], 300)


def test_C10_6_a_later_ruling_on_the_table_lifts_it() -> None:
    assert (kinds(GIVEN, corrected()), tenths(GIVEN, corrected())) == (["corrected"], 1000)
    assert (kinds(GIVEN, VOID), tenths(GIVEN, VOID)) == (["voided"], 600)


def test_C10_6_so_does_an_order_to_play_the_board_again_and_a_ruling_on_that() -> None:
    assert (kinds(GIVEN, REPLAY, table=AGAIN), tenths(GIVEN, REPLAY)) == ([], 500)
    assert (kinds(REPLAY, GIVEN, table=AGAIN), tenths(REPLAY, GIVEN)) == (["assigned"], 300)
    assert (kinds(REPLAY, GIVEN, THERE, table=AGAIN), tenths(REPLAY, GIVEN, THERE)) == (["corrected"], 500)
