"""S1.1: the 108 cards."""

from __future__ import annotations

from collections import Counter

import pytest

from services.domain import Rejected
from services.games.shengji import cards
from tests.games.shengji.given import hand, play


def test_s1_1_two_packs_of_54() -> None:
    words = [cards.show(card) for card in cards.DECK]
    assert len(words) == 108
    assert set(Counter(words).values()) == {2}
    assert sorted({word[0] for word in words if word not in ("jo", "JO")}) == ["C", "D", "H", "S"]
    assert {word[1] for word in words if word[0] == "H"} == set("23456789TJQKA")


def test_s1_1_points_are_200() -> None:
    assert cards.points(cards.DECK) == 200
    assert [cards.points(play(text)) for text in ("S5", "HT", "DK", "CA", "JO", "H5 H5 SK C9")] == [
        5, 10, 10, 0, 0, 20,
    ]  # fmt: skip


def test_text_and_code_agree() -> None:
    assert [cards.parse(cards.show(card)) for card in cards.KINDS] == list(cards.KINDS)
    assert [cards.suit_of(card) for card in play("SA H2 CT D9 jo JO")] == ["S", "H", "C", "D", "", ""]
    assert cards.kind("H", "7") == cards.parse("H7")
    assert cards.show(cards.HIDDEN) == "??"


@pytest.mark.parametrize("text", ["", "S1", "S10", "sA", "AS", "j", "??", "SAA", 5, None, ["SA"]])
def test_what_is_no_card(text: object) -> None:
    with pytest.raises(Rejected) as refused:
        cards.parse(text)
    assert (refused.value.reason, refused.value.clause) == ("MALFORMED_CARD", "S1.1")


def test_counts() -> None:
    held = hand("SA SA H2 JO")
    assert cards.expand(held) == play("SA SA H2 JO")
    assert cards.holds(held, play("SA SA"))
    assert not cards.holds(held, play("H2 H2"))
    assert cards.without(held, play("SA JO")) == hand("SA H2")
    with pytest.raises(ValueError):
        cards.without(held, play("D2"))
