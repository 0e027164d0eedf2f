"""What a ruling would change, and whether any ruling of a case would: beside the standings themselves, in the same run.

`python -m bench.whatif [entrants boards]`: medians of three, in CPU time; both sizes without arguments. *Rebuilt* is the arithmetic
of a rebuilding, from the facts of the log to the order; the rest works on results that were read for the live standings.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from bench.measure import table
from bench.standings import BOARDS_A_ROUND, field
from services.games import registry
from services.games.championship import contest as c
from services.games.championship.params import Params
from services.games.scales import sides
from services.scoring import decider
from services.scoring import model as m
from services.scoring.changes import changes
from services.scoring.field import Field, PlayedBoard, contest, rulings_on_boards
from services.scoring.materiality import NOT_RULED, Contested, tried

ABOUT = "10,000 and 100,000 entrants x 24 boards: a ruling tried out, the least that matters of a board, a score explained"

REPEATS = 3
BOARDS = 24
TERMS = c.Terms("individual", Params(), BOARDS_A_ROUND, rounds=1_000)
ABOUT_BOARD = Contested(1, "r1t1", 1)
MOST_TRIED = 10_000
"""Larger fields are not asked whether a case can matter: that is dozens of rulings, each as long as one."""


def facts(entrants: int, boards: int) -> Field:
    """The field of `bench.standings` as scoring knows it."""
    results = field(entrants, boards)
    return Field(
        tuple(range(1, entrants + 1)),
        {(one.round, one.table): (one.group, tuple(seat or 0 for seat in one.seats)) for one in results},
        tuple(
            PlayedBoard(one.round, one.board, 1, one.table, one.scores, one.micros, one.micros, ())
            for one in results
        ),
    )


def works(played: Field) -> Iterator[tuple[str, Callable[[], Any]]]:
    """What is measured of a field, the rebuilding first."""
    ledger, size = decider.INITIAL, len(played.entrants)
    rulings = decider.laid(ledger, [m.VoidBoard("r1t1", 1, 1, 1, (600, 500, 400), NOT_RULED)]).rulings
    allowed = sides(registry.find("paohuzi/competitive-2017").resolve({}), ABOUT_BOARD.board)
    read = c.reading(contest(played, (), TERMS))
    now, laid = c.reckon(read), rulings_on_boards(rulings)
    yield "standings rebuilt from facts", lambda: c.order(contest(played, (), TERMS))
    yield "what one ruling would change", lambda: changes(now.order, c.order(c.under(read, laid)))
    yield "an entrant's score explained", lambda: now.explained(size // 2)
    if size <= MOST_TRIED:
        yield (
            "the least that matters of a board",
            lambda: tried(played, ledger, TERMS, ABOUT_BOARD, (), allowed),
        )


def spent(work: Callable[[], Any]) -> float:
    """CPU seconds of some work."""
    began = time.process_time()
    work()
    return time.process_time() - began


def main(entrants: int, boards: int) -> None:
    """One field."""
    played = facts(entrants, boards)
    named = dict(works(played))
    runs = [[spent(work) for work in named.values()] for _ in range(REPEATS)]
    taken = [statistics.median(column) for column in zip(*runs, strict=True)]
    print(f"{entrants} entrants x {boards} boards, {len(played.boards)} results; medians of {REPEATS}")
    table(
        ("", "seconds of CPU", "of the rebuilding"),
        [
            (name, f"{seconds:.3f}", f"{seconds / taken[0]:.2f}")
            for name, seconds in zip(named, taken, strict=True)
        ],
    )


def run(quick: bool) -> None:
    """See ABOUT."""
    for entrants in (3_000,) if quick else (10_000, 100_000):
        main(entrants, BOARDS)


if __name__ == "__main__":
    if given := [int(one) for one in sys.argv[1:]]:
        main(*given)
    else:
        run(quick=False)
