"""Benches run: every one is there and says what it measures, and those without servers name their figures, on fields of no size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

import pytest

from bench import rules, shengji, standings, whatif
from bench.__main__ import NAMES

SOON = 0.01
"""Seconds of CPU that a case may take its figures from."""


@pytest.mark.parametrize("name", NAMES)
def test_every_bench_says_what_it_measures(name: str) -> None:
    bench = import_module(f"bench.{name}")
    assert bench.ABOUT
    assert callable(bench.run)


@pytest.mark.parametrize(
    ("work", "figures"),
    [
        (lambda: rules.PAOHUZI.random_boards(SOON)(), {"boards", "moves"}),
        (lambda: rules.readings(rules.winning_hands(2), SOON)(), {"values"}),
        (lambda: rules.PAOHUZI.decisions(1)(), {"p50", "p99", "most", "decisions"}),
        (lambda: shengji.SHENGJI.random_boards(SOON)(), {"boards", "moves"}),
        (lambda: shengji.asking(shengji.worst(1))(), {"p50", "p99", "most"}),
    ],
    ids=["random boards", "readings", "house AI", "random deals", "worst follows"],
)
def test_the_rules_figures_are_those_that_are_printed(
    work: Callable[[], Mapping[str, float]], figures: set[str]
) -> None:
    found = work()
    assert set(found) == figures
    assert min(found.values()) > 0


def test_house_ai_is_measured_against_the_fallback_player() -> None:
    mean, error = shengji.margin(2)
    assert -200 <= mean <= 200
    assert error >= 0


@pytest.mark.parametrize(
    ("bench", "lines"),
    [
        (
            standings.main,
            [
                "MP, numpy bincount",
                "MP, compare, groups given",
                "order with all tie-breaks",
                "row snake of 60",
                "standings from",
            ],
        ),
        (
            whatif.main,
            ["rebuilt from facts", "what one ruling would change", "the least that matters of a board"],
        ),
    ],
    ids=["standings", "whatif"],
)
def test_a_small_field_gets_every_line(
    bench: Callable[[int, int], None], lines: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    bench(60, 12)
    told = capsys.readouterr().out
    assert told.startswith("60 entrants x 12 boards")
    assert [line for line in lines if line not in told] == []
