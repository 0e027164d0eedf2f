"""S9.1: the bottom at the last trick."""

from __future__ import annotations

import pytest

from services.domain import Rejected
from services.games.shengji import bottom
from tests.games.shengji.given import duplicate, order, play

BOTTOM = play("CK C5 D2 D3 S3 S4 C2 C3")


def bonus(lead: str, winning: str, ranked: str = "7 H", **params: str) -> int:
    deal = order(ranked)
    return bottom.bonus(duplicate(**params), BOTTOM, (deal, play(lead)), (deal, play(winning)))


@pytest.mark.parametrize(
    ("lead", "winning", "factor"),
    [
        ("C9", "CA", 2),
        ("C9 C8", "H2 H3", 2),
        ("C9 C9", "CJ CJ", 4),
        ("CA CA CQ CQ", "CA CA CQ CQ", 4),
        ("C9 C9 CT CT", "H2 H2 H3 H3", 8),
        ("C8 C8 C9 C9 CT CT", "C8 C8 C9 C9 CT CT", 16),
        ("C8 C8 C9 C9 CT CT CJ CJ", "H2 H2 H3 H3 H4 H4 H5 H5", 32),
        ("CA CA CQ CQ", "H2 H2 H3 H3", 8),
        ("CA CK CQ", "H2 H2 H3", 4),
    ],
)
def test_the_largest_component_of_the_winning_play(lead: str, winning: str, factor: int) -> None:
    assert bonus(lead, winning) == factor * 15


def test_a_trump_pair_over_two_thrown_singles() -> None:
    assert bonus("CA CK", "H3 H3") == 60
    assert bonus("CA CK", "H3 H3", bottom_shape="lead") == 30


def test_s4_6_the_shape_follows_fallen_level_cards() -> None:
    assert bonus("HA HA jo jo", "HA HA jo jo", "7 H demoted") == 8 * 15
    assert bonus("HA HA jo jo", "HA HA jo jo") == 4 * 15


def test_a_winning_play_is_of_one_suit() -> None:
    with pytest.raises(Rejected, match=r"S6\.2"):
        bonus("C9 C9", "CA DA")
