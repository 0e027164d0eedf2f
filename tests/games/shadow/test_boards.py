"""The engine and the shadow referee play the same boards; after every act they must say the same (P1-P11)."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.games.shadow.boards import Dealing, played
from tests.games.shadow.deals import DEALS

HAPPENINGS = """is dealt ti, plays, draws, dies, wei, chouwei, ti, pao, pengs, eats, lays along, passes, hand is dead,
wins, nobody wins"""


@pytest.mark.parametrize("dealing", DEALS, ids=lambda dealing: dealing.__name__)
def test_both_say_the_same_after_every_act(dealing: Dealing) -> None:
    for seed in range(40):
        played(seed, dealing)


@pytest.mark.chaos
@pytest.mark.parametrize("dealing", DEALS, ids=lambda dealing: dealing.__name__)
@pytest.mark.parametrize("thousand", range(1, 5))
def test_both_say_the_same_for_long(dealing: Dealing, thousand: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(1000 * thousand, 1000 * thousand + 1000):
        seen += played(seed, dealing).seen
    rare = {"hand is dead"} if dealing.__name__ != "unplayable" else set()
    assert {word.strip() for word in HAPPENINGS.replace("\n", " ").split(",")} - rare <= set(seen)
