"""Random hands read by the engine and by the shadow's brute force (P8-P11)."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from services.games.cases import paohuzi_hands
from tests.games.shadow.cases import judged
from tests.games.shadow.positions import position


def compare(seeds: range) -> Counter[bool]:
    """Both read every position alike; how many win, and how many do not."""
    wins: Counter[bool] = Counter()
    for seed in seeds:
        case = position(random.Random(seed))
        read = paohuzi_hands.win(case)
        assert read == judged(case), (seed, case)
        wins[read["win"]] += 1
    return wins


def test_both_read_the_same_hands() -> None:
    wins = compare(range(1000))
    assert min(wins[True], wins[False]) > 300


@pytest.mark.chaos
@pytest.mark.parametrize("part", range(1, 6))
def test_both_read_the_same_hands_for_long(part: int) -> None:
    compare(range(20_000 * part, 20_000 * part + 20_000))
