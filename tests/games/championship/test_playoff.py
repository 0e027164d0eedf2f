"""Play-offs order those who share a rank, and touch nothing else (C4.5)."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from services.domain import Rejected
from services.games.championship import contest as c
from services.games.championship import playoff
from services.games.championship.contest import Contest, Terms
from services.games.championship.explain import Explanation
from services.games.championship.params import Params
from services.games.championship.results import Assigned, Facts, Penalised, Ruling, TableResult
from services.games.championship.standings import Standing
from services.games.championship.tables import Plan

BOARDS = 2
TIED: Mapping[int, tuple[int, ...]] = {1: (5, 5), 2: (5, 5), 3: (5, 5), 4: (0, 0), 5: (0, 0)}
"""The event, one round of two boards: 1, 2 and 3 share rank 1, then 4 and 5 share rank 4."""


def contest(
    *play_offs: Mapping[int, tuple[int, ...]],
    rulings: tuple[Ruling, ...] = (),
    absent: tuple[tuple[int, int], ...] = (),
    form: str = "individual",
) -> Contest:
    """Everybody alone against house AI, in the event and in each play-off: raw scores by entrant and board."""
    seats: dict[tuple[int, str], tuple[int, ...]] = {}
    results = []
    for number, scores in enumerate((TIED, *play_offs), 1):
        for entrant, made in scores.items():
            table = f"r{number}-t{entrant}"
            at = (entrant, 0, entrant, 0) if form == "pairs" else (entrant, 0, 0)
            seats[number, table] = at
            results += [
                TableResult(
                    number,
                    1,
                    board,
                    table,
                    tuple(who or None for who in at),
                    by_seat(score, at),
                    (9,) * len(at),
                )
                for board, score in enumerate(made, 1)
            ]
    terms = Terms(form, Params(), BOARDS, 1)
    return Contest(terms, Facts(tuple(results), rulings, tuple(TIED)), seats, absent)


def by_seat(score: int, at: tuple[int, ...]) -> tuple[int, ...]:
    return (score, -score, score, -score) if len(at) == 4 else (score, -score, 0)


def ranks(told: Contest) -> dict[int, tuple[int, bool]]:
    """Rank and whether it is shared, by entrant."""
    return {row.entrant: (row.rank, row.shared) for row in c.order(told) if isinstance(row, Standing)}


def rows(told: Contest) -> list[Standing]:
    return [row for row in c.order(told) if isinstance(row, Standing)]


@pytest.mark.parametrize("form", ["individual", "pairs"])
def test_C4_5_a_play_off_orders_those_who_share_the_rank_and_nobody_else(form: str) -> None:
    before = contest(form=form)
    assert ranks(before) == {1: (1, True), 2: (1, True), 3: (1, True), 4: (4, True), 5: (4, True)}
    after = contest({1: (3, 0), 2: (0, 0), 3: (9, 9)}, form=form)
    assert ranks(after) == {3: (1, False), 1: (2, False), 2: (3, False), 4: (4, True), 5: (4, True)}
    assert [row.decided_by for row in rows(after)] == ["C4.5"] * 5
    kept = {row.entrant: (row.exact, row.units, row.ranks, row.micros, row.boards) for row in rows(before)}
    assert kept == {
        row.entrant: (row.exact, row.units, row.ranks, row.micros, row.boards) for row in rows(after)
    }
    assert c.digest(c.order(before)) != c.digest(c.order(after))


def test_C4_5_the_rank_stays_shared_until_every_board_is_played() -> None:
    half = contest({1: (3,), 2: (0,), 3: (9,)})
    assert ranks(half) == ranks(contest())
    assert [term.entrant for term in c.traveller(half, 2, 1)] == [3, 1, 2]
    told = c.explain(half, 3)
    assert isinstance(told, Explanation)
    assert told.play_offs == ()


def test_C4_5_who_still_has_as_much_goes_on_sharing_until_another_play_off() -> None:
    first = {1: (3, 0), 2: (0, 3), 3: (-1, -1)}
    assert ranks(contest(first)) == {1: (1, True), 2: (1, True), 3: (3, False), 4: (4, True), 5: (4, True)}
    second = contest(first, {1: (0, 0), 2: (1, 0)})
    assert ranks(second)[1] == (2, False)
    assert ranks(second)[2] == (1, False)
    assert ranks(second)[3] == (3, False)


def test_C4_5_nobody_is_put_behind_others_without_having_played_them() -> None:
    """A ruling may bring somebody more to a rank that was played off: it is shared again. One that takes somebody away is not."""
    assert ranks(contest({1: (3, 3), 2: (0, 0)})) == ranks(contest())
    fewer = contest({1: (3, 3), 2: (0, 0), 3: (9, 9)}, rulings=(Penalised(1, "late", 3, 100),))
    assert [ranks(fewer)[one] for one in (1, 2, 3)] == [(1, False), (2, False), (3, False)]


def test_C4_5_who_has_withdrawn_comes_behind_those_who_play() -> None:
    told = contest({1: (5, 5), 2: (0, 0)}, absent=((3, 2),))
    assert [ranks(told)[one] for one in (1, 2, 3)] == [(1, False), (2, False), (3, False)]
    assert c.reckon(told).byes_of(3) == ()
    assert {row.byes for row in rows(told)} == {0}


def test_C4_5_rulings_on_its_boards_count_in_it_and_penalties_do_not() -> None:
    played = {1: (3, 3), 2: (0, 0), 3: (1, 1)}
    told = contest(played, rulings=(Assigned(1, 1, 2, 1, 0),))
    assert [ranks(told)[one] for one in (3, 1, 2)] == [(1, False), (2, False), (3, False)]
    assert all(row.units == BOARDS for row in rows(told))
    same = tuple(Penalised(number, f"p{number}", number, 100) for number in (1, 2, 3))
    assert [ranks(contest(played, rulings=same))[one] for one in (1, 3, 2)] == [
        (1, False),
        (2, False),
        (3, False),
    ]


def test_C4_5_a_play_off_is_explained_apart() -> None:
    told = c.explain(contest({1: (3, 0), 2: (0, 0), 3: (9, 9)}), 1)
    assert isinstance(told, Explanation)
    assert [(one.round, one.number, one.score, one.mp, one.size) for one in told.play_offs] == [
        (2, 1, 3, 2, 3),
        (2, 2, 0, 1, 3),
    ]
    assert {one.round for one in told.units} == {1}
    assert told.ties[-2:] == (("C4.4", 3), ("C4.5", 1))


def test_C4_5_who_may_play_off() -> None:
    order = rows(contest())
    assert playoff.tied(order, 1) == (1, 2, 3)
    assert playoff.tied(order, 4) == (4, 5)
    for rank in (0, 2, 5, 6):
        with pytest.raises(Rejected) as refused:
            playoff.tied(order, rank)
        assert (refused.value.reason, refused.value.clause) == ("RANK_NOT_SHARED", "C4.5")


def test_C4_5_everybody_sits_in_the_same_seat_at_a_table_of_its_own() -> None:
    alone = playoff.seated(Plan("individual", 3, 1, groups=2), (7, 9))
    assert [(one.name, one.group, one.entrants) for one in alone.tables] == [
        ("t1", 1, (7, 0, 0)),
        ("t2", 1, (9, 0, 0)),
    ]
    machine = playoff.seated(Plan("machine", 4, 1, machine_seat=2), (7, 9))
    assert [one.entrants for one in machine.tables] == [(0, 0, 7, 0), (0, 0, 9, 0)]
    pairs = playoff.seated(Plan("pairs", 4, 1), (7, 9))
    assert [(one.entrants, one.members) for one in pairs.tables] == [
        ((7, 0, 7, 0), (0, 0, 1, 0)),
        ((9, 0, 9, 0), (0, 0, 1, 0)),
    ]
