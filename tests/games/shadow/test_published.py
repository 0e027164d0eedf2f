"""All published Paohuzi cases, judged by the shadow referee."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.games.shadow.cases import canonical, judged

FOLDER = Path(__file__).parents[1] / "cases"
CASES = [json.loads(line) for line in (FOLDER / "paohuzi.ndjson").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_published_case(case: dict[str, Any]) -> None:
    got = judged(case)
    for key, value in case["expect"].items():
        assert canonical(key, got[key]) == canonical(key, value), key
