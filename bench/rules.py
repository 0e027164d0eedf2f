"""The rules of Paohuzi alone, on one core: random boards, win readings, house AI; beside RLCard and `mahjong`."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from bench import peers
from bench.measure import Case, Result, cores, interleaved, measured, printed, table
from bench.path import COMPILED, SOURCES, TREE
from services.games import registry
from services.games.paohuzi import cuts, reading

ABOUT = "random legal boards/s beside RLCard's mahjong core, win readings/s beside `mahjong`, house AI p50 and p99"


class Solo:
    """A ruleset played on one core, without a table around it."""

    def __init__(self, ruleset: str) -> None:
        self.rules = registry.find(ruleset)
        self._params = self.rules.resolve({})

    def dealt(self, seed: int) -> Any:
        """A board as it is dealt, everything that follows by itself included."""
        deal = random.Random(seed).sample(self.rules.deck, len(self.rules.deck))
        state = self.rules.start(self._params, seed + 1, tuple(deal))
        for event in self.rules.opening(state):
            state = self.rules.evolve(state, event)
        return state

    def played(self, seed: int, choose: Callable[[Any, int], Any]) -> int:
        """Play a board to its end; number of decisions."""
        return self.ended(seed, choose)[1]

    def ended(self, seed: int, choose: Callable[[Any, int], Any]) -> tuple[Any, int]:
        """A board played to its end, and the number of decisions."""
        rules, state, decisions = self.rules, self.dealt(seed), 0
        while asked := rules.asked(state):
            seat = asked[0]
            for event in rules.decide(state, seat, choose(state, seat)):
                state = rules.evolve(state, event)
            decisions += 1
        return state, decisions

    def random_boards(self, seconds: float) -> Callable[[], Mapping[str, float]]:
        """Boards and moves a second of CPU, answers drawn from the legal ones."""

        def work() -> Mapping[str, float]:
            draw, boards, moves = random.Random(7), 0, 0
            began = time.process_time()
            while time.process_time() - began < seconds:
                moves += self.played(boards, lambda state, seat: draw.choice(self.rules.options(state, seat)))
                boards += 1
            spent = time.process_time() - began
            return {"boards": boards / spent, "moves": moves / spent}

        return work

    def decisions(self, boards: int) -> Callable[[], Mapping[str, float]]:
        """What a decision of house AI takes, milliseconds of CPU."""

        def work() -> Mapping[str, float]:
            taken: list[float] = []

            def choose(state: Any, seat: int) -> Any:
                seen = self.rules.view(state, seat)
                began = time.process_time()
                action = self.rules.choose(seen)
                taken.append(1000 * (time.process_time() - began))
                return action

            for seed in range(boards):
                self.played(seed, choose)
            return {**spread(taken), "decisions": len(taken)}

        return work


def spread(taken: list[float]) -> dict[str, float]:
    """Median, p99 and the most of what was measured."""
    taken.sort()
    return {"p50": taken[len(taken) // 2], "p99": taken[len(taken) * 99 // 100], "most": taken[-1]}


PAOHUZI = Solo("paohuzi/competitive-2017")


def winning_hands(count: int) -> list[tuple[Any, ...]]:
    """Arguments of `reading.best` that gave a win while house AI played."""
    found: list[tuple[Any, ...]] = []
    best, rules = reading.best, PAOHUZI.rules

    def noting(*given: Any) -> reading.Reading | None:
        win = best(*given)
        if win is not None:
            found.append(given)
        return win

    reading.best = noting  # type: ignore[assignment]  # it is called by position
    try:
        for seed in itertools.count():
            if len(found) >= count:
                return found[:count]
            PAOHUZI.played(seed, lambda state, seat: rules.choose(rules.view(state, seat)))
    finally:
        reading.best = best
    raise AssertionError("unreachable")


def readings(hands: list[tuple[Any, ...]], seconds: float) -> Callable[[], Mapping[str, float]]:
    """Readings of winning hands a second of CPU. The memo of cuts is emptied before every pass: no hand was seen before."""

    def work() -> Mapping[str, float]:
        values, began = 0, time.process_time()
        while time.process_time() - began < seconds:
            cuts.most_huxi.cache_clear()
            for given in hands:
                reading.best(*given)
            values += len(hands)
        return {"values": values / (time.process_time() - began)}

    return work


def solos(ruleset: str, seconds: float) -> dict[str, Case]:
    """Random legal boards from the sources, and compiled where there is a compiled tree; see `bench.solo`."""
    given = json.dumps({"ruleset": ruleset, "seconds": seconds})
    command = (sys.executable, "-m", "bench.solo", given)
    cases = {"Fupan": printed(*command, environment=SOURCES)}
    if TREE.exists():
        cases["Fupan, compiled"] = printed(*command, environment=COMPILED)
    else:
        print("  nothing is compiled: make compile")
    return cases


async def beside(
    figures: Sequence[str], what: str, ours: Mapping[str, Case], others: Mapping[str, Case], seconds: float
) -> None:
    """Figures of ours and of peers; ratios are to the first of them."""
    if peers.environment() is None:
        peers.missing()
        others = {}
    results = await interleaved({**ours, **others})
    first = next(iter(others), "")

    def cells(result: Result) -> Iterator[str]:
        for figure in figures:
            yield f"{result[figure]:.0f}"
            yield f"{result[figure] / results[first][figure]:.2f}" if first else ""

    print(f"{what}; medians of 3 runs of {seconds:g} s CPU")
    heads = [head for figure in figures for head in (f"{figure}/s", f"of {first or 'a peer'}")]
    table(("", *heads, "cores"), [(name, *cells(one), cores(one)) for name, one in results.items()])


async def house(solo: Solo, boards: int) -> None:
    """What a decision of house AI takes."""
    results = await interleaved({"house AI": measured(solo.decisions(boards))})
    one = results["house AI"]
    print(f"house AI, a decision; medians of 3 runs of {one['decisions']:.0f} decisions")
    table(
        ("CPU", "p50 ms", "p99 ms", "most ms", "cores"),
        [("house AI", f"{one['p50']:.2f}", f"{one['p99']:.2f}", f"{one['most']:.1f}", cores(one))],
    )


async def measure(quick: bool) -> None:
    seconds = 2.0 if quick else 6.0
    rlcard = {"RLCard": peers.case("rlcard_mahjong", seconds=seconds)}
    await beside(
        ("boards",), "random legal boards on one core", solos(PAOHUZI.rules.id, seconds), rlcard, seconds
    )
    hands = winning_hands(200 if quick else 1000)
    mahjong = {"mahjong": peers.case("mahjong_value", seconds=seconds)}
    ours = {"Fupan": measured(readings(hands, seconds))}
    await beside(("values",), "readings of winning hands", ours, mahjong, seconds)
    await house(PAOHUZI, 10 if quick else 60)


def run(quick: bool) -> None:
    """See ABOUT."""
    asyncio.run(measure(quick))
