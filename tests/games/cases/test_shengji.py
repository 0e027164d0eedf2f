"""The published Shengji cases (S1-S9), and what a checker says of cases that are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from services.games import cases

LINES = Path(__file__).with_name("shengji.ndjson").read_text(encoding="utf-8").splitlines()
CASES = {case["id"]: case for case in map(json.loads, LINES)}


def check(name: str, **changes: Any) -> cases.Verdict:
    """The verdict on a published case with some of its fields changed."""
    return cases.check_line(json.dumps({**CASES[name], **changes}), 7)


@pytest.mark.parametrize("line", LINES, ids=lambda line: str(json.loads(line)["id"]))
def test_published_case(line: str) -> None:
    verdict = cases.check_line(line, 1)
    assert verdict.ok, verdict.message


def test_there_are_published_cases_of_every_kind() -> None:
    kinds = {kind for game, kind in cases.KINDS if game == "shengji"}
    assert {case["kind"] for case in CASES.values()} == kinds
    assert len(CASES) == 68


@pytest.mark.parametrize(
    ("name", "changes", "wrong"),
    [
        ("TF15.a", {"expect": {"high_to_low": [["jo"], ["D7"], ["H7"], ["HA"], ["H8"]]}}, "high_to_low"),
        ("TF9", {"expect": {"components": [["tractor", 4], ["pair"]]}}, "components"),
        ("TG1", {"expect": {"plays": [["CK", "CK"], ["C4", "C5"]]}}, "plays"),
        ("TG16", {"expect": {"count": 14}}, "count"),
        ("TH1", {"expect": {"winner": 3, "points": 10}}, "winner"),
        ("TI1", {"expect": {"must_play": ["CA"]}}, "must_play"),
        ("TJ1", {"expect": {"bonus": 60}}, "bonus"),
        ("TK1.a", {"expect": {"levels": ["T", "5"]}}, "levels"),
        ("TL4", {"expect": {"refused": []}}, "refused"),
    ],
)
def test_a_wrong_expectation_fails(name: str, changes: dict[str, Any], wrong: str) -> None:
    verdict = check(name, **changes)
    assert not verdict.ok
    assert verdict.message.startswith(f'expected {{"{wrong}"')


@pytest.mark.parametrize(
    ("name", "changes", "complaint"),
    [
        ("TF9", {"level": "1"}, "MALFORMED_CASE"),
        ("TF9", {"level": ""}, "MALFORMED_CASE"),
        ("TF9", {"trump": "X"}, "MALFORMED_CASE"),
        ("TF9", {"trump": ""}, "MALFORMED_CASE"),
        ("TF9", {"demoted": 1}, "MALFORMED_CASE"),
        ("TF9", {"cards": ["HA", "S10"]}, "MALFORMED_CARD"),
        ("TF9", {"cards": ["HA", "HA", "HA"]}, "MALFORMED_CASE"),
        ("TF9", {"params": {"jokers": 4}}, "UNKNOWN_PARAMETER"),
        ("TF9", {"ruleset": "shengji/village"}, "UNKNOWN_RULESET"),
        ("TF9", {"ruleset": "paohuzi/competitive-2017"}, "UNKNOWN_RULESET"),
        ("TG1", {"hand": ["C4"]}, "MALFORMED_CASE"),
        ("TH1", {"plays": [["C9"], ["CK"], ["H2"]]}, "MALFORMED_CASE"),
        ("TI1", {"others": [[], []]}, "MALFORMED_CASE"),
        ("TJ1", {"winner": "nobody"}, "MALFORMED_CASE"),
        ("TJ1", {"winning_play": ["CA", "CA"]}, "MALFORMED_CASE"),
        ("TK1.a", {"points": 0.5}, "MALFORMED_CASE"),
        ("TK1.a", {"declarer": 4}, "MALFORMED_CASE"),
        ("TK1.a", {"levels": ["5"]}, "MALFORMED_CASE"),
        ("TL2", {"hands": []}, "MALFORMED_CASE"),
        ("TL2", {"bottom": ["S2"] * 8}, "MALFORMED_CASE"),
        ("TL2", {"bids": [{"seat": 1, "cards": ["D2"], "at": 101}]}, "MALFORMED_CASE"),
        ("TL2", {"bids": [{"seat": 4, "cards": ["D2"], "at": 12}]}, "MALFORMED_CASE"),
        ("TL2", {"first_drawer": 4}, "MALFORMED_CASE"),
        ("TL2", {"first_deal": False}, "MALFORMED_CASE"),
    ],
)
def test_a_malformed_case_fails_with_its_line_number(
    name: str, changes: dict[str, Any], complaint: str
) -> None:
    verdict = check(name, **changes)
    assert verdict.show().startswith(f"FAIL {name}: line 7: ")
    assert complaint in verdict.message


@pytest.mark.parametrize(
    ("name", "changes", "clause"),
    [
        ("TF9", {"cards": ["HA", "SA"]}, "S6.2"),
        ("TF9", {"cards": []}, "S6.2"),
        ("TF9", {"params": {"packs": 1}}, "S1.0"),
        ("TF9", {"params": {"packs": 3}}, "S1.0"),
        ("TG1", {"params": {"partial_tractor_follow": "yes"}}, "S7.2"),
        ("TH1", {"plays": [["C9"], ["CK"], ["H2"], ["CA", "CA"]]}, "S7.1"),
        ("TH1", {"params": {"overruff": "some"}}, "S8.1"),
        ("TK1.a", {"params": {"must_play": ["1"]}}, "S9.5"),
        ("TL2", {"params": {"bid_phase": "never"}}, "S4.1"),
    ],
)
def test_where_a_rule_says_no_its_clause_is_found(name: str, changes: dict[str, Any], clause: str) -> None:
    assert not check(name, **changes).ok
    assert check(name, **changes, expect={"refused": clause}).ok


@pytest.mark.parametrize("name", ["TF15.a", "TF9", "TG1", "TH1", "TI1", "TJ1", "TK1.a", "TL5.b"])
def test_a_missing_field_fails_with_the_line_number(name: str) -> None:
    fixed = {"id", "game", "kind", "clause", "expect", "demoted", "ruleset", "params", "first_drawer"}
    for field in CASES[name].keys() - fixed:
        case = {key: value for key, value in CASES[name].items() if key != field}
        assert cases.check_line(json.dumps(case), 7).show().startswith(f"FAIL {name}: line 7: "), field


def test_a_throw_that_stands_has_nothing_it_must_play() -> None:
    standing = {"stands": True, "must_play": None, "fine": 0}
    assert check("TI1", others=[["C3"], ["C4"], ["C5"]], expect=standing).ok


def test_levels_are_absent_once_the_match_is_won() -> None:
    verdict = check("TK1.a", levels=["5", "A"], expect={"levels": ["5", "A"]})
    assert verdict.message == 'expected {"levels": ["5", "A"]}, got {}'
    assert check("TK1.a", levels=["5", "A"], expect={"match_won_by": 1}).ok


def test_s4_4_the_drawer_is_told_by_who_drew_first() -> None:
    """TL5.b with another first drawer: hands are the same, turns are not."""
    assert check("TL5.b", first_drawer=0).ok
    assert check("TL5.b", first_drawer=1, expect={"trump": "D", "refused": [1]}).ok
