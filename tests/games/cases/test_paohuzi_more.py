"""Further Paohuzi cases of what is rare at a table, in the published format; the shadow referee judges them too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from services.games import cases

LINES = Path(__file__).with_name("paohuzi_more.ndjson").read_text("utf-8").splitlines()


@pytest.mark.parametrize("line", LINES, ids=lambda line: str(json.loads(line)["id"]))
def test_case(line: str) -> None:
    verdict = cases.check_line(line, 1)
    assert verdict.ok, verdict.message


def test_every_case_has_an_id_of_its_own_that_begins_with_its_clause() -> None:
    told = [json.loads(line) for line in LINES]
    assert len({case["id"] for case in told}) == len(told) == 90
    assert all(case["id"].startswith(f"{case['clause']}-") for case in told)
