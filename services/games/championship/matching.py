"""Minimum-weight perfect matching of a field that stands in an order, best first.

Neighbourhoods of the order are matched exactly (blossom algorithm of rustworkx); a field no larger than one neighbourhood is
matched exactly as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from operator import neg

import numpy as np
import rustworkx

from services.games.championship.vectors import Ints

Costs = Callable[[Ints], Sequence[Ints]]
"""Ascending positions -> what each pair of them costs, as levels of which the first counts above all others together: each
level holds one number from 0 for every pair, in the order (0, 1), (0, 2), …, (1, 2), …"""

MOST_BITS = 120
"""Of a weight: the blossom algorithm reckons in 128."""


def match(line: Ints, costs: Costs, neighbourhood: int) -> list[tuple[int, int]]:
    """Positions in pairs of least cost, each pair and the pairs in ascending order; `line` holds them as they are to be taken.

    Their number is even, `neighbourhood` a multiple of 4. The first positions that are left are matched exactly, the upper half of
    the pairs found stands, and the lower half is matched again with those that come next: so no neighbourhood but the whole
    field has fewer than half of `neighbourhood` positions.
    """
    pairs: list[tuple[int, int]] = []
    rest = line
    while rest.size:
        near = np.sort(rest[:neighbourhood])
        found = _exact(near, costs(near))
        standing = found if near.size == rest.size else found[: neighbourhood // 4]
        pairs += standing
        rest = rest[~np.isin(rest, np.array(standing))]
    return sorted(pairs)


def _exact(positions: Ints, levels: Sequence[Ints]) -> list[tuple[int, int]]:
    upper, lower = every_pair(positions.size)
    weights = _weights(levels, positions.size // 2)
    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(positions.tolist())
    graph.add_edges_from(list(zip(upper.tolist(), lower.tolist(), weights, strict=True)))
    found = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=neg)
    return sorted((graph[min(pair)], graph[max(pair)]) for pair in found)


@cache
def every_pair(size: int) -> tuple[Ints, Ints]:
    """Indices of all pairs of `size` things: (0, 1), (0, 2), …, (1, 2), …"""
    upper, lower = np.triu_indices(size, 1)
    return upper.astype(np.int64), lower.astype(np.int64)


def _weights(levels: Sequence[Ints], pairs: int) -> list[int]:
    """One number a candidate; sums over `pairs` candidates compare as the levels do. A level that does not fit is left out."""
    weights, bound = [0] * levels[0].size, 1
    for level in levels:
        span = int(level.max(initial=0)) * pairs + 1
        if span > 1 and (bound * span).bit_length() <= MOST_BITS:
            bound *= span
            weights = [weight * span + cost for weight, cost in zip(weights, level.tolist(), strict=True)]
    return weights
