"""The published Paohuzi cases at the table, and what a checker says of scripts that are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from services.games import cases

LINES = Path(__file__).with_name("paohuzi.ndjson").read_text(encoding="utf-8").splitlines()
SCRIPTS = {case["id"]: case for case in map(json.loads, LINES) if case["kind"] == "script"}


def verdict(name: str, **changes: Any) -> cases.Verdict:
    """The verdict on a published case with some of its fields changed."""
    return cases.check_line(json.dumps({**SCRIPTS[name], **changes}), 3)


@pytest.mark.parametrize("name", SCRIPTS)
def test_published_case(name: str) -> None:
    found = verdict(name)
    assert found.ok, found.message


def test_there_are_published_scripts() -> None:
    assert len(SCRIPTS) == 37


def test_tile_order_in_an_option_and_a_meld_does_not_matter() -> None:
    assert verdict(
        "PD1.a",
        expect={"options": {"0": ["pass", "eat s5 s4"], "1": ["eat s8 s7", "pass"], "2": ["pass", "peng"]}},
    ).ok
    assert verdict("PD1.c", expect={"melds": {"0": [["run", "s6", "s5", "s4"]], "1": [], "2": []}}).ok


def test_a_wrong_expectation_is_told_with_what_was_found() -> None:
    assert verdict("PD2", expect={"owes": 1}).message == 'expected {"owes": 1}, got {"owes": 0}'


def test_an_act_that_is_not_refused_is_no_refusal() -> None:
    assert verdict("PD2", expect={"refused": None}).ok
    assert not verdict("PD2", expect={"refused": "P5.6"}).ok


def test_after_a_refusal_the_state_is_unchanged() -> None:
    assert verdict("PD37", expect={"refused": "P5.6", "owes": 0, "next_draw": 1, "over": False}).ok


def test_only_the_last_act_may_be_refused() -> None:
    acts = [{"seat": 2, "do": "play s9"}, *SCRIPTS["PD1.a"]["acts"]]
    assert "P5.6" in verdict("PD1.a", acts=acts).message


def test_a_seat_no_longer_asked_is_refused_and_changes_nothing() -> None:
    acts = [*SCRIPTS["PD1.a"]["acts"], {"seat": 0, "do": "eat s4 s5"}, {"seat": 1, "do": "eat s7 s8"}]
    assert verdict("PD1.a", acts=acts, expect={"refused": "P6.4", "options": {"2": ["peng", "pass"]}}).ok
    more = [*acts, {"seat": 2, "do": "pass"}]
    assert verdict("PD1.a", acts=more, expect={"refused": None, "owes": 0}).ok


def test_parameters_no_event_may_have_are_refused() -> None:
    assert verdict("PD2", params={"min_huxi": 5}, expect={"refused": "P8.2"}).ok


@pytest.mark.parametrize(
    "changes",
    [
        {"ruleset": "paohuzi/other"},
        {"deal": None},
        {"deal": {"hands": [], "bright": "s1", "stock": []}},
        {"dealer": 3},
        {"dealer": "0"},
        {"acts": None},
        {"acts": [{"seat": 2}]},
        {"acts": [{"seat": 2, "do": "dance"}]},
        {"acts": [{"seat": 2, "do": 7}]},
        {"acts": [{"seat": 7, "do": "pass"}]},
        {"acts": ["pass"]},
        {"params": {"min_huxi": "many"}},
        {"expect": {"options": ["peng"]}},
        {"expect": {"melds": {"0": [["heap", "s1"]]}}},
        {"expect": {"nonsense": 1}},
    ],
    ids=str,
)
def test_a_malformed_script_fails_and_does_not_crash(changes: dict[str, Any]) -> None:
    found = verdict("PD2", **changes)
    assert not found.ok
    assert found.message


def test_a_deal_that_is_not_the_deck_is_named() -> None:
    deal = {**SCRIPTS["PD2"]["deal"], "bright": "b5"}
    assert "not the 80 tiles" in verdict("PD2", deal=deal).message
