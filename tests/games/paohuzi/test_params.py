"""Ruleset parameters: defaults, profiles, overrides, refusals."""

from __future__ import annotations

import json
from typing import Any

import pytest

from services.domain import Rejected
from services.games.paohuzi import params


def test_p8_2_and_p10_defaults_of_the_competitive_ruleset() -> None:
    assert params.describe(params.resolve({})) == {
        "profile": "competitive-2017",
        "min_huxi": 15,
        "fan": {
            "plain": 1,
            "red": 2,
            "great_red": 4,
            "one_red": 3,
            "black": 5,
            "all_triplets": None,
            "eighteen_big": None,
            "eighteen_small": None,
            "heaven": None,
            "earth": None,
            "last_tile": None,
            "untouched": None,
            "own_draw": None,
        },
        "red_step": 0,
        "fan_combine": "add",
        "dihu_on_bright_tile": False,
    }
    assert params.resolve({}) == params.DEFAULT


def test_p10_duohongdui_profile_is_data() -> None:
    described = params.describe(params.resolve({"profile": "duohongdui"}))
    on = {code: fan for code, fan in described["fan"].items() if fan is not None}
    assert on == {
        "plain": 1,
        "red": 2,
        "one_red": 4,
        "black": 6,
        "all_triplets": 6,
        "heaven": 4,
        "earth": 4,
        "last_tile": 4,
        "untouched": 4,
    }
    assert described["red_step"] == 1


def test_p10_a_fan_override_changes_the_named_code_only_and_null_is_off() -> None:
    fans = dict(params.resolve({"fan": {"black": None, "heaven": 4}}).fan)
    assert fans == {"plain": 1, "red": 2, "great_red": 4, "one_red": 3, "heaven": 4}


def test_p10_overrides_lie_over_the_named_profile_whatever_their_order() -> None:
    first = params.resolve({"fan": {"black": 7}, "profile": "duohongdui"})
    assert first == params.resolve({"profile": "duohongdui", "fan": {"black": 7}})
    assert dict(first.fan)["black"] == 7
    assert dict(first.fan)["one_red"] == 4


@pytest.mark.parametrize(
    "overrides",
    [
        {},
        {"profile": "duohongdui", "min_huxi": 6},
        {"fan": {"plain": None, "own_draw": 0}, "fan_combine": "multiply", "dihu_on_bright_tile": True},
    ],
)
def test_resolved_parameters_survive_being_described_as_json(overrides: dict[str, Any]) -> None:
    resolved = params.resolve(overrides)
    assert params.resolve(json.loads(json.dumps(params.describe(resolved)))) == resolved


@pytest.mark.parametrize(
    ("overrides", "parameter", "clause"),
    [
        ({"min_huxi": 5}, "min_huxi", "P8.2"),
        ({"min_huxi": 101}, "min_huxi", "P8.2"),
        ({"min_huxi": True}, "min_huxi", "P8.2"),
        ({"min_huxi": "15"}, "min_huxi", "P8.2"),
        ({"min_huxi": None}, "min_huxi", "P8.2"),
        ({"fan": {"red": -1}}, "fan.red", "P10"),
        ({"fan": {"red": 1.5}}, "fan.red", "P10"),
        ({"fan": {"golden": 2}}, "fan.golden", "P10"),
        ({"fan": None}, "fan", "P10"),
        ({"fan_combine": "sum"}, "fan_combine", "P10"),
        ({"fan_combine": ["add"]}, "fan_combine", "P10"),
        ({"profile": "steps40"}, "profile", "P10"),
        ({"profile": None}, "profile", "P10"),
        ({"red_step": -1}, "red_step", "P10"),
        ({"dihu_on_bright_tile": 1}, "dihu_on_bright_tile", "P8.3"),
        ({"minhuxi": 15}, "minhuxi", "P0"),
    ],
)
def test_p8_2_and_p10_bad_parameters_are_refused_by_name(
    overrides: dict[str, Any], parameter: str, clause: str
) -> None:
    with pytest.raises(Rejected) as refusal:
        params.resolve(overrides)
    assert (refusal.value.facts["parameter"], refusal.value.clause) == (parameter, clause)


def test_p8_2_six_huxi_is_the_least_an_event_may_ask() -> None:
    assert params.resolve({"min_huxi": 6}).min_huxi == 6
