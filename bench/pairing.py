"""Swiss rounds of large fields, beside other pairing programs in the same run.

`python -m bench.pairing [--dutch N …]`: 1,000, 5,000 and 10,000 pairs, by percentage and by points; ratios are those of CPU
time, each case using one core. The baselines are no part of
the environment: `pip install swisspair py4swiss` beforehand; one that is missing is left out. py4swiss pairs by the chess
federation's Dutch rules, which ask for more; it pairs the points of the sizes after `--dutch` (default 1000; it needs about a
quarter of a minute for 1,000 and far more for 5,000).
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import importlib.util
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.measure import Case, Run, cores, interleaved, measured, table
from services.games.championship.meetings import Round
from services.games.championship.swiss import pair

ROUNDS = 7
SIZES = (1_000, 5_000, 10_000)
DUTCH = 1_000
KINDS = ("percent", "points")


@dataclass(frozen=True, slots=True)
class Event:
    """An event of `ROUNDS` rounds whose next round is to be paired; `won` tells by round who won."""

    order: Sequence[int]
    scores: Mapping[int, int]
    played: Sequence[Round]
    won: Sequence[frozenset[int]]

    def met(self) -> dict[int, set[int]]:
        """Opponents of every entrant."""
        met: dict[int, set[int]] = {entrant: set() for entrant in self.order}
        for one in self.played:
            for each in one.meetings:
                met[each.first].add(each.second)
                met[each.second].add(each.first)
        return met

    def cost(self, pairs: Sequence[tuple[int, int]]) -> dict[str, float]:
        """Rematches and the sum of the differences in score of a round."""
        met = self.met()
        return {
            "rematches": sum(other in met[one] for one, other in pairs),
            "difference": sum(abs(self.scores[one] - self.scores[other]) for one, other in pairs),
        }


def event(pairs: int, kind: str, seed: int = 7) -> Event:
    """Pairs of different strength: R in tenths of a percent, or 3 points a win."""
    chance = random.Random(seed)
    strength = {entrant: chance.gauss(0, 1) for entrant in range(1, pairs + 1)}
    total = dict.fromkeys(strength, 0)
    order, played, won = chance.sample(sorted(strength), pairs), list[Round](), list[frozenset[int]]()
    for number in range(1, ROUNDS + 2):
        scores = total if kind == "points" else {each: total[each] // max(number - 1, 1) for each in total}
        if number > ROUNDS:
            break
        played.append(pair(order, scores, played))
        winners = set()
        for each in played[-1].meetings:
            lead = strength[each.first] - strength[each.second] + chance.gauss(0, 0.7)
            gained = max(0, min(1000, 500 + int(120 * lead)))
            winners.add(each.first if lead > 0 else each.second)
            if kind == "percent":
                total[each.first] += gained
                total[each.second] += 1000 - gained
        if kind == "points":
            for winner in winners:
                total[winner] += 3
        won.append(frozenset(winners))
        order = sorted(total, key=lambda entrant: (-total[entrant], entrant))
    return Event(order, scores, played, won)


Work = Callable[[], Sequence[tuple[int, int]]]
"""Pairs the next round."""


def ours(given: Event) -> Work:
    return lambda: [
        (each.first, each.second) for each in pair(given.order, given.scores, given.played).meetings
    ]


def swisspair(given: Event) -> Work:
    module = importlib.import_module("swisspair")
    met = given.met()
    players = [
        module.Player(str(entrant), given.scores[entrant], rank, True, {str(other) for other in met[entrant]})
        for rank, entrant in enumerate(given.order, 1)
    ]
    return lambda: [(int(match.p1.id), int(match.p2.id)) for match in module.create_matches(players)]


def py4swiss(given: Event, folder: Path) -> Work:
    engines = importlib.import_module("py4swiss.engines")
    parser = importlib.import_module("py4swiss.trf").TrfParser
    path = folder / f"{len(given.order)}.trf"
    path.write_text("\n".join(tournament_report(given)) + "\n", "utf-8")
    report = parser.parse(path, strict=False)
    return lambda: [(each.white, each.black) for each in engines.DutchEngine.generate_pairings(report)]


def tournament_report(given: Event) -> Iterator[str]:
    """The event as chess programs exchange it (TRF): one point a win."""
    results: dict[int, list[str]] = {entrant: [] for entrant in given.order}
    for one, winners in zip(given.played, given.won, strict=True):
        for each in one.meetings:
            for own, other, colour in ((each.first, each.second, "w"), (each.second, each.first, "b")):
                results[own].append(f"  {other:4d} {colour} {1 if own in winners else 0}")
    rank = {entrant: place for place, entrant in enumerate(given.order, 1)}
    for own in sorted(results):
        points = sum(own in winners for winners in given.won)
        who = f"001 {own:4d}      {f'Pair {own}':33s} {2000:4d}     {own:11d}            {points:4.1f} {rank[own]:4d}"
        yield who + "".join(results[own])
    yield f"XXR {ROUNDS + 1}"
    yield "XXC white1"


def cases(given: Event, kind: str, dutch: bool, folder: Path) -> dict[str, Case]:
    works: dict[str, Work] = {"ours": ours(given)}
    if importlib.util.find_spec("swisspair"):
        works["swisspair"] = swisspair(given)
    if dutch and kind == "points" and importlib.util.find_spec("py4swiss"):
        works["py4swiss"] = py4swiss(given, folder)
    return {name: _case(work, given) for name, work in works.items()}


def _case(work: Work, given: Event) -> Case:
    paired: list[Sequence[tuple[int, int]]] = []

    def figures() -> Mapping[str, float]:
        began = time.process_time()
        paired.append(work())
        return {"cpu": time.process_time() - began}

    async def case() -> Run:
        run = await measured(figures)()
        return Run({**run.figures, **given.cost(paired[-1])}, run.window)

    return case


async def main(dutch: Sequence[int]) -> None:
    rows = []
    with tempfile.TemporaryDirectory(prefix="fupan-bench-") as folder:
        for pairs in SIZES:
            for kind in KINDS:
                results = await interleaved(cases(event(pairs, kind), kind, pairs in dutch, Path(folder)))
                for name, result in results.items():
                    rows.append(
                        [
                            f"{pairs} pairs by {kind}: {name}",
                            f"{result['seconds']:.3f}",
                            f"{result['cpu']:.3f}",
                            f"{results['ours']['cpu'] / result['cpu']:.3f}",
                            f"{result['rematches']:.0f}",
                            f"{result['difference']:.0f}",
                            cores(result),
                        ]
                    )
    head = ["case", "seconds", "CPU seconds", "ours / it", "rematches", "sum of differences", "cores"]
    print(f"Swiss round {ROUNDS + 1}, medians")
    table(head, rows)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument(
        "--dutch", type=int, nargs="*", default=[DUTCH], help="sizes that py4swiss pairs too"
    )
    asyncio.run(main(arguments.parse_args().dutch))
