"""Swiss rounds of large fields, beside other pairing programs in the same run.

1,000, 5,000 and 10,000 pairs, by percentage and by points; ratios are those of CPU time, each case using one core. Ours pairs as
the service does, who meets whom following from lines too, and once more leaving lines out as the others do. py4swiss pairs points
alone, by the chess federation's Dutch rules, which ask for more; it is stopped after `LIMIT_S` of CPU.
"""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import peers
from bench.measure import Case, Run, cores, interleaved, measured, table
from services.games.championship.meetings import Round
from services.games.championship.swiss import pair
from services.games.championship.tables import MOST_APART

ABOUT = "Swiss rounds of 1,000 to 10,000 pairs beside swisspair and py4swiss"

ROUNDS = 7
SIZES = (1_000, 5_000, 10_000)
DUTCH_MOST, LIMIT_S = 5_000, 30
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

    def apart(self, pairs: Sequence[tuple[int, int]]) -> int:
        """How much oftener than in the other line somebody would have been in one."""
        lines: Counter[int] = Counter()
        for one, other in (
            *((each.first, each.second) for past in self.played for each in past.meetings),
            *pairs,
        ):
            lines[one] += 1
            lines[other] -= 1
        return max(map(abs, lines.values()))

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
        played.append(pair(order, scores, played, apart=MOST_APART if played else None))
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


def ours(given: Event, apart: int | None) -> Case:
    """A case of our own; lines may be so far apart, or None: they do not say who meets whom."""
    paired: list[Round] = []

    def work() -> Mapping[str, float]:
        began = time.process_time()
        paired.append(pair(given.order, given.scores, given.played, apart=apart, abreast=True))
        return {"cpu": time.process_time() - began}

    async def case() -> Run:
        run = await measured(work)()
        pairs = [(each.first, each.second) for each in paired[-1].meetings]
        return _costed(Run({**run.figures, "apart": given.apart(pairs)}, run.window), given, pairs)

    return case


def peer(program: str, path: Path, given: Event) -> Case:
    """A case of another program, which reads the event from `path`."""

    async def case() -> Run:
        run = await peers.case("swiss_round", by=program, path=str(path), limit=LIMIT_S)()
        pairs: Any = run.figures["pairs"]
        return _costed(Run({"cpu": run.figures["cpu"]}, run.window), given, pairs)

    return case


def _costed(run: Run, given: Event, pairs: Sequence[tuple[int, int]]) -> Run:
    return Run({**run.figures, **given.cost(pairs), "pairs": len(pairs)}, run.window)


def cases(given: Event, kind: str, folder: Path) -> dict[str, Case]:
    """Ours, and the peers' that can pair the event."""
    found = {"ours": ours(given, MOST_APART), "ours, lines left out": ours(given, None)}
    if peers.environment() is None:
        return found
    met, size = given.met(), len(given.order)
    path = folder / f"{size}-{kind}.json"
    path.write_text(json.dumps([(each, given.scores[each], sorted(met[each])) for each in given.order]))
    found["swisspair"] = peer("swisspair", path, given)
    if kind == "points" and size <= DUTCH_MOST:
        path = folder / f"{size}.trf"
        path.write_text("\n".join(tournament_report(given)) + "\n", "utf-8")
        found["py4swiss"] = peer("py4swiss", path, given)
    return found


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


async def measure(sizes: Sequence[int]) -> None:
    if peers.environment() is None:
        peers.missing()
    rows = []
    with tempfile.TemporaryDirectory(prefix="fupan-bench-") as folder:
        for pairs in sizes:
            for kind in KINDS:
                results = await interleaved(cases(event(pairs, kind), kind, Path(folder)))
                ours = results["ours"]["cpu"]
                for name, result in results.items():
                    stopped = not result["pairs"]
                    rows.append(
                        [
                            f"{pairs} pairs by {kind}: {name}",
                            f"{'more than ' * stopped}{result['cpu']:.3f}",
                            f"{'below ' * stopped}{ours / result['cpu']:.3f}",
                            "" if stopped else f"{result['rematches']:.0f}",
                            "" if stopped else f"{result['difference']:.0f}",
                            f"{result['apart']:.0f}" if "apart" in result.runs[0].figures else "",
                            cores(result),
                        ]
                    )
    print(f"Swiss round {ROUNDS + 1}, medians of 3 runs")
    table(["", "CPU seconds", "ours / it", "rematches", "sum of differences", "lines apart", "cores"], rows)


def run(quick: bool) -> None:
    """See ABOUT."""
    asyncio.run(measure(SIZES[:1] if quick else SIZES))
