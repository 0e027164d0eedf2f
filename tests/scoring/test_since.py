"""What became of published standings, one ruling or replay after the other (C10.6, C10.8)."""

from __future__ import annotations

from dataclasses import replace

from services.games.championship import contest as c
from services.games.championship.params import Params
from services.scoring import model as m
from services.scoring.field import Field, contest
from services.scoring.since import Step, steps
from tests.scoring.given import CHIEF, committee, corrected
from tests.scoring.test_field import board

TERMS = c.Terms("individual", Params(), 1, 2)
SEATS = {(1, "r1-t1"): (1, (1, 2, 3)), (1, "r1-t2"): (1, (4, 5, 6))}
THEN = Field((1, 2, 3, 4, 5, 6), SEATS, (board("r1-t1"), board("r1-t2")))
SECOND = {(2, "r2-t1"): (1, (4, 2, 3)), (2, "r2-t2"): (1, (1, 5, 6))}
LATER = tuple(replace(board(table), round=2) for table in ("r2-t1", "r2-t2"))
AGAIN = board("r1-t1-a2", scores=(8, -4, -4), attempt=2)
NOW = replace(THEN, seats={**SEATS, **SECOND}, boards=(*THEN.boards, *LATER, AGAIN))
ORDERED = m.BoardSuperseded("r1-t1", 1, 1, 1, "r1-t1-a2", 2, committee())


def told(found: list[Step]) -> list[tuple[str, list[int]]]:
    return [(one.cause, [ruled.number for ruled in one.ruled]) for one in found]


def test_boards_played_later_change_nothing_and_neither_do_rulings_about_them() -> None:
    later = m.Ruled(1, 4, 0, m.PercentAssigned(4, 2, 1, 0, CHIEF))
    assert list(steps(THEN, NOW, (), ())) == []
    assert list(steps(THEN, NOW, (), (later,))) == []


def test_each_record_is_a_step_and_a_replay_follows_the_ruling_that_ordered_it() -> None:
    since = (
        m.Ruled(1, 4, 0, ORDERED),
        m.Ruled(2, 5, 0, m.PenaltySet("late", 1, 20, committee("a-2"))),
        m.Ruled(3, 5, 0, m.PenaltySet("loud", 2, 20, committee("a-2"))),
        m.Ruled(4, 6, 0, corrected(table="r1-t2")),
    )
    found = list(steps(THEN, NOW, (), since))
    assert told(found) == [("ruling", [1]), ("replay", []), ("ruling", [2, 3]), ("correction", [4])]
    assert found[1].replays == (AGAIN,)
    # All steps together come to the same boards as they are now known.
    first_round = replace(NOW, seats=SEATS, boards=(*THEN.boards, AGAIN))
    last = c.order(contest(found[-1].field, found[-1].rulings, TERMS))
    assert c.digest(last) == c.digest(c.order(contest(first_round, since, TERMS)))


def test_a_replay_ordered_before_the_publication_is_played_after_it() -> None:
    ordered = (m.Ruled(1, 2, 0, ORDERED),)
    assert told(list(steps(THEN, NOW, ordered, ()))) == [("replay", [])]
    assert list(steps(replace(THEN, boards=(*THEN.boards, AGAIN)), NOW, ordered, ())) == []
