"""Whole tables of the service, with fines, pauses, expired clocks and cards drawn at a pace, as the shadow referees read them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from services.games.paohuzi.ruleset import Paohuzi
from services.games.rules import Outcome
from services.ledger.audit.report import Check, Status
from services.ledger.audit.verify import verify
from tests.ledger import event_log as e
from tests.ledger.test_audit_shengji import OPENED, TABLE, recorded
from tests.ledger.test_audit_table import played


def read(log: e.Log) -> Check:
    """What the shadow referees say of a table."""
    checks = {check.name: check for check in verify(log.file("table", TABLE), shadow=True).checks}
    return checks["shadow referee"]


@pytest.mark.parametrize("seed", range(3))
def test_both_agree_on_paohuzi(seed: int) -> None:
    check = read(played(seed, demo=False))
    assert (check.status, check.done > 1) == (Status.OK, True)


@pytest.mark.parametrize("kind", OPENED)
@pytest.mark.parametrize("seed", range(3))
def test_both_agree_on_shengji(kind: str, seed: int) -> None:
    check = read(recorded(OPENED[kind], seed)[0])
    assert (check.status, check.done > 1) == (Status.OK, True)


def test_it_is_looked_at_only_when_asked_for() -> None:
    log = played(0, demo=False)
    assert "shadow referee" not in {check.name for check in verify(log.file("table", TABLE)).checks}


def generous(outcome: Callable[..., Outcome | None]) -> Callable[..., Outcome | None]:
    """An engine that gives the first seat three points too many, here and in the log alike."""

    def faulty(self: Paohuzi, board: Any) -> Outcome | None:
        found = outcome(self, board)
        return found and Outcome((found.scores[0] + 3, *found.scores[1:]), found.drawn)

    return faulty


def test_a_fault_that_the_engine_makes_twice_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Paohuzi, "outcome", generous(Paohuzi.outcome))
    log = played(0, demo=False)
    found = verify(log.file("table", TABLE), shadow=True).findings
    assert {one.code for one in found} == {"REFEREES_DIFFER"}
    assert all("scores" in one.detail for one in found)
