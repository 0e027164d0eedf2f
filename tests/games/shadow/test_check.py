"""Boards of the engine put before the shadow referee as replays tell them: it agrees, and finds every fault of an engine."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from services.domain import fold
from services.games.paohuzi import tiles
from services.games.paohuzi.ruleset import COMPETITIVE_2017
from services.games.shadow.check import Difference, Told, check
from services.ledger import dealing

RULES = COMPETITIVE_2017


def told(state: Any, seat: int | None, do: str, events: Sequence[Any]) -> Told:
    outcome = RULES.outcome(state)
    options = {one: tuple(map(RULES.show, RULES.options(state, one))) for one in RULES.asked(state)}
    scores = None if outcome is None else outcome.scores
    return Told(seat, do, tuple(map(RULES.tell, events)), options, scores)


def played(seed: int, overrides: dict[str, Any]) -> tuple[list[str], list[Told]]:
    """A deal and what the engine makes of it; half of the answers are of chance, some of seats that are outranked."""
    rng = random.Random(seed)
    deal = dealing.shuffle(seed.to_bytes(32, "big"), RULES.deck)
    state = RULES.start(RULES.resolve(overrides), 1 + seed % 3, deal)
    events: tuple[Any, ...] = RULES.opening(state)
    state = fold(RULES.evolve, state, events)
    steps = [told(state, None, "", events)]
    while RULES.asked(state):
        put = [seat for seat in range(3) if RULES.put(state, seat)]
        seat = rng.choice(put if rng.random() < 0.3 else RULES.asked(state))
        view = RULES.view(state, seat)
        action = rng.choice(view.options) if rng.random() < 0.5 else RULES.choose(view)
        events = RULES.decide(state, seat, action)
        state = fold(RULES.evolve, state, events)
        steps.append(told(state, seat, RULES.show(action), events))
    return [tiles.show(tile) for tile in deal], steps


def difference(
    seed: int, steps: Sequence[Told], overrides: dict[str, Any], deal: list[str]
) -> Difference | None:
    return check(RULES.describe(RULES.resolve(overrides)), 1 + seed % 3, deal, steps)


OVERRIDES: list[dict[str, Any]] = [
    {},
    {"profile": "duohongdui"},
    {"dihu_on_bright_tile": True, "min_huxi": 10},
]


@pytest.mark.parametrize("overrides", OVERRIDES)
def test_it_agrees_with_the_engine(overrides: dict[str, Any]) -> None:
    for seed in range(20):
        deal, steps = played(seed, overrides)
        assert difference(seed, steps, overrides, deal) is None


def faulty(fault: str, step: Told) -> Told:
    """A step as an engine with a fault would record it; the same step where the fault makes no difference."""
    match fault:
        case "offers a play that P5.6 forbids":
            return replace(step, options={seat: (*found, "play s1") for seat, found in step.options.items()})
        case "forgets a claim":
            options = {seat: found[1:] for seat, found in step.options.items() if "pass" in found}
            return replace(step, options={**step.options, **options})
        case "does not ask a seat":
            return replace(step, options=dict(list(step.options.items())[1:]))
        case "takes a wei for a stale one":
            return _events(step, r"^(wei_laid \d \w+)$", r"\1 stale")
        case "forgets 过张":
            kept = tuple(event for event in step.events if not event.startswith("kind_passed"))
            return replace(step, events=kept)
        case "gives a tile to the next seat":
            return _events(step, r"^ponged (\d)", lambda found: f"ponged {(int(found[1]) + 1) % 3}")
        case "draws another tile":
            return _events(step, r"^(tile_drawn \d) \w+", r"\1 s10x")
        case "counts a win twice":
            return replace(step, scores=step.scores and tuple(2 * score for score in step.scores))
        case "goes on when the stock is empty":
            return replace(step, events=tuple(event for event in step.events if event != "board_drawn"))
    raise AssertionError(fault)


def _events(step: Told, pattern: str, by: Any) -> Told:
    return replace(step, events=tuple(re.sub(pattern, by, event) for event in step.events))


@pytest.mark.parametrize(
    ("fault", "what"),
    [
        ("offers a play that P5.6 forbids", "choices"),
        ("forgets a claim", "choices"),
        ("does not ask a seat", "choices"),
        ("takes a wei for a stale one", "happened"),
        ("forgets 过张", "happened"),
        ("gives a tile to the next seat", "happened"),
        ("draws another tile", "happened"),
        ("counts a win twice", "scores"),
        ("goes on when the stock is empty", "happened"),
    ],
)
def test_a_fault_of_the_engine_is_found_where_it_shows_first(fault: str, what: str) -> None:
    shown = 0
    for seed in range(12):
        deal, steps = played(seed, {})
        spoilt = [faulty(fault, step) for step in steps]
        first = next(
            (n for n, pair in enumerate(zip(steps, spoilt, strict=True), 1) if pair[0] != pair[1]), 0
        )
        if first:
            shown += 1
            assert difference(seed, spoilt, {}, deal) == Difference(first, what)  # type: ignore[arg-type]
    assert shown


def test_an_act_that_the_rules_do_not_allow_is_refused() -> None:
    deal, steps = played(0, {})
    at = next(number for number, step in enumerate(steps) if step.do.startswith("play"))
    steps[at] = replace(steps[at], do="peng")
    assert difference(0, steps, {}, deal) == Difference(at + 1, "refused")


def test_another_deal_is_not_this_board() -> None:
    _, steps = played(0, {})
    assert difference(0, steps, {}, played(3, {})[0]) is not None


@pytest.mark.chaos
@pytest.mark.parametrize("hundred", range(20))
def test_it_agrees_for_long(hundred: int) -> None:
    for seed in range(100 * hundred, 100 * hundred + 100):
        overrides = OVERRIDES[seed % 3]
        deal, steps = played(seed, overrides)
        assert difference(seed, steps, overrides, deal) is None
