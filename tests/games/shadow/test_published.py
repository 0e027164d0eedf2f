"""All published Paohuzi cases and the further ones, judged by the shadow referee."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.games.shadow.cases import canonical, judged

FOLDER = Path(__file__).parents[1] / "cases"
CASES = [
    json.loads(line)
    for name in ("paohuzi", "paohuzi_more")
    for line in (FOLDER / f"{name}.ndjson").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_case(case: dict[str, Any]) -> None:
    got = judged(case)
    for key, value in case["expect"].items():
        assert canonical(key, got[key]) == canonical(key, value), key
