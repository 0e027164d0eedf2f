"""Parameters of both rulesets: defaults, overrides, refusals."""

from __future__ import annotations

import json
from typing import Any

import pytest

from services.domain import Rejected
from services.games.shengji import params

XIAMEN: dict[str, Any] = {
    "profile": "steps20",
    "packs": 2,
    "bid_phase": "while_drawing",
    "no_bid_rule": "third_card",
    "demote": "all_eight",
    "revolution": True,
    "throw_fine": 10,
    "partial_tractor_follow": True,
    "overruff": "largest",
    "tractor_over_pairs": True,
    "bottom_shape": "winner",
    "declarer_rotation": "side_keeps",
    "must_play": [],
    "score": "points",
}


def test_defaults_of_the_two_rulesets() -> None:
    assert params.describe(params.resolve(params.XIAMEN, {})) == XIAMEN
    duplicate = params.describe(params.resolve(params.DUPLICATE, {}))
    assert duplicate == {**XIAMEN, "revolution": False, "tractor_over_pairs": False}


@pytest.mark.parametrize("ruleset", [params.XIAMEN, params.DUPLICATE])
def test_what_is_described_resolves_to_the_same(ruleset: str) -> None:
    chosen = {"profile": "steps40", "must_play": ["K", "5", "T"], "throw_fine": 0, "overruff": "all"}
    for overrides in ({}, chosen):
        resolved = params.resolve(ruleset, overrides)
        stored = json.loads(json.dumps(params.describe(resolved)))
        assert params.resolve(ruleset, stored) == resolved


def test_s9_5_must_play_is_in_order() -> None:
    assert params.resolve(params.XIAMEN, {"must_play": ["K", "5", "T", "5"]}).must_play == ("5", "T", "K")


@pytest.mark.parametrize(
    ("name", "value", "clause"),
    [
        ("profile", "steps10", "S9.7"),
        ("packs", 1, "S1.0"),
        ("packs", 3, "S1.0"),
        ("packs", True, "S1.0"),
        ("bid_phase", "never", "S4.1"),
        ("no_bid_rule", "redeal", "S4.6"),
        ("demote", "some", "S4.6"),
        ("revolution", 1, "S4.8"),
        ("throw_fine", -1, "S6.4"),
        ("throw_fine", 101, "S6.4"),
        ("throw_fine", True, "S6.4"),
        ("throw_fine", "10", "S6.4"),
        ("partial_tractor_follow", None, "S7.2"),
        ("overruff", ["all"], "S8.1"),
        ("tractor_over_pairs", 0, "S8.3a"),
        ("bottom_shape", "loser", "S9.1"),
        ("declarer_rotation", "anticlockwise", "S9.4"),
        ("must_play", "5", "S9.5"),
        ("must_play", ["10"], "S9.5"),
        ("must_play", [""], "S9.5"),
        ("must_play", [5], "S9.5"),
        ("must_play", None, "S9.5"),
        ("score", "mp", "S9.6"),
    ],
)
def test_values_out_of_range(name: str, value: Any, clause: str) -> None:
    with pytest.raises(Rejected) as refused:
        params.resolve(params.XIAMEN, {name: value})
    assert (refused.value.reason, refused.value.clause) == ("PARAMETER_OUT_OF_RANGE", clause)
    assert refused.value.facts == {"parameter": name}


def test_a_parameter_that_does_not_exist() -> None:
    with pytest.raises(Rejected) as refused:
        params.resolve(params.XIAMEN, {"jokers": 4})
    assert (refused.value.reason, refused.value.facts) == ("UNKNOWN_PARAMETER", {"parameter": "jokers"})


def test_s4_8_no_revolution_in_duplicate_play() -> None:
    with pytest.raises(Rejected, match=r"S4\.8"):
        params.resolve(params.DUPLICATE, {"revolution": True})
    assert not params.resolve(params.DUPLICATE, {"revolution": False}).revolution


def test_a_ruleset_that_does_not_exist() -> None:
    with pytest.raises(Rejected, match="UNKNOWN_RULESET"):
        params.resolve("shengji/village", {})
