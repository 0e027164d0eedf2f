"""The house AI: legal, deterministic, sensible, and clearly better than the player of an expired clock."""

from __future__ import annotations

import random
from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.domain import fold
from services.games.shengji.actions import PASS, REVOLT, Bid, Bury
from services.games.shengji.bids import Setting
from services.games.shengji.cards import DECK
from services.games.shengji.house import burying
from services.games.shengji.house.knowledge import Knowledge
from services.games.shengji.policy import choose
from services.games.shengji.result import side
from services.games.shengji.ruleset import DUPLICATE_2017 as RULES
from services.games.shengji.sight import view
from services.games.shengji.state import State
from services.games.shengji.view import SeatView
from tests.games.shengji.boards import play, rules_of
from tests.games.shengji.given import act, dealt, playing, xiamen
from tests.games.shengji.given import play as cards_of

seeds = st.integers(0, 2**32)


def sent(seen: SeatView) -> SeatView:
    """The view as a client gets it, without what the house remembers."""
    return SeatView(**{field.name: getattr(seen, field.name) for field in fields(SeatView)})


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_choices_are_legal_and_always_the_same(seed: int) -> None:
    for step in play(seed):
        for seat in rules_of(seed).asked(step.before):
            seen = view(step.before, seat)
            for known in (seen, sent(seen)):
                action = choose(known)
                assert action in seen.options
                assert choose(known) == action


def test_nothing_is_chosen_where_nothing_is_asked() -> None:
    with pytest.raises(ValueError, match="asks nothing"):
        choose(view(playing("CA|C2|C3|C4"), 1))


def choice(board: State, seat: int) -> str:
    return RULES.show(choose(view(board, seat)))


# Bidding


STRONG = "S2 SA SA SK SK SQ SJ ST ST S9 S9 S8 JO jo"
MIDDLING = "S2 S2 S3 S5 S9 SJ SK SA D5 D8 D9 HA HK HQ HQ HT H9 H5 CA CK CQ CT C5 C4 jo"
WEAK = "D2 D3 D4 D6 S3 S4 H3 H4 H6 H6 H7 H7 HJ C3 C4 C6 C6 C7 C7 C8 C9 CJ CJ HT H8"


def calling(hands: list[str]) -> State:
    board = dealt(hands, "", xiamen(), Setting("2", 0, 0))
    return fold(RULES.evolve, board, RULES.opening(board))


def test_a_strong_suit_is_bid_and_a_weak_one_is_not() -> None:
    board = calling([STRONG, WEAK])
    assert choose(view(board, 0)) == Bid(cards_of("S2"))
    assert choose(view(board, 1)) == PASS


def test_a_pair_overcalls_an_opponent_where_the_hand_is_stronger() -> None:
    """Asked by an opponent's bid it calls its strong suit, asked by its partner's it does not."""
    for bidder, answer in ((1, Bid(cards_of("S2 S2"))), (2, PASS)):
        hands = [MIDDLING, "", "", ""]
        hands[bidder] = WEAK
        passing = [f"{seat} {'bid D2' if seat == bidder else 'pass'}" for seat in range(4)]
        assert choose(view(act(calling(hands), *passing), 0)) == answer


def test_a_deal_with_few_trumps_is_voided() -> None:
    poor = "S3 S4 S6 S6 S7 S8 S9 SJ SQ C3 C4 C6 C6 C7 C8 C9 CJ CQ D3 D4 D6 D7 D8 D9 DJ"
    board = act(calling(["H2 HA HA HK HK", poor]), "0 bid H2", "1 pass", "2 pass", "3 pass")
    board = act(board, *(f"{seat} pass" for seat in range(4)))
    assert choose(view(board, 1)) == REVOLT


# The bottom


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_points_and_trumps_are_not_laid_while_there_is_anything_else(seed: int) -> None:
    for step in play(seed, revolts=0):
        board = step.before
        if RULES.asked(board) and view(board, RULES.asked(board)[0]).question == "bury":
            seat = RULES.asked(board)[0]
            laid = choose(view(board, seat))
            assert isinstance(laid, Bury)
            order = board.orders[seat]
            plain = sum(board.hands[seat][card] for suit in range(4) for card in order.members[suit])
            if plain >= 8:
                assert all(order.suits[card] != 4 for card in laid.cards)


def test_a_short_suit_is_laid_whole() -> None:
    hand = (
        "H2 H3 H4 H6 H8 H9 HJ HQ SA SA SK SK SQ SJ ST CA CA CK CK CQ CJ CT C9 C9 C8 C6 D3 D4 D9 JO jo D7 H7"
    )
    board = playing(f"{hand}|||")._replace(phase="bury", buried=False, bottom=())
    laid = burying.bury(Knowledge(view(board, 0))).cards
    assert {*cards_of("D3 D4 D9")} <= set(laid)


# Play


def test_a_sure_trick_is_taken_and_points_go_to_the_partner() -> None:
    board = playing("CA C3 S3|C4 C6 S4|CK CT C8|C9 CJ S6")
    assert choice(board, 0) == "play CA"
    board = act(board, "0 play CA", "1 play C4")
    assert choice(board, 2) in ("play CK", "play CT")


def test_no_points_go_to_an_opponent() -> None:
    board = act(playing("CA C3 S3|C4 CK CT|CQ CT C8|C9 CJ S6"), "0 play CA")
    assert choice(board, 1) == "play C4"


def test_points_are_ruffed_by_the_last_player() -> None:
    board = act(playing("CT C3|CK C6|CT C8|D3 H3 HA", declarer=0), "0 play CT", "1 play CK", "2 play C8")
    assert choice(board, 3) == "play D3"
    board = act(playing("CT C3|C4 C6|CK C8|D3 H3 HA"), "0 play CT", "1 play C4", "2 play CK")
    assert choice(board, 3) == "play H3"


def test_a_partners_trick_is_not_ruffed() -> None:
    board = act(playing("C9 C3|CA C6|C4 C8|D3 H3 HA"), "0 play C9", "1 play CA", "2 play C4")
    assert choice(board, 3) == "play D3"


def test_the_house_clearly_beats_the_fallback_player() -> None:
    """Twelve duplicate boards, each side playing each line once: on the same cards the house makes more."""
    margins = []
    for board in range(1, 13):
        deal = list(DECK)
        random.Random(board).shuffle(deal)
        margins.append(_score(board, tuple(deal), house=0) + _score(board, tuple(deal), house=1))
    assert sum(margin > 0 for margin in margins) >= 11
    assert sum(margins) / len(margins) > 60


def _score(board: int, deal: tuple[int, ...], house: int) -> int:
    """Raw score of the house's side on one board against the fallback player."""
    state = RULES.start(RULES.resolve({}), board, deal)
    state = fold(RULES.evolve, state, RULES.opening(state))
    while asked := RULES.asked(state):
        seat = asked[0]
        by_house = side(seat) == house
        action = RULES.choose(RULES.view(state, seat)) if by_house else RULES.fallback(state, seat)
        state = fold(RULES.evolve, state, RULES.decide(state, seat, action))
    outcome = RULES.outcome(state)
    assert outcome is not None
    return outcome.scores[house]
