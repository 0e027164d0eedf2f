"""Recorded championships replay to what was recorded, for ever: a change that breaks this needs a new ruleset id or an upcaster.

A golden file is never replaced. A new one is `fupan demo --entrants 5 --rounds 2 --boards 1 --seed S --exit --audit-out DIR`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest

from services.ledger.audit.report import Status
from services.ledger.audit.verify import verify

GOLDEN = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a file is and what verifying it covers, by check."""

    sha256: str
    signer: str
    checked: Mapping[str, int]


RECORDED = {
    "paohuzi-2026-11.fupan": Recorded(
        "c04b82fa04dd21842b53ebcc4a9d10908c8ef11f97d485c5248135abb379f1b5",
        "5b61-75a1-b218-e493-39df-df16-cd84-fa90-8f22-d71f-ab9c-d36e-97d9-9bfa-386f-da4f",
        {
            "chain": 172,
            "signatures": 4,
            "commitments": 3,
            "sealed records": 114,
            "deals": 4,
            "replay": 110,
            "scores": 4,
            "draw": 2,
            "rulings": 1,
            "standings": 3,
        },
    )
}


def test_every_golden_file_is_listed() -> None:
    assert {path.name for path in GOLDEN.glob("*.fupan")} == set(RECORDED)


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_championship_replays_to_what_was_recorded(name: str) -> None:
    data, recorded = (GOLDEN / name).read_bytes(), RECORDED[name]
    assert sha256(data).hexdigest() == recorded.sha256
    report = verify(data, trust=[recorded.signer])
    assert [str(finding) for finding in report.findings] == []
    assert all(check.status is Status.OK for check in report.checks)
    done = {check.name: check.done for check in report.checks}
    assert recorded.checked.items() <= done.items()
