"""Which corrections a format knows, and whether they fit their table (C7, C8, C10.6)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from services.domain import Rejected
from services.runtime.errors import NotFound
from services.scoring import decider, fitness
from services.scoring import model as m
from services.scoring.field import Field
from services.scoring.fitness import check_final, check_format, check_table
from tests.scoring.given import CHIEF, correct

RESULT = correct((80, -80, 80, -80))
VOID = m.VoidBoard("r1-t1", 1, 1, 1, (600, 400, 600, 400), CHIEF)
UNSCORED = replace(VOID, tenths=())
PERCENT = m.AssignPercent(1, 1, 1, 500, CHIEF)
PENALTY = m.SetPenalty("late", 1, 10, CHIEF)
MATCH = m.CorrectMatch("r1-t1", 1, 0, ("A", "7"), CHIEF)

AGAIN = m.SupersedeBoard("r1-t1", 1, 1, 1, "r1-t1-a2", 2, CHIEF)
NOTHING = m.Ledger()

OTHER = "RULING_OF_OTHER_FORMAT"


@pytest.mark.parametrize(
    ("form", "fits", "does_not"),
    [
        ("individual", (RESULT, VOID, PERCENT, PENALTY, AGAIN), (MATCH,)),
        ("pairs", (RESULT, VOID, PERCENT, PENALTY, AGAIN), (MATCH,)),
        ("teams", (RESULT, UNSCORED, AGAIN), (VOID, PERCENT, PENALTY, MATCH)),
        ("points", (MATCH,), (RESULT, VOID, UNSCORED, PERCENT, PENALTY, AGAIN)),
    ],
)
def test_what_a_format_knows(
    form: str, fits: tuple[m.Correction, ...], does_not: tuple[m.Correction, ...]
) -> None:
    for command in fits:
        check_format(form, command)
    for command in does_not:
        with pytest.raises(Rejected) as refused:
            check_format(form, command)
        assert refused.value.reason == OTHER, command


@pytest.mark.parametrize("form", ["pairs", "teams"])
def test_partners_have_figures_in_common(form: str) -> None:
    """C7.1."""
    apart = [correct((80, -80, 60, -60))]
    if form == "pairs":
        apart.append(replace(VOID, tenths=(600, 400, 500, 400)))  # type: ignore[arg-type]
    for command in apart:
        with pytest.raises(Rejected) as refused:
            check_format(form, command)
        assert (refused.value.reason, refused.value.clause) == ("NO_PAIRS", "C7.1")
    check_format("individual", apart[0])


def test_figures_of_all_seats_of_a_table_that_there_is() -> None:
    """C2.2, C10.6."""
    field = Field((1, 2, 3, 4), {(1, "r1-t1"): (1, (1, 2, 1, 2))}, ())
    check_table(field, RESULT, "pairs", NOTHING)
    check_table(field, VOID, "pairs", NOTHING)
    check_table(field, UNSCORED, "teams", NOTHING)
    check_table(field, PERCENT, "pairs", NOTHING)
    for command in (correct((1, -1, 0)), correct(()), UNSCORED):
        with pytest.raises(Rejected) as refused:
            check_table(field, command, "pairs", NOTHING)
        assert (refused.value.reason, refused.value.clause) == ("RULING_OF_WRONG_LENGTH", "C10.6")
    with pytest.raises(NotFound):
        check_table(field, replace(RESULT, table="r1-t9"), "pairs", NOTHING)


def test_a_replay_is_corrected_at_its_own_table() -> None:
    """C9.2, C10.6."""
    field = Field((1, 2, 3, 4), {(1, "r1-t1"): (1, (1, 2, 1, 2))}, ())
    ordered = m.BoardSuperseded("r1-t1", 1, 1, 1, "r1-t1-a2", 2, CHIEF)
    ledger = m.Ledger(rulings=(m.Ruled(1, 2, 0, ordered),))
    at = replace(RESULT, table="r1-t1-a2")
    check_table(field, at, "pairs", ledger)
    with pytest.raises(NotFound):
        check_table(field, replace(at, board=2), "pairs", ledger)


def test_what_was_left_as_it_is_is_not_changed_another_way() -> None:
    """C10.7: a table's board is its entrants', and the other way round; not what came of a replay that was ordered before."""
    field = Field((1, 2, 3), {(1, "r1-t1"): (1, (1, 2, 3))}, ())
    order = m.BoardSuperseded("r1-t1", 1, 1, 1, "r1-t1-a2", 2, CHIEF)
    void = replace(VOID, tenths=(600, 600, 600))
    again = replace(void, table="r1-t1-a2", attempt=2)

    def final(left: m.Confirmed, *commands: fitness.BoardCorrection) -> list[str]:
        ledger = m.Ledger((m.Ruled(1, 1, 0, order),), confirmed=(m.ResultsConfirmed("a-1", (left,)),))
        told = []
        for command in commands:
            try:
                check_final(field, command, ledger)
                told.append("")
            except Rejected as refused:
                told.append(refused.reason)
        return told

    no = "RULING_FINAL"
    assert final(m.Confirmed("r1-t1", 1, 1), PERCENT, void, again) == [no, no, ""]
    assert final(m.Confirmed("r1-t1-a2", 1, 1), PERCENT, void, again) == [no, no, no]
    assert final(m.Confirmed(entrant=1, round=1, board=1), PERCENT, void, again) == [no, no, no]
    assert final(m.Confirmed(entrant=4, round=1, board=1), PERCENT, void, again) == ["", "", ""]
    assert final(m.Confirmed("r1-t1", 1, 2), PERCENT, void, again) == ["", "", ""]
    assert final(m.Confirmed(penalty="late"), PERCENT, void, again) == ["", "", ""]


def test_C10_7_what_came_of_a_replay_in_either_room_is_not_what_a_committee_left_as_it_is() -> None:
    """C7.2: it is corrected, and ordered once more; the attempt that was judged is not."""
    ordered = [order(one, 2) for one in ("r1-t1", "r1-t2")]
    ruled = tuple(m.Ruled(at, at, 0, one) for at, one in enumerate(ordered, 1))

    def final(judged: str, command: fitness.BoardCorrection) -> str:
        ledger = m.Ledger(ruled, confirmed=(m.ResultsConfirmed("a-1", (m.Confirmed(judged, 1, 1),)),))
        try:
            decider.check(ledger, command)
            check_final(ROOMS, command, ledger)
        except Rejected as refused:
            return refused.reason
        return ""

    for table in ("r1-t1", "r1-t2"):
        there = replace(RESULT, table=f"{table}-a2", attempt=2)
        once_more = m.SupersedeBoard(table, 1, 1, 2, f"{table}-a3", 3, CHIEF)
        first = m.SupersedeBoard(table, 1, 1, 1, f"{table}-a3", 3, CHIEF)
        assert [final("r1-t1", one) for one in (there, once_more)] == ["", ""]
        for one in (replace(RESULT, table=table), first):
            assert final("r1-t1", one) == "RULING_FINAL"
        for one in (there, once_more):
            assert final("r1-t1-a2", one) == "RULING_FINAL"


COMMITTEE = m.Authority("arbitration", "a-1", "ruling in appeal a-1")
ROOMS = Field((1, 2), {(1, "r1-t1"): (1, (1, 2, 1, 2)), (1, "r1-t2"): (1, (2, 1, 2, 1))}, ())


def order(table: str, by: int, instead_of: int = 1, authority: m.Authority = CHIEF) -> m.BoardSuperseded:
    return m.BoardSuperseded(table, 1, 1, instead_of, f"{table}-a{by}", by, authority)


@pytest.mark.parametrize("table", ["r1-t1", "r1-t2"])
def test_C10_7_what_comes_of_a_replay_that_a_committee_ruled_is_corrected_in_both_rooms(table: str) -> None:
    """C7.2, C9.2: nor is it final which replay comes after it, nor what that comes to; the first attempt is."""
    both = [order(one, 2, authority=COMMITTEE) for one in ("r1-t1", "r1-t2")]
    once_more = [order(one, 3, 2) for one in ("r1-t1", "r1-t2")]
    ledger = m.Ledger(tuple(m.Ruled(at, at, 0, one) for at, one in enumerate((*both, *once_more), 1)))
    for again, attempt in ((f"{table}-a2", 2), (f"{table}-a3", 3)):
        check_final(ROOMS, replace(RESULT, table=again, attempt=attempt), ledger)
        check_final(ROOMS, m.SupersedeBoard(table, 1, 1, attempt, f"{table}-a4", 4, CHIEF), ledger)
    for changed in (
        replace(RESULT, table=table),
        replace(RESULT, table=table, attempt=3),  # whatever is said to be played there
        m.SupersedeBoard(table, 1, 1, 1, f"{table}-a4", 4, CHIEF),
        PERCENT,
    ):
        with pytest.raises(Rejected) as refused:
            check_final(ROOMS, changed, ledger)
        assert refused.value.reason == "RULING_FINAL", changed
