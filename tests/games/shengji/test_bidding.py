"""S3, S4, S5 at the table: drawing, bidding, asks, no bid, revolution, the bottom."""

from __future__ import annotations

from typing import Any

import pytest

from services.domain import Rejected, fold
from services.games.shengji import actions, questions
from services.games.shengji.actions import PASS, REVOLT, Bury, show
from services.games.shengji.bids import Bid, Setting, Trumps
from services.games.shengji.decide import decide, draw, opening
from services.games.shengji.events import (
    BidMade,
    BidOffered,
    BottomTaken,
    BottomTurned,
    CardsDrawn,
    DealVoided,
    RevoltPassed,
    TrumpsSet,
)
from services.games.shengji.evolve import evolve
from services.games.shengji.fallback import fallback
from services.games.shengji.state import State
from tests.games.shengji.given import act, dealt, duplicate, play, refused, xiamen

HANDS = ["S5 SA", "D2 D3 D2", "H2 H3 H2", "S2 S3 S2"]
"""Seat 1 draws D2 second of all, seats 2 and 3 pairs of H2 and S2."""
POOR = "S3 S3 S4 S4 S6 S6 S7 S7 S8 S8 S9 S9 SJ SJ SQ SQ SA SA C3 C3 C4 C4 C6 C6 C7"


def board(declarer: int | None = 0, hands: list[str] | None = None, bottom: str = "", **params: Any) -> State:
    first = 0 if declarer is None else declarer
    return dealt(hands or HANDS, bottom, xiamen(**params), Setting("2", declarer, first))


def called(**given: Any) -> State:
    """All cards drawn, nobody has bid."""
    start = board(**given)
    return fold(evolve, start, opening(start))


def drawn(state: State, number: int) -> State:
    return fold(evolve, state, draw(state, number))


def passed(state: State) -> State:
    """All that are asked pass until trumps are set."""
    while state.phase in ("call", "ask"):
        state = act(state, f"{questions.asked(state)[0]} pass")
    return state


# S3, S4.1: while cards are drawn


def test_s3_1_cards_are_drawn_one_at_a_time_from_the_first_drawer() -> None:
    state = drawn(board(2), 5)
    assert state.deal[0] == play("H2")[0]
    assert [questions.options(state, seat) != () for seat in range(4)] == [False, True, True, True]


def test_s4_1_a_level_card_is_bid_once_it_is_drawn() -> None:
    assert refused(drawn(board(), 1), "1 bid D2") == ("CARD_NOT_DRAWN", "S4.1")
    state = act(drawn(board(), 2), "1 bid D2")
    assert state.standing is None
    assert drawn(state, 3).standing == Bid(1, play("D2"))


def test_s4_4_bids_at_one_draw_are_decided_when_the_next_card_is_drawn() -> None:
    """Card 4 is drawn by seat 3, then come 0, 1 and 2, whoever spoke first."""
    for texts in (["2 bid H2", "1 bid D2"], ["1 bid D2", "2 bid H2"]):
        state = act(drawn(board(), 4), *texts)
        assert draw(state, 5) == (BidMade(1, play("D2")), CardsDrawn(5))
    state = act(drawn(board(), 4), "1 bid D2", "2 bid H2", "3 bid S2")
    assert drawn(state, 5).standing == Bid(3, play("S2"))


def test_s4_4_a_seat_bids_once_at_a_draw() -> None:
    state = act(drawn(board(), 12), "1 bid D2")
    assert refused(state, "1 bid D2 D2") == ("ALREADY_ANSWERED", "S4.4")
    assert questions.options(state, 1) == ()


def test_s4_2_consolidation_and_overcall() -> None:
    state = drawn(act(drawn(board(), 12), "1 bid D2"), 13)
    consolidated = drawn(act(state, "1 bid D2"), 14)
    assert consolidated.standing == Bid(1, play("D2 D2"))
    assert refused(consolidated, "3 bid S2 S2") == ("PAIR_STANDS", "S4.2")
    overcalled = drawn(act(state, "3 bid S2 S2"), 14)
    assert overcalled.standing == Bid(3, play("S2 S2"))
    assert refused(state, "3 bid S2") == ("SINGLE_STANDS", "S4.2")


def test_s4_2_a_pair_leaves_nothing_to_ask() -> None:
    state = drawn(act(drawn(board(), 12), "1 bid D2 D2"), 13)
    assert draw(state, 100) == (CardsDrawn(100), TrumpsSet("D", 0, False), BottomTaken(0))


def test_s3_1_cards_are_drawn_on() -> None:
    state = drawn(board(), 50)
    for number in (0, 50, 101):
        with pytest.raises(Rejected, match=r"S3\.1"):
            draw(state, number)
    with pytest.raises(Rejected, match=r"S3\.1"):
        draw(drawn(state, 100), 101)


def test_dealing_at_once_is_drawing_all() -> None:
    assert opening(board()) == draw(board(), 100) == (CardsDrawn(100),)


def test_s4_1_after_deal() -> None:
    state = drawn(board(bid_phase="after_deal"), 50)
    assert questions.options(state, 1) == ()
    assert refused(state, "1 bid D2") == ("TOO_EARLY", "S4.1")
    assert act(drawn(state, 100), "1 bid D2").answers[1] == play("D2")


# S4.4, S4.5: once all are drawn


def test_s4_4_all_may_bid_and_the_nearest_after_the_last_drawer_has_it() -> None:
    """Seat 3 drew card 100."""
    state = act(called(), "1 bid D2", "2 bid H2", "0 pass")
    assert questions.asked(state) == (3,)
    assert state.standing is None
    assert act(state, "3 bid S2").standing == Bid(3, play("S2"))
    assert act(state, "3 pass").standing == Bid(1, play("D2"))


def test_s4_5_then_all_are_asked_and_the_first_pair_in_turn_ends_it() -> None:
    state = act(called(), "0 pass", "1 bid D2", "2 pass", "3 pass")
    assert (state.phase, questions.asked(state)) == ("ask", (0, 1, 2, 3))
    state = act(state, "3 bid S2 S2")
    assert questions.asked(state) == (1, 2)
    assert questions.put(state, 0) == "bid"
    state = act(state, "1 pass")
    after = decide(state, 2, actions.Bid(play("H2 H2")))
    assert after[1:] == (BidMade(2, play("H2 H2")), TrumpsSet("H", 0, False), BottomTaken(0))
    state = act(state, "2 pass")
    assert state.trumps == Trumps("S", 0, False)


def test_s4_5_the_bidder_may_consolidate_at_its_turn() -> None:
    """Seat 0 declares: seat 1 is asked first, and none after it."""
    state = act(called(), "0 pass", "1 bid D2", "2 pass", "3 pass")
    assert act(state, "1 bid D2").trumps == Trumps("D", 0, False)


def test_s4_5_on_a_first_deal_the_bidder_is_asked_last() -> None:
    state = act(called(declarer=None), "0 pass", "1 bid D2", "2 pass", "3 pass")
    state = act(state, "1 bid D2", "3 pass", "0 pass")
    assert questions.asked(state) == (2,)
    assert act(state, "2 bid H2 H2").trumps == Trumps("H", 2, False)
    assert act(state, "2 pass").trumps == Trumps("D", 1, False)


def test_s4_5_nobody_overcalls() -> None:
    state = passed(act(called(), "1 bid D2", "0 pass", "2 pass", "3 pass"))
    assert state.trumps == Trumps("D", 0, False)


def test_s4_4_a_pair_over_a_single_of_the_same_call() -> None:
    state = act(called(), "0 pass", "3 bid S2", "1 bid D2 D2", "2 pass")
    assert state.standing == Bid(1, play("D2 D2"))
    assert state.trumps == Trumps("D", 0, False)


def test_every_seat_answers_once() -> None:
    state = act(called(), "1 pass")
    assert refused(state, "1 bid D2") == ("ALREADY_ANSWERED", "S4.5")
    assert refused(state, "1 pass") == ("NOT_ASKED", "S4.5")


def test_s4_5_after_the_bottom_is_taken_nobody_changes_trumps() -> None:
    state = passed(act(called(), "1 bid D2", "0 pass", "2 pass", "3 pass"))
    assert refused(state, "3 bid S2 S2") == ("TRUMPS_SET", "S4.5")


# S4.6, S4.7: nobody bids


def test_s4_6_the_bottom_is_turned_and_level_cards_fall() -> None:
    state = act(called(bottom="S3 H4 jo C5 C6"), "0 pass", "1 pass", "2 pass")
    events = decide(state, 3, PASS)
    turned = tuple(play(word)[0] for word in ("S3", "H4", "jo", "C5"))
    assert events[1:] == (BottomTurned(turned), TrumpsSet("C", 0, True), BottomTaken(0))
    after = act(state, "3 pass")
    assert {order.demoted for order in after.orders} == {True}


def test_s4_6_demotion_is_a_parameter() -> None:
    none = passed(called(demote="none"))
    assert none.trumps is not None
    assert not none.trumps.demoted
    held = passed(called(demote="declaring_side_held"))
    assert [order.demoted for order in held.orders] == [True, False, True, False]


def test_s4_7_the_first_drawer_declares_a_first_deal_without_a_bid() -> None:
    state = passed(called(declarer=None))
    assert state.trumps is not None
    assert state.trumps.declarer == 0


# S4.8: revolution


def revolting(**params: Any) -> State:
    hands = ["", POOR, "SK SK HK HK CK CK", "DK DK ST ST HT HT"]
    return passed(called(hands=hands, **params))


def test_s4_8_each_defender_is_asked_whatever_it_holds() -> None:
    state = revolting()
    assert [questions.put(state, seat) for seat in range(4)] == ["bury", "revolt", "", "revolt"]
    assert questions.asked(state) == (0, 1, 3)
    assert len(questions.options(state, 1)) == 2
    assert len(questions.options(state, 3)) == 1


def test_s4_8_a_defender_with_few_points_voids_the_deal() -> None:
    state = revolting()
    assert decide(state, 1, REVOLT) == (DealVoided(1),)
    after = act(state, "1 revolt")
    assert (after.phase, questions.asked(after)) == ("over", ())
    assert refused(after, "0 play S5") == ("DEAL_OVER", "S9")


def test_s4_8_not_with_more_points_nor_by_the_declaring_side() -> None:
    state = revolting()
    assert refused(state, "3 revolt") == ("TOO_MANY_POINTS", "S4.8")
    assert refused(state, "0 revolt") == ("NOT_A_DEFENDER", "S4.8")
    assert refused(state, "2 revolt") == ("NOT_A_DEFENDER", "S4.8")


def test_s4_8_once_and_before_the_first_lead() -> None:
    state = revolting()
    assert decide(state, 1, PASS) == (RevoltPassed(1),)
    state = act(state, "1 pass")
    assert refused(state, "1 revolt") == ("ALREADY_ANSWERED", "S4.8")
    assert refused(called(), "1 revolt") == ("NO_TRUMPS_YET", "S4.8")


def test_s4_8_the_declarer_leads_after_all_have_answered() -> None:
    state = act(revolting(), "1 pass")
    buried = act(state, _lowest(state))
    assert (buried.phase, questions.asked(buried)) == ("bury", (3,))
    assert act(buried, "3 pass").phase == "play"
    assert act(act(revolting(), "1 pass", "3 pass"), _lowest(state)).phase == "play"


def test_s4_8_off_in_duplicate_play() -> None:
    start = dealt(["", POOR, "", ""], "", duplicate(), Setting("2", 0, 0))
    state = passed(fold(evolve, start, opening(start)))
    assert questions.asked(state) == (0,)
    assert refused(state, "1 revolt") == ("NO_REVOLUTION", "S4.8")


# S5: the bottom


def test_s5_1_the_declarer_takes_the_bottom_and_lays_eight() -> None:
    state = revolting()
    assert sum(state.hands[0]) == 33
    assert state.bottom == ()
    after = act(state, _lowest(state))
    assert sum(after.hands[0]) == 25
    assert len(after.bottom) == 8


def test_s5_1_refusals() -> None:
    state = revolting()
    eight = _lowest(state).split(maxsplit=1)[1]
    assert refused(state, f"1 {eight}") == ("NOT_THE_DECLARER", "S5.1")
    assert refused(state, f"0 {eight.rsplit(maxsplit=1)[0]}") == ("WRONG_NUMBER", "S5.1")
    assert refused(state, "0 bury SK SK HK HK CK CK DK DK") == ("CARD_NOT_IN_HAND", "S5.1")
    assert refused(act(state, f"0 {eight}"), f"0 {eight}") == ("NO_BOTTOM_TO_LAY", "S5.1")
    assert refused(state, "0 play S5") == ("BOTTOM_FIRST", "S6.1")
    assert refused(state, "0 pass") == ("NOT_ASKED", "S4.5")


def test_s5_1_all_ways_to_lay_eight_are_counted() -> None:
    state = revolting()
    options = questions.options(state, 0)
    assert len(options) > 100_000
    assert options[123_456] in options
    assert Bury(play("SK SK HK HK CK CK DK DK")) not in options
    assert all(isinstance(option, Bury) for option in options[:3])


def _lowest(state: State) -> str:
    return f"0 {show(fallback(state, 0))}"


def test_a_bid_offered_is_an_event_of_its_own() -> None:
    state = drawn(board(), 12)
    assert decide(state, 1, actions.Bid(play("D2"))) == (BidOffered(1, play("D2")),)
