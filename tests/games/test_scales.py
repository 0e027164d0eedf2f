"""Which scores a board can come out with (P11.1, S9.3, S9.6)."""

from __future__ import annotations

import pytest

from services.domain import Rejected
from services.games import scales
from services.games.paohuzi import params as paohuzi
from services.games.paohuzi import score
from services.games.shengji import params as shengji
from services.games.shengji.result import declares, scores

POINTS = shengji.resolve("shengji/duplicate-2017", {})
LEVELS = shengji.resolve("shengji/duplicate-2017", {"score": "levels"})


def told(params: object, board: int, given: tuple[int, ...]) -> tuple[str, str]:
    """Reason and clause of a refusal."""
    with pytest.raises(Rejected) as refused:
        scales.check(params, board, given)
    return refused.value.reason, refused.value.clause


@pytest.mark.parametrize("profile", ["competitive-2017", "duohongdui"])
def test_p11_1_whatever_a_hand_pays_is_a_score(profile: str) -> None:
    params = paohuzi.resolve({"profile": profile})
    scales.check(params, 1, score.DRAWN)
    for winner in range(3):
        for huxi in (15, 18, 40, 84):
            for fan in (1, 2, 5, 9):
                scales.check(params, 1, score.by_seat(winner, score.gain(params, huxi, fan)))


@pytest.mark.parametrize("given", [(3, -1, -2), (1, 1, -2), (-20, 10, 10), (1, -1, 0), (800, -400, -400)])
def test_p11_1_no_board_comes_out_so(given: tuple[int, int, int]) -> None:
    assert told(paohuzi.DEFAULT, 1, given) == ("SCORES_OF_NO_BOARD", "P11.1")


@pytest.mark.parametrize("params", [POINTS, LEVELS])
def test_s9_6_whatever_the_defenders_make_is_a_score(params: shengji.Params) -> None:
    """Also with a fine that is no multiple of five, and below zero (S9.2, S10.16)."""
    for board in range(1, 6):
        for points in (-400, -5, 0, 37, 75, 80, 95, 100, 200, 655_480):
            scales.check(params, board, scores(params, points, declares(board)))


@pytest.mark.parametrize("given", [(80, -80, 60, -60), (80, -40, 0, -40), (5, 5, -5, -5)])
def test_s9_6_partners_score_alike(given: tuple[int, ...]) -> None:
    assert told(POINTS, 1, given) == ("SCORES_OF_NO_BOARD", "S9.6")


def test_s9_3_a_declarer_rises_so_far_and_no_further() -> None:
    for board, declarer_first in ((1, True), (2, False)):
        six = (6, -6, 6, -6) if declarer_first else (-6, 6, -6, 6)
        assert told(LEVELS, board, six) == ("SCORES_OF_NO_BOARD", "S9.3")
        scales.check(LEVELS, board, tuple(-one for one in six))  # defenders rise without limit
        scales.check(POINTS, board, six)
