"""Mitchell, Howell and round robin: C7.3, and the duplicate principle of C7."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import pytest

from services.domain import Rejected
from services.games.championship.howell import howell
from services.games.championship.meetings import Meeting, Round
from services.games.championship.mitchell import mitchell
from services.games.championship.round_robin import round_robin
from tests.games.championship.rounds import balance, byes, everybody_once, history, met

SIZES = range(4, 61)


def field(entrants: int) -> list[int]:
    return list(range(101, 101 + entrants))


def lawful(played: Sequence[Round], entrants: Sequence[int]) -> None:
    """Everybody once a round, nobody the same opponent or the same boards twice, no second bye before all had one."""
    assert [one.number for one in played] == list(range(1, len(played) + 1))
    assert all(everybody_once(one, entrants) for one in played)
    assert max(met(played).values()) == 1
    boards = Counter(
        (entrant, each.boards)
        for one in played
        for each in one.meetings
        for entrant in (each.first, each.second)
    )
    assert max(boards.values()) == 1
    assert max(byes(played).values(), default=0) <= 1


def opponents(played: Sequence[Round]) -> Counter[int]:
    return Counter(entrant for pairing in met(played) for entrant in pairing)


def compared(played: Sequence[Round]) -> dict[tuple[int, int], list[int]]:
    """Who is compared: entrants by set of boards and line."""
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for one in played:
        for each in one.meetings:
            groups[each.boards, 0].append(each.first)
            groups[each.boards, 1].append(each.second)
    return groups


def one_set_a_table(played: Sequence[Round]) -> bool:
    """Whether no two tables need the same boards at a time."""
    return all(len({each.boards for each in one.meetings}) == len(one.meetings) for one in played)


@pytest.mark.parametrize("same_boards", [False, True])
@pytest.mark.parametrize("entrants", SIZES)
def test_C7_3_mitchell(entrants: int, same_boards: bool) -> None:
    pairs, tables = field(entrants), (entrants + 1) // 2
    played = mitchell(pairs, same_boards)
    lawful(played, pairs)
    assert len(played) == tables - (tables % 2 == 0 and not same_boards)
    staying, moving = pairs[::2], pairs[1::2]
    assert all(each.first in staying and each.second in moving for one in played for each in one.meetings)
    missed = tables - len(played)
    met_by = opponents(played)
    assert all(len(moving) - missed <= met_by[entrant] <= len(moving) for entrant in staying)
    assert all(met_by[entrant] == len(played) for entrant in moving)
    assert one_set_a_table(played) != same_boards
    if missed == 0:
        # The duplicate principle: both lines of every set of boards hold all that played a round of that number of tables.
        assert {len(group) for group in compared(played).values()} <= {tables, tables - entrants % 2}
    for boards in {each.boards for one in played for each in one.meetings}:
        groups = compared(played)
        assert len(groups[boards, 0]) == len(groups[boards, 1]) >= tables - 2


def test_C7_3_mitchell_in_figures() -> None:
    assert mitchell([1, 2, 3, 4, 5, 6]) == (
        Round(1, (Meeting(1, 2, 1), Meeting(3, 4, 2), Meeting(5, 6, 3))),
        Round(2, (Meeting(1, 6, 2), Meeting(3, 2, 3), Meeting(5, 4, 1))),
        Round(3, (Meeting(1, 4, 3), Meeting(3, 6, 1), Meeting(5, 2, 2))),
    )


def test_C7_3_an_even_number_of_tables_skips_one_half_way() -> None:
    played = mitchell(range(1, 9))
    assert [one.meetings[0].second for one in played] == [2, 8, 4]
    assert [one.meetings[0].second for one in mitchell(range(1, 9), same_boards=True)] == [2, 8, 6, 4]


@pytest.mark.parametrize("same_boards", [False, True])
@pytest.mark.parametrize("entrants", SIZES)
def test_C7_3_howell(entrants: int, same_boards: bool) -> None:
    pairs = field(entrants)
    if entrants <= 6 and not same_boards:
        with pytest.raises(Rejected, match="NO_SUCH_MOVEMENT"):
            howell(pairs)
        return
    played = howell(pairs, same_boards)
    lawful(played, pairs)
    assert len(played) == entrants - 1 + entrants % 2
    assert set(opponents(played).values()) == {entrants - 1}
    assert set(byes(played).values()) == ({1} if entrants % 2 else set())
    assert balance(played) <= 1
    assert one_set_a_table(played) != same_boards
    # The duplicate principle: every set of boards is played by everybody, but for byes, half of them in each line.
    for boards in range(1, len(played) + 1):
        groups = compared(played)
        everybody = groups[boards, 0] + groups[boards, 1]
        assert len(everybody) == len(set(everybody)) == entrants - entrants % 2
        assert len(groups[boards, 0]) == len(groups[boards, 1])


@pytest.mark.parametrize("entrants", range(2, 17))
def test_C7_3_round_robin(entrants: int) -> None:
    teams = field(entrants)
    played = round_robin(teams)
    lawful(played, teams)
    assert len(played) == entrants - 1 + entrants % 2
    assert set(opponents(played).values()) == {entrants - 1}
    assert set(byes(played).values()) == ({1} if entrants % 2 else set())
    assert balance(played) <= 1
    assert all({each.boards for each in one.meetings} == {one.number} for one in played)


def test_C7_3_round_robin_in_figures() -> None:
    assert round_robin([1, 2, 3, 4]) == tuple(history("4-1 2-3", "2-4 3-1", "4-3 1-2"))


def test_fewer_rounds_are_the_first_of_them() -> None:
    assert mitchell(range(10), rounds=3) == mitchell(range(10))[:3]
    assert howell(range(10), rounds=4) == howell(range(10))[:4]


def test_movements_that_cannot_be_are_refused() -> None:
    for movement in (mitchell, howell):
        for entrants, rounds, reason in (
            ([1, 2], None, "EMPTY_FIELD"),
            ([1, 2, 3, 4, 5, 6, 7, 7], None, "SEATED_TWICE"),
            (range(8), 0, "ROUNDS_OUT_OF_RANGE"),
            (range(8), 8, "ROUNDS_OUT_OF_RANGE"),
        ):
            with pytest.raises(Rejected, match=reason):
                movement(list(entrants), rounds=rounds)
    with pytest.raises(Rejected, match="FIELD_TOO_LARGE"):
        howell(range(61))
    with pytest.raises(Rejected, match="FIELD_TOO_LARGE"):
        round_robin(range(17))
    for teams in ([], [1]):
        with pytest.raises(Rejected, match="EMPTY_FIELD"):
            round_robin(teams)
