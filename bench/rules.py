"""The rules alone, on one core: random legal boards, win readings, decisions of house AI; beside RLCard and `mahjong`."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections.abc import Callable, Mapping
from typing import Any

from bench import peers
from bench.measure import Case, Result, cores, interleaved, measured, table
from services.games import registry
from services.games.paohuzi import cuts, reading

ABOUT = "random legal boards/s beside RLCard's mahjong core, win readings/s beside `mahjong`, house AI p50 and p99"

RULES = registry.find("paohuzi/competitive-2017")
PARAMS = RULES.resolve({})


def dealt(seed: int) -> Any:
    """A board as it is dealt, everything that follows by itself included."""
    deal = random.Random(seed).sample(RULES.deck, len(RULES.deck))
    state = RULES.start(PARAMS, seed % 3 + 1, tuple(deal))
    for event in RULES.opening(state):
        state = RULES.evolve(state, event)
    return state


def played(seed: int, choose: Callable[[Any, int], Any]) -> int:
    """Play a board to its end; number of decisions."""
    state, decisions = dealt(seed), 0
    while asked := RULES.asked(state):
        seat = asked[0]
        for event in RULES.decide(state, seat, choose(state, seat)):
            state = RULES.evolve(state, event)
        decisions += 1
    return decisions


def random_boards(seconds: float) -> Callable[[], Mapping[str, float]]:
    """Boards and moves a second of CPU, answers drawn from the legal ones."""

    def work() -> Mapping[str, float]:
        draw, boards, moves = random.Random(7), 0, 0
        began = time.process_time()
        while time.process_time() - began < seconds:
            moves += played(boards, lambda state, seat: draw.choice(RULES.options(state, seat)))
            boards += 1
        spent = time.process_time() - began
        return {"boards": boards / spent, "moves": moves / spent}

    return work


def winning_hands(count: int) -> list[tuple[Any, ...]]:
    """Arguments of `reading.best` that gave a win while house AI played."""
    found: list[tuple[Any, ...]] = []
    best = reading.best

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
            played(seed, lambda state, seat: RULES.choose(RULES.view(state, seat)))
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


def decisions(boards: int) -> Callable[[], Mapping[str, float]]:
    """How long house AI takes for a decision, milliseconds."""

    def work() -> Mapping[str, float]:
        taken = []

        def choose(state: Any, seat: int) -> Any:
            seen = RULES.view(state, seat)
            began = time.perf_counter()
            action = RULES.choose(seen)
            taken.append(1000 * (time.perf_counter() - began))
            return action

        for seed in range(boards):
            played(seed, choose)
        taken.sort()
        return {
            "p50": taken[len(taken) // 2],
            "p99": taken[len(taken) * 99 // 100],
            "most": taken[-1],
            "decisions": len(taken),
        }

    return work


async def beside(figure: str, what: str, ours: Callable[[], Any], peer: str, seconds: float) -> None:
    """One figure of ours and of a peer."""
    cases: dict[str, Case] = {"Fupan": measured(ours)}
    if peers.environment() is not None:
        cases[peer] = peers.case(peer, seconds=seconds)
    else:
        peers.missing()
    results = await interleaved(cases)
    base = results.get(peer)

    def ratio(result: Result) -> str:
        return f"{result[figure] / base[figure]:.2f}" if base is not None else ""

    print(f"{what}; medians of 3 runs of {seconds:g} s CPU")
    table(
        ("", f"{figure}/s", "of the peer", "cores"),
        [(name, f"{one[figure]:.0f}", ratio(one), cores(one)) for name, one in results.items()],
    )


async def measure(quick: bool) -> None:
    seconds = 2.0 if quick else 6.0
    await beside(
        "boards", "random legal boards on one core", random_boards(seconds), "rlcard_mahjong", seconds
    )
    hands = winning_hands(200 if quick else 1000)
    await beside("values", "readings of winning hands", readings(hands, seconds), "mahjong_value", seconds)
    results = await interleaved({"house AI": measured(decisions(10 if quick else 60))})
    house = results["house AI"]
    print(f"house AI, a decision; medians of 3 runs of {house['decisions']:.0f} decisions")
    table(
        ("", "p50 ms", "p99 ms", "most ms", "cores"),
        [("house AI", f"{house['p50']:.2f}", f"{house['p99']:.2f}", f"{house['most']:.1f}", cores(house))],
    )


def run(quick: bool) -> None:
    """See ABOUT."""
    asyncio.run(measure(quick))
