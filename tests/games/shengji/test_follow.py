"""S7: what must be played to a lead."""

from __future__ import annotations

import pytest

from services.domain import Rejected
from services.games.shengji import cards
from services.games.shengji.follow import check, follows
from services.games.shengji.selections import Plays
from services.games.shengji.shape import demand
from tests.games.shengji.given import hand, order, play


def legal(lead: str, held: str, ranked: str = "7 H", *, partial: bool = True) -> Plays:
    return follows(order(ranked), hand(held), demand(order(ranked), play(lead)), partial=partial)


def shown(found: Plays) -> set[str]:
    return {" ".join(sorted(map(cards.show, each))) for each in found}


def test_s7_1_all_from_the_led_suit_while_there_are_any() -> None:
    assert shown(legal("C9", "CK C4 D3 H2")) == {"CK", "C4"}
    assert shown(legal("C9 C8", "CK C4 D3 H2")) == {"C4 CK"}
    assert shown(legal("C9", "D3 H2 H2")) == {"D3", "H2"}


def test_s7_2_pairs_by_pairs_also_out_of_a_tractor() -> None:
    assert shown(legal("C9 C9", "C3 C3 C4 C4 CA CK")) == {"C3 C3", "C4 C4"}


def test_s7_2_a_tractor_also_cut_from_a_longer_one() -> None:
    assert shown(legal("C9 C9 CT CT", "C3 C3 C4 C4 C5 C5 CA CA")) == {"C3 C3 C4 C4", "C4 C4 C5 C5"}


HELD = "C2 C2 C3 C3 C6 C6 CQ CQ CA"


def test_s7_2_too_short_a_tractor_with_further_pairs() -> None:
    assert shown(legal("C8 C8 C9 C9 CT CT", HELD)) == {"C2 C2 C3 C3 C6 C6", "C2 C2 C3 C3 CQ CQ"}


def test_s7_2_or_any_pairs_at_all() -> None:
    pairs = {"C2 C2 C3 C3 C6 C6", "C2 C2 C3 C3 CQ CQ", "C2 C2 C6 C6 CQ CQ", "C3 C3 C6 C6 CQ CQ"}
    assert shown(legal("C8 C8 C9 C9 CT CT", HELD, partial=False)) == pairs


def test_s7_2_any_of_the_longest_tractors_held_and_any_further_pair() -> None:
    """The further pair need not come from another tractor."""
    held = "C2 C2 C3 C3 C5 C5 C6 C6 CQ CQ"
    assert shown(legal("C8 C8 C9 C9 CT CT", held)) == {
        *("C2 C2 C3 C3 C5 C5", "C2 C2 C3 C3 C6 C6", "C2 C2 C3 C3 CQ CQ"),
        *("C2 C2 C5 C5 C6 C6", "C3 C3 C5 C5 C6 C6", "C5 C5 C6 C6 CQ CQ"),
    }


def test_s7_2_pairs_as_far_as_held_the_rest_singles() -> None:
    assert shown(legal("C8 C8 C9 C9", "C2 C2 C4 C6 CQ")) == {"C2 C2 C4 C6", "C2 C2 C4 CQ", "C2 C2 C6 CQ"}


def test_s7_2_several_components_biggest_first() -> None:
    """The tractor is answered before the pair, and both as well as the hand can."""
    held = "C2 C2 C3 C3 C5 C5 C6 CQ"
    assert shown(legal("C9 C9 CT CT CK CK", held)) == {"C2 C2 C3 C3 C5 C5"}
    assert shown(legal("C9 C9 CT CT CK", held)) == {
        "C2 C2 C3 C3 C5", "C2 C2 C3 C3 C6", "C2 C2 C3 C3 CQ",
    }  # fmt: skip


def test_s7_2_two_tractors_led_are_answered_by_two() -> None:
    """Cut so that one does not spoil the other: two out of 2233-4455, and 66-88 beside 22-33 or 33-44."""
    lead = "C9 C9 CT CT CQ CQ CK CK"
    held = "C2 C2 C3 C3 C4 C4 C5 C5 C8 C8 CA"
    assert shown(legal(lead, held)) == {"C2 C2 C3 C3 C4 C4 C5 C5"}
    assert shown(legal(lead, "C2 C2 C3 C3 C4 C4 C6 C6 C8 C8 CA")) == {
        "C2 C2 C3 C3 C6 C6 C8 C8",
        "C3 C3 C4 C4 C6 C6 C8 C8",
    }


def test_s6_3_equal_level_pairs_serve_two_tractors() -> None:
    """Ace with one pair of level cards, trump level cards with another: two tractors of one chain."""
    held = "HA HA S7 S7 D7 D7 H7 H7 H2 H2"
    assert shown(legal("H8 H8 H9 H9 HJ HJ HQ HQ", held)) == {"D7 D7 H7 H7 HA HA S7 S7"}


def test_s7_2_singles_may_be_a_pair() -> None:
    assert shown(legal("C9 C8", "C2 C2 C4")) == {"C2 C2", "C2 C4"}


def test_s7_2_pairs_fill_up_where_there_are_too_few_kinds() -> None:
    found = legal("C9 C8 C6 CT CA", "C2 C2 C3 C3 C4 C4 CQ CQ")
    assert len(found) == 4 + 12
    assert found.lowest() == play("C2 C2 C3 C3 C4")
    assert play("C2 C2 C3 C4 CQ") in found
    assert play("C2 C3 C4 CQ CA") not in found


def test_s7_2_the_lowest_play_answers_with_low_pairs_and_as_few_as_can_be() -> None:
    assert legal("C9 C9 C8", "C2 C3 C3 C4 C4 CQ").lowest() == play("C3 C3 C2")
    assert legal("C9 C9 CT CT CA", "C2 C2 C3 C4 C4 C5 C5 CQ").lowest() == play("C4 C4 C5 C5 C2")


def test_s7_3_short_of_the_suit_anything_fills_up() -> None:
    found = legal("C9 C9 CT CT", "C4 D3 D3 H5 S8")
    assert shown(found) == {"C4 D3 D3 H5", "C4 D3 D3 S8", "C4 D3 H5 S8"}
    assert found.lowest() == play("C4 D3 D3 S8")
    assert play("C4 D3 D3 D3") not in found
    assert play("D3 D3 H5 S8") not in found
    assert play("C4 D3 D3") not in found


def test_s7_3_none_of_the_suit() -> None:
    found = legal("C9 C9", "D3 D3 H5 S8")
    assert len(found) == 7 - 3
    assert shown(found) == {"D3 D3", "D3 H5", "D3 S8", "H5 S8"}


def test_a_sequence_is_indexed_like_any_other() -> None:
    found = legal("C9", "C2 C3 C4")
    assert [found[0], found[-1], found[1:]] == [play("C2"), play("C4"), [play("C3"), play("C4")]]
    with pytest.raises(IndexError):
        found[3]


def test_what_is_no_play_is_not_legal() -> None:
    no_plays: list[object] = [5, (), [play("C2")], None, "C2"]
    for found in (legal("C9", "C2 C3 C4"), legal("C9", "D2 D3")):
        assert not any(each in found for each in no_plays)


@pytest.mark.parametrize(
    ("lead", "held", "played", "reason", "clause"),
    [
        ("C9 C9", "C2 C2 C4", "C2", "WRONG_NUMBER", "S7.1"),
        ("C9 C9", "C2 C2 C4", "C2 C5", "CARD_NOT_IN_HAND", "S7.1"),
        ("C9 C9", "C2 C4 C4", "C2 C2", "CARD_NOT_IN_HAND", "S7.1"),
        ("C9 C9", "C2 C3 D4 D4", "D4 D4", "MUST_FOLLOW_SUIT", "S7.1"),
        ("C9 C9", "C2 H3 D7", "H3 D7", "MUST_FOLLOW_SUIT", "S7.1"),
        ("HA HA", "D7 C7 C2 C2", "C2 C2", "MUST_FOLLOW_SUIT", "S7.1"),
        ("C9 C9", "C2 C2 C4 C5", "C4 C5", "MUST_ANSWER_SHAPE", "S7.2"),
        ("C9 C9 CT CT", "C2 C2 C3 C3 C5 C5", "C2 C2 C5 C5", "MUST_ANSWER_SHAPE", "S7.2"),
    ],
)
def test_a_refusal_names_its_clause(lead: str, held: str, played: str, reason: str, clause: str) -> None:
    asked = demand(order(), play(lead))
    with pytest.raises(Rejected) as refused:
        check(order(), hand(held), asked, play(played))
    assert (refused.value.reason, refused.value.clause) == (reason, clause)


def test_what_is_legal_passes_the_check() -> None:
    asked = demand(order(), play("C9 C9 CT CT"))
    check(order(), hand("C2 C2 C3 C3 C5 C5"), asked, play("C2 C2 C3 C3"))
    check(order(), hand("C2 D4 D4 H5 H6"), asked, play("C2 D4 H5 H6"))
