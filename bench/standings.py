"""Matchpoints, order and seating of a large field, beside numpy's bincount way in the same run.

`python -m bench.standings [entrants boards]`: medians of five, baseline and ours interleaved.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from services.games.championship.movement import seat_by_rank
from services.games.championship.params import Params
from services.games.championship.ranking import rank
from services.games.championship.results import Facts, TableResult, settle
from services.games.championship.standings import canonical, of_ranking, standings
from services.games.championship.vectors import Ints, compare, pack

ABOUT = (
    "100,000 entrants x 24 boards: matchpoints beside numpy's bincount way, the whole order, snake seating"
)

SEATS = 3
BOARDS_A_ROUND = 6
REPEATS = 5


def field(entrants: int, boards: int, seed: int = 7) -> tuple[TableResult, ...]:
    """A Paohuzi field with fresh tables every round; scores +2x, -x, -x or drawn, times 20 to 180 s."""
    draw = np.random.default_rng(seed)
    results = []
    tables = entrants // SEATS
    for board in range(boards):
        if board % BOARDS_A_ROUND == 0:
            seats = (draw.permutation(tables * SEATS) + 1).reshape(-1, SEATS).tolist()
        unit = draw.integers(0, 20, tables)
        scores = np.repeat(-unit[:, None], SEATS, axis=1)
        scores[np.arange(tables), draw.integers(0, SEATS, tables)] = 2 * unit
        micros = draw.integers(20_000_000, 180_000_000, (tables, SEATS)).tolist()
        for table, row in enumerate(scores.tolist()):
            results.append(
                TableResult(
                    round=board // BOARDS_A_ROUND + 1,
                    group=1,
                    board=board % BOARDS_A_ROUND + 1,
                    table=f"r{board // BOARDS_A_ROUND + 1}t{table + 1}",
                    seats=tuple(seats[table]),
                    scores=tuple(row),
                    micros=tuple(micros[table]),
                )
            )
    return tuple(results)


def by_bincount(groups: list[Ints]) -> list[Ints]:
    """The baseline: matchpoints of each comparison group by counting its scores."""
    points = []
    for scores in groups:
        scores = scores - scores.min()
        held = np.bincount(scores)
        points.append((2 * (np.cumsum(held) - held) + held - 1)[scores])
    return points


def timed(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def median(*works: Callable[[], Any]) -> list[float]:
    """Median seconds of each work, all of them run in turn."""
    runs = [[timed(work) for work in works] for _ in range(REPEATS)]
    return [statistics.median(column) for column in zip(*runs, strict=True)]


def main(entrants: int, boards: int) -> None:
    results = field(entrants, boards)
    facts, params = Facts(results), Params()
    settled = settle(facts)
    ranking = rank(settled, (), params)
    units = ranking.units
    group, bound = pack(units.deals, units.seat)
    groups = [units.score[group == each] for each in range(bound)]
    check = np.concatenate(by_bincount(groups))
    ours = compare(units.score, group).mp()
    assert (np.concatenate([ours[group == each] for each in range(bound)]) == check).all()

    print(f"{entrants} entrants x {boards} boards, {len(results)} results; medians of {REPEATS}, seconds")
    base, known, whole = median(
        lambda: by_bincount(groups),
        lambda: compare(units.score, group).mp(),
        lambda: compare(units.score, units.deals, units.seat).mp(),
    )
    print(f"MP, numpy bincount group by group    {base:.4f}")
    print(f"MP, compare, groups given            {known:.4f}   {known / base:.2f} of the baseline")
    print(f"MP, compare, groups found too        {whole:.4f}   {whole / base:.2f} of the baseline")

    order = [standing.entrant for standing in of_ranking(ranking)]
    facts_to_rank, to_objects, to_bytes, snake = median(
        lambda: rank(settle(facts), (), params),
        lambda: of_ranking(ranking),
        lambda: canonical(of_ranking(ranking)),
        lambda: seat_by_rank(order, SEATS, 10),
    )
    print(f"order with all tie-breaks, from facts {facts_to_rank:.3f}")
    print(f"standings as objects                  {to_objects:.3f}")
    print(f"standings as canonical bytes          {to_bytes:.3f}")
    print(f"row snake of {len(order)}               {snake:.4f}")
    fields = [Facts(field(entrants // part, boards)) for part in (4, 2)] + [facts]
    for some, seconds in zip(
        fields, median(*(partial(standings, some, params) for some in fields)), strict=True
    ):
        each = seconds / len(some.results) / SEATS
        print(
            f"standings from {len(some.results)} results         {seconds:.3f}   {each * 1e9:.0f} ns a seat"
        )


def run(quick: bool) -> None:
    """See ABOUT."""
    main(10_000 if quick else 100_000, 24)


if __name__ == "__main__":
    main(*(int(given) for given in sys.argv[1:] or ("100000", "24")))
