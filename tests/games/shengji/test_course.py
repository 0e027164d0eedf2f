"""S6-S9 at the table: leads, throws, follows, tricks, the last trick, referees' findings."""

from __future__ import annotations

from typing import Any

import pytest

from services.domain import Rejected, fold
from services.games.shengji import actions, questions
from services.games.shengji.actions import Play
from services.games.shengji.decide import Events, decide, penalise
from services.games.shengji.events import CardsPlayed, DealEnded, Penalised, ThrowFailed, TrickWon
from services.games.shengji.evolve import evolve
from services.games.shengji.state import State
from tests.games.shengji.given import act, duplicate, play, playing, refused, xiamen


def decided(board: State, text: str) -> Events:
    seat, action = text.split(maxsplit=1)
    return decide(board, int(seat), actions.parse(action))


# S6: leads and throws


def test_s6_1_the_declarer_leads_then_the_winner() -> None:
    board = playing("C9 S3|CK S4|CA S5|C2 S6", declarer=3)
    assert questions.asked(board) == (3,)
    assert refused(board, "0 play C9") == ("NOT_YOUR_TURN", "S2.1")
    board = act(board, "3 play C2", "0 play C9", "1 play CK", "2 play CA")
    assert questions.asked(board) == (2,)


def test_s6_2_a_lead_is_of_one_suit_and_of_the_hand() -> None:
    board = playing("C9 S7 SA HA|CK|CA|C2")
    assert refused(board, "0 play C9 SA") == ("NOT_ONE_SUIT", "S6.2")
    assert refused(board, "0 play CK") == ("CARD_NOT_IN_HAND", "S6.2")
    assert refused(board, "0 play C9 C9") == ("CARD_NOT_IN_HAND", "S6.2")
    assert Play(play("S7 HA")) in questions.options(board, 0)
    assert Play(play("C9 SA")) not in questions.options(board, 0)


def test_s6_4_a_throw_that_stands_is_led() -> None:
    board = playing("CA CK CK S3 S4 S6|C2 C3 C4 C5|C6 C6 C8 D3|D4 D5 D6 H2")
    assert decided(board, "0 play CA CK CK") == (CardsPlayed(0, play("CA CK CK")),)


def test_s6_4_a_throw_that_fails_leads_its_smallest_beaten_component() -> None:
    board = playing("CA C8 C8 S3|C2 C3 C4 C5|C9 C9 CJ D3|D4 D5 D6 H2", points=40)
    assert decided(board, "0 play CA C8 C8") == (
        ThrowFailed(0, play("CA C8 C8"), 20),
        CardsPlayed(0, play("C8 C8")),
    )
    after = act(board, "0 play CA C8 C8")
    assert after.hands[0] == playing("CA S3|||").hands[0]
    assert after.thrown == play("CA C8 C8")


@pytest.mark.parametrize(("declarer", "points"), [(0, 60), (1, 20), (2, 60), (3, 20)])
def test_s9_2_a_fine_goes_to_the_other_side(declarer: int, points: int) -> None:
    board = playing("CA C8 C8 S3|C2 C3 C4 C5|C9 C9 CJ D3|D4 D5 D6 H2", declarer=declarer, leader=0, points=40)
    assert act(board, "0 play CA C8 C8").points == points


def test_s6_4_the_fine_counts_in_duplicate_too_and_may_be_off() -> None:
    hands = "CA C8 C8 S3|C2 C3 C4 C5|C9 C9 CJ D3|D4 D5 D6 H2"
    assert act(playing(hands, params=duplicate()), "0 play CA C8 C8").points == 20
    off = act(playing(hands, params=duplicate(throw_fine=0)), "0 play CA C8 C8")
    assert (off.points, off.trick) == (0, (play("C8 C8"),))


def test_what_was_shown_in_a_failed_throw_goes_with_the_trick() -> None:
    board = playing("CA C8 C8 S3|C2 C3 C4 C5|C9 C9 CJ D3|D4 D5 D6 H2")
    board = act(board, "0 play CA C8 C8", "1 play C2 C3", "2 play C9 C9", "3 play D4 D5")
    assert (board.thrown, board.trick, board.leader) == ((), (), 2)


# S7, S8: follows and tricks


def test_s7_follows_are_checked() -> None:
    board = act(playing("C9 C9 S3|CK CK C4|C5 C6 D3|H2 H2 D4"), "0 play C9 C9")
    assert refused(board, "1 play C4 CK") == ("MUST_ANSWER_SHAPE", "S7.2")
    assert refused(board, "1 play CK") == ("WRONG_NUMBER", "S7.1")
    assert refused(board, "1 play D3 D3") == ("CARD_NOT_IN_HAND", "S7.1")
    board = act(board, "1 play CK CK")
    assert refused(board, "2 play C5 D3") == ("MUST_FOLLOW_SUIT", "S7.1")
    assert [len(questions.options(board, seat)) for seat in range(4)] == [0, 0, 1, 0]


def test_s7_2_the_parameter_reaches_the_table() -> None:
    hands = "C8 C8 C9 C9 CT CT S3|C2 C2 C3 C3 C6 C6 CQ CQ|||"
    lead = "0 play C8 C8 C9 C9 CT CT"
    options = [
        len(
            questions.options(
                act(playing(hands.rstrip("|") + "||", params=xiamen(partial_tractor_follow=partial)), lead), 1
            )
        )
        for partial in (True, False)
    ]
    assert options == [2, 4]


def test_s8_4_only_the_defenders_points_count() -> None:
    hands = "C9 S3|CK S4|CA S5|C5 S6"
    plays = ["0 play C9", "1 play CK", "2 play CA", "3 play C5"]
    assert decided(act(playing(hands), *plays[:3]), plays[3])[-1] == TrickWon(2, 15)
    assert act(playing(hands), *plays).points == 0
    assert act(playing(hands, declarer=1, leader=0), *plays).points == 15


def test_seats_that_fail_to_follow_are_remembered() -> None:
    board = act(playing("C9 S3|D4 S4|CA S5|H2 S6"), "0 play C9", "1 play D4", "2 play CA", "3 play H2")
    assert board.voids == (0, 1 << 2, 0, 1 << 2)


def test_s4_6_sides_of_which_one_has_fallen() -> None:
    """Declarer's side at the bottom, defenders' level cards where they belong."""
    held = xiamen(demote="declaring_side_held")
    board = playing("H7 S3|H7 S4|D7 S5|H2 S6", ranked="7 H demoted", params=held)
    board = act(board, "0 play H7", "1 play H7", "2 play D7")
    assert decided(board, "3 play H2")[-1] == TrickWon(1, 0)


# S9.1: the last trick


def ended(hands: str, *plays: str, **given: Any) -> DealEnded:
    board = act(playing(hands, **given), *plays)
    assert isinstance(board.result, DealEnded)
    return board.result


def test_s9_1_the_bottom_goes_to_defenders_that_win_the_last_trick() -> None:
    plays = ["0 play C9", "1 play CK", "2 play CT", "3 play CA"]
    assert ended("C9|CK|CT|CA", *plays, points=40) == DealEnded(90, 30, (-10, 10, -10, 10))
    assert ended("C9|CK|CT|CA", *plays, points=40, declarer=1, leader=0) == DealEnded(
        40, 0, (-40, 40, -40, 40)
    )


def test_s9_1_by_the_shape_of_the_winning_play() -> None:
    hands = "CA CK|C2 C3|CQ CJ|H3 H3"
    plays = ["0 play CA CK", "1 play C2 C3", "2 play CJ CQ", "3 play H3 H3"]
    assert ended(hands, *plays).bonus == 60
    assert ended(hands, *plays, params=xiamen(bottom_shape="lead")).bonus == 30


def test_a_deal_of_eighty_points_is_nobodys() -> None:
    result = ended("C9|CT|C3|C4", "0 play C9", "1 play CT", "2 play C3", "3 play C4", bottom="", points=70)
    assert result == DealEnded(80, 0, (0, 0, 0, 0))


def test_s9_6_scores_by_levels() -> None:
    levels = duplicate(score="levels")
    result = ended("CA|C2|C3|C4", "0 play CA", "1 play C2", "2 play C3", "3 play C4", params=levels)
    assert result.scores == (5, -5, 5, -5)


def test_after_the_end_nothing_is_played() -> None:
    board = act(playing("CA|C2|C3|C4"), "0 play CA", "1 play C2", "2 play C3", "3 play C4")
    assert questions.asked(board) == ()
    assert refused(board, "0 play CA") == ("DEAL_OVER", "S9")


# What is no action


NO_CARDS: list[Any] = [(), (0,), (55,), [27], ("CA",), ({},), (27.0,), None]


@pytest.mark.parametrize("action", [*map(Play, NO_CARDS), None, "play CA"])
def test_what_is_no_action(action: Any) -> None:
    with pytest.raises(Rejected, match="MALFORMED_ACTION"):
        decide(playing("CA|C2|C3|C4"), 0, action)


@pytest.mark.parametrize("seat", [-1, 4])
def test_there_are_four_seats(seat: int) -> None:
    with pytest.raises(Rejected, match=r"S2\.1"):
        decide(playing("CA|C2|C3|C4"), seat, Play(play("CA")))


def test_the_order_of_cards_does_not_matter() -> None:
    board = playing("CA CK CK|C2 C3 C4|C6 C6 C8|D4 D5 D6")
    lead = tuple(reversed(play("CA CK CK")))
    assert decide(board, 0, Play(lead)) == (CardsPlayed(0, play("CA CK CK")),)


# S10: a referee's findings


def test_s10_0_losing_the_deal_ends_it() -> None:
    board = playing("CA C2|C2 C3|C3 C4|C4 C5", points=30)
    events = penalise(board, 0, "S10.1", "ended")
    assert events == (Penalised(0, "S10.1", "ended", 80), DealEnded(80, 0, (0, 0, 0, 0)))
    assert questions.asked(_after(board, events)) == ()


def test_s10_8_a_concealed_revoke() -> None:
    board = playing("CA C2|C2 C3|C3 C4|C4 C5", points=30)
    assert penalise(board, 1, "S10.8", "found")[-1] == DealEnded(0, 0, (80, -80, 80, -80))
    assert penalise(board, 0, "S10.8", "found")[-1] == DealEnded(200, 0, (-120, 120, -120, 120))


def test_s10_refusals() -> None:
    board = playing("CA C2|C2 C3|C3 C4|C4 C5")
    over = _after(board, penalise(board, 0, "S10.1", "ended"))
    for state, code, finding in (
        (board, "S10.1", "found"),
        (board, "S10.99", "found"),
        (over, "S10.3", "found"),
    ):
        with pytest.raises(Rejected):
            penalise(state, 0, code, finding)


def _after(board: State, events: Events) -> State:
    return fold(evolve, board, events)
