"""The published Paohuzi cases of hands (P4, P8–P11), and what a checker says of cases that are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from services.games import cases

LINES = Path(__file__).with_name("paohuzi.ndjson").read_text(encoding="utf-8").splitlines()
HANDS = [line for line in LINES if json.loads(line)["kind"] in ("meld", "win")]
WIN = next(json.loads(line) for line in HANDS if json.loads(line)["id"] == "PB1")


def win(**changes: Any) -> cases.Verdict:
    """The verdict on case PB1 with some of its fields changed."""
    return cases.check_line(json.dumps({**WIN, **changes}), 7)


@pytest.mark.parametrize("line", HANDS, ids=lambda line: str(json.loads(line)["id"]))
def test_published_case(line: str) -> None:
    verdict = cases.check_line(line, 1)
    assert verdict.ok, verdict.message


def test_there_are_published_cases_of_both_kinds() -> None:
    assert {json.loads(line)["kind"] for line in HANDS} == {"meld", "win"}
    assert len(HANDS) == 45


def test_a_passed_case_says_ok_and_its_id() -> None:
    assert win().show() == "ok PB1"


def test_a_failed_case_says_what_was_expected_and_found() -> None:
    verdict = win(expect={"win": True, "huxi": 20, "fan": 1})
    assert verdict.show() == 'FAIL PB1: expected {"huxi": 20}, got {"huxi": 21}'


def test_a_key_that_the_kind_does_not_have_fails() -> None:
    assert win(expect={"hu": 21}).show() == 'FAIL PB1: expected {"hu": 21}, got {}'


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"kind": "guess"}, "UNKNOWN_KIND"),
        ({"game": "mahjong"}, "UNKNOWN_KIND"),
        ({"kind": ["win"]}, "UNKNOWN_KIND"),
        ({"expect": {}}, "MALFORMED_CASE"),
        ({"expect": [True]}, "MALFORMED_CASE"),
        ({"ruleset": "paohuzi/village"}, "UNKNOWN_RULESET"),
        ({"hand": ["s11"]}, "MALFORMED_TILE"),
        ({"hand": 5}, "MALFORMED_CASE"),
        ({"tile": "x"}, "MALFORMED_TILE"),
        ({"table": [["gang", "s1"]]}, "MALFORMED_MELD"),
        ({"table": [["run", "s1", "s2", "b3"]]}, "P4"),
        ({"table": [["pair", "s1"]]}, "P4"),
        ({"hand": ["s9"] * 5}, "P1.1"),
        ({"hand": ["b5", "b5"]}, "P1.1"),
        ({"tile": None}, "P8.3"),
        ({"drawn_by": "thief"}, "P8.3"),
        ({"position": ["first_tile"]}, "P10"),
    ],
)
def test_a_malformed_case_fails_with_its_line_number(changes: dict[str, Any], complaint: str) -> None:
    verdict = win(**changes)
    assert not verdict.ok
    assert verdict.show().startswith("FAIL PB1: line 7: ")
    assert complaint in verdict.message


@pytest.mark.parametrize("field", ["game", "kind", "expect", "table", "hand", "tile", "drawn_by"])
def test_a_missing_field_fails_with_the_line_number(field: str) -> None:
    case = {key: value for key, value in WIN.items() if key != field}
    assert cases.check_line(json.dumps(case), 7).show().startswith("FAIL PB1: line 7: ")


@pytest.mark.parametrize("line", ["", "{", "[]", "null", '{"game": "paohuzi"}', '{"id": 5}', "[" * 100_000])
def test_a_line_without_an_id_is_named_by_its_number(line: str) -> None:
    assert cases.check_line(line, 7).show().startswith("FAIL line 7: ")


def test_no_line_is_skipped() -> None:
    text = "\n".join([HANDS[0], "", HANDS[1]]) + "\n"
    assert [verdict.ok for verdict in cases.check_text(text)] == [True, False, True]


def test_p8_2_parameters_no_event_may_have_are_refused() -> None:
    assert win(params={"min_huxi": 5}, expect={"refused": "P8.2"}).ok
    assert not win(params={"min_huxi": 5}).ok


def test_p4_what_is_no_meld_of_real_tiles_is_not_legal() -> None:
    for meld in (["run", "s9", "s10", "s11"], ["gang", "s5"], ["ti"], ["run", "s1", "s2"]):
        case = {
            "id": "x",
            "game": "paohuzi",
            "kind": "meld",
            "meld": meld,
            "expect": {"legal": False, "huxi": 0},
        }
        assert cases.check_line(json.dumps(case), 1).ok
