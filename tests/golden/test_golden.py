"""Recorded championships replay to what was recorded, for ever: a change that breaks this needs a new ruleset id or an upcaster.

A golden file is never replaced. A new one is `fupan demo --entrants 5 --rounds 2 --boards 1 --seed S --exit --audit-out DIR`, with
`--game shengji` for a board of Shengji, of which one table's file is enough; a match whose cards are drawn at a pace is recorded by
`tests/ledger/test_audit_shengji.py`.
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
    without: frozenset[str] = frozenset()
    """Checks that a file of one table cannot answer."""
    findings: frozenset[str] = frozenset()
    """Codes of what is found in a file that no service wrote."""


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
            "offices": 26,
            "rulings": 1,
            "standings": 3,
        },
    ),
    "shengji-board-2026-11.fupan": Recorded(
        "466a890e4a7285431f648220c6192d68201ca705cccdac5543510f1d6a050953",
        "dbc2-a0fd-7425-b1fb-26db-9ea7-a52a-c7f4-ba9f-56be-e504-62f8-b5aa-a35a-fc96-3414",
        {"chain": 95, "sealed records": 82, "commitments": 2, "deals": 1, "replay": 81, "scores": 1},
        frozenset({"draw", "offices", "rulings", "standings"}),
    ),
    "shengji-match-2026-11.fupan": Recorded(
        "ed46deac1034e7c078872f8878b5950521d393749b8fc20abc9aad666ae12742",
        "5647-5aa7-5463-474c-0285-df5d-bf2b-cab7-3da6-5135-8839-e9b7-7481-b2ea-b107-708c",
        {"chain": 191, "sealed records": 178, "commitments": 6, "deals": 2, "replay": 169, "scores": 3},
        frozenset({"draw", "offices", "rulings", "standings"}),
        # Its records are dated one after the other, by another clock than the one that its match went by, and name one person.
        frozenset({"OTHER_CLOCK", "OTHER_MATCH", "OTHER_PERSON"}),
    ),
    "shengji-match-timed-2026-11.fupan": Recorded(
        "cc1b9d6b558117cacba6e063aa64d16e5acb2a56c7780fa4bacbe699ea0abcf2",
        "5647-5aa7-5463-474c-0285-df5d-bf2b-cab7-3da6-5135-8839-e9b7-7481-b2ea-b107-708c",
        {"chain": 127, "sealed records": 113, "commitments": 6, "deals": 1, "replay": 96, "scores": 2},
        frozenset({"draw", "offices", "rulings", "standings"}),
        # Its records name one person for all seats.
        frozenset({"OTHER_PERSON"}),
    ),
}


def test_every_golden_file_is_listed() -> None:
    assert {path.name for path in GOLDEN.glob("*.fupan")} == set(RECORDED)


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_championship_replays_to_what_was_recorded(name: str) -> None:
    data, recorded = (GOLDEN / name).read_bytes(), RECORDED[name]
    assert sha256(data).hexdigest() == recorded.sha256
    report = verify(data, trust=[recorded.signer])
    assert {finding.code for check in report.checks for finding in check.findings} == recorded.findings
    assert {check.name for check in report.checks if check.status is Status.NOT_POSSIBLE} == recorded.without
    done = {check.name: check.done for check in report.checks}
    assert recorded.checked.items() <= done.items()
