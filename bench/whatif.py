"""What a ruling would change, and whether any ruling of a case would: beside the standings themselves, in the same run.

`python -m bench.whatif [entrants boards]`: medians of three.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator

from bench.standings import BOARDS_A_ROUND, field, timed
from services.games import registry
from services.games.championship import contest as c
from services.games.championship.params import Params
from services.games.scales import sides
from services.scoring import decider
from services.scoring import model as m
from services.scoring.changes import changes
from services.scoring.field import Field, PlayedBoard, contest
from services.scoring.materiality import NOT_RULED, Contested, tried

ABOUT = "10,000 entrants x 24 boards: what one ruling would change, and the least ruling of a board that changes a rank"

REPEATS = 3
TERMS = c.Terms("individual", Params(), BOARDS_A_ROUND, rounds=1_000)


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


def main(entrants: int, boards: int) -> None:
    played, ledger = facts(entrants, boards), decider.INITIAL
    about = Contested(1, "r1t1", 1)
    rulings = decider.laid(ledger, [m.VoidBoard("r1t1", 1, 1, 1, (600, 500, 400), NOT_RULED)]).rulings
    before = c.order(contest(played, (), TERMS))
    allowed = sides(registry.find("paohuzi/competitive-2017").resolve({}), about.board)

    def works() -> Iterator[float]:
        yield timed(lambda: c.order(contest(played, (), TERMS)))
        yield timed(lambda: changes(before, c.order(contest(played, rulings, TERMS))))
        yield timed(lambda: tried(played, ledger, TERMS, about, (), allowed))

    runs = [list(works()) for _ in range(REPEATS)]
    standings, one, every = (statistics.median(column) for column in zip(*runs, strict=True))
    print(
        f"{entrants} entrants x {boards} boards, {len(played.boards)} results; medians of {REPEATS}, seconds"
    )
    print(f"standings, from facts           {standings:.3f}")
    print(f"what one ruling would change    {one:.3f}   {one / standings:.2f} of the standings")
    print(f"the least that matters of a board   {every:.3f}   {every / standings:.1f} of the standings")


def run(quick: bool) -> None:
    """See ABOUT."""
    main(3_000 if quick else 10_000, 24)


if __name__ == "__main__":
    main(*(int(given) for given in sys.argv[1:] or ("10000", "24")))
