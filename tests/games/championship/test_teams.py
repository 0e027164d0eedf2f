"""Teams: two-room matches and match points, C7.2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from services.games.championship.league import Outcome
from services.games.championship.meetings import Meeting, Round
from services.games.championship.results import Corrected, Facts, Ruling, TableResult, Voided
from services.games.championship.swiss import pair
from services.games.championship.teams import WIN, compared, outcome, rooms
from tests.games.championship.fields import result
from tests.games.championship.rounds import history, met, next_round, placed

MATCH = Meeting(1, 2, 1)
PLAYED = [Round(1, (MATCH,))]


def room(one: int, other: int, scores: str, in_round: int = 1) -> list[TableResult]:
    """A room with team `one` in seats 0+2; raw scores of those seats board by board, `-` for a board not finished."""
    tables = []
    for board, word in enumerate(scores.split(), 1):
        score = 0 if word == "-" else int(word)
        given = result(
            f"{one} {other} {one} {other}", f"{score} {-score} {score} {-score}", "", in_round, board
        )
        given = replace(given, table=f"{in_round}-{one}-{other}")
        tables.append(replace(given, scores=()) if word == "-" else given)
    return tables


def of(played: Sequence[Round], tables: Sequence[TableResult], *rulings: Ruling) -> tuple[Outcome, ...]:
    return tuple(
        outcome(number, meeting, sum(swing.difference for swing in swings))
        for number, meeting, swings in compared(played, Facts(tuple(tables), rulings))
    )


def test_C7_2_a_team_has_a_pair_in_each_line() -> None:
    open_room, closed_room = rooms(MATCH)
    assert open_room == ((1, 0), (2, 0), (1, 1), (2, 1))
    assert closed_room == ((2, 2), (1, 2), (2, 3), (1, 3))
    for team in (1, 2):
        lines = [
            seat % 2 for room in (open_room, closed_room) for seat, (own, _) in enumerate(room) if own == team
        ]
        assert sorted(lines) == [0, 0, 1, 1]
    assert {member for room in (open_room, closed_room) for _, member in room} == {0, 1, 2, 3}


def test_C7_2_the_match_result_is_the_sum_of_the_differences_between_the_rooms() -> None:
    """30 − 10, −20 − 15, 0 − (−40): 25 in all."""
    tables = room(1, 2, "30 -20 0") + room(2, 1, "10 15 -40")
    assert of(PLAYED, tables) == (Outcome(1, 1, 2, (2, 0), 25),)
    assert of([Round(1, (Meeting(2, 1, 1),))], tables) == (Outcome(1, 2, 1, (0, 2), -25),)


def test_C7_2_match_points() -> None:
    """2 for the better result, 1 for an equal one, as C3.2 has it."""
    assert [outcome(1, MATCH, difference).points for difference in (1, 0, -100)] == [(2, 0), (1, 1), (0, 2)]


def test_C2_2_a_board_without_a_score_in_both_rooms_is_not_compared() -> None:
    tables = room(1, 2, "30 -20") + room(2, 1, "10 -")
    assert of(PLAYED, tables)[0].net == 20
    assert of(PLAYED, room(1, 2, "30")) == ()


def test_C1_7_a_board_that_house_AI_played_is_not_compared() -> None:
    tables = room(1, 2, "30 -20") + room(2, 1, "10 15")
    taken_over = [*tables[:3], replace(tables[3], taken_over=(2,))]
    assert of(PLAYED, taken_over)[0].net == 20


def test_C10_6_rulings_change_match_results() -> None:
    tables = tuple(room(1, 2, "30 -20") + room(2, 1, "10 15"))
    assert of(PLAYED, tables)[0].net == -15
    corrected = Corrected(1, 1, 2, "1-2-1", (-30, 30, -30, 30))
    assert of(PLAYED, tables, corrected)[0].net == 30
    voided = Voided(1, 1, 1, "1-1-2", (600, 500, 600, 500))
    assert of(PLAYED, tables, voided)[0].net == -35


def test_C7_2_matches_of_two_rounds_are_kept_apart() -> None:
    tables = room(1, 2, "30") + room(2, 1, "10") + room(1, 2, "5", 2) + room(2, 1, "9", 2)
    played = [Round(1, (MATCH,)), Round(2, (MATCH,))]
    assert [each.net for each in of(played, tables)] == [20, -4]


def test_C7_2_standings_with_a_bye() -> None:
    """Match points, then match results; the bye is worth 1, half a win (C1.5)."""
    played = history("1-2 3-4 5")
    tables = room(1, 2, "30") + room(2, 1, "10") + room(3, 4, "7") + room(4, 3, "7")
    assert [
        [each.entrant, each.points, each.net] for each in placed(range(1, 6), played, of(played, tables), WIN)
    ] == [
        [1, 2, 20],
        [3, 1, 0],
        [4, 1, 0],
        [5, 1, 0],
        [2, 0, -20],
    ]


scores = st.lists(st.integers(-80, 120), min_size=1, max_size=6)


@given(scores, scores)
def test_C7_2_what_one_team_gains_the_other_loses(open_room: list[int], closed_room: list[int]) -> None:
    """Who is named first, and the order of results, change nothing; equal rooms are a draw."""

    def match(meeting: Meeting, tables: Sequence[TableResult]) -> list[Outcome]:
        return list(of([Round(1, (meeting,))], tables))

    tables = room(1, 2, " ".join(map(str, open_room))) + room(2, 1, " ".join(map(str, closed_room)))
    (own,), (theirs,) = match(MATCH, tables), match(Meeting(2, 1, 1), tables[::-1])
    assert (own.net, own.points) == (-theirs.net, theirs.points[::-1])
    assert sum(own.points) == 2
    same = room(1, 2, " ".join(map(str, open_room))) + room(2, 1, " ".join(map(str, open_room)))
    assert match(MATCH, same)[0].points == (1, 1)


def test_C7_2_a_swiss_of_nine_teams() -> None:
    """Four rounds by match points: nobody meets twice, nobody has a second bye; team n scores n more a board."""
    teams = list(range(1, 10))
    played, tables = [pair(teams, {})], list[TableResult]()
    for number in range(1, 5):
        for each in played[-1].meetings:
            tables += room(each.first, each.second, str(each.first - each.second), number)
            tables += room(each.second, each.first, str(each.second - each.first), number)
        placings = placed(teams, played, of(played, tables), WIN)
        if number < 4:
            played.append(next_round(placings, played))
    assert max(met(played).values()) == 1
    assert len({each.bye for each in played}) == 4
    assert placings[0].entrant == 9
    assert sum(placing.net for placing in placings) == 0
