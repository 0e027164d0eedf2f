"""Minimum-weight matching under any costs; C7.1 says what they are."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest

from services.games.championship.matching import Costs, every_pair, match
from services.games.championship.vectors import Ints
from tests.games.championship.rounds import matchings


def drawn(
    levels: Sequence[int], size: int, seed: int
) -> tuple[Costs, dict[tuple[int, int], tuple[int, ...]]]:
    """Random costs up to each of `levels`, as `match` asks for them and by pair."""
    chance = Random(seed)
    pairs = [(upper, lower) for upper in range(size) for lower in range(upper + 1, size)]
    by_pair = {pair: tuple(chance.randint(0, most) for most in levels) for pair in pairs}

    def costs(near: Ints) -> Sequence[Ints]:
        upper, lower = every_pair(near.size)
        rows = [by_pair[pair] for pair in zip(near[upper].tolist(), near[lower].tolist(), strict=True)]
        return list(np.array(rows, np.int64).T)

    return costs, by_pair


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("levels", [(1, 2), (3,), (0, 1, 10**9, 1, 5), (10**12,) * 4])
def test_nothing_costs_less_level_by_level(levels: tuple[int, ...], seed: int) -> None:
    """The last of the levels too large to weigh together are left out, here one of four of 40 bits each and more."""
    costs, by_pair = drawn(levels, 8, seed)
    weighed = levels[: 2 if levels == (10**12,) * 4 else None]

    def cost(pairs: Sequence[tuple[int, int]]) -> list[int]:
        return [sum(by_pair[pair][level] for pair in pairs) for level in range(len(weighed))]

    assert cost(match(np.arange(8), costs, 8)) == min(map(cost, matchings(range(8))))


@pytest.mark.parametrize("neighbourhood", [4, 8, 12, 40])
def test_everything_is_matched_once_in_whatever_order_it_is_taken(neighbourhood: int) -> None:
    for count in range(0, 42, 2):
        costs, _ = drawn((5, 100), count, count)
        line = np.array(Random(neighbourhood).sample(range(count), count), np.int64)
        pairs = match(line, costs, neighbourhood)
        assert pairs == sorted(pairs)
        assert sorted(place for pair in pairs for place in pair) == list(range(count))
        assert all(upper < lower for upper, lower in pairs)
