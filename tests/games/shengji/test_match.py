"""A match of many deals (S2.2, S3.2, S4.7, S4.8, S9.4, S9.5) and the end of its time (C8.2-C8.4)."""

from __future__ import annotations

import random

import pytest

from services.domain import fold
from services.games.shengji import match
from services.games.shengji.bids import Setting, Trumps
from services.games.shengji.cards import DECK
from services.games.shengji.events import DealEnded, DealVoided
from services.games.shengji.match import Match
from services.games.shengji.ruleset import XIAMEN_2015 as RULES
from services.games.shengji.state import State, start
from tests.games.shengji.given import xiamen


def ended(game: Match, points: int, *, set_by: int | None = None) -> State:
    """A finished deal of the match with `points`; `set_by` declares where nobody does yet."""
    board = start(game.params, game.setting, DECK)
    declarer = set_by if game.declarer is None else game.declarer
    assert declarer is not None
    return board._replace(phase="over", trumps=Trumps("H", declarer, False), result=DealEnded(points, 0, ()))


def after(*deals: tuple[int, int | None] | int, **params: object) -> Match:
    """A match after deals of so many points; the first is declared by seat 0 unless said otherwise."""
    game = match.start(xiamen(**params), 0)
    for points in deals:
        number, set_by = points if isinstance(points, tuple) else (points, 0)
        game = match.played(game, ended(game, number, set_by=set_by))
    return game


def test_s2_2_both_sides_start_at_2() -> None:
    game = match.start(xiamen(), 3)
    assert game.levels == ("2", "2")
    assert game.setting == Setting("2", None, 3)


def test_s4_7_whoever_sets_trumps_declares_the_first_deal() -> None:
    assert after((60, 1)).levels == ("2", "3")
    assert after((60, 1)).setting == Setting("3", 3, 3)


def test_s9_4_the_next_declarer_draws_first_at_its_sides_level() -> None:
    assert after(0).setting == Setting("7", 2, 2)
    assert after(0, 80).setting == Setting("2", 3, 3)
    assert after(0, 140).setting == Setting("5", 3, 3)


def test_s9_4_clockwise_always() -> None:
    assert after(0, declarer_rotation="clockwise_always").setting == Setting("2", 1, 1)


def test_s4_8_a_voided_deal_is_dealt_again_under_the_same_setting() -> None:
    for game in (match.start(xiamen(), 2), after(0)):
        voided = ended(game, 0, set_by=1)._replace(result=DealVoided(3))
        again = match.played(match.played(game, voided), voided)
        assert again == game._replace(voided=2)
        assert again.setting == game.setting


def test_s9_5_the_side_that_rises_past_a_wins() -> None:
    game = after(0, 0, 0)
    assert (game.won_by, game.levels) == (0, ("A", "2"))
    assert after(0, 0).won_by is None
    with pytest.raises(ValueError, match="until it is won"):
        match.played(game, ended(game, 0))


def test_an_open_deal_is_not_played() -> None:
    game = match.start(xiamen(), 0)
    with pytest.raises(ValueError, match="finished deals"):
        match.played(game, start(game.params, game.setting, DECK))


def test_c8_3_levels_differ() -> None:
    game = after(60)
    for running in (False, True):
        assert match.at_time(game, running) == ("won", 0)
    assert match.at_time(after((60, 1)), True) == ("won", 1)


def test_c8_3_equal_levels_and_a_deal_in_progress() -> None:
    game = after(60, 80, 60)
    assert game.levels == ("3", "3")
    assert match.at_time(game, True) == ("finish_deal", None)
    assert [match.decided_by(ended(game, points)) for points in (75, 80, 95, 120)] == [1, 0, 0, 0]
    voided = ended(game, 0)._replace(result=DealVoided(0))
    assert match.decided_by(voided) is None


def test_c8_3_equal_levels_between_deals() -> None:
    game = after(60, 80, 60)
    assert game.reached == (1, 3)
    assert match.at_time(game, False) == ("won", 0)
    assert match.at_time(after((60, 1), 80, 60), False) == ("won", 1)


def test_c8_3_both_never_left_2() -> None:
    assert match.at_time(after(80, 80), False) == ("one_more_deal", None)
    assert match.at_time(match.start(xiamen(), 0), False) == ("one_more_deal", None)
    assert match.at_time(match.start(xiamen(), 0), True) == ("finish_deal", None)


def test_a_match_that_is_won_stays_won() -> None:
    assert match.at_time(after(0, 0, 0), True) == ("won", 0)


def test_c8_4_the_example_of_the_regulations() -> None:
    """A against 7: six levels, A counting as K; seven if it counts as a level of its own."""
    game = match.start(xiamen(), 0)._replace(levels=("A", "7"), won_by=0)
    assert match.net(game, 0) == 6
    assert match.net(game, 0, a_is_a_level=True) == 7


def test_c8_2_a_whole_match_of_the_house() -> None:
    """Levels never fall, every deal is declared by whom the last one named, and somebody wins."""
    rng = random.Random(5)
    game = match.start(RULES.resolve({}), rng.randrange(4))
    while game.won_by is None:
        deal = list(DECK)
        rng.shuffle(deal)
        board = RULES.deal(game.params, game.setting, tuple(deal))
        board = fold(RULES.evolve, board, RULES.opening(board))
        while asked := RULES.asked(board):
            action = RULES.choose(RULES.view(board, asked[0]))
            board = fold(RULES.evolve, board, RULES.decide(board, asked[0], action))
        before, game = game, match.played(game, board)
        assert before.declarer in (None, board.declarer)
        assert all(one <= two for one, two in zip(_places(before), _places(game), strict=True))
        assert game.deals + game.voided < 200
    assert "A" in game.levels


def _places(game: Match) -> list[int]:
    return ["23456789TJQKA".index(level) for level in game.levels]
