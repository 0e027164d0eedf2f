"""What a win pays (P11)."""

from __future__ import annotations

import pytest

from services.games.paohuzi import params, score


@pytest.mark.parametrize(
    ("least", "huxi", "tun"),
    [
        (15, 15, 1),
        (15, 17, 1),
        (15, 18, 2),
        (15, 20, 2),
        (15, 21, 3),
        (10, 16, 3),
        (6, 6, 1),
        (6, 8, 1),
        (6, 9, 2),
    ],
)
def test_p11_1_one_tun_and_one_more_for_every_three_huxi(least: int, huxi: int, tun: int) -> None:
    assert score.tun(params.resolve({"min_huxi": least}), huxi) == tun


def test_p11_2_red_hand_of_15_at_minimum_15_gains_four() -> None:
    gain = score.gain(params.DEFAULT, huxi=15, fan=2)
    assert score.by_seat(0, gain) == (4, -2, -2)


@pytest.mark.parametrize("winner", [0, 1, 2])
def test_p11_1_each_of_the_others_pays_half_and_scores_sum_to_zero(winner: int) -> None:
    gain = score.gain(params.DEFAULT, huxi=22, fan=5)
    scores = score.by_seat(winner, gain)
    assert gain == 3 * 5 * 2
    assert scores[winner] == gain
    assert sorted(scores)[:2] == [-15, -15]
    assert sum(scores) == 0


def test_p11_1_a_drawn_board_scores_nothing() -> None:
    assert score.DRAWN == (0, 0, 0)
