"""S6.2, S6.3: components of a lead, longest first."""

from __future__ import annotations

import pytest

from services.domain import Rejected
from services.games.shengji import cards
from services.games.shengji.order import TRUMPS
from services.games.shengji.shape import Demand, demand, split
from tests.games.shengji.given import order, play


def shown(text: str, ranked: str = "7 H") -> list[str]:
    return [" ".join(map(cards.show, each.cards)) for each in split(order(ranked), play(text))]


@pytest.mark.parametrize(
    ("text", "components"),
    [
        ("CA", ["CA"]),
        ("CA CA", ["CA CA"]),
        ("C6 C6 C8 C8", ["C6 C6 C8 C8"]),
        ("C5 C5 C8 C8", ["C8 C8", "C5 C5"]),
        ("C8 C8 C9 C9 CT CT CA", ["C8 C8 C9 C9 CT CT", "CA"]),
        ("CQ CQ CA C5 C5 C6 C6", ["C5 C5 C6 C6", "CQ CQ", "CA"]),
        ("HA HA D7 D7 H7 H7 jo jo JO JO", ["HA HA D7 D7 H7 H7 jo jo JO JO"]),
        ("HA HA JO JO jo jo", ["jo jo JO JO", "HA HA"]),
        ("C7 C7 D7 D7", ["C7 C7", "D7 D7"]),
        ("S7 C7 D7", ["S7", "C7", "D7"]),
    ],
)
def test_s6_2_longest_first(text: str, components: list[str]) -> None:
    assert sorted(map(sorted, (each.split() for each in shown(text)))) == sorted(
        sorted(each.split()) for each in components
    )
    assert [len(each.split()) for each in shown(text)] == [len(each.split()) for each in components]


def test_s6_3_of_equal_level_pairs_one_is_in_the_tractor() -> None:
    """The others are left over, and of equal ones the first in ♠ ♥ ♣ ♦ comes first."""
    assert shown("S7 S7 D7 D7 H7 H7 C7 C7") == ["H7 H7 D7 D7", "S7 S7", "C7 C7"]


def test_s4_6_the_chain_follows_the_order_of_fallen_cards() -> None:
    assert shown("D7 D7 H7 H7 H2 H2", "7 H demoted") == ["H2 H2 H7 H7 D7 D7"]
    assert shown("HA HA jo jo", "7 H demoted") == ["HA HA jo jo"]
    assert shown("HA HA D7 D7", "7 H demoted") == ["HA HA", "D7 D7"]
    assert shown("H7 H7 jo jo", "7 H demoted") == ["jo jo", "H7 H7"]


def test_s7_1_what_a_lead_asks() -> None:
    assert demand(order(), play("C5 C5 C6 C6 CQ CQ CA")) == Demand(2, 7, (2, 1))
    assert demand(order(), play("HA S7 jo")) == Demand(TRUMPS, 3, ())


@pytest.mark.parametrize("text", ["CA DA", "CA C7", "CA HA", ""])
def test_s6_2_a_lead_is_of_one_suit(text: str) -> None:
    with pytest.raises(Rejected) as refused:
        demand(order(), play(text))
    assert (refused.value.reason, refused.value.clause) == ("NOT_ONE_SUIT", "S6.2")
