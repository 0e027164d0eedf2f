"""Lines nobody should send: always one verdict on one line, never an exception, and no false `ok`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.games import cases

FOLDER = Path(__file__).parent
PUBLISHED = [
    json.loads(line)
    for name in ("paohuzi", "championship")
    for line in (FOLDER / f"{name}.ndjson").read_text("utf-8").splitlines()
]
BY_ID = {case["id"]: case for case in PUBLISHED}

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**30, -1, 1e308, float("nan"), float("inf")])
    | st.floats()
    | st.text()
    | st.sampled_from(["s1", "b10", "win", "eat s1 +", "play", "\ud800", "a\u2028b", "run"])
)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=3)
)


@st.composite
def spoilt(draw: st.DrawFn) -> Any:
    """A published case with one value somewhere in it replaced or dropped."""
    case = json.loads(json.dumps(draw(st.sampled_from(PUBLISHED))))
    holder: Any = case
    while True:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        key = draw(st.sampled_from(keys))
        inner = holder[key]
        if isinstance(inner, dict | list) and inner and draw(st.integers(0, 3)):
            holder = inner
        elif draw(st.booleans()):
            holder[key] = draw(JSON)
            return case
        else:
            del holder[key]
            return case


def told(text: str) -> cases.Verdict:
    """The verdict on a line, which is printable as one line in either form."""
    verdict = cases.check_line(text, 9)
    assert verdict.show().isprintable()
    assert verdict.show().startswith(("ok ", "FAIL "))
    assert json.dumps([verdict.id, verdict.ok, verdict.message])
    return verdict


@settings(max_examples=400, deadline=None)
@given(spoilt())
def test_a_spoilt_case_has_a_verdict(case: Any) -> None:
    told(json.dumps(case))


@settings(max_examples=200, deadline=None)
@given(
    JSON.map(json.dumps) | st.text() | st.binary().map(lambda data: data.decode("utf-8", "surrogateescape"))
)
def test_whatever_is_no_case_fails(text: str) -> None:
    assert not told(text).ok


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + json.dumps(BY_ID["PB1"]),
        '{"id": "x", "n": ' + "9" * 5000 + "}",
        '{"id": "x", "deep": ' + "[" * 100_000 + "]" * 100_000 + "}",
        json.dumps(BY_ID["PB1"]) + json.dumps(BY_ID["PB1"]),
        json.dumps(BY_ID["PB1"]).replace("PB1", "\udcff"),
        "\0",
    ],
    ids=["bom", "digits", "depth", "two on a line", "no UTF-8", "nul"],
)
def test_a_line_that_is_not_json_fails_by_its_number(text: str) -> None:
    assert told(text).id == "line 9"


def test_line_ends_of_windows_and_a_missing_last_one_do_no_harm() -> None:
    line = json.dumps(BY_ID["PB1"])
    assert [verdict.show() for verdict in cases.check_text(f"{line}\r\n{line}")] == ["ok PB1", "ok PB1"]


def test_an_empty_file_is_one_malformed_line() -> None:
    assert [verdict.id for verdict in cases.check_text("")] == ["line 1"]


def test_an_id_is_shown_on_one_line_whatever_it_holds() -> None:
    strange = {**BY_ID["PA1.a"], "id": "一\nok x\x1b\ud800\u2028"}
    assert told(json.dumps(strange)).show() == "ok 一\\nok x\\x1b\\ud800\\u2028"


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("PB1", {"expect": {"fan": True}}),
        ("PB1", {"expect": {"win": 1}}),
        ("PB17.a", {"table": {}}),
        ("PB17.a", {"table": ""}),
        ("PB1", {"position": ""}),
        ("PA1.a", {"params": {"zzz": 1}}),
        ("PA1.a", {"ruleset": "paohuzi/village"}),
        ("PD33.a", {"expect": {"owes": False}}),
        ("PD33.a", {"dealer": False}),
        ("PD33.a", {"acts": ""}),
        ("PD33.a", {"acts": {}}),
        ("PD33.a", {"acts": [{"seat": 0, "do": "dance"}]}),
        ("PD33.a", {"acts": [{"seat": 0, "do": "dance"}], "expect": {"refused": ""}}),
        ("PD33.a", {"acts": [{"seat": True, "do": "pass"}], "expect": {"refused": "P6.4"}}),
        ("PD33.a", {"acts": [{"seat": 0, "do": "pass"}]}),
        ("PD33.a", {"expect": {"dead_hand": ""}}),
        ("PD31", {"expect": {"options": {"0": {"win": 1, "pass": 1}}}}),
    ],
    ids=str,
)
def test_a_case_of_wrong_types_or_with_an_act_refused_unasked_is_not_ok(
    name: str, changes: dict[str, Any]
) -> None:
    assert told(json.dumps(BY_ID[name])).ok
    assert not told(json.dumps({**BY_ID[name], **changes})).ok
