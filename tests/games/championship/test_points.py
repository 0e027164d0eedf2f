"""The points format: when a match ends and who has won it, C8.1 to C8.5."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.domain import Rejected
from services.games.championship.league import Outcome
from services.games.championship.meetings import Meeting, Round
from services.games.championship.netlevels import LEVELS
from services.games.championship.points import (
    MATCH_MICROS,
    ROUNDS,
    WIN,
    Due,
    MatchResult,
    MatchState,
    at_time,
    by_deal,
    outcome,
    past_a,
)
from services.games.championship.swiss import pair
from tests.games.championship.rounds import met, next_round, placed


def test_C8_2_the_winner_has_three_points_and_the_loser_none() -> None:
    """The seed's example: A wins, the other side has come to 7; net levels 6 and −6 (C8.4)."""
    result = past_a(1, ("7", "A"))
    assert outcome(2, Meeting(11, 12, 2), result) == Outcome(2, 11, 12, (0, 3), -6)
    assert outcome(2, Meeting(11, 12, 2), result, a_is_a_level=True).net == -7
    assert outcome(2, Meeting(12, 11, 2), past_a(0, ("A", "7"))) == Outcome(2, 12, 11, (3, 0), 6)
    assert MATCH_MICROS == 5_400_000_000


def test_C8_3a_the_higher_level_wins_and_a_running_deal_is_broken_off() -> None:
    """The seed's example: K against 10."""
    for dealing in (False, True):
        result = at_time(MatchState(("T", "K"), (5, 7), dealing))
        assert result == MatchResult(1, ("T", "K"), "C8.3a")
    assert outcome(1, Meeting(1, 2, 1), MatchResult(1, ("T", "K"), "C8.3a")).net == -3


def test_C8_3b_equal_levels_in_a_running_deal() -> None:
    """The deal is finished; below 80 the declarer's side wins."""
    assert at_time(MatchState(("K", "K"), (5, 7), dealing=True)) is Due.FINISH_DEAL
    assert at_time(MatchState(("2", "2"), dealing=True)) is Due.FINISH_DEAL
    for points, winner in ((0, 1), (75, 1), (79, 1), (80, 0), (95, 0), (200, 0), (-10, 1)):
        assert by_deal(Due.FINISH_DEAL, 1, points, ("K", "K")) == MatchResult(winner, ("K", "K"), "C8.3b")
        assert by_deal(Due.FINISH_DEAL, 0, points, ("K", "K")).winner == 1 - winner


def test_C8_3b_the_deal_that_decides_counts_for_net_levels_like_any_other() -> None:
    assert by_deal(Due.FINISH_DEAL, 0, 40, ("9", "7")).net() == 2
    assert by_deal(Due.FINISH_DEAL, 0, 85, ("7", "7")).net() == 0


def test_C8_3c_equal_levels_between_deals() -> None:
    """The seed's example: both at K, the side that came there first wins."""
    assert at_time(MatchState(("K", "K"), (5, 7))) == MatchResult(0, ("K", "K"), "C8.3c")
    assert at_time(MatchState(("K", "K"), (9, 7))) == MatchResult(1, ("K", "K"), "C8.3c")


def test_C8_3c_both_never_left_2() -> None:
    assert at_time(MatchState(("2", "2"))) is Due.ONE_MORE_DEAL
    assert by_deal(Due.ONE_MORE_DEAL, 0, 75, ("3", "2")) == MatchResult(0, ("3", "2"), "C8.3c")
    assert by_deal(Due.ONE_MORE_DEAL, 0, 80, ("2", "2")) == MatchResult(1, ("2", "2"), "C8.3c")


@pytest.mark.parametrize(
    ("levels", "reached"),
    [(("K", "K"), (None, 7)), (("K", "K"), (7, 7)), (("2", "2"), (1, None)), (("K", "K"), (None, None))],
)
def test_C8_3_a_log_that_contradicts_the_levels_is_refused(
    levels: tuple[str, str], reached: tuple[int | None, int | None]
) -> None:
    with pytest.raises(Rejected, match="REACHED_CONTRADICTS_LEVELS"):
        at_time(MatchState(levels, reached))


def test_levels_that_do_not_exist_are_refused() -> None:
    for wrong in (("1", "2"), ("2", "10")):
        with pytest.raises(Rejected, match="NO_SUCH_LEVEL"):
            at_time(MatchState(wrong))
        with pytest.raises(Rejected, match="NO_SUCH_LEVEL"):
            past_a(0, wrong)
        with pytest.raises(Rejected, match="NO_SUCH_LEVEL"):
            by_deal(Due.FINISH_DEAL, 0, 0, wrong)


level = st.sampled_from(LEVELS)


@given(level, level, st.permutations([1, 2]), st.booleans())
def test_C8_3_time_always_leads_to_a_winner_or_to_one_deal_that_decides(
    one: str, other: str, reached: list[int], dealing: bool
) -> None:
    """Whoever is told the sides the other way round says the same of them."""
    times = (None if one == "2" else reached[0], None if other == "2" else reached[1])
    found = at_time(MatchState((one, other), times, dealing))
    mirrored = at_time(MatchState((other, one), (times[1], times[0]), dealing))
    if isinstance(found, Due):
        assert mirrored is found
        assert one == other
    else:
        assert isinstance(mirrored, MatchResult)
        assert (mirrored.winner, mirrored.clause) == (1 - found.winner, found.clause)
        assert LEVELS.index(found.levels[found.winner]) >= LEVELS.index(found.levels[1 - found.winner])
        assert found.net() >= 0


def test_C8_1_five_rounds_of_sixteen_pairs() -> None:
    """Lot, then by points without rematch; the stronger pair, here the lower number, always wins (C8.1-C8.5)."""
    entrants = list(range(1, 17))
    lot = [7, 12, 1, 16, 3, 9, 2, 14, 5, 10, 4, 15, 6, 11, 8, 13]
    played: list[Round] = [pair(lot, {})]
    outcomes: list[Outcome] = []
    while True:
        for each in played[-1].meetings:
            winner = 0 if each.first < each.second else 1
            outcomes.append(
                outcome(len(played), each, past_a(winner, ("A", "7") if winner == 0 else ("7", "A")))
            )
        placings = placed(entrants, played, outcomes, WIN)
        if len(played) == ROUNDS:
            break
        played.append(next_round(placings, played))
        points = {placing.entrant: placing.points for placing in placings}
        gaps = [abs(points[each.first] - points[each.second]) for each in played[-1].meetings]
        assert max(gaps) <= 3
    assert max(met(played).values()) == 1
    assert [placings[0].entrant, placings[0].points, placings[0].net] == [1, 15, 30]
    assert [placing.points for placing in placings] == sorted(
        (placing.points for placing in placings), reverse=True
    )
    assert sum(placing.points for placing in placings) == 5 * 8 * 3


def test_C1_5_a_bye_of_the_points_format_is_worth_half_a_win_at_least() -> None:
    played = [Round(1, (Meeting(1, 2, 1),), 3)]
    won = outcome(1, played[0].meetings[0], past_a(0, ("A", "2")))
    placings = placed([1, 2, 3], played, [won], WIN)
    assert [(placing.entrant, float(placing.points), placing.net) for placing in placings] == [
        (1, 3.0, 11),
        (3, 1.5, 0),
        (2, 0.0, -11),
    ]
